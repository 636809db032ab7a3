"""Tie-break `performance_rating`."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from pairopt.event.event import NO_RATING
from pairopt.event.history import History, Turn
from pairopt.event.tie_breaks.base import FIDE, TieBreak, Tied, mean

DIFFERENCES = (
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158,
    166, 175, 184, 193, 202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366,
    383, 401, 422, 444, 470, 501, 538, 589, 677, 800,
)  # fmt: skip
"""Rating differences of the scores 50 % to 100 % (FIDE Rating Regulations B.02, table 8.1.1)."""


class PerformanceRating(TieBreak):
    """The opponents' mean rating, and the rating difference that the score against them stands for.

    Only matches played against opponents with a rating count; without any it is 0. The mean is
    rounded to a whole number, halves up, as is the score to a whole percentage of the points of
    wins. (FIDE advises against it where players have no rating, and leaves both roundings of
    halves to be guessed but for the mean's.)
    """

    kind = "performance_rating"
    head = "Performance"
    needs_ratings = True
    source = f"{FIDE}: article 10.2 (TPR), with the table of the Rating Regulations B.02, 8.1.1"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        return [_performance(history, own) for own in history.turns]


def _performance(history: History, own: tuple[Turn, ...]) -> Fraction:
    rating, scale = history.event.rating, history.event.rating_scale
    games = [turn for turn in own if turn.played and rating[turn.opponent] != NO_RATING]
    if not games or history.win <= 0:
        return Fraction(0)
    strength = mean([Fraction(int(rating[turn.opponent]), scale) for turn in games])
    part = sum(turn.points for turn in games) / (history.win * len(games))
    percent = min(max(_rounded(part * 100), 0), 100)
    ahead = DIFFERENCES[abs(percent - 50)]
    return Fraction(_rounded(strength) + (ahead if percent >= 50 else -ahead))


def _rounded(value: Fraction) -> int:
    return floor(value + Fraction(1, 2))
