"""Metrics of a tournament that need no solver."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from pairopt.event.arcs import FloatArray
from pairopt.event.event import PLAYED
from pairopt.lab.metrics import Measured
from pairopt.lab.simulating import Tournament


@dataclass(frozen=True)
class SidePoints:
    """Points gained by one more match with the first side instead of the second.

    It is the coefficient of half the side difference in a linear regression of the
    players' points on it and on their true strength. There is no value without sides,
    or if all players are balanced. A call with a tournament returns the value, or None.
    """

    kind: ClassVar[str] = "side_points"

    def __call__(self, played: Tournament, /) -> Measured:
        """Return the points that half a side difference more is worth, by regression.

        None if the coefficient is not determined, for example without sides.
        """
        player_count = len(played.strength)
        played_games = played.games.take(played.games.status == PLAYED)
        has_sides = played_games.side >= 0
        first_players = played_games.first[has_sides]
        second_players = played_games.second[has_sides]
        side_signs = np.where(played_games.side[has_sides] == 0, 1, -1)
        side_differences = np.bincount(
            first_players, side_signs, player_count
        ) - np.bincount(second_players, side_signs, player_count)

        centred_strength = played.strength - played.strength.mean()
        largest_deviation = np.abs(centred_strength).max()
        regressors = [np.ones(player_count), side_differences / 2]
        if largest_deviation > 0:
            regressors.append(centred_strength / largest_deviation)
        design_matrix = np.column_stack(regressors)
        coefficients, _, matrix_rank, _ = np.linalg.lstsq(
            design_matrix, played.points, rcond=None
        )
        return float(coefficients[1]) if matrix_rank == len(regressors) else None


@dataclass(frozen=True)
class StrengthGap:
    """The metrics of the difference in true strength of two players who meet.

    `strength_gap` is its mean over all games, `strength_gap_by_round` the mean of each
    round, both in Elo points. A call with a tournament returns them by column.
    """

    kind: ClassVar[str] = "strength_gap"
    columns: ClassVar[tuple[str, ...]] = ("strength_gap", "strength_gap_by_round")

    def __call__(self, played: Tournament, /) -> Mapping[str, Measured]:
        """Return the mean strength gap of all games, and a list with that of each round.

        The gap of a game is the difference of its players' true strengths in Elo
        points, without a sign. A round without games has None.
        """
        played_games = played.games
        is_game = played_games.status == PLAYED
        match_gaps = np.abs(
            played.strength[played_games.first] - played.strength[played_games.second]
        )
        game_gaps = match_gaps[is_game]

        round_numbers = np.arange(1, played.event.round + 1)
        round_ends = played_games.round[is_game].searchsorted(round_numbers).tolist()
        mean_by_round = [
            _mean_or_none(game_gaps[round_start:round_end])
            for round_start, round_end in pairwise(round_ends)
        ]
        return {
            "strength_gap": _mean_or_none(game_gaps),
            "strength_gap_by_round": mean_by_round,
        }


def _mean_or_none(values: FloatArray) -> float | None:
    """Return the mean of the array `values` as a float; None if it is empty."""
    return float(values.sum() / len(values)) if len(values) else None


@dataclass(frozen=True)
class UniqueWinner:
    """The metric `unique_winner`, one number per round.

    It is 1 after a round if a single player has the most points, otherwise 0. A call
    with a tournament returns the list of these numbers.
    """

    kind: ClassVar[str] = "unique_winner"

    def __call__(self, played: Tournament, /) -> Measured:
        """Return a list with one number per round: 1 if a single player leads after it.

        It is 0 if several players share the most points.
        """
        # shape (players, rounds)
        points_after_rounds = played.event.turns.after(played.event.besides)
        leader_counts = (points_after_rounds == points_after_rounds.max(axis=0)).sum(
            axis=0
        )
        return (leader_counts == 1).astype(np.int64).tolist()


@dataclass(frozen=True)
class Winner:
    """The winner's rank by true strength, and whether the strongest player wins.

    The winner is first by points and strength of schedule, or wins the cut. With
    several winners `winner_rank` is their mean rank, and `best_wins` the share of the
    strongest player among them. Equal strengths share a rank. A call with a tournament
    returns both by column.
    """

    kind: ClassVar[str] = "winner"
    columns: ClassVar[tuple[str, ...]] = ("winner_rank", "best_wins")

    def __call__(self, played: Tournament, /) -> Mapping[str, Measured]:
        """Return the winner's rank by strength, and the strongest player's share of the win.

        The columns are `winner_rank`, 1 if the strongest player wins, and `best_wins`,
        from 0 to 1. Ties are averaged; see the class.
        """
        strengths = played.strength
        final_places = played.place
        winner_strengths = strengths[final_places == final_places.max()]
        stronger_counts = (strengths[None, :] > winner_strengths[:, None]).sum(axis=1)
        equal_counts = (strengths[None, :] == winner_strengths[:, None]).sum(axis=1)
        strongest_count = (strengths == strengths.max()).sum()
        return {
            "winner_rank": float(np.mean(stronger_counts + (equal_counts + 1) / 2)),
            "best_wins": float(
                np.mean(winner_strengths == strengths.max()) / strongest_count
            ),
        }
