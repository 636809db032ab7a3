"""Tie-break `SB`."""

from __future__ import annotations

from fractions import Fraction

from pairopt.event.history import History
from pairopt.event.tie_breaks.base import FIDE, TieBreak, Tied
from pairopt.event.tie_breaks.unplayed import sums


class SonnebornBerger(TieBreak):
    """The sum, over the rounds, of the opponent's score times the points against them.

    Unplayed rounds, the player's own and those of opponents, count as `tie_breaks.unplayed`
    says. What is cut is the product with the lowest score of an opponent, of equal ones the
    least.
    """

    kind = "SB"
    head = "Sonneborn-Berger"
    source = f"{FIDE}: article 9.1 (SB), unplayed rounds 16, cuts 14 and 16.5"
    takes = "CP"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        return sums(history, self.how, weighed=True)
