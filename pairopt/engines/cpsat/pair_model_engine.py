"""Solve a round, or a bracket of a system, with the integer program of single pairs."""

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
    """Pair the round with the integer program that has a Boolean for each single match.

    `near` is a pairing from which the search starts. `effort` limits CP-SAT's
    deterministic time, None for no limit but the budget's.
    """
    columns, further = pairs.build_candidates(problem), further_of(problem)
    if not columns.reach_all or (further is not None and further.too_many):
        return Solution("infeasible", None, ())
    program = pairs.build_pair_model(columns, further)
    near_use = None if near is None else candidate_use(columns, near)
    if options.objective == "weighted":
        optimum = pairs.minimize_weighted_sum(
            problem, program, options.budget, near_use, effort
        )
    else:
        goals = pairs.build_objectives(program)
        optimum = pairs.minimize_lexicographically(
            program, goals, options.budget, near_use, effort, options.progress
        )
    return make_solution(problem, columns, optimum, options.budget)


def make_solution(
    problem: Problem,
    columns: AllowedArcs,
    values: pairs.ObjectiveValues,
    budget: Budget,
) -> Solution:
    """Return the outcome of the integer program as a solution of the round.

    It is "infeasible" without a pairing and a bound. Where either side will do, a coin
    of the budget's seed decides.
    """
    if values.use is None and values.bound is None:
        return Solution("infeasible", None, ())
    bounds = list(values.values)
    if values.bound is not None:
        bounds.append(values.bound)
    arcs = None
    if values.use is not None:
        used_columns = np.flatnonzero(values.use)
        coin_seed = (budget.seed, 1)
        arcs = sided_arcs(
            columns,
            columns.a[used_columns],
            columns.b[used_columns],
            used_columns,
            coin_seed,
        )
    is_stopped = values.bound is not None
    solution = Solution.of(bounds, len(problem.levels), arcs, is_stopped)
    return replace(solution, further=values.further, blocks=values.blocks)


def settle(
    columns: AllowedArcs, values: tuple[int, ...], used: IntArray | None, budget: Budget
) -> LevelOptimum | None:
    """Minimise by the integer program the levels that `values` leaves open, in order.

    `values` are the known optima of the first levels, and `used` is a pairing that has
    them. Returns None if there is no pairing; see `LevelMinimizer`. Raises TimeUpError.
    """
    if not columns.reach_all:
        return None
    program = pairs.build_pair_model(columns)
    goals = pairs.build_objectives(program)
    known_use = None if used is None else np.bincount(used, minlength=len(columns))
    for goal, value in zip(goals, values, strict=False):
        program.fix(goal, value)
    open_goals = goals[len(values) :]
    optimum = pairs.minimize_lexicographically(program, open_goals, budget, known_use)
    if optimum.bound is not None:
        raise TimeUpError
    if optimum.use is None:
        return None
    return LevelOptimum((*values, *optimum.values), np.flatnonzero(optimum.use))


def candidate_use(columns: AllowedArcs, arcs: Arcs) -> IntArray:
    """Return how often a pairing uses each column, 0 or 1, shape (columns,).

    If sides do not matter, a column stands for the pair either way round.
    """
    key_base = columns.players + 1
    first, second = arcs.first, np.where(arcs.bye, columns.players, arcs.second)
    pair_keys = key_base * first + second
    if (columns.sides == LISTED_FIRST | OTHER_FIRST).any():
        pair_keys = np.append(pair_keys, key_base * second + first)
    return np.isin(key_base * columns.a + columns.b, pair_keys).astype(np.int64)
