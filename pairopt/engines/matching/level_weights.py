"""Packing: several levels in one exact integer cost per column.

A matching that is better at an earlier level must have the lower total cost, whatever
the later levels lose. So an open level outweighs the ranges of the levels after it; a
proven one outweighs only what could be gained by giving up the values proven after it,
`value - least`, and the ranges of the open levels. Levels in which all columns alive
cost the same take no room.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pairopt.engines.allowed_arcs import MOST, AllowedArcs, weighted_sums
from pairopt.engines.matching.edges import Costs, sort_by_endpoints
from pairopt.event.arcs import BoolArray, IntArray

LevelBounds = tuple[list[int], list[int]]
"""A lower and an upper bound of each level, over all perfect matchings."""

NATIVE = 2**59  # costs below this are kept in machine integers
AHEAD = 32  # the most open levels that are packed together
DIGIT = 40  # bits of a weight that are multiplied at once
ENTRIES = 2**20  # costs (columns by levels) that are scaled at once


@dataclass(frozen=True)
class ColumnSelection:
    """The columns with the indices `index`, whose levels are to be packed.

    At least one column is needed. `scale_levels` returns the costs of some levels as
    small integers, shape (levels, selected columns).
    """

    columns: AllowedArcs
    index: IntArray

    @cached_property
    def sorted_by_type(self) -> tuple[IntArray, IntArray, IntArray]:
        """The columns sorted by type; each comes twice, once at each of its types.

        The result is three arrays. The first has positions in `index`. The second has,
        for each type with columns, where its columns begin in the first. The third has
        the number of players of each such type.
        """
        all_columns = self.columns
        type_sizes = np.append(all_columns.size, int(all_columns.odd))
        positions_by_type, start_of_type = sort_by_endpoints(
            len(type_sizes),
            all_columns.a[self.index],
            all_columns.b[self.index],
        )
        types_with_columns = np.diff(start_of_type).nonzero()[0]
        return (
            positions_by_type,
            start_of_type[types_with_columns],
            type_sizes[types_with_columns],
        )

    def scale_levels(self, levels: Sequence[int]) -> ScaledLevels:
        """Return the costs of these levels as small integers.

        `levels` are indices of levels. In each level the least cost of a match (of a
        bye for byes) is subtracted, and the rest is divided by its greatest common
        divisor. The result has these costs, and what is needed to scale values back.
        """
        all_columns, is_odd = self.columns, self.columns.odd
        # shape (levels, columns of `index`)
        scaled_costs = all_columns.costs.T.take(levels, axis=0).take(self.index, axis=1)
        is_bye_column = all_columns.bye[self.index] if is_odd else self.index[:0]
        bye_positions = is_bye_column.nonzero()[0]
        least_match_costs = least_bye_costs = scaled_costs.min(axis=1)
        if 0 < len(bye_positions) < len(self.index):
            # byes have a minimum of their own: a match stands in for them meanwhile
            stand_in_position = int(np.argmin(is_bye_column))
            bye_costs = scaled_costs[:, bye_positions]
            scaled_costs[:, bye_positions] = scaled_costs[:, [stand_in_position]]
            least_match_costs, least_bye_costs = (
                scaled_costs.min(axis=1),
                bye_costs.min(axis=1),
            )
            scaled_costs -= least_match_costs[:, None]
            scaled_costs[:, bye_positions] = bye_costs - least_bye_costs[:, None]
        else:
            scaled_costs -= least_match_costs[:, None]
        largest_costs = scaled_costs.max(axis=1, initial=0).astype(np.int64)
        level_divisors = np.ones(len(largest_costs), np.int64)
        levels_above_one = (largest_costs > 1).nonzero()[0]
        if len(levels_above_one):
            level_divisors[levels_above_one] = np.gcd.reduce(
                scaled_costs[levels_above_one], axis=1
            )
            if (level_divisors > 1).any():
                scaled_costs //= level_divisors.astype(scaled_costs.dtype)[:, None]
                largest_costs //= level_divisors
        match_count = all_columns.matches - is_odd
        fixed_values = [
            match_cost * match_count + bye_cost * is_odd
            for match_cost, bye_cost in zip(
                least_match_costs.tolist(), least_bye_costs.tolist(), strict=True
            )
        ]
        return ScaledLevels(
            self,
            scaled_costs,
            largest_costs.tolist(),
            level_divisors.tolist(),
            fixed_values,
        )


@dataclass(frozen=True)
class ScaledLevels:
    """Levels of some columns, with costs on the smallest scale.

    `cost`, shape (levels, columns of `selection`), is a column's cost minus that of the
    cheapest match (or of the cheapest bye), divided by the level's greatest common
    divisor `unit`; `largest` is the largest such cost of each level. A pairing whose
    scaled costs add up to t has the value fixed + t * unit in the level. Methods bound
    each level's value over all perfect matchings, and weight the levels.
    """

    selection: ColumnSelection
    cost: IntArray
    largest: list[int]
    unit: list[int]
    fixed: list[int]

    def __len__(self) -> int:
        return len(self.largest)

    def quick_bounds(self) -> LevelBounds:
        """Return quick bounds of each level's value over all perfect matchings.

        The lower bound is 0, because costs are above the cheapest. The upper bound
        counts the most expensive column for every match. Both are in the scaled costs.
        """
        match_count = self.selection.columns.matches
        return [0] * len(self), [
            largest_cost * match_count for largest_cost in self.largest
        ]

    def close_bounds(self) -> LevelBounds:
        """Return close bounds of each level's value over all perfect matchings.

        Lower bounds come first, then upper bounds. They add up each player's cheapest
        and most expensive column, and take half of the sums. They are in the scaled
        costs, and computed once.
        """
        return self._cached_close_bounds

    @cached_property
    def _cached_close_bounds(self) -> LevelBounds:
        """The bounds that `close_bounds` returns, computed at the first use.

        Lower bounds come first. Each level's bounds add up, over all players, the
        cheapest and the most expensive column of the player, and take half of the sums.
        """
        positions_by_type, start_of_type, type_sizes = self.selection.sorted_by_type
        has_small_sums = (
            max(self.largest, default=0) * self.selection.columns.players < MOST
        )
        exact_type_sizes = type_sizes if has_small_sums else type_sizes.astype(object)
        costs_by_type = self.cost.take(positions_by_type, axis=1)
        # each match is counted at both ends
        least_endpoint_sums = (
            np.minimum.reduceat(costs_by_type, start_of_type, axis=1) @ exact_type_sizes
        )
        largest_endpoint_sums = (
            np.maximum.reduceat(costs_by_type, start_of_type, axis=1) @ exact_type_sizes
        )
        lower_bounds = [
            -(-endpoint_sum // 2) for endpoint_sum in least_endpoint_sums.tolist()
        ]
        upper_bounds = [
            endpoint_sum // 2 for endpoint_sum in largest_endpoint_sums.tolist()
        ]
        return lower_bounds, upper_bounds

    def sum_weighted(self, weights: Sequence[int]) -> Costs:
        """Return for each column the weighted sum of its scaled costs in all levels.

        `weights` has one integer for each level, of any size. The result has an entry
        for each column of `selection`: machine integers if they are large enough, otherwise
        Python's.
        """
        if _max_weighted_value(weights, self.largest) < NATIVE:
            return weighted_sums(self.cost, np.array(weights, np.int64))
        weighted_levels = [
            level_index for level_index, weight in enumerate(weights) if weight
        ]
        scaled_costs, weights = (
            self.cost[weighted_levels],
            [weights[level_index] for level_index in weighted_levels],
        )
        if sum(self.largest[level_index] for level_index in weighted_levels) >= 2 ** (
            62 - DIGIT
        ):
            return np.asarray(np.array(weights, object) @ scaled_costs.astype(object))
        sum_of_column = np.zeros(scaled_costs.shape[1], np.object_)
        for digit_shift in range(0, max(weights).bit_length(), DIGIT):
            weight_digits = [weight >> digit_shift & 2**DIGIT - 1 for weight in weights]
            digit_sums = weighted_sums(scaled_costs, np.array(weight_digits, np.int64))
            sum_of_column += digit_sums.astype(object) << digit_shift
        return sum_of_column


@dataclass(frozen=True)
class PackedCosts:
    """One integer cost per column that orders pairings by the levels before `end`.

    `levels` are the indices of the packed levels; `weights` and the lower bounds
    `least` have one entry for each, on the scale of the `parts`, which hold the levels'
    scaled costs. Other levels before `end` are constant. `margins` says how much a
    difference in a level costs at least.
    """

    parts: Sequence[ScaledLevels]
    levels: list[int]
    weights: list[int]
    least: list[int]
    end: int

    @property
    def selection(self) -> ColumnSelection:
        """The selected columns whose costs are packed."""
        return self.parts[0].selection

    @cached_property
    def cost(self) -> Costs:
        """The packed cost of each column, 0 if it is not alive, shape (columns,).

        They are machine integers if these suffice, otherwise Python's.
        """
        weights, sums_of_parts = self.weights, list[Costs]()
        for scaled_part in self.parts:
            sums_of_parts.append(scaled_part.sum_weighted(weights[: len(scaled_part)]))
            weights = weights[len(scaled_part) :]
        packed_costs = (
            np.sum(sums_of_parts, axis=0)
            if len(sums_of_parts) > 1
            else sums_of_parts[0]
        )
        column_costs: Costs = np.zeros(len(self.selection.columns), packed_costs.dtype)
        column_costs[self.selection.index] = packed_costs
        return column_costs

    def margins(self, values: tuple[int, ...]) -> list[tuple[int, int]]:
        """Return how much more a pairing costs at least if it first differs in a level.

        `values` are the optimal values of all levels. Each item is a packed level and
        its margin: a pairing that is optimal in all levels before it, but not in this
        one, costs at least that much more than the optimum, in packed costs. Levels
        with weight 0 are left out.
        """
        margins, possible_loss = [], 0
        scaled_values = _rescale_values(
            self.parts, [values[packed_level] for packed_level in self.levels]
        )
        for packed_index in range(len(self.weights) - 1, -1, -1):
            weight = self.weights[packed_index]
            if weight:
                margins.append((self.levels[packed_index], weight - possible_loss))
                possible_loss += weight * (
                    scaled_values[packed_index] - self.least[packed_index]
                )
        return margins[::-1]


def pack_levels(
    columns: AllowedArcs,
    alive: BoolArray,
    values: tuple[int, ...],
    free: int,
    start: int,
    limit: int,
    incumbent: int | None = None,
) -> PackedCosts:
    """Pack proven levels, and open ones as long as they fit, into one cost per column.

    The proven levels have these `values`; the first `free` of them are left out,
    because every matching attains them. Open levels from `start` on follow, at least
    one of them, until costs exceed `limit`; levels between the proven ones and `start`
    are constant. `incumbent` is the value of level `start` in a matching that attains
    all the proven values. Without a known matching it is None. Only the columns in the
    mask `alive` count.
    """
    selection = ColumnSelection(columns, alive.nonzero()[0])
    end_of_open_levels = min(start + AHEAD, columns.costs.shape[1])
    packed_proven_count = len(values) - free
    packed_levels = [*range(free, len(values)), *range(start, end_of_open_levels)]
    known_level_values = list(values[free:])
    if incumbent is not None:
        known_level_values.append(incumbent)
    levels_per_part = max(ENTRIES // max(len(selection.index), 1), 1)
    scaled_parts: list[ScaledLevels] = []
    bounds_method, packed_level_count = ScaledLevels.quick_bounds, 0
    for part_end in [
        *range(
            packed_proven_count + levels_per_part, len(packed_levels), levels_per_part
        ),
        len(packed_levels),
    ]:
        scaled_parts.append(
            selection.scale_levels(packed_levels[packed_level_count:part_end])
        )
        packed_level_count, level_weights = (
            part_end,
            _collect_bounds(
                scaled_parts, bounds_method, packed_proven_count, known_level_values
            ),
        )
        highest_packed_cost = level_weights.max_column_cost(part_end)
        if highest_packed_cost > limit and bounds_method is ScaledLevels.quick_bounds:
            bounds_method = ScaledLevels.close_bounds
            level_weights = _collect_bounds(
                scaled_parts, bounds_method, packed_proven_count, known_level_values
            )
            highest_packed_cost = level_weights.max_column_cost(part_end)
        if highest_packed_cost > limit:
            # find how many levels fit
            candidate_ends = range(packed_proven_count + 1, part_end + 1)
            fitting_level_count = bisect_right(
                candidate_ends, limit, key=level_weights.max_column_cost
            )
            packed_level_count = max(
                packed_proven_count + fitting_level_count,
                min(packed_proven_count + 1, part_end),
            )
            break
    packed_weights, end_level = (
        level_weights.weights(packed_level_count),
        start + packed_level_count - packed_proven_count,
    )
    return PackedCosts(
        scaled_parts,
        packed_levels[:part_end],
        packed_weights,
        level_weights.least,
        end_level,
    )


@dataclass(frozen=True)
class LevelWeights:
    """Values and bounds of levels, from which the weights for packing are computed.

    All are in scaled costs: less the level's cheapest cost, and divided by its greatest
    common divisor. `proven` are the values of the proven levels. `best`, if it is
    known, is a value of the next level that a pairing attains. `least` and `most` are
    bounds of each level, and `largest` is the largest cost of one column in it.
    `weights` computes them; a unit of an open level outweighs all that can follow.
    """

    proven: list[int]
    best: int | None
    least: list[int]
    most: list[int]
    largest: list[int]

    def max_column_cost(self, end: int) -> int:
        """Return the largest packed cost that a column can have.

        The levels before `end` are packed; the bound is the weighted sum of the largest
        cost in each.
        """
        return _max_weighted_value(self.weights(end), self.largest)

    def weights(self, end: int) -> list[int]:
        """Return each level's weight if those before `end` are packed into one cost.

        A unit of an open level outweighs all levels after it; a unit of a proven level
        outweighs all that giving it up could gain later. The weight is 0 for levels
        from `end` on, and for levels in which all pairings are equal.
        """
        proven_values, level_minima, level_maxima = self.proven, self.least, self.most
        weight_of_level, open_level_weight, possible_gain = (
            [0] * len(level_minima),
            1,
            0,
        )
        # open levels: a unit outweighs the ranges of all that follow
        for level_index in range(end - 1, len(proven_values) - 1, -1):
            value_range = level_maxima[level_index] - level_minima[level_index]
            if value_range > 0:
                weight_of_level[level_index] = open_level_weight
                open_level_weight *= value_range + 1
                if level_index == len(proven_values) and self.best is not None:
                    value_range = min(
                        value_range, max(self.best - level_minima[level_index], 0)
                    )
                possible_gain += weight_of_level[level_index] * value_range
        # proven levels: a unit outweighs all that giving it up could gain
        for level_index in range(len(proven_values) - 1, -1, -1):
            if level_maxima[level_index] > level_minima[level_index]:
                weight_of_level[level_index] = possible_gain + 1
                proven_value = min(
                    proven_values[level_index], level_maxima[level_index]
                )
                possible_gain += weight_of_level[level_index] * max(
                    proven_value - level_minima[level_index], 0
                )
        return weight_of_level


def _collect_bounds(
    parts: Sequence[ScaledLevels],
    bounds: Callable[[ScaledLevels], LevelBounds],
    proven: int,
    known_values: list[int],
) -> LevelWeights:
    """Collect the values and bounds of levels from which weights are computed.

    `bounds` is the function that computes the bounds of one part. `known_values` holds
    the values of the first `proven` levels, and after them the value of the next level
    in a known pairing, if there is one. `parts` hold the levels, in order.
    """
    bounds_of_parts = [bounds(scaled_part) for scaled_part in parts]
    lower_bounds_of_levels = [
        bound_value
        for lower_bounds, _upper_bounds in bounds_of_parts
        for bound_value in lower_bounds
    ]
    upper_bounds_of_levels = [
        bound_value
        for _lower_bounds, upper_bounds in bounds_of_parts
        for bound_value in upper_bounds
    ]
    largest_costs = [
        largest_cost for scaled_part in parts for largest_cost in scaled_part.largest
    ]
    scaled_values = _rescale_values(parts, known_values)
    incumbent_value = scaled_values[proven] if len(known_values) > proven else None
    return LevelWeights(
        scaled_values[:proven],
        incumbent_value,
        lower_bounds_of_levels,
        upper_bounds_of_levels,
        largest_costs,
    )


def _rescale_values(parts: Sequence[ScaledLevels], values: Sequence[int]) -> list[int]:
    """Return the values of the first levels on the smallest scale of these levels.

    A level's fixed value is subtracted, and the rest is divided by its unit. There are
    as many results as `values`. `parts` hold the levels, in order.
    """
    unit_of_level = [
        level_unit for scaled_part in parts for level_unit in scaled_part.unit
    ]
    fixed_values = [
        fixed_value for scaled_part in parts for fixed_value in scaled_part.fixed
    ]
    values_with_units = zip(values, unit_of_level, fixed_values, strict=False)
    return [
        (level_value - fixed_value) // level_unit
        for level_value, level_unit, fixed_value in values_with_units
    ]


def _max_weighted_value(weights: Sequence[int], largest: Sequence[int]) -> int:
    """Return an upper bound of one column's packed cost.

    It is the sum over the levels of weight times `largest`, the largest scaled cost of
    a column in the level. Both sequences have one entry for each level.
    """
    return sum(
        weight * largest_cost
        for weight, largest_cost in zip(weights, largest, strict=True)
    )
