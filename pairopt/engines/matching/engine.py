"""The matching engine: columns, levels packed into costs, and arcs of a matching.

Classes quickly say which pairs remain for the later levels. The edges of a matching are
always pairs, so no class is an approximation. Small fields consist of pairs from the
start.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines.allowed_arcs import AllowedArcs, radix_weights
from pairopt.engines.base import EngineOptions, LevelOptimum, RemainingPairs, Solution
from pairopt.engines.matching.edges import Edges, count_pairs, expand_edges
from pairopt.engines.matching.few_pairs import match_few_pairs, pack_all_levels
from pairopt.engines.matching.level_by_level import (
    MatchingProgress,
    minimize_lexicographically,
    minimize_weighted_sum,
)
from pairopt.engines.player_types import build_classes, types_of
from pairopt.engines.single_pairs import add_levels_to_pairs, all_pairs, sided_arcs
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.problem.problem import Problem

PARTS = ("matching",)
MOST_PLAYERS_AS_PAIRS = 64  # players, up to which classes save nothing
ENTRIES = 2**20
"""Costs (columns by levels) that are computed together and stay in the processor's cache."""
LEVELS, LARGEST, LEAST = 32, 2**25, 8
"""Levels that are computed together even if there are more costs, because each stage takes a
matching; the most costs for them, because of the memory; and the least number of levels."""
OF_CLASSES = 2**28
"""Costs of classes that are computed together: levels that they leave open need those of pairs,
which are more."""


def solve(problem: Problem, options: EngineOptions) -> Solution:
    """Pair one round by matching.

    The solution is "optimal" with its values as bounds, "infeasible" without a pairing,
    or, if the deadline passes after the columns are built, "feasible" or "unknown" with
    the bounds so far. Raises TimeUpError if it passes before.
    """
    return solve_all([(problem, options)])[0]


def solve_all(prepared: Sequence[tuple[Problem, EngineOptions]]) -> list[Solution]:
    """Pair several rounds by matching; return one solution for each, in order.

    `prepared` holds each problem with its options. The columns of all rounds are built
    first; TimeUpError is raised if a deadline passes then. If it passes later, a
    solution is "feasible" or "unknown" with the bounds so far; otherwise it is
    "optimal", or "infeasible" without a pairing.
    """
    columns_of_problems = [
        _build_candidates(problem, options) for problem, options in prepared
    ]
    return [
        _solve_by_matching(problem, options, problem_columns)
        for (problem, options), problem_columns in zip(
            prepared, columns_of_problems, strict=True
        )
    ]


def _build_candidates(problem: Problem, options: EngineOptions) -> AllowedArcs:
    """Build the columns with which the solve of a round begins, and their first levels.

    The columns are pair classes, or single pairs if the field is small or the options
    ask for them. A weighted objective needs all levels at once; if every player differs
    in some of them, its columns are single pairs, too. Raises TimeUpError.
    """
    is_weighted = options.objective == "weighted"
    level_weights = problem.weights(options.objective)
    prefers_pairs = (
        len(problem) <= MOST_PLAYERS_AS_PAIRS or options.formulation == "pairs"
    )
    # fine criteria, in which every player differs, have no classes
    has_fine_criteria = problem.coarse < len(problem.criteria)
    if prefers_pairs or (is_weighted and has_fine_criteria):
        first_level_count = (
            None if is_weighted else _levels_at_once(len(problem) ** 2 // 2)
        )
        return all_pairs(problem, level_weights, first_level_count, options.budget)
    type_of_player = types_of(problem.attributes(), len(problem))
    type_count = int(type_of_player.max(initial=0)) + 1
    first_level_count = None if is_weighted else OF_CLASSES // type_count**2 + LEAST
    return build_classes(
        problem, type_of_player, level_weights, first_level_count, options.budget
    )


def _solve_by_matching(
    problem: Problem, options: EngineOptions, columns: AllowedArcs
) -> Solution:
    """Minimise the levels of these columns by matching, then the levels that they lack.

    Further levels are computed for the pairs that can still be in an optimal pairing.
    If time runs out, the solution has the levels that are proven, and is not optimal.
    """
    if options.objective == "weighted":
        level_weights = problem.weights(options.objective) or radix_weights(columns)
        matching_progress = minimize_weighted_sum(
            columns, level_weights, options.budget
        )
        return _make_solution(problem, options, columns, matching_progress, ())

    # values of the levels that are no longer levels of the columns
    dropped_level_values: tuple[int, ...] = ()
    progress_before = MatchingProgress((), np.ones(len(columns), np.bool_))
    level_count = len(problem.levels)
    while True:
        has_later_levels = (
            len(dropped_level_values) + columns.costs.shape[1] < level_count
        )
        matching_progress = minimize_lexicographically(
            columns,
            progress_before,
            options.budget,
            options.progress,
            has_later_levels,
            len(dropped_level_values),
        )
        proven_level_count = len(dropped_level_values) + len(matching_progress.values)
        if (
            matching_progress.matching is None
            or matching_progress.stopped
            or proven_level_count == level_count
        ):
            return _make_solution(
                problem, options, columns, matching_progress, dropped_level_values
            )
        try:
            columns, progress_before = _add_levels(
                problem, columns, matching_progress, proven_level_count, options.budget
            )
        except TimeUpError:
            stopped_progress = replace(matching_progress, stopped=True)
            return _make_solution(
                problem, options, columns, stopped_progress, dropped_level_values
            )
        dropped_level_values += matching_progress.values[: matching_progress.free]


def _levels_at_once(pair_count: int) -> int:
    """Return how many levels are computed together for so many pairs; at least `LEAST`."""
    pair_count = max(pair_count, 1)
    return max(ENTRIES // pair_count, min(LEVELS, LARGEST // pair_count), LEAST)


def _add_levels(
    problem: Problem,
    columns: AllowedArcs,
    progress: MatchingProgress,
    proven: int,
    budget: Budget,
) -> tuple[AllowedArcs, MatchingProgress]:
    """Return single pairs with the next levels, and the progress to go on from.

    They are the pairs of the columns that are still alive. The first `proven` levels
    are solved. Levels whose values all matchings of these pairs share are dropped from
    the columns. Raises TimeUpError.
    """
    added_level_count = _levels_at_once(count_pairs(columns, progress.alive))
    end_level = min(proven + added_level_count, len(problem.levels))
    columns = add_levels_to_pairs(
        problem, columns, progress.alive, progress.free, proven, end_level, budget
    )
    is_pair_alive = np.ones(len(columns), np.bool_)
    assert progress.matching is not None
    matching_of_pairs = expand_edges(columns, is_pair_alive).joining(
        len(problem), progress.matching.first, progress.matching.second
    )
    return columns, MatchingProgress(
        progress.values[progress.free :], is_pair_alive, matching_of_pairs
    )


def settle(
    columns: AllowedArcs, values: tuple[int, ...], used: IntArray | None, budget: Budget
) -> LevelOptimum | None:
    """Minimise all levels of single pairs, in order, by matching.

    `columns` are the pairs that may be used, with their costs in every level. `values`
    are the known optima of the first levels, and `used` the positions of a pairing that
    has them, None without one. Returns the optimal values of all levels and the
    positions of the pairs used, or None if there is no pairing. Raises TimeUpError.
    """
    costs_of_known_levels = columns.costs[:, : len(values)]
    has_optimal_cost = costs_of_known_levels <= np.array(values, np.int64)
    is_column_alive: BoolArray = np.all(has_optimal_cost, axis=1)
    packed_costs = pack_all_levels(columns)
    if packed_costs is not None:
        budget.check()
        optimum = match_few_pairs(columns, is_column_alive, packed_costs)
        if optimum is None or optimum.values[: len(values)] != values:
            return None
        return optimum

    known_matching = (
        None if used is None else Edges(columns.a[used], columns.b[used], used)
    )
    initial_progress = MatchingProgress(values, is_column_alive, known_matching)
    matching_progress = minimize_lexicographically(columns, initial_progress, budget)
    if matching_progress.stopped:
        raise TimeUpError
    if matching_progress.matching is None:
        return None
    return LevelOptimum(matching_progress.values, matching_progress.matching.number)


def _make_solution(
    problem: Problem,
    options: EngineOptions,
    columns: AllowedArcs,
    progress: MatchingProgress,
    dropped_values: tuple[int, ...],
) -> Solution:
    """Return the solution of a solve by matching, with the sides of the pairs.

    `progress` has the values and the matching of `columns`, and `dropped_values` are
    the values of the levels that come before theirs. It is "infeasible" without a
    perfect matching. If time ran out, the bound 0 of the next level follows the proven
    values. For a weighted objective the bound is that of the sum, but if the model has
    no weights, bounds are those of all levels. Of a small field, the pairs of all
    optimal pairings are kept, too.
    """
    if not progress.feasible:
        return Solution("infeasible", None, (), parts=PARTS)
    final_matching, matched_arcs, remaining_pairs = progress.matching, None, None
    proven_values = dropped_values + progress.values
    has_default_weights = problem.model.weights is None
    if options.objective == "weighted" and has_default_weights and final_matching:
        # these weights only encode the order of the levels
        proven_values = tuple(columns.costs[final_matching.number].sum(axis=0).tolist())
    level_bounds = (*proven_values, 0) if progress.stopped else proven_values
    if final_matching is not None:
        matched_arcs = sided_arcs(
            columns,
            final_matching.first,
            final_matching.second,
            final_matching.number,
            (options.budget.seed, 1),
        )
    if len(problem) <= MOST_PLAYERS_AS_PAIRS and progress.cost is not None:
        remaining_pairs = RemainingPairs(columns, progress.alive, progress.cost)
    return Solution.of(
        level_bounds,
        len(problem.levels),
        matched_arcs,
        progress.stopped,
        remaining_pairs,
        PARTS,
    )
