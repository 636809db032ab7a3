"""A table of what every match of a round costs, both ways round, by the rules alone.

Vertices are the active players in some order and, in an odd field, the bye after them.
"""

from dataclasses import dataclass
from math import gcd

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.player_types import types_of
from pairopt.event.arcs import BYE, Arcs, IntArray, arcs_of
from pairopt.problem.problem import Problem
from pairopt.problem.system import Level, LevelSums

# numbers, one for each match and level, that are computed together
AT_ONCE = 2**20
# the cost of a match, one integer for each level
Cost = tuple[int, ...]
Kind = tuple[Cost | None, Cost | None]
"""The costs of a match if its first or its second player has the first side; None if illegal."""


@dataclass(frozen=True)
class ArcCostTable:
    """The cost of every match: all `kinds`, ascending, and each match's kind.

    A kind is a pair of costs, each a tuple with one number for each level: first the
    cost if the lower vertex has the first side, then the cost if the higher vertex has
    it. None stands for a way that is not legal. `number`, symmetric, of shape
    (vertices, vertices), is the index of each match's kind, -1 where no way is legal.
    """

    kinds: tuple[Kind, ...]
    number: IntArray

    @property
    def costs(self) -> list[Cost]:
        """The cost of each kind with the better sides, one number for each level."""
        return [
            min(side_cost for side_cost in kind if side_cost is not None)
            for kind in self.kinds
        ]

    def with_smallest_scales(
        self, levels: tuple[Level, ...]
    ) -> "tuple[ArcCostTable, tuple[Level, ...]]":
        """Return the table and its levels, divided by their greatest common divisors.

        In each level the costs, the offset and the scale are divided by their greatest
        common divisor. So the proof stays the same if points of a later round need
        finer units. `levels` are those of the table.
        """
        legal_costs = [way for kind in self.kinds for way in kind if way is not None]
        unit_of_level = []
        for level_index, level in enumerate(levels):
            level_amounts = {way[level_index] for way in legal_costs}
            unit_of_level.append(gcd(level.scale, level.offset, *level_amounts))

        def reduce_cost(way: Cost | None) -> Cost | None:
            """Return a cost in the new units; None for a way that is not legal.

            `way` is the cost of a match with its sides in one order, one integer for
            each level, or None. A cost without levels stays ().
            """
            if not way:
                return way
            return tuple(
                level_cost // level_unit
                for level_cost, level_unit in zip(way, unit_of_level, strict=True)
            )

        reduced_kinds = tuple(
            (reduce_cost(first_cost), reduce_cost(second_cost))
            for first_cost, second_cost in self.kinds
        )
        reduced_levels = tuple(
            level._replace(
                scale=level.scale // level_unit, offset=level.offset // level_unit
            )
            for level, level_unit in zip(levels, unit_of_level, strict=True)
        )
        return ArcCostTable(reduced_kinds, self.number), reduced_levels


def build_arc_table(
    problem: Problem, levels: LevelSums, order: IntArray, budget: Budget
) -> ArcCostTable:
    """Compute the cost of every match in these levels, and which matches are legal.

    `order` has the position in the state of each vertex, shape (n,), without the bye,
    which is the last vertex in an odd field. With weights the cost is one weighted sum.
    Raises TimeUpError.
    """
    player_count = len(problem)
    vertex_count = player_count + player_count % 2
    position_of_vertex = np.append(order, BYE)
    lower_vertices, upper_vertices = np.triu_indices(vertex_count, 1)
    number_of_kind: dict[Kind | None, int] = {None: -1}
    kind_number_of_pair = np.empty(len(lower_vertices), np.int64)
    batch_size = AT_ONCE // (len(levels.levels) + 1) + 1
    for batch_start in budget.iterate(range(0, len(lower_vertices), batch_size)):
        batch_slice = slice(batch_start, batch_start + batch_size)
        batch_arcs = arcs_of(
            position_of_vertex[lower_vertices[batch_slice]],
            position_of_vertex[upper_vertices[batch_slice]],
        )
        kind_number_of_pair[batch_slice] = _number_kinds(
            problem, levels, batch_arcs, number_of_kind
        )

    del number_of_kind[None]
    ordered_kinds = sorted(
        number_of_kind,
        key=lambda match_kind: [
            (side_cost is None, side_cost or ()) for side_cost in match_kind or ()
        ],
    )
    # the last entry is that of no match, -1
    sorted_index_of_number = np.full(len(ordered_kinds) + 1, -1)
    sorted_index_of_number[
        [number_of_kind[match_kind] for match_kind in ordered_kinds]
    ] = np.arange(len(ordered_kinds))
    kind_of_pair = np.full((vertex_count, vertex_count), -1, np.int64)
    kind_of_pair[lower_vertices, upper_vertices] = kind_of_pair[
        upper_vertices, lower_vertices
    ] = sorted_index_of_number[kind_number_of_pair]
    return ArcCostTable(
        tuple(match_kind for match_kind in ordered_kinds if match_kind is not None),
        kind_of_pair,
    )


def _number_kinds(
    problem: Problem, levels: LevelSums, arcs: Arcs, kinds: dict[Kind | None, int]
) -> IntArray:
    """Return the number of each arc's kind, shape (arcs,); add new kinds to `kinds`.

    A kind is the costs of a match with either player on the first side. `kinds` maps
    each kind to its number, in the order of discovery. An arc that is illegal both ways
    round has the number -1. `levels` computes the costs.
    """
    arc_count = len(arcs)
    both_ways = arcs.both_ways
    is_legal_arc, arc_costs = problem.legal(both_ways), levels.costs(both_ways)
    is_legal_arc[arc_count:] &= arcs.match
    arc_costs[~is_legal_arc] = 0
    is_legal_way = np.column_stack([is_legal_arc[:arc_count], is_legal_arc[arc_count:]])
    costs_of_both_ways = np.hstack([arc_costs[:arc_count], arc_costs[arc_count:]])

    # one arc of each type stands for all that are equal
    type_of_arc = types_of([*is_legal_way.T, *costs_of_both_ways.T], arc_count)
    representative_of_type = np.empty(int(type_of_arc.max(initial=-1)) + 1, np.int64)
    representative_of_type[type_of_arc] = np.arange(arc_count)
    kind_of_type = np.empty_like(representative_of_type)
    level_count = arc_costs.shape[1]
    type_rows = zip(
        is_legal_way[representative_of_type].tolist(),
        costs_of_both_ways[representative_of_type].tolist(),
        strict=True,
    )
    for type_index, ((is_legal, is_legal_reversed), arc_cost_row) in enumerate(
        type_rows
    ):
        listed_cost = (
            _choose_decisive_cost(levels, arc_cost_row[:level_count])
            if is_legal
            else None
        )
        reversed_cost = (
            _choose_decisive_cost(levels, arc_cost_row[level_count:])
            if is_legal_reversed
            else None
        )
        match_kind = (
            (listed_cost, reversed_cost) if is_legal or is_legal_reversed else None
        )
        kind_of_type[type_index] = kinds.setdefault(match_kind, len(kinds) - 1)
    return kind_of_type[type_of_arc]


def _choose_decisive_cost(levels: LevelSums, costs: list[int]) -> Cost:
    """Return what a match costs in the levels by which pairings are compared.

    `costs` has one integer for each level. Without weights all of them count; with
    weights only their weighted sum, as a tuple of one integer.
    """
    if levels.weights is None:
        return tuple(costs)
    return (
        sum(
            weight * level_cost
            for weight, level_cost in zip(levels.weights, costs, strict=True)
        ),
    )
