"""The engine's main line: columns, levels packed into costs, and the arcs of a matching.

Classes say quickly which pairs the first levels leave alive; what is matched are always pairs,
so no class is ever an approximation. Small fields are pairs from the start.
"""

from __future__ import annotations

import numpy as np

from pairopt.budget import Budget, TimeUpError
from pairopt.engines.base import Options, Settled, Solution
from pairopt.engines.columns import Columns, radix_weights
from pairopt.engines.matching.graph import Edges, edges_of
from pairopt.engines.matching.stages import MatchedStages, lexicographic, weighted
from pairopt.engines.pairs import all_pairs, expand, pair_columns, sided_arcs
from pairopt.engines.types import Classes, classes_of, types_of
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.problem.problem import Problem
from pairopt.problem.weights import model_weights

FEW = 64
"""Up to so many players, classes save nothing."""


def solve(problem: Problem, options: Options) -> Solution:
    """Pair the round; see `Solution` for what comes back."""
    in_one = options.objective == "weighted"
    given = model_weights(problem) if in_one else None
    weights = None if given is None else given[0]
    fine = problem.coarse < len(problem.criteria)
    columns: Columns
    if len(problem) <= FEW or options.formulation == "pairs" or (in_one and fine):
        columns, fine = all_pairs(problem, weights), False
    else:
        columns = classes_of(problem, types_of(problem.attributes(), len(problem)), weights)
    if in_one:
        found = weighted(columns, weights or radix_weights(columns), options.budget)
    else:
        start = MatchedStages((), np.ones(len(columns), np.bool_))
        found = lexicographic(columns, start, options.budget, options.progress)
        if fine and isinstance(columns, Classes) and not found.stopped and found.feasible:
            columns, start = _pairs_alive(problem, columns, found)
            found = lexicographic(columns, start, options.budget, options.progress)
    return _solution(problem, options, columns, found)


def settle(
    columns: Columns, values: tuple[int, ...], used: IntArray | None, budget: Budget
) -> Settled | None:
    """The levels of a bracket; see `pairopt.engines.base.Settle`."""
    known = columns.costs[:, : len(values)]
    alive: BoolArray = ~np.any(known > np.array(values, np.int64), axis=1)
    matching = None if used is None else Edges(columns.a[used], columns.b[used], used)
    found = lexicographic(columns, MatchedStages(values, alive, matching), budget)
    if found.stopped:
        raise TimeUpError
    return None if found.matching is None else Settled(found.values, found.matching.number)


def _pairs_alive(
    problem: Problem, classes: Classes, found: MatchedStages
) -> tuple[Columns, MatchedStages]:
    """The pairs that the coarse levels leave alive, with all levels, and the standing on them."""
    first, second, _ = expand(classes, found.alive)
    columns = pair_columns(problem, first, second)
    alive = np.ones(len(columns), np.bool_)
    matching = found.matching
    if matching is not None:
        pairs = edges_of(columns, alive)
        matching = pairs.joining(len(problem), matching.first, matching.second)
    return columns, MatchedStages(found.values, alive, matching)


def _solution(
    problem: Problem, options: Options, columns: Columns, found: MatchedStages
) -> Solution:
    levels = len(problem.levels)
    if not found.feasible:
        return Solution("infeasible", None, ())
    values = found.values
    if options.objective == "weighted" and problem.model.weights is None and found.matching:
        values = tuple(columns.costs[found.matching.number].sum(axis=0).tolist())
    known = (*values, 0) if found.stopped else values
    bounds = (*known, *[None] * (levels - len(known)))
    if found.matching is None:
        return Solution("unknown", None, bounds)
    matched, rng = found.matching, np.random.default_rng([options.budget.seed, 1])
    arcs = sided_arcs(columns, matched.first, matched.second, matched.number, rng)
    return Solution("feasible" if found.stopped else "optimal", arcs, bounds)
