"""Tie-break `opponents_match_win`."""

from __future__ import annotations

from fractions import Fraction

from pairopt.event.history import ABSENT, History, Turn
from pairopt.event.tie_breaks.base import MAGIC, TieBreak, Tied, mean

FLOOR = Fraction(33, 100)


class OpponentsMatchWin(TieBreak):
    """The mean, over the opponents, of their match-win percentage, each at least 33 %.

    A player's match-win percentage is their points over those of wins in all their rounds. Byes
    count there with their points, and rounds without a row not at all. A bye gives no opponent; a
    forfeit does, as it is a match lost and won there. Points brought in do not count; who had no
    opponent has 0.
    """

    kind = "opponents_match_win"
    head = "OMW"
    source = MAGIC
    decimals = 4

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        won = [_match_win(history, own) for own in history.turns]
        return [
            mean([won[turn.opponent] for turn in own if turn.opponent >= 0])
            for own in history.turns
        ]


def _match_win(history: History, own: tuple[Turn, ...]) -> Fraction:
    rounds = sum(turn.status != ABSENT for turn in own)
    if not rounds or history.win <= 0:
        return FLOOR
    return max(FLOOR, sum(turn.points for turn in own) / (history.win * rounds))
