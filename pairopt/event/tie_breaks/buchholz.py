"""Tie-break `buchholz`."""

from __future__ import annotations

from fractions import Fraction

from pairopt.event.history import History
from pairopt.event.tie_breaks.base import FIDE, TieBreak, Tied
from pairopt.event.tie_breaks.unplayed import contributions, total


class Buchholz(TieBreak):
    """The sum of the opponents' scores.

    Unplayed rounds, the player's own and those of opponents, count as `tie_breaks.unplayed`
    says.
    """

    kind = "buchholz"
    head = "Buchholz"
    source = f"{FIDE}: article 8.1 (BH), unplayed rounds 16"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        return [total(history, given) for given in contributions(history)]
