"""The rankings that come with pairopt."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.arcs import FloatArray, IntArray
from pairopt.event.event import NO_RATING, PLAYED, Event
from pairopt.event.standings import rank_players
from pairopt.event.tie_breaks.base import NO_VALUE, history_of
from pairopt.event.tie_breaks.ratings import PerformanceRating

STEPS = 1000
NEAR = 1e-10


@dataclass(frozen=True)
class BradleyTerryFit:
    """Maximum-likelihood log worths in the model of Bradley and Terry.

    A draw is half a win of each player. Every player also has `prior` wins and as many
    losses against a player of worth 1, so that no worth is infinite. The algorithm is
    MM of Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of
    Statistics 32 (2004). A call with an event returns an array of log worths, one per
    player.
    """

    kind: ClassVar[str] = "bradley_terry"

    prior: float = 0.5

    def __call__(self, event: Event, /) -> FloatArray:
        """Fit all games played, and return each player's log worth, shape (players,).

        The iteration ends when no log worth changes by `NEAR`, or after `STEPS` steps.
        """
        player_count = len(event.players)
        played_games = event.before
        played_games = played_games.take(played_games.status == PLAYED)

        # 1 for a win of the first player, 1/2 for a draw
        first_wins = (1 + np.sign(played_games.score1 - played_games.score2)) / 2
        wins = (
            self.prior
            + np.bincount(played_games.first, first_wins, player_count)
            + np.bincount(played_games.second, 1 - first_wins, player_count)
        )

        worths = np.ones(player_count)
        for _ in range(STEPS):
            weights = 1 / (worths[played_games.first] + worths[played_games.second])
            weights_as_first = np.bincount(played_games.first, weights, player_count)
            weights_as_second = np.bincount(played_games.second, weights, player_count)
            total_weights = weights_as_first + weights_as_second
            next_worths = wins / (total_weights + 2 * self.prior / (worths + 1))
            largest_change = np.abs(np.log(next_worths / worths)).max(initial=0)
            worths = next_worths
            if largest_change < NEAR:
                break
        return np.asarray(np.log(worths), np.float64)


@dataclass(frozen=True)
class LeastSquares:
    """Ratings whose differences fit the score differences of games by least squares.

    The method is that of Massey, "Statistical models applied to the rating of sports
    teams" (1997). Groups of players who have not met each other have mean 0 each. A
    call with an event returns an array of ratings, one per player.
    """

    kind: ClassVar[str] = "least_squares"

    def __call__(self, event: Event, /) -> FloatArray:
        """Fit all games played, and return each player's rating, shape (players,).

        The difference of two ratings is the expected margin of their game in points.
        """
        player_count = len(event.players)
        played_games = event.before
        played_games = played_games.take(played_games.status == PLAYED)

        # one row per game: 1 for the first player, -1 for the second
        design_matrix = np.zeros((len(played_games), player_count))
        game_positions = np.arange(len(played_games))
        design_matrix[game_positions, played_games.first] = 1
        design_matrix[game_positions, played_games.second] = -1
        point_margins = (played_games.score1 - played_games.score2) / event.scale

        normal_matrix = design_matrix.T @ design_matrix
        ratings, *_ = np.linalg.lstsq(
            normal_matrix, design_matrix.T @ point_margins, rcond=1e-9
        )
        return np.asarray(ratings, np.float64)


@dataclass(frozen=True)
class Performance:
    """The ranking by FIDE's tournament performance rating.

    A player without a rated opponent has 0. A call with an event returns an array of
    ratings, one per player. It raises UsageError if nobody is rated.
    """

    kind: ClassVar[str] = "performance"

    def __call__(self, event: Event, /) -> FloatArray:
        """Return each player's performance rating in Elo points, shape (players,).

        A player who met no opponent with a rating gets 0. Raises UsageError if no player has a rating.
        """
        if (event.rating == NO_RATING).all():
            raise UsageError("ranking.performance_unrated")
        ratings = PerformanceRating().values(history_of(event), ())
        return np.array(
            [0.0 if rating == NO_VALUE else float(rating) for rating in ratings]
        )


@dataclass(frozen=True)
class TieBreaks:
    """The ranking by points, then by these tie-breaks in their order.

    It is that of `pairopt standings`. Without tie-breaks it is by points alone. A call
    with an event returns minus each player's rank.
    """

    tie_breaks: tuple[str, ...]

    @property
    def name(self) -> str:
        """The tie-breaks, for example "buchholz+wins"; "points" without any."""
        return "+".join(self.tie_breaks) or "points"

    def __call__(self, event: Event, /) -> IntArray:
        """Return minus each player's rank in the standings, shape (players,).

        The winner has -1; players who share a rank have equal numbers.
        """
        ranks = np.zeros(len(event.players), np.int64)
        for standings_line in rank_players(event, self.tie_breaks):
            ranks[event.index[standings_line.player]] = standings_line.rank
        return -ranks
