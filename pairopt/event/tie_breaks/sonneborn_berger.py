"""Tie-break `sonneborn_berger`."""

from __future__ import annotations

from fractions import Fraction

from pairopt.event.history import History
from pairopt.event.tie_breaks.base import FIDE, TieBreak, Tied
from pairopt.event.tie_breaks.unplayed import contributions


class SonnebornBerger(TieBreak):
    """The sum, over the rounds, of the opponent's score times the points against them.

    Unplayed rounds, the player's own and those of opponents, count as `tie_breaks.unplayed`
    says.
    """

    kind = "sonneborn_berger"
    head = "Sonneborn-Berger"
    source = f"{FIDE}: article 9.1 (SB), unplayed rounds 16"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        square = history.event.scale**2
        return [
            sum((each.strength * each.points for each in given), Fraction(0)) / square
            for given in contributions(history)
        ]
