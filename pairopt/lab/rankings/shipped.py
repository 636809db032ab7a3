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

STEPS = 1000
NEAR = 1e-10


@dataclass(frozen=True)
class BradleyTerryFit:
    """Maximum-likelihood log worths in the model of Bradley and Terry.

    A draw is half a win of each player. Every player also has `prior` wins and as many losses
    against a player of worth 1, so that no worth is infinite. The algorithm is MM of Hunter, "MM
    algorithms for generalized Bradley-Terry models", Annals of Statistics 32 (2004).
    """

    kind: ClassVar[str] = "bradley_terry"

    prior: float = 0.5

    def __call__(self, event: Event, /) -> FloatArray:
        """Return the log worth of each player, shape (players,)."""
        n = len(event.players)
        rows = event.before
        rows = rows.take(rows.status == PLAYED)

        # 1 for a win of the first player, 1/2 for a draw
        first_wins = (1 + np.sign(rows.score1 - rows.score2)) / 2
        wins = (
            self.prior
            + np.bincount(rows.first, first_wins, n)
            + np.bincount(rows.second, 1 - first_wins, n)
        )

        worth = np.ones(n)
        for _ in range(STEPS):
            weight = 1 / (worth[rows.first] + worth[rows.second])
            first_total = np.bincount(rows.first, weight, n)
            second_total = np.bincount(rows.second, weight, n)
            total = first_total + second_total
            next_worth = wins / (total + 2 * self.prior / (worth + 1))
            change = np.abs(np.log(next_worth / worth)).max(initial=0)
            worth = next_worth
            if change < NEAR:
                break
        return np.asarray(np.log(worth), np.float64)


@dataclass(frozen=True)
class LeastSquares:
    """Ratings whose differences fit the score differences of all games by least squares.

    Massey, "Statistical models applied to the rating of sports teams" (1997). Groups of players
    who have not met each other have mean 0 each.
    """

    kind: ClassVar[str] = "least_squares"

    def __call__(self, event: Event, /) -> FloatArray:
        """Return the rating of each player in points, shape (players,)."""
        n = len(event.players)
        rows = event.before
        rows = rows.take(rows.status == PLAYED)

        # one row per game: 1 for the first player, -1 for the second
        design = np.zeros((len(rows), n))
        games = np.arange(len(rows))
        design[games, rows.first] = 1
        design[games, rows.second] = -1
        margin = (rows.score1 - rows.score2) / event.scale

        normal = design.T @ design
        ratings, *_ = np.linalg.lstsq(normal, design.T @ margin, rcond=1e-9)
        return np.asarray(ratings, np.float64)


@dataclass(frozen=True)
class Performance:
    """FIDE's tournament performance rating. Raises UsageError if nobody is rated."""

    kind: ClassVar[str] = "performance"

    def __call__(self, event: Event, /) -> FloatArray:
        """Return the performance rating of each player, shape (players,)."""
        if (event.rating == NO_RATING).all():
            raise UsageError("ranking.performance_unrated")
        ratings = PerformanceRating().values(history_of(event), ())
        return np.array([float(rating) for rating in ratings])


@dataclass(frozen=True)
class TieBreaks:
    """Points, then these tie-breaks in their order, as in `pairopt standings`."""

    tie_breaks: tuple[str, ...]

    @property
    def name(self) -> str:
        """The tie-breaks, for example "buchholz+wins"; "points" without any."""
        return "+".join(self.tie_breaks) or "points"

    def __call__(self, event: Event, /) -> IntArray:
        """Return the negative rank of each player, shape (players,)."""
        rank = np.zeros(len(event.players), np.int64)
        for line in rank_players(event, self.tie_breaks):
            rank[event.index[line.player]] = line.rank
        return -rank
