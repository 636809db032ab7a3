"""Tie-break `second_side_games`."""

from __future__ import annotations

from fractions import Fraction

from pairopt.event.history import History
from pairopt.event.tie_breaks.base import FIDE, TieBreak, Tied


class SecondSideGames(TieBreak):
    """The number of games played as the second side, in chess with Black.

    Byes and forfeits are no games.
    """

    kind = "second_side_games"
    head = "Second Side"
    source = f"{FIDE}: article 7.3 (BPG)"
    needs_sides = True

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        return [
            Fraction(sum(turn.played and turn.side == 1 for turn in own)) for own in history.turns
        ]
