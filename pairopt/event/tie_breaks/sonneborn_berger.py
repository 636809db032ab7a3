"""Tie-breaks of points against opponents: `SB`, `KS`."""

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


class Koya(TieBreak):
    """The points against opponents with at least half the points of wins in all rounds so far.

    It is meant for round robins, where forfeits are matches like others (15.2), and so they are
    here. L moves the limit by half points.
    """

    kind = "KS"
    head = "Koya"
    source = f"{FIDE}: article 9.2 (KS), limit 14.5"
    takes = "L"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        scale = history.event.scale
        limit = history.win * history.rounds / 2 + Fraction(self.how.L * scale, 2)
        strong = [score >= limit for score in history.score]
        return [
            Fraction(sum(turn.points for turn in own if turn.opponent >= 0
                         and strong[turn.opponent])) / scale
            for own in history.turns
        ]  # fmt: skip
