"""Stages of the matching engine: block of levels after block, or one weighted sum.

Each stage is a minimum-cost perfect matching. Its exact duals of players and odd sets
say which pairs no other optimal matching uses, so every stage has fewer pairs than the
one before.
"""

from dataclasses import dataclass, replace

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines.allowed_arcs import AllowedArcs
from pairopt.engines.base import Progress
from pairopt.engines.matching.edge_sets import EdgeSet, ExplicitEdges, TypedEdges
from pairopt.engines.matching.edges import (
    Costs,
    Edges,
    Numbers,
    count_pairs,
    expand_edges,
    max_exact_cost,
    near_edges_mask,
)
from pairopt.engines.matching.level_weights import pack_levels
from pairopt.engines.matching.min_cost_matching import (
    find_min_cost_perfect_matching,
    solve_min_cost_matching,
)
from pairopt.engines.matching.reduced_costs import (
    approximate_log,
    double_exact,
    find_feasible_duals,
)
from pairopt.engines.odd_sets import max_level_block
from pairopt.engines.player_types import PairClasses
from pairopt.event.arcs import BoolArray, IntArray


@dataclass(frozen=True)
class MatchingWithDuals:
    """A minimum-cost perfect matching, with bounds of what all others cost.

    Other matchings of the same cost use only columns `alive`. Four times the difference
    between the cost of another matching and this one's is at most the sum of `above`,
    shape (columns,), over its columns, plus `spare`.
    """

    matching: Edges
    alive: BoolArray
    above: Numbers
    spare: int


def solve_with_duals(
    columns: AllowedArcs,
    alive: BoolArray,
    cost: Costs,
    at_hand: Edges | None,
    budget: Budget,
) -> MatchingWithDuals | None:
    """Return a minimum-cost perfect matching of the columns alive, with bounds.

    `cost` has shape (columns,), not negative. `alive` is a mask of the columns that may
    be used. `at_hand` is a perfect matching to start from, None without one. With few
    pairs the bounds are weak, because no duals are computed. Returns None if there is
    no perfect matching. Raises TimeUpError.
    """
    budget.check()
    player_count, vertex_count = columns.players, columns.players + columns.odd
    alive_columns = alive.nonzero()[0]
    if count_pairs(columns, alive) <= MOST_EDGES_AT_ONCE:
        optimal_matching = find_min_cost_perfect_matching(
            player_count, expand_edges(columns, alive), cost, budget
        )
        if optimal_matching is None:
            return None
        # may be more than 64 bits hold
        total_cost = sum(cost[optimal_matching.number].tolist())
        return MatchingWithDuals(
            optimal_matching, cost <= total_cost, 4 * cost, -4 * total_cost
        )

    doubled_costs = double_exact(_double_reduced_costs(columns, alive_columns, cost))
    budget.check()
    edge_set: EdgeSet
    if isinstance(columns, PairClasses):
        edge_set = TypedEdges(columns, alive_columns, doubled_costs, at_hand)
    else:
        alive_edges, edge_costs = (
            expand_edges(columns, alive),
            doubled_costs[alive_columns],
        )
        log_edge_costs = approximate_log(edge_costs)
        is_first_edge = near_edges_mask(
            vertex_count, alive_edges.first, alive_edges.second, log_edge_costs
        )
        if at_hand is not None:
            is_first_edge |= alive_edges.of(player_count, at_hand.first, at_hand.second)
        edge_set = ExplicitEdges(vertex_count, alive_edges, edge_costs, is_first_edge)
    optimum = solve_min_cost_matching(edge_set, budget)
    if optimum is None:
        return None

    bounded_columns, reduced_cost_lower_bounds, reduced_cost_upper_bounds = (
        edge_set.above(optimum.alone, optimum.sets)
    )
    is_tight_column = np.zeros(len(columns), np.bool_)
    is_tight_column[bounded_columns[reduced_cost_lower_bounds <= 0]] = True
    highest_reduced_costs = np.zeros(len(columns), reduced_cost_upper_bounds.dtype)
    np.maximum.at(highest_reduced_costs, bounded_columns, reduced_cost_upper_bounds)
    # at most all vertices of a set are matched outside, and one is in any case
    set_allowance = sum(
        (min(len(odd_set), vertex_count - len(odd_set)) - 1) * set_dual
        for odd_set, set_dual in optimum.sets.items()
    )
    optimal_matching = edge_set.matching(*optimum.pairs)
    return MatchingWithDuals(
        optimal_matching, is_tight_column, highest_reduced_costs, set_allowance
    )


def _double_reduced_costs(columns: AllowedArcs, index: IntArray, cost: Costs) -> Costs:
    """Return twice the reduced costs of the columns `index`, under duals of types.

    The shape is (columns,), with 0 for other columns. The minimum-cost matchings stay
    the same, and the numbers become smaller.
    """
    first_types, second_types, doubled_costs = (
        columns.a[index],
        columns.b[index],
        2 * cost[index],
    )
    duals_of_types = find_feasible_duals(
        len(columns.size) + 1, first_types, second_types, doubled_costs
    )
    reduced_costs: Numbers = np.zeros(len(columns), cost.dtype)
    reduced_costs[index] = (
        doubled_costs - duals_of_types[first_types] - duals_of_types[second_types]
    )
    return reduced_costs


MOST_EDGES_AT_ONCE = 6000  # edges, up to which they are all matched at once
LIMIT = 2**54  # the largest cost of more edges, times the square of their vertices


@dataclass(frozen=True)
class MatchingProgress:
    """The state of the matching engine after some levels; not a progress callback.

    `values` are the optimal values of these levels, each proven given the ones before
    it; `alive` marks the columns that may still be used, and `matching` attains the
    values (None before any solution). `feasible` is False if there is no perfect
    matching, `stopped` True if the time ran out. Every perfect matching of the columns
    alive has the optimal values of the first `free` levels. If `cost`, shape
    (columns,), is given, exactly the minimum-cost matchings of the columns alive are
    optimal in all levels.
    """

    values: tuple[int, ...]
    alive: BoolArray
    matching: Edges | None = None
    feasible: bool = True
    stopped: bool = False
    free: int = 0
    cost: Costs | None = None


def minimize_lexicographically(
    columns: AllowedArcs,
    start: MatchingProgress,
    budget: Budget = Budget(),
    progress: Progress | None = None,
    has_later_levels: bool = False,
    previous_levels: int = 0,
) -> MatchingProgress:
    """Minimise by matching the levels that are not proven in `start`, in order.

    This is the loop of the matching engine; the integer program of CP-SAT has a
    function of the same name. `progress` is called with the index and the value of each
    level when it is solved; `previous_levels`, the number of levels that came before
    these columns', is added to the index. `has_later_levels` says whether other levels
    follow those of the columns. If time runs out, the result is `stopped`; if there is
    no perfect matching, it is not `feasible`.
    """
    current_progress, level_count = start, columns.costs.shape[1]
    while (
        current_progress.matching is None or len(current_progress.values) < level_count
    ):
        proven_level_count = len(current_progress.values)
        try:
            current_progress = advance_levels(
                columns, current_progress, budget, has_later_levels
            )
        except TimeUpError:
            return replace(current_progress, stopped=True)
        if not current_progress.feasible:
            return current_progress
        if progress:
            for level_index, level_value in enumerate(
                current_progress.values[proven_level_count:],
                previous_levels + proven_level_count,
            ):
                progress(level_index, level_value)
    return current_progress


def advance_levels(
    columns: AllowedArcs,
    current: MatchingProgress,
    budget: Budget = Budget(),
    has_later_levels: bool = True,
) -> MatchingProgress:
    """Solve the next stage of the matching engine, and return the progress after it.

    A stage is a block of levels at their lower bound, and after it as many levels as
    fit into one cost. The block is the longest whose columns leave no odd component. If
    there is such a matching, it is optimal; otherwise the stage begins without a block.
    `current` is the progress so far, and `has_later_levels` says whether other levels
    follow those of the columns. The result is not `feasible` if there is no perfect
    matching. The stage that proves the last level also sets the progress's `cost`, from
    which uniform draws are made. Raises TimeUpError.
    """
    proven_level_count = len(current.values)
    reach_of_column = columns.reach(current.alive, proven_level_count)
    block_length = max_level_block(columns, reach_of_column)
    is_column_in_block = reach_of_column >= block_length
    if block_length > 0 and np.count_nonzero(is_column_in_block) < np.count_nonzero(
        current.alive
    ):
        advanced_progress = _solve_levels_from(
            columns,
            current,
            is_column_in_block,
            proven_level_count + block_length,
            budget,
            has_later_levels,
        )
        if advanced_progress is not None:
            return advanced_progress
        block_length = 0
    advanced_progress = None
    if block_length >= 0:
        advanced_progress = _solve_levels_from(
            columns,
            current,
            current.alive,
            proven_level_count + block_length,
            budget,
            has_later_levels,
        )
    return (
        replace(current, feasible=False)
        if advanced_progress is None
        else advanced_progress
    )


def _solve_levels_from(
    columns: AllowedArcs,
    current: MatchingProgress,
    alive: BoolArray,
    start: int,
    budget: Budget,
    has_later_levels: bool,
) -> MatchingProgress | None:
    """Solve the levels from `start` on that fit into one cost; return the progress.

    `current` is the progress so far. Only the columns in the mask `alive` are used;
    they all have the same costs in the levels between the proven ones and `start`.
    `has_later_levels` says whether other levels follow those of the columns; if not,
    and all fit, the result has the `cost` too. Returns None if no perfect matching has
    the proven values. Raises TimeUpError.
    """
    proven_level_count = len(current.values)
    cost_limit = LIMIT // (columns.players + 2) ** 2
    if count_pairs(columns, alive) <= MOST_EDGES_AT_ONCE:
        cost_limit = max_exact_cost(columns.players)
    incumbent_value = _compute_incumbent_value(columns, alive, start, current)
    packed_costs = pack_levels(
        columns, alive, current.values, current.free, start, cost_limit, incumbent_value
    )
    known_matching = None if incumbent_value is None else current.matching
    optimum = solve_with_duals(
        columns, alive, packed_costs.cost, known_matching, budget
    )
    if optimum is None:
        return None
    matched_costs_by_level = columns.costs.T.take(optimum.matching.number, axis=1)
    level_values = tuple(matched_costs_by_level.sum(axis=1).tolist())
    if level_values[:proven_level_count] != current.values:
        return None
    if not has_later_levels and packed_costs.end == columns.costs.shape[1]:
        return MatchingProgress(
            level_values, alive, optimum.matching, cost=packed_costs.cost
        )

    new_level_slice = slice(start, packed_costs.end)
    alive = alive & optimum.alive
    for level_costs, level_value in zip(
        columns.costs.T[new_level_slice], level_values[new_level_slice], strict=True
    ):
        alive &= level_costs <= level_value
    # the first level in which a matching of the columns alive may differ from the optimum
    largest_column_excess = int(optimum.above[alive].max(initial=0))
    largest_excess = columns.matches * largest_column_excess + optimum.spare
    differing_levels = (
        level_index
        for level_index, level_margin in packed_costs.margins(level_values)
        if 4 * level_margin <= largest_excess
    )
    free_level_count = next(differing_levels, packed_costs.end)
    return MatchingProgress(
        level_values[: packed_costs.end], alive, optimum.matching, free=free_level_count
    )


def _compute_incumbent_value(
    columns: AllowedArcs, alive: BoolArray, level: int, current: MatchingProgress
) -> int | None:
    """Return the value of a level in the matching of the progress `current`.

    `level` is the index of the level, and `alive` a mask of the columns. Returns None
    if there is no matching yet, if it uses columns that are not alive, or if there is
    no such level.
    """
    if current.matching is None or level == columns.costs.shape[1]:
        return None
    used_columns = current.matching.number
    if not alive[used_columns].all():
        return None
    return int(columns.costs[used_columns, level].sum())


def minimize_weighted_sum(
    columns: AllowedArcs, weights: tuple[int, ...], budget: Budget = Budget()
) -> MatchingProgress:
    """Minimise one weighted sum of all levels by matching.

    `weights` has one for each level. The only value of the result is the least sum, and
    its `cost` has what each column adds to it. The result is `stopped`, without a
    value, if time runs out, and not `feasible` if there is no perfect matching.
    """
    initial_progress = MatchingProgress((), np.ones(len(columns), np.bool_))
    weighted_cost = columns.weighted(weights)
    try:
        optimum = solve_with_duals(
            columns, initial_progress.alive, weighted_cost, None, budget
        )
    except TimeUpError:
        return replace(initial_progress, stopped=True)
    if optimum is None:
        return replace(initial_progress, feasible=False)
    least_sum = int(weighted_cost[optimum.matching.number].sum())
    return replace(
        initial_progress,
        values=(least_sum,),
        matching=optimum.matching,
        cost=weighted_cost,
    )
