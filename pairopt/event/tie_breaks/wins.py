"""Tie-breaks of a player's own rounds alone: wins, scores as they grow, and sides."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

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


class Progressive(TieBreak):
    """The sum of the scores after each round (cumulative score).

    Byes and forfeits count what they gave, points brought in count in every round.
    """

    kind = "progressive"
    head = "Progressive"
    source = f"{FIDE}: article 7.5 (PS)"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        event = history.event
        return [
            Fraction(sum(accumulate(turn.points for turn in own)) + len(own) * int(first),
                     event.scale)
            for own, first in zip(history.turns, event.brought, strict=True)
        ]  # fmt: skip


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
