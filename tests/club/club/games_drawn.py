"""Tie-break `games_drawn`."""

from __future__ import annotations

from fractions import Fraction

from pairopt.extend import History, TieBreak, Tied


class GamesDrawn(TieBreak):
    """The number of games drawn: byes and forfeits are none."""

    kind = "games_drawn"
    head = "Drawn"
    source = "of one's own"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        return [
            Fraction(sum(turn.played and turn.points == turn.against for turn in own))
            for own in history.turns
        ]
