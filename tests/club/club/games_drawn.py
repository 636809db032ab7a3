"""Tie-break `games_drawn`."""

from __future__ import annotations

from fractions import Fraction

from pairopt.extend import History, TieBreak, Tied


class GamesDrawn(TieBreak):
    """The number of drawn games; byes and forfeits do not count as games."""

    kind = "games_drawn"
    head = "Drawn"
    source = "an example"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        return [
            Fraction(sum(turn.played and turn.points == turn.against for turn in own))
            for own in history.turns
        ]
