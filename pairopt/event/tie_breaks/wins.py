"""Tie-break `wins`."""

from __future__ import annotations

from fractions import Fraction

from pairopt.event.history import History, Turn
from pairopt.event.tie_breaks.base import FIDE, TieBreak, Tied


class Wins(TieBreak):
    """The number of rounds won, with or without playing.

    A match or a forfeit is won with more points than the opponent has (in chess that is to have
    the points of a win; in a double-sided match the larger sum), a bye with the points of a win
    or more.
    """

    kind = "wins"
    head = "Wins"
    source = f"{FIDE}: article 7.1 (WIN)"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        return [Fraction(sum(_won(history, turn) for turn in own)) for own in history.turns]


def _won(history: History, turn: Turn) -> bool:
    if turn.opponent >= 0:
        return turn.points > turn.against
    return turn.points >= history.win
