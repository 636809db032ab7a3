"""Ranges: the least and the most that a metric of a tournament can be."""

from __future__ import annotations

from math import inf

from pairopt.lab.metrics.rounds import ABSOLUTE, HISTOGRAMS

MetricRange = tuple[float, float]

CORRELATIONS = ("kendall", "spearman")
OF_PLAYERS = ("unbalanced", "bye_groups", *HISTOGRAMS)
OF_MATCHES = ("rematches", "floats", *(f"broken_{name}" for name in ABSOLUTE))


def possible(metric: str, players: int, rounds: int) -> MetricRange:
    """The range of a metric in tournaments of so many players and rounds; infinite if unknown."""
    tables = (players + 1) // 2 * rounds
    if metric in CORRELATIONS:
        return -1, 1
    if metric in OF_PLAYERS:
        return 0, players
    if metric in OF_MATCHES:
        return 0, tables
    known = {"top_hits": 1, "violations": len(ABSOLUTE) * tables, "group_distance": players}
    return (0, known[metric]) if metric in known else (-inf, inf)
