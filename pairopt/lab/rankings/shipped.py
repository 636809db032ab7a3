"""The rankings that come with pairopt."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.arcs import FloatArray, IntArray
from pairopt.event.event import NO_RATING, PLAYED, Event
from pairopt.event.standings import rank_players
from pairopt.event.tie_breaks.base import history_of
from pairopt.event.tie_breaks.ratings import PerformanceRating

STEPS, NEAR = 1000, 1e-10


@dataclass(frozen=True)
class BradleyTerryFit:
    """The worth of each player under which the results are likeliest, as its logarithm.

    Bradley and Terry's model, a draw half a win of each; each player has `prior` more wins and as
    many losses against one of worth 1, so that nobody's is without end. Hunter, "MM algorithms for
    generalized Bradley-Terry models", Annals of Statistics 32 (2004).
    """

    kind: ClassVar[str] = "bradley_terry"

    prior: float = 0.5

    def __call__(self, event: Event, /) -> FloatArray:
        rows, n = event.before, len(event.players)
        rows = rows.take(rows.status == PLAYED)
        one = (1 + np.sign(rows.score1 - rows.score2)) / 2
        wins = (
            self.prior
            + np.bincount(rows.first, one, n)
            + np.bincount(rows.second, 1 - one, n)
        )
        worth = np.ones(n)
        for _ in range(STEPS):
            each = 1 / (worth[rows.first] + worth[rows.second])
            met = np.bincount(rows.first, each, n) + np.bincount(rows.second, each, n)
            better = wins / (met + 2 * self.prior / (worth + 1))
            near = np.abs(np.log(better / worth)).max(initial=0) < NEAR
            worth = better
            if near:
                break
        return np.asarray(np.log(worth), np.float64)


@dataclass(frozen=True)
class LeastSquares:
    """Numbers whose differences are nearest to the differences in points of all matches played.

    The sum of the squares is least; Massey, "Statistical models applied to the rating of sports
    teams" (1997). Parts of the field that have not met have their means at 0.
    """

    kind: ClassVar[str] = "least_squares"

    def __call__(self, event: Event, /) -> FloatArray:
        rows, n = event.before, len(event.players)
        rows = rows.take(rows.status == PLAYED)
        table, each = np.zeros((len(rows), n)), np.arange(len(rows))
        table[each, rows.first], table[each, rows.second] = 1, -1
        margin = (rows.score1 - rows.score2) / event.scale
        found = np.linalg.lstsq(table.T @ table, table.T @ margin, rcond=1e-9)[0]
        return np.asarray(found, np.float64)


@dataclass(frozen=True)
class Performance:
    """FIDE's tournament performance rating alone. Raises UsageError where nobody is rated."""

    kind: ClassVar[str] = "performance"

    def __call__(self, event: Event, /) -> FloatArray:
        if (event.rating == NO_RATING).all():
            raise UsageError("ranking.performance_unrated")
        return np.array(
            [*map(float, PerformanceRating().values(history_of(event), ()))]
        )


@dataclass(frozen=True)
class TieBreaks:
    """Points, then these tie-breaks in their order, as `pairopt standings` has them."""

    tie_breaks: tuple[str, ...]

    @property
    def name(self) -> str:
        return "+".join(self.tie_breaks) or "points"

    def __call__(self, event: Event, /) -> IntArray:
        rank = np.zeros(len(event.players), np.int64)
        for line in rank_players(event, self.tie_breaks):
            rank[event.index[line.player]] = line.rank
        return -rank
