"""Allowed arcs: the columns from which every stage of the optimisation chooses.

A column is a class of exchangeable arcs (see `player_types`) or one single pair (see
`single_pairs`), in the sense of column generation: a variable with a cost in every
level.
"""

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from pairopt.event.arcs import BYE, Arcs, BoolArray, IntArray, arcs_of, random_generator

LISTED_FIRST, OTHER_FIRST = 1, 2
"""Bits of `sides`: who of a pair may have the first side (both bits: either player)."""
NUMBER = 63  # bits of a non-negative machine integer
AHEAD = 64  # levels that are compared together
MOST = 2**62  # more than any column costs
ONES = np.broadcast_to(np.int64(1), 2**40)
"""Many ones, of which a slice takes no memory."""

Reach = NDArray[np.int8]
"""For each column, how many levels in a row it has at their lower bound; -1 if not alive."""
Lots = np.random.Generator | Sequence[int]
"""A random generator, or the seed from which one is made only if it is needed."""
Equation = tuple[IntArray, int]
"""An equation over the columns: coefficients, shape (columns,), and the right-hand side."""


@dataclass(frozen=True)
class AllowedArcs:
    """Columns between types of players, as arrays with one entry per column.

    `size`, shape (types,), is the number of players of each type. A column joins types
    `a` and `b` (`b` is `len(size)`, the dummy type, for a bye), at most `cap` times.
    `sides` holds the bits LISTED_FIRST and OTHER_FIRST, and `costs`, shape (columns,
    levels), what one use of the column adds to each level. Methods sum up levels,
    weight them, and bound their values.
    """

    size: IntArray
    a: IntArray
    b: IntArray
    cap: IntArray
    sides: IntArray
    costs: IntArray

    def __len__(self) -> int:
        return len(self.a)

    @cached_property
    def bye(self) -> BoolArray:
        """True for each column that is a bye, shape (columns,)."""
        return np.asarray(self.b == len(self.size), np.bool_)

    @cached_property
    def players(self) -> int:
        """The number of players, the sum of the sizes of all types, without the bye."""
        return int(self.size.sum())

    @property
    def odd(self) -> bool:
        """True for an odd number of players, one of whom has the bye."""
        return self.players % 2 == 1

    @property
    def matches(self) -> int:
        """The number of arcs of a pairing: its matches, and the bye of an odd field."""
        return (self.players + 1) // 2

    @property
    def reach_all(self) -> bool:
        """True if each type, and the bye of an odd field, has at least one column.

        If this is False, there is no pairing.
        """
        vertex_count = len(self.size) + self.odd
        return bool(
            np.bincount(np.append(self.a, self.b), minlength=vertex_count).all()
        )

    def totals(self, counts: IntArray) -> IntArray:
        """Return the value of each level if column k is used `counts[k]` times.

        `counts` has shape (columns,), and the result shape (levels,). The sums are
        machine integers.
        """
        return counts @ self.costs

    def weighted(self, weights: tuple[int, ...]) -> NDArray[np.object_]:
        """Return the weighted sum of each column's levels, shape (columns,).

        `weights` has an integer for each level. The sums are Python's integers, because
        they may be of any size.
        """
        return np.asarray(self.costs.astype(object) @ np.array(weights, object), object)

    def most(self) -> list[int]:
        """Return an upper bound of each level's value over all pairings.

        The bounds are Python's integers, which do not overflow.
        """
        column_costs, is_bye, level_count = self.costs, self.bye, self.costs.shape[1]
        # the most expensive match of a player of each type, shape (types, levels)
        max_match_costs = np.zeros((len(self.size), level_count), np.int64)
        np.maximum.at(max_match_costs, self.a[~is_bye], column_costs[~is_bye])
        np.maximum.at(max_match_costs, self.b[~is_bye], column_costs[~is_bye])
        max_bye_costs = np.zeros(level_count, np.int64)
        if is_bye.any():
            max_bye_costs = column_costs[is_bye].max(axis=0, initial=0)
        doubled_match_bounds = self.size @ max_match_costs
        return [
            int(doubled_match_bound) // 2 + int(max_bye_cost)
            for doubled_match_bound, max_bye_cost in zip(
                doubled_match_bounds, max_bye_costs, strict=True
            )
        ]

    def reach(self, alive: BoolArray, start: int) -> Reach:
        """Return how many levels from `start` on each column shares with the cheapest.

        The cheapest column is the lexicographically first of the columns in the mask
        `alive`. In an odd field matches are compared with the cheapest match, byes with
        the cheapest bye. A pairing whose columns all share k levels has these k levels
        at their lower bound. The result has shape (columns,): at most `AHEAD`, and -1
        for columns that are not alive.
        """
        costs_by_level = self.costs.T[start : start + AHEAD]
        reach_of_column = np.full(len(self), -1, np.int8)
        bits_per_level = tuple(
            map(int.bit_length, costs_by_level.max(axis=1, initial=0).tolist())
        )
        # matches are compared with matches, byes with byes
        group_masks = (alive & ~self.bye, alive & self.bye) if self.odd else (alive,)
        for is_in_group in group_masks:
            still_minimal_columns, chunk_start_level = is_in_group.nonzero()[0], 0
            reach_of_column[still_minimal_columns] = 0
            while chunk_start_level < len(costs_by_level) and len(
                still_minimal_columns
            ):
                unit_of_level = _level_units(bits_per_level[chunk_start_level:])
                packed_columns = (
                    None
                    if len(still_minimal_columns) == len(self)
                    else still_minimal_columns
                )
                chunk_costs_by_level = costs_by_level[
                    chunk_start_level : chunk_start_level + len(unit_of_level)
                ]
                packed_costs = weighted_sums(
                    chunk_costs_by_level, unit_of_level, packed_columns
                )
                # zero above the unit of the first level in which a column is not minimal
                packed_differences = packed_costs ^ packed_costs.min()
                minimal_level_counts = len(unit_of_level) - unit_of_level[
                    ::-1
                ].searchsorted(packed_differences, "right")
                reach_of_column[still_minimal_columns] += minimal_level_counts.astype(
                    np.int8
                )
                still_minimal_columns = still_minimal_columns[
                    minimal_level_counts == len(unit_of_level)
                ]
                chunk_start_level += len(unit_of_level)
        return reach_of_column

    def least(self, alive: BoolArray, cost: IntArray) -> tuple[BoolArray, int]:
        """Return a mask of the cheapest columns alive, and their lower bound.

        `alive` is a mask of columns, and `cost`, shape (columns,), what one use of each
        adds to a level. In an odd field the cheapest matches and the cheapest byes are
        marked, each by their own minimum. The lower bound is the cost of a pairing that
        uses only marked columns, whether or not there is such a pairing. If no match,
        or no bye, is alive, each costs `MOST` in the bound.
        """
        if not self.odd:
            minimum_column_cost = _minimum_cost(cost[alive])
            return alive & (
                cost == minimum_column_cost
            ), self.matches * minimum_column_cost
        minimum_match_cost = _minimum_cost(cost[alive & ~self.bye])
        minimum_bye_cost = _minimum_cost(cost[alive & self.bye])
        is_cheapest = alive & (
            cost == np.where(self.bye, minimum_bye_cost, minimum_match_cost)
        )
        return is_cheapest, (self.matches - 1) * minimum_match_cost + minimum_bye_cost


def _minimum_cost(costs: IntArray) -> int:
    """Return the least cost, or `MOST` if there are no costs."""
    return int(costs.min()) if len(costs) else MOST


def shrink_dtype(costs: IntArray) -> IntArray:
    """Return non-negative costs in the smallest signed integer type that holds them.

    Short arrays are quicker to read again and again. The shape stays, and costs that
    are contiguous in memory level by level stay so. If the type is right already, the
    result can share its memory with `costs`.
    """
    narrow_dtype = np.min_scalar_type(-1 - int(costs.max(initial=0)))  # signed
    return np.asarray(costs.T.astype(narrow_dtype, copy=False).T)


def weighted_sums(
    levels: IntArray, weights: IntArray, which: IntArray | None = None
) -> IntArray:
    """Return the weighted sum of the levels for each column, as 64-bit integers.

    `levels` has shape (levels, columns), and `weights` an entry for each level. `which`
    holds the positions of the columns to sum up, in the order of the result; without
    it, all are. Overflow is not checked. Levels in a narrow type are added one by one,
    because numpy would first copy them all.
    """
    if levels.dtype == np.int64:
        return weights @ (levels if which is None else levels.take(which, axis=1))
    sum_of_column = np.zeros(levels.shape[1] if which is None else len(which), np.int64)
    for costs_of_level, level_weight in zip(levels, weights, strict=True):
        sum_of_column += (
            costs_of_level if which is None else costs_of_level[which]
        ) * level_weight
    return sum_of_column


@lru_cache(maxsize=256)
def _level_units(bits: tuple[int, ...]) -> IntArray:
    """Return each level's unit if several levels are packed into one integer.

    `bits` is the number of bits that each level needs. The first level has the largest
    unit, the last one 1. The last levels, those that do not fit, have no unit.
    """
    cumulative_bit_counts = [
        cumulative_bit_count
        for cumulative_bit_count in accumulate(bits)
        if cumulative_bit_count < NUMBER
    ]
    return np.array(
        [
            1 << (cumulative_bit_counts[-1] - cumulative_bit_count)
            for cumulative_bit_count in cumulative_bit_counts
        ],
        np.int64,
    )


@dataclass(frozen=True)
class OptimalUse:
    """The columns and equations that describe the optimal pairings of some levels.

    Optimal pairings are those that use only columns `alive`, a mask of shape
    (columns,), and satisfy the equations.
    """

    alive: BoolArray
    equations: tuple[Equation, ...] = ()


def single_pairs(
    players: int,
    a: IntArray,
    b: IntArray,
    costs: IntArray,
    sides: IntArray | None = None,
) -> AllowedArcs:
    """Return columns that are single pairs: every player is a type of their own.

    `a` and `b`, shape (pairs,), are positions of players, with `players` as `b` for a
    bye; `costs` has shape (pairs, levels). Without `sides`, the player in `a` has the
    first side.
    """
    one_per_pair = ONES[: len(a)]
    sides = one_per_pair * LISTED_FIRST if sides is None else sides
    return AllowedArcs(np.ones(players, np.int64), a, b, one_per_pair, sides, costs)


def exact_sum(use: IntArray, coefficients: IntArray) -> int:
    """Return the sum of coefficients times how often each column is used (`use`).

    Both have shape (columns,); coefficients are not negative. Python's integers are
    used if machine integers would overflow.
    """
    if int(coefficients.max(initial=0)) * int(use.sum()) < 2**63:
        return int(use @ coefficients.astype(np.int64))
    used_columns = np.flatnonzero(use)
    return sum(
        map(
            operator.mul,
            use[used_columns].tolist(),
            coefficients[used_columns].tolist(),
        )
    )


def with_first_sides(
    first: IntArray, second: IntArray, bits: IntArray, rng: Lots
) -> Arcs:
    """Return the pairs first[k] - second[k] as arcs, with sides by their side bits.

    `first` and `second` are positions of players, with BYE as `second` for a bye, and
    `bits` the side bits of each pair. LISTED_FIRST gives `first` the first side,
    OTHER_FIRST `second`; if both bits are set, a coin decides. `rng` is the random
    generator of the coins, or its seed, with which the coins are the same each time. A
    bye is never swapped.
    """
    allows_either = bits == LISTED_FIRST | OTHER_FIRST
    if np.count_nonzero(allows_either):
        # coins of a seed are the same each time, so they are cached
        toss_coins = _toss_cached_coins if isinstance(rng, tuple) else _toss_coins
        bits = np.where(allows_either, toss_coins(rng, len(bits)), bits)
    is_swapped = (bits == OTHER_FIRST) & (second != BYE)
    first_side_players = np.where(is_swapped, second, first)
    second_side_players = np.where(is_swapped, first, second)
    return arcs_of(first_side_players, second_side_players)


def _toss_coins(rng: Lots, count: int) -> IntArray:
    """Draw one of the two side bits `count` times, shape (count,).

    `rng` is a random generator, or the seed from which a new one is made.
    """
    generator = rng if isinstance(rng, np.random.Generator) else random_generator(*rng)
    return generator.integers(LISTED_FIRST, OTHER_FIRST + 1, count)


_toss_cached_coins = lru_cache(maxsize=8)(_toss_coins)


def choose_sides(
    costs: IntArray,
    swapped: IntArray,
    legal: BoolArray,
    legal_swapped: BoolArray,
    weights: tuple[int, ...] | None = None,
) -> tuple[IntArray, IntArray]:
    """Choose for each pair the sides that cost less, among the legal ones.

    `costs` and `swapped`, shape (pairs, levels), are the costs of the pair as listed
    and with the sides swapped; they are compared lexicographically, or by weighted sums
    if there are `weights`. The masks `legal` and `legal_swapped` say which ways round
    are legal. Returns the side bits, shape (pairs,), with both bits for a tie and 0 if
    neither is legal; and the costs that way, shape (pairs, levels). The costs of a pair
    without a legal way mean nothing.
    """
    listed_costs_by_level, swapped_costs_by_level = costs.T, swapped.T
    # few levels tell the sides apart
    differing_levels = (
        (listed_costs_by_level != swapped_costs_by_level).any(axis=1).nonzero()[0]
    )
    if weights is not None:
        weighted_differences = (costs - swapped).astype(object) @ np.array(
            weights, object
        )
        sign_of_difference = np.array(
            [
                (weighted_difference > 0) - (weighted_difference < 0)
                for weighted_difference in weighted_differences
            ],
            np.int64,
        )
    else:
        sign_of_difference = np.zeros(len(costs), np.int64)
        for level_index in differing_levels[::-1]:
            cost_differences = (
                listed_costs_by_level[level_index] - swapped_costs_by_level[level_index]
            )
            np.copyto(sign_of_difference, cost_differences, where=cost_differences != 0)
    allows_listed_first = legal & ((sign_of_difference <= 0) | ~legal_swapped)
    allows_other_first = legal_swapped & ((sign_of_difference >= 0) | ~legal)
    better_costs_by_level, takes_swapped_costs = (
        listed_costs_by_level.copy(),
        ~allows_listed_first,
    )
    for level_index in differing_levels:
        np.copyto(
            better_costs_by_level[level_index],
            swapped_costs_by_level[level_index],
            where=takes_swapped_costs,
        )
    return (
        LISTED_FIRST * allows_listed_first + OTHER_FIRST * allows_other_first,
        better_costs_by_level.T,
    )


def radix_weights(columns: AllowedArcs) -> tuple[int, ...]:
    """Return a weight for each level: one unit of a level outweighs all later levels.

    These are mixed-radix weights, Python's integers of any size; the last one is 1.
    They follow from the largest value that each level of `columns` can have.
    """
    radices = (level_maximum + 1 for level_maximum in reversed(columns.most()))
    return tuple(accumulate(radices, operator.mul, initial=1))[-2::-1]


def radix_blocks(columns: AllowedArcs, limit: int) -> list[AllowedArcs]:
    """Split the levels, in order, into few blocks whose mixed-radix sums fit.

    Each block is the same columns with some of the levels. A block fits if its sum
    stays within `limit` even if every column were used as often as it can be, because a
    solver checks its integers in that way. A level that is too large by itself is a
    block.
    """
    level_maxima = columns.most()
    block_start_levels: list[int] = []
    block_sum_bound = 0

    for level_index, level_costs in enumerate(columns.costs.T):
        level_sum_bound = exact_sum(columns.cap, level_costs)
        joint_sum_bound = (
            block_sum_bound * (level_maxima[level_index] + 1) + level_sum_bound
        )
        if block_start_levels and joint_sum_bound <= limit:
            block_sum_bound = joint_sum_bound
        else:
            block_start_levels.append(level_index)
            block_sum_bound = level_sum_bound

    end_levels = [*block_start_levels, len(level_maxima)][1:]
    level_ranges = zip(block_start_levels, end_levels, strict=True)
    return [
        replace(columns, costs=columns.costs[:, first_level:end_level])
        for first_level, end_level in level_ranges
    ]


def round_bound_down(bound: float) -> int:
    """Return an integer that is certainly no higher than a solver's bound.

    The bound is that of an integer value, in floating point, and its rounding errors
    are allowed for: 2.9999999 gives 3, and 2.1 gives 3, too.
    """
    if abs(bound) < 2**52:
        return math.ceil(bound - 1e-6)
    return math.floor(bound * (1 - 1e-15 if bound > 0 else 1 + 1e-15))
