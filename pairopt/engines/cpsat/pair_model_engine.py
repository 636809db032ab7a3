"""Solve a round, or a bracket of a system, with the integer program of single pairs.

Linear programming minimises the levels in order, as many as it can prove (see
`levels_by_relaxation`). CP-SAT solves the levels that are left. It also solves weighted
sums and rounds with a lookahead.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines.allowed_arcs import LISTED_FIRST, OTHER_FIRST, AllowedArcs
from pairopt.engines.base import EngineOptions, LevelOptimum, Progress, Solution
from pairopt.engines.cpsat.levels_by_relaxation import (
    RelaxationProgress,
    minimize_levels_by_relaxation,
)
from pairopt.engines.cpsat.without_pandas import load_modelling
from pairopt.engines.further import Further, further_of
from pairopt.engines.single_pairs import build_candidates, sided_arcs
from pairopt.event.arcs import Arcs, IntArray
from pairopt.problem.problem import Problem

if TYPE_CHECKING:
    from pairopt.engines.cpsat.pair_model import ObjectiveValues, PairModel


def solve(
    problem: Problem,
    options: EngineOptions,
    near: Arcs | None = None,
    effort: float | None = None,
    is_cp_sat_allowed: bool = True,
) -> Solution:
    """Pair the round with the integer program that has a Boolean for each single match.

    `near` is a pairing from which CP-SAT starts, if linear programming finds none.
    `effort` limits CP-SAT's deterministic time, None for no limit but the budget's.
    Without `is_cp_sat_allowed`, the status is "unknown" if levels are left to CP-SAT;
    but a weighted objective and a lookahead always go to CP-SAT. If time runs out, the
    solution has the bounds so far. Raises UnsupportedError for costs that are too large
    for CP-SAT.
    """
    match_columns, rounds_ahead = build_candidates(problem), further_of(problem)
    if not match_columns.reach_all or (
        rounds_ahead is not None and rounds_ahead.too_many
    ):
        return Solution("infeasible", None, ())
    if options.objective == "weighted" or rounds_ahead is not None:
        return _solve_by_cp_sat(
            problem, match_columns, rounds_ahead, options, near, effort
        )

    relaxation_progress = minimize_levels_by_relaxation(
        match_columns, options.budget, options.progress
    )
    level_count = match_columns.costs.shape[1]
    if relaxation_progress.is_infeasible:
        return Solution("infeasible", None, ())
    if relaxation_progress.used is not None and relaxation_progress.has_all(
        level_count
    ):
        paired_arcs = _choose_sides(
            match_columns, relaxation_progress.used, options.budget
        )
        return Solution.of(
            relaxation_progress.values, level_count, paired_arcs, stopped=False
        )
    if not is_cp_sat_allowed:
        return Solution("unknown", None, ())
    return _solve_by_cp_sat(
        problem, match_columns, None, options, near, effort, relaxation_progress
    )


def _solve_by_cp_sat(
    problem: Problem,
    columns: AllowedArcs,
    further: Further | None,
    options: EngineOptions,
    near: Arcs | None,
    effort: float | None,
    relaxed: RelaxationProgress | None = None,
) -> Solution:
    """Pair the round by CP-SAT, which solves the levels that `relaxed` leaves.

    `columns` are the matches that may be played, and `further` the further rounds of a
    lookahead, None without one. CP-SAT starts from the pairing `near`, or from that of
    `relaxed`; `effort` limits its deterministic time, None for no limit. A weighted
    objective is minimised as a sum, without `relaxed`. Raises UnsupportedError for
    costs that are too large for CP-SAT.
    """
    # Most rounds need no CP-SAT, and its modelling layer takes long to import.
    load_modelling()
    from pairopt.engines.cpsat import pair_model as pairs

    program = pairs.build_pair_model(columns, further)
    start_use = None if near is None else candidate_use(columns, near)
    if options.objective == "weighted":
        optimum = pairs.minimize_weighted_sum(
            problem, program, options.budget, start_use, effort
        )
    else:
        known_values: tuple[int, ...] = ()
        if relaxed is not None and relaxed.used is not None:
            known_values = relaxed.values
            start_use = np.bincount(relaxed.used, minlength=len(columns))
        optimum = _minimize_open_levels(
            program, known_values, start_use, options.budget, effort, options.progress
        )
    return make_solution(problem, columns, optimum, options.budget)


def _minimize_open_levels(
    program: PairModel,
    values: tuple[int, ...],
    use: IntArray | None,
    budget: Budget,
    effort: float | None = None,
    progress: Progress | None = None,
) -> ObjectiveValues:
    """Minimise by CP-SAT the levels that `values` leaves open, in order.

    `values` are the known optima of the first levels, which are fixed in the program;
    the result has them, too. `use` is a pairing that attains them, None without one.
    `effort` limits the deterministic time, None for no limit. `progress` is called with
    the index and the value of each open level that is solved. A level that is not
    solved in time gives the result a `bound`.
    """
    from pairopt.engines.cpsat import pair_model as pairs

    goals = pairs.build_objectives(program)
    for goal, value in zip(goals, values, strict=False):
        program.fix(goal, value)

    def report_progress(level: int, value: int) -> None:
        """Call `progress`, if there is one, with a level's index and its value.

        `level` is the index among the open levels; `progress` gets that among all
        levels.
        """
        if progress is not None:
            progress(len(values) + level, value)

    open_goals = goals[len(values) :]
    optimum = pairs.minimize_lexicographically(
        program, open_goals, budget, use, effort, report_progress
    )
    return replace(optimum, values=(*values, *optimum.values))


def make_solution(
    problem: Problem, columns: AllowedArcs, values: ObjectiveValues, budget: Budget
) -> Solution:
    """Return the outcome of the integer program as a solution of the round.

    `values` is that outcome, and `columns` are the matches that may be played. It is
    "infeasible" without a pairing and a bound. Where either side will do, a coin of the
    budget's seed decides.
    """
    if values.use is None and values.bound is None:
        return Solution("infeasible", None, ())
    level_bounds = list(values.values)
    if values.bound is not None:
        level_bounds.append(values.bound)
    paired_arcs = None
    if values.use is not None:
        paired_arcs = _choose_sides(columns, np.flatnonzero(values.use), budget)
    is_stopped = values.bound is not None
    solution = Solution.of(level_bounds, len(problem.levels), paired_arcs, is_stopped)
    return replace(solution, further=values.further, blocks=values.blocks)


def _choose_sides(columns: AllowedArcs, used: IntArray, budget: Budget) -> Arcs:
    """Return the columns at the positions `used` as arcs with their sides.

    Where either side will do, a coin of the budget's seed decides.
    """
    coin_seed = (budget.seed, 1)
    return sided_arcs(columns, columns.a[used], columns.b[used], used, coin_seed)


def settle(
    columns: AllowedArcs, values: tuple[int, ...], used: IntArray | None, budget: Budget
) -> LevelOptimum | None:
    """Minimise by the integer program the levels that `values` leaves open, in order.

    `columns` are the pairs that may be used, with their costs in every level. `values`
    are the known optima of the first levels, and `used` the positions of a pairing that
    has them, None without one. Linear programming comes first, then CP-SAT. Returns the
    optimal values of all levels and the positions of the pairs used, or None if there
    is no pairing. Raises TimeUpError.
    """
    if not columns.reach_all:
        return None
    relaxation_progress = minimize_levels_by_relaxation(columns, budget)
    if relaxation_progress.is_infeasible:
        return None
    if relaxation_progress.used is not None:
        values, used = relaxation_progress.values, relaxation_progress.used
        if relaxation_progress.has_all(columns.costs.shape[1]):
            return LevelOptimum(values, used)

    # Most brackets need no CP-SAT, and its modelling layer takes long to import.
    load_modelling()
    from pairopt.engines.cpsat import pair_model as pairs

    program = pairs.build_pair_model(columns)
    known_use = None if used is None else np.bincount(used, minlength=len(columns))
    optimum = _minimize_open_levels(program, values, known_use, budget)
    if optimum.bound is not None:
        raise TimeUpError
    if optimum.use is None:
        return None
    return LevelOptimum(optimum.values, np.flatnonzero(optimum.use))


def candidate_use(columns: AllowedArcs, arcs: Arcs) -> IntArray:
    """Return how often a pairing uses each column, 0 or 1, shape (columns,).

    If sides do not matter, a column stands for the pair either way round.
    """
    key_base = columns.players + 1
    first_players, second_or_bye = (
        arcs.first,
        np.where(arcs.bye, columns.players, arcs.second),
    )
    pair_keys = key_base * first_players + second_or_bye
    if (columns.sides == LISTED_FIRST | OTHER_FIRST).any():
        pair_keys = np.append(pair_keys, key_base * second_or_bye + first_players)
    return np.isin(key_base * columns.a + columns.b, pair_keys).astype(np.int64)
