"""Analyse a round or a model: frontiers, incentives, odds, what-ifs and deviations."""
