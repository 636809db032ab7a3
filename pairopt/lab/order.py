"""Standings by points, then strength of schedule (SoS), and correlations with true strength.

The standings are those of `pairopt standings`; players equal in both are tied. SoS is an exact
fraction, kept as an integer over a common denominator.
"""

from dataclasses import dataclass
from math import lcm

import numpy as np
from numpy.typing import NDArray

from pairopt.event.arcs import BoolArray, IntArray
from pairopt.event.event import PLAYED, Event
from pairopt.event.score_checks import points_of

MOST = 2**62
Exact = IntArray | NDArray[np.object_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Order:
    """Standings by points and strength of schedule (SoS), as arrays of shape (n,).

    `points` are scaled points. `sos` is SoS times `scale`, as exact integers, perhaps
    Python's. `place` gives dense ranks, and `spread` the deviation of SoS within score
    groups.
    """

    points: IntArray
    sos: Exact
    scale: int

    @property
    def place(self) -> IntArray:
        """Dense ranks of the players, shape (n,): higher is better, equal if tied."""
        sos_ranks = _dense_ranks(self.sos)
        return _dense_ranks(
            self.points * (int(sos_ranks.max(initial=0)) + 1) + sos_ranks
        )

    def spread(self, is_chosen: BoolArray) -> Floats:
        """Return the standard deviation of SoS within score groups.

        It is in points per round. `is_chosen`, shape (tournaments, players), selects
        the players that count. The result has one value per tournament, over all of its
        score groups together.
        """
        is_chosen_player = is_chosen.ravel()
        chosen_counts = is_chosen.sum(axis=1)
        sos_of_chosen = (self.sos[is_chosen_player] / self.scale).astype(np.float64)
        point_ranks = _dense_ranks(self.points[is_chosen_player])

        tournament_of_player = np.repeat(np.arange(len(is_chosen)), chosen_counts)
        score_group_of_player = _dense_ranks(
            point_ranks + len(point_ranks) * tournament_of_player
        )
        group_means = np.bincount(score_group_of_player, sos_of_chosen) / np.bincount(
            score_group_of_player
        )
        squares_by_tournament = np.split(
            (sos_of_chosen - group_means[score_group_of_player]) ** 2,
            np.cumsum(chosen_counts)[:-1],
        )
        return np.sqrt(
            [
                tournament_squares.sum() / len(tournament_squares)
                for tournament_squares in squares_by_tournament
            ]
        )


def _dense_ranks(values: Exact) -> IntArray:
    """Assign ranks from 0 to the values in ascending order; equal values share one."""
    return np.asarray(np.unique(values).searchsorted(values), np.int64)


def compute_order(event: Event) -> Order:
    """Return the points and SoS of all players before the event's round.

    A player's SoS is the sum of the opponents' points per round over all games played,
    divided by the number of these games; it is 0 without a game. Byes and forfeits are
    no games. Points are integers, times the event's `scale`. SoS are exact integers,
    times the `scale` of the result.
    """
    matches_before = event.before
    player_count = len(event.players)
    scaled_points = points_of(event)
    players_of_match_sides = np.concatenate(
        [matches_before.first, matches_before.second[matches_before.second >= 0]]
    )
    round_counts = np.bincount(players_of_match_sides, minlength=player_count)

    is_game = matches_before.status == PLAYED
    first_players = matches_before.first[is_game]
    second_players = matches_before.second[is_game]
    game_counts = np.bincount(first_players, minlength=player_count) + np.bincount(
        second_players, minlength=player_count
    )

    # denominators: all fractions become integers
    round_denominator = _common_multiple(round_counts)
    game_denominator = _common_multiple(game_counts)
    most_points = int(np.abs(scaled_points).max(initial=0))
    most_games = int(game_counts.max(initial=0))
    largest_numerator = most_points * most_games * round_denominator * game_denominator
    exact_points: Exact = (
        scaled_points if largest_numerator < MOST else scaled_points.astype(object)
    )

    points_per_round = exact_points * (round_denominator // np.maximum(round_counts, 1))
    summed_opponent_points = np.zeros_like(points_per_round)
    np.add.at(summed_opponent_points, first_players, points_per_round[second_players])
    np.add.at(summed_opponent_points, second_players, points_per_round[first_players])
    sos_numerators = summed_opponent_points * (
        game_denominator // np.maximum(game_counts, 1)
    )
    return Order(
        scaled_points,
        sos_numerators,
        event.scale * round_denominator * game_denominator,
    )


def _common_multiple(counts: IntArray) -> int:
    """Return the least common multiple of the positive counts, 1 without any."""
    return lcm(
        *(positive_count for positive_count in set(counts.tolist()) if positive_count)
    )


def kendall(
    x: IntArray | Floats, y: IntArray | Floats, is_chosen: BoolArray | None = None
) -> Floats:
    """Compute Kendall's tau-b of two rankings; nan if one of them is constant.

    `x` and `y` have shape (..., n), one ranking per row, and the result has shape
    (...). `is_chosen`, of the same shape, selects the elements that count, None for
    all.
    """
    x_signs = _pairwise_signs(x, is_chosen)
    y_signs = _pairwise_signs(y, is_chosen)
    untied_x_pairs = np.count_nonzero(x_signs, axis=(-2, -1))
    untied_y_pairs = np.count_nonzero(y_signs, axis=(-2, -1))
    agreement_sums = (x_signs * y_signs).sum(axis=(-2, -1), dtype=np.int64)
    return _divide_by_norm(agreement_sums, untied_x_pairs * untied_y_pairs)


def spearman(
    x: IntArray | Floats, y: IntArray | Floats, is_chosen: BoolArray | None = None
) -> Floats:
    """Compute Spearman's rho of two rankings; nan if one of them is constant.

    Tied elements have their mean rank. `x` and `y` have shape (..., n), one ranking per
    row, and the result has shape (...). `is_chosen`, of the same shape, selects the
    elements that count, None for all.
    """
    # sums of signs are twice the centred ranks
    x_ranks = _pairwise_signs(x, is_chosen).sum(axis=-1, dtype=np.float64)
    y_ranks = _pairwise_signs(y, is_chosen).sum(axis=-1, dtype=np.float64)
    x_square_sums = (x_ranks * x_ranks).sum(axis=-1)
    y_square_sums = (y_ranks * y_ranks).sum(axis=-1)
    return _divide_by_norm(
        (x_ranks * y_ranks).sum(axis=-1), x_square_sums * y_square_sums
    )


def _pairwise_signs(
    values: IntArray | Floats, is_chosen: BoolArray | None
) -> NDArray[np.int8]:
    """Return the signs of all differences of two elements, shape (..., n, n).

    `values` have shape (..., n). The signs are 0 for equal elements, and for pairs of
    which one is not chosen. `is_chosen` is None if all elements are.
    """
    values_as_column = values[..., :, None]
    values_as_row = values[..., None, :]
    sign_matrix = (values_as_column > values_as_row).view(np.int8) - (
        values_as_column < values_as_row
    ).view(np.int8)
    if is_chosen is not None and not is_chosen.all():
        sign_matrix *= is_chosen[..., :, None] & is_chosen[..., None, :]
    return sign_matrix


def _divide_by_norm(products: IntArray | Floats, squares: IntArray | Floats) -> Floats:
    """Divide sums of products by the square root of `squares`, to get a correlation.

    `squares` are the products of both sums of squares. Where they are 0, the result is
    nan.
    """
    return products / np.where(squares > 0, np.sqrt(squares), np.nan)


def top_hits(
    place: IntArray,
    strength: Floats,
    is_chosen: BoolArray | None = None,
    size: int | None = None,
) -> Floats:
    """Return the share of the strongest players who are also first in the standings.

    Both sets have `size` players, by default an eighth of the chosen ones, rounded up.
    `size` is at most the number of players. `strength` is true strength, a larger
    `place` is better. Both have shape (..., n), one tournament per row, and the result
    has shape (...). `is_chosen` selects the players that count, None for all. Players
    tied at the cut share the remaining places. The result is nan if the cut falls among
    equal strengths, because the strongest set is then not unique.
    """
    if is_chosen is None:
        is_chosen = np.ones(place.shape, np.bool_)
    set_size = -(-is_chosen.sum(axis=-1) // 8) if size is None else np.array(size)

    is_above_strength_cut, is_at_strength_cut = _mark_first(
        np.where(is_chosen, strength, -np.inf), set_size
    )
    is_in_strongest_set = is_above_strength_cut | is_at_strength_cut
    is_above_place_cut, is_at_place_cut = _mark_first(
        np.where(is_chosen, place, -1), set_size
    )
    tied_share = (set_size - is_above_place_cut.sum(axis=-1)) / is_at_place_cut.sum(
        axis=-1
    )

    hits_above_cut = (is_in_strongest_set & is_above_place_cut).sum(axis=-1)
    hits_tied_at_cut = (is_in_strongest_set & is_at_place_cut).sum(axis=-1)
    hit_share = (hits_above_cut + tied_share * hits_tied_at_cut) / set_size
    return np.where(is_in_strongest_set.sum(axis=-1) > set_size, np.nan, hit_share)


def _mark_first(
    values: IntArray | Floats, count: IntArray
) -> tuple[BoolArray, BoolArray]:
    """Mark the values above the `count`-th largest of each row, and those equal to it.

    `values` have shape (..., n), `count` has shape (...) and counts from 1. Returns two
    masks of the shape of `values`.
    """
    cut_values = np.take_along_axis(
        np.sort(values, axis=-1), -count[..., None], axis=-1
    )
    return values > cut_values, values == cut_values
