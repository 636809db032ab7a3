"""The engine's main line: columns, levels packed into costs, and the arcs of a matching. Classes
say quickly which pairs the first levels leave alive; what is matched are always pairs, so no class
is ever an approximation. Small fields are pairs from the start.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines.allowed_arcs import AllowedArcs, radix_weights
from pairopt.engines.base import EngineOptions, LevelOptimum, RemainingPairs, Solution
from pairopt.engines.matching.edges import Edges, edges_of, pairs_of
from pairopt.engines.matching.level_by_level import (
    MatchingProgress,
    minimize_lexicographically,
    minimize_weighted_sum,
)
from pairopt.engines.player_types import classes_of, types_of
from pairopt.engines.single_pairs import all_pairs, further_columns, sided_arcs
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.problem.problem import Problem

PARTS = ("matching",)
FEW = 64  # up to so many players, classes save nothing
ENTRIES = 2**20
"""So many values, of columns by levels, are worked out together: they stay near the processor."""
LEVELS, LARGEST, LEAST = 32, 2**25, 8
"""More of them for so many levels, as each turn costs a matching; not too many for the memory."""
OF_CLASSES = 2**28
"""So many of classes, twice: what they leave open is worked out for pairs, and these are more."""


def solve(problem: Problem, options: EngineOptions) -> Solution:
    """Raises TimeUpError."""
    return solve_all([(problem, options)])[0]


def solve_all(prepared: Sequence[tuple[Problem, EngineOptions]]) -> list[Solution]:
    """Several rounds, step by step. Raises TimeUpError."""
    columns = [_build_candidates(*each) for each in prepared]
    return [
        _solve_by_matching(*each, own)
        for each, own in zip(prepared, columns, strict=True)
    ]


def _build_candidates(problem: Problem, options: EngineOptions) -> AllowedArcs:
    in_one, weights = (
        options.objective == "weighted",
        problem.weights(options.objective),
    )
    few = len(problem) <= FEW or options.formulation == "pairs"
    if few or (in_one and problem.coarse < len(problem.criteria)):
        most = None if in_one else _max_cost(len(problem) ** 2 // 2)
        return all_pairs(problem, weights, most, options.budget)
    type_of = types_of(problem.attributes(), len(problem))
    most = (
        None if in_one else OF_CLASSES // (int(type_of.max(initial=0)) + 1) ** 2 + LEAST
    )
    return classes_of(problem, type_of, weights, most, options.budget)


def _solve_by_matching(
    problem: Problem, options: EngineOptions, columns: AllowedArcs
) -> Solution:
    if options.objective == "weighted":
        weights = problem.weights(options.objective) or radix_weights(columns)
        return _solution(
            problem,
            options,
            columns,
            minimize_weighted_sum(columns, weights, options.budget),
            (),
        )
    before, start = (
        tuple[int, ...](),
        MatchingProgress((), np.ones(len(columns), np.bool_)),
    )
    levels = len(problem.levels)
    while True:
        more = len(before) + columns.costs.shape[1] < levels
        found = minimize_lexicographically(
            columns, start, options.budget, options.progress, more, len(before)
        )
        done = len(before) + len(found.values)
        if found.matching is None or found.stopped or done == levels:
            return _solution(problem, options, columns, found, before)
        try:
            columns, start = _add_levels(problem, columns, found, done, options.budget)
        except TimeUpError:
            return _solution(
                problem, options, columns, replace(found, stopped=True), before
            )
        before += found.values[: found.free]


def _max_cost(pairs: int) -> int:
    pairs = max(pairs, 1)
    return max(ENTRIES // pairs, min(LEVELS, LARGEST // pairs), LEAST)


def _add_levels(
    problem: Problem,
    columns: AllowedArcs,
    found: MatchingProgress,
    done: int,
    budget: Budget,
) -> tuple[AllowedArcs, MatchingProgress]:
    """The pairs that levels leave alive, with more levels, and the standing. Raises TimeUpError."""
    stop = min(done + _max_cost(pairs_of(columns, found.alive)), len(problem.levels))
    columns = further_columns(
        problem, columns, found.alive, found.free, done, stop, budget
    )
    alive = np.ones(len(columns), np.bool_)
    assert found.matching is not None
    pairs = edges_of(columns, alive)
    matching = pairs.joining(len(problem), found.matching.first, found.matching.second)
    return columns, MatchingProgress(found.values[found.free :], alive, matching)


def settle(
    columns: AllowedArcs, values: tuple[int, ...], used: IntArray | None, budget: Budget
) -> LevelOptimum | None:
    known = columns.costs[:, : len(values)]
    alive: BoolArray = ~np.any(known > np.array(values, np.int64), axis=1)
    matching = None if used is None else Edges(columns.a[used], columns.b[used], used)
    found = minimize_lexicographically(
        columns, MatchingProgress(values, alive, matching), budget
    )
    if found.stopped:
        raise TimeUpError
    return (
        None
        if found.matching is None
        else LevelOptimum(found.values, found.matching.number)
    )


def _solution(
    problem: Problem,
    options: EngineOptions,
    columns: AllowedArcs,
    found: MatchingProgress,
    before: tuple[int, ...],
) -> Solution:
    if not found.feasible:
        return Solution("infeasible", None, (), parts=PARTS)
    values = before + found.values
    if (
        options.objective == "weighted"
        and problem.model.weights is None
        and found.matching
    ):
        values = tuple(columns.costs[found.matching.number].sum(axis=0).tolist())
    known = (*values, 0) if found.stopped else values
    arcs, matched, left = None, found.matching, None
    if matched is not None:
        lots = options.budget.seed, 1
        arcs = sided_arcs(columns, matched.first, matched.second, matched.number, lots)
    if len(problem) <= FEW and found.cost is not None:
        left = RemainingPairs(columns, found.alive, found.cost)
    return Solution.of(known, len(problem.levels), arcs, found.stopped, left, PARTS)
