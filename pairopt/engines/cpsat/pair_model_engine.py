"""Plain: a round, or a bracket of a system, settled by the integer program of single matches."""

from dataclasses import replace

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines.allowed_arcs import LISTED_FIRST, OTHER_FIRST, AllowedArcs
from pairopt.engines.base import EngineOptions, LevelOptimum, Solution
from pairopt.engines.cpsat import pair_model as pairs
from pairopt.engines.further import further_of
from pairopt.engines.single_pairs import sided_arcs
from pairopt.event.arcs import Arcs, IntArray
from pairopt.problem.problem import Problem


def solve(
    problem: Problem,
    options: EngineOptions,
    near: Arcs | None = None,
    effort: float | None = None,
) -> Solution:
    """Pair the round; see `Solution`, and `lexicographic` on `near` (as `use`) and `effort`."""
    columns, ahead = pairs.build_candidates(problem), further_of(problem)
    if not columns.reach_all or (ahead is not None and ahead.too_many):
        return Solution("infeasible", None, ())
    program, use = (
        pairs.build_pair_model(columns, ahead),
        None if near is None else candidate_use(columns, near),
    )
    if options.objective == "weighted":
        found = pairs.minimize_weighted_sum(
            problem, program, options.budget, use, effort
        )
    else:
        goals = pairs.build_objectives(program)
        found = pairs.minimize_lexicographically(
            program, goals, options.budget, use, effort, options.progress
        )
    return make_solution(problem, columns, found, options.budget)


def make_solution(
    problem: Problem, columns: AllowedArcs, found: pairs.ObjectiveValues, budget: Budget
) -> Solution:
    if found.use is None and found.bound is None:
        return Solution("infeasible", None, ())
    known = [*found.values, *([] if found.bound is None else [found.bound])]
    arcs = None
    if found.use is not None:
        used = np.flatnonzero(found.use)
        arcs = sided_arcs(
            columns, columns.a[used], columns.b[used], used, (budget.seed, 1)
        )
    made = Solution.of(known, len(problem.levels), arcs, found.bound is not None)
    return replace(made, further=found.further, blocks=found.blocks)


def settle(
    columns: AllowedArcs, values: tuple[int, ...], used: IntArray | None, budget: Budget
) -> LevelOptimum | None:
    if not columns.reach_all:
        return None
    program = pairs.build_pair_model(columns)
    goals = pairs.build_objectives(program)
    use = None if used is None else np.bincount(used, minlength=len(columns))
    for goal, value in zip(goals, values, strict=False):
        program.fix(goal, value)
    found = pairs.minimize_lexicographically(program, goals[len(values) :], budget, use)
    if found.bound is not None:
        raise TimeUpError
    if found.use is None:
        return None
    return LevelOptimum((*values, *found.values), np.flatnonzero(found.use))


def candidate_use(columns: AllowedArcs, arcs: Arcs) -> IntArray:
    """How often a pairing uses each column; where sides do not matter either way round."""
    n = columns.players + 1
    one, two = arcs.first, np.where(arcs.bye, columns.players, arcs.second)
    there = n * one + two
    if (columns.sides == LISTED_FIRST | OTHER_FIRST).any():
        there = np.append(there, n * two + one)
    return np.isin(n * columns.a + columns.b, there).astype(np.int64)
