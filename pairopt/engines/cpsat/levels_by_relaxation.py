"""Levels in order by linear programming, with reduced-cost fixing from level to level.

A stage minimises one integer cost per pair, which holds as many of the next levels as
fit (see `pack_levels`). Its proof describes the optimal pairings: they use only pairs
of zero reduced cost, and cross each odd set with a dual exactly once (complementary
slackness). The next stage has only these pairs, and keeps these sets.

If there is no pairing, Tutte's condition proves it. Levels that no proof was found for
are left to CP-SAT.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines.allowed_arcs import AllowedArcs
from pairopt.engines.base import Progress
from pairopt.engines.cpsat.cutting_planes import ProvenMatching, find_proven_matching
from pairopt.engines.cpsat.expensive_edges import find_affordable_edges
from pairopt.engines.cpsat.matching_relaxation import CostGraph, VertexSets
from pairopt.engines.cpsat.odd_set_separation import has_tutte_barrier
from pairopt.engines.odd_sets import max_level_block
from pairopt.event.arcs import BoolArray, IntArray

PACKED = 2**30
"""The largest total of packed levels: GLOP's duals are then exact enough to be rounded."""
LARGEST = 2**40  # the largest total of a single level


@dataclass(frozen=True)
class RelaxationProgress:
    """The levels that linear programming has proven so far, and what they leave.

    `values` are the optimal values of the first levels, each given the ones before it.
    `used`, positions in the columns, is a pairing that attains them. The pairings that
    attain them use only columns `alive`, and cross each of `single_crossings` exactly
    once. If `is_exact`, all pairings that do so attain the values. If `is_infeasible`,
    it is proven that there is no pairing.
    """

    values: tuple[int, ...]
    alive: BoolArray
    single_crossings: VertexSets
    used: IntArray | None = None
    is_exact: bool = True
    is_infeasible: bool = False

    def has_all(self, levels: int) -> bool:
        """Return whether a pairing is known and so many levels are proven.

        `levels` is the number of all levels; with fewer proven ones the result is
        False.
        """
        return self.used is not None and len(self.values) == levels


def minimize_levels_by_relaxation(
    columns: AllowedArcs, budget: Budget, progress: Progress | None = None
) -> RelaxationProgress:
    """Minimise the levels of single pairs in order by linear programming.

    `columns` are the pairs. As many levels as can be proven are minimised; the result
    says which, and whether there is no pairing at all. `progress` is called with the
    index and the value of each proven level. If time runs out, the levels proven so far
    are returned.
    """
    vertex_count, level_count = columns.players + columns.odd, columns.costs.shape[1]
    all_columns_alive = np.ones(len(columns), np.bool_)
    relaxation_progress = RelaxationProgress(
        (), all_columns_alive, np.zeros((0, vertex_count), np.bool_)
    )
    while relaxation_progress.is_exact and not relaxation_progress.has_all(level_count):
        try:
            advanced_progress = _advance(columns, relaxation_progress, budget)
        except TimeUpError:
            break
        if advanced_progress is None:
            is_infeasible = relaxation_progress.used is None and _has_no_pairing(
                columns
            )
            return replace(relaxation_progress, is_infeasible=is_infeasible)
        if progress:
            for level_index in range(
                len(relaxation_progress.values), len(advanced_progress.values)
            ):
                progress(level_index, advanced_progress.values[level_index])
        relaxation_progress = advanced_progress
    return relaxation_progress


def _has_no_pairing(columns: AllowedArcs) -> bool:
    """Return whether Tutte's condition proves that single pairs have no pairing.

    Costs are ignored: only the pairs and byes that `columns` allow count.
    """
    vertex_count = columns.players + columns.odd
    zero_costs = np.zeros(len(columns), np.int64)
    return has_tutte_barrier(CostGraph(vertex_count, columns.a, columns.b, zero_costs))


def _advance(
    columns: AllowedArcs, current: RelaxationProgress, budget: Budget
) -> RelaxationProgress | None:
    """Solve the next stage: a block of levels at their lower bound, and more levels.

    `columns` are the pairs, and `current` is the progress so far. If no pairing is
    proven to have the block at its lower bound, the stage begins without it. Returns
    the new progress, None if no proof was found or if there is no pairing. Raises
    TimeUpError.
    """
    proven_count = len(current.values)
    reach_of_column = columns.reach(current.alive, proven_count)
    block_length = max_level_block(columns, reach_of_column)
    if block_length < 0:
        return None
    if block_length > 0:
        is_in_block = current.alive & (reach_of_column >= block_length)
        first_open_level = proven_count + block_length
        advanced_progress = _solve_stage(
            columns, current, is_in_block, first_open_level, budget
        )
        if advanced_progress is not None:
            return advanced_progress
    return _solve_stage(columns, current, current.alive, proven_count, budget)


def _solve_stage(
    columns: AllowedArcs,
    current: RelaxationProgress,
    alive: BoolArray,
    start: int,
    budget: Budget,
) -> RelaxationProgress | None:
    """Minimise by linear programming the levels from `start` on that fit into one cost.

    Only the columns in the mask `alive` are used; all their pairings have the same,
    optimal values in the levels before `start`. Returns the progress with the new
    levels. Returns None if no proof was found, for example because costs are too large
    or because there is no pairing. `current` is the progress so far. Raises
    TimeUpError.
    """
    alive_columns = _leave_out_expensive(columns, current, alive, start, budget)
    vertex_count = columns.players + columns.odd
    first_ends, second_ends = columns.a[alive_columns], columns.b[alive_columns]
    open_level_costs = columns.costs.T[start:, alive_columns]
    packed_levels = pack_levels(vertex_count, first_ends, second_ends, open_level_costs)
    if packed_levels is None:
        return None
    stage_graph = CostGraph(vertex_count, first_ends, second_ends, packed_levels.cost)

    start_edges = np.zeros(0, np.int64)
    if current.used is not None:
        start_edges = np.flatnonzero(np.isin(alive_columns, current.used))
    optimum = find_proven_matching(
        stage_graph, current.single_crossings, start_edges, budget
    )
    if optimum is None:
        return None
    return _after_stage(
        columns, current, alive_columns, start + packed_levels.count, optimum
    )


def _leave_out_expensive(
    columns: AllowedArcs,
    current: RelaxationProgress,
    alive: BoolArray,
    level: int,
    budget: Budget,
) -> IntArray:
    """Return the positions of the columns `alive` that an optimal pairing may use.

    If the costs of the level with the index `level` are large, those are left out that
    cost more in it than a whole pairing does. Without such a level none is left out.
    `current` is the progress so far; its sets are crossed once. Raises TimeUpError.
    """
    alive_columns = np.flatnonzero(alive)
    if level == columns.costs.shape[1]:
        return alive_columns
    vertex_count = columns.players + columns.odd
    first_ends, second_ends = columns.a[alive_columns], columns.b[alive_columns]
    level_costs = columns.costs[alive_columns, level]
    if _largest_total(vertex_count, first_ends, second_ends, level_costs) <= PACKED:
        return alive_columns
    level_graph = CostGraph(vertex_count, first_ends, second_ends, level_costs)
    return alive_columns[
        find_affordable_edges(level_graph, current.single_crossings, budget)
    ]


def _after_stage(
    columns: AllowedArcs,
    current: RelaxationProgress,
    stage_columns: IntArray,
    proven_count: int,
    optimum: ProvenMatching,
) -> RelaxationProgress:
    """Return the progress after a stage of the relaxation that found `optimum`.

    The edges of the stage's graph are the columns at the positions `stage_columns`. The
    first `proven_count` levels are proven now; their values are those of the matching.
    Only columns with a small enough reduced cost stay alive, and the sets that optimal
    matchings cross once are added to those of `current`.
    """
    used_columns = stage_columns[optimum.edges]
    proven_values = columns.costs[used_columns, :proven_count].sum(axis=0)
    is_still_alive = np.zeros(len(columns), np.bool_)
    is_still_alive[stage_columns[optimum.is_possible]] = True
    single_crossings = np.concatenate(
        [current.single_crossings, optimum.single_crossings]
    )
    # without the positions, np.unique would import numpy.ma
    distinct_crossings, _positions = np.unique(
        single_crossings, axis=0, return_index=True
    )
    return RelaxationProgress(
        tuple(proven_values.tolist()),
        is_still_alive,
        distinct_crossings,
        used_columns,
        is_exact=optimum.slack == 0,
    )


@dataclass(frozen=True)
class PackedLevels:
    """One integer cost of each edge that ranks pairings by several levels in order.

    `cost` has shape (edges,). It holds the first `count` levels of those that were to
    be packed: one unit of a level outweighs all later ones.
    """

    cost: IntArray
    count: int


def pack_levels(
    vertices: int, first: IntArray, second: IntArray, levels: IntArray
) -> PackedLevels | None:
    """Combine levels into one cost: one unit of a level outweighs all later levels.

    `levels` has shape (levels, edges), and the edges are first[k] - second[k]. As many
    levels are taken as keep the total of a perfect matching up to `PACKED`, at least
    one if there is any. Returns None if this one has a total above `LARGEST`.
    `vertices` is the number of vertices.
    """
    packed_costs, packed_total = np.zeros(len(first), np.int64), 0
    for packed_count, level_costs in enumerate(levels):
        largest_total = _largest_total(vertices, first, second, level_costs)
        new_packed_total = packed_total * (largest_total + 1) + largest_total
        if new_packed_total > (PACKED if packed_count else LARGEST):
            return PackedLevels(packed_costs, packed_count) if packed_count else None
        packed_costs, packed_total = (
            packed_costs * (largest_total + 1) + level_costs,
            new_packed_total,
        )
    return PackedLevels(packed_costs, len(levels))


def _largest_total(
    vertices: int, first: IntArray, second: IntArray, cost: IntArray
) -> int:
    """Return an upper bound of what the edges of a perfect matching cost together.

    The edges are first[k] - second[k] with the costs cost[k], between so many
    `vertices`. Each vertex counts with half of its most expensive edge.
    """
    largest_cost_of_vertex = np.zeros(vertices, np.int64)
    np.maximum.at(largest_cost_of_vertex, first, cost)
    np.maximum.at(largest_cost_of_vertex, second, cost)
    return int(largest_cost_of_vertex.sum()) // 2
