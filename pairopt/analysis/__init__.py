"""Analyse a round or a model: frontier, incentive, odds, typical pairings, what-if, deviations."""
