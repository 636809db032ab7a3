"""Tie-break `buchholz_median`."""

from __future__ import annotations

from fractions import Fraction

from pairopt.event.history import History
from pairopt.event.tie_breaks.base import FIDE, TieBreak, Tied
from pairopt.event.tie_breaks.unplayed import Contribution, contributions, total, without_least


class BuchholzMedian(TieBreak):
    """Buchholz without the lowest, then without the highest of the opponents' scores.

    The lowest is cut as in Buchholz Cut 1; of a single round nothing is left.
    """

    kind = "buchholz_median"
    head = "Buchholz Median"
    source = f"{FIDE}: articles 8.1 and 14.3 (BH-M1), unplayed rounds 16, exception 16.5"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        return [total(history, _median(given)) for given in contributions(history)]


def _median(given: list[Contribution]) -> list[Contribution]:
    return sorted(without_least(given), key=lambda each: each.strength)[:-1]
