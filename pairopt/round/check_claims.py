"""Check what engines claim: by the verifier, and by a second engine (the cross-check).

A second engine begins with the pairing of the first one, and takes lower bounds from the same code.
"""

from dataclasses import replace
from functools import partial

from pairopt.common.budget import Budget
from pairopt.engines import EXACT, abilities_of, bracket_engine, solve_by
from pairopt.engines.allowed_arcs import AllowedArcs
from pairopt.engines.base import (
    EngineError,
    EngineOptions,
    LevelOptimum,
    Solution,
    UnsupportedError,
    pairing_system,
)
from pairopt.engines.ortools import has_ortools, make_ortools_error
from pairopt.event.arcs import Arcs, IntArray
from pairopt.messages import message, with_heading
from pairopt.problem.levels import LevelValue, decisive_levels, level_values
from pairopt.problem.options import Verify
from pairopt.problem.problem import Problem
from pairopt.problem.verifier import verify_pairing
from pairopt.round.result import Result

# Up to this many players linear programming takes less than 0.3 s, if there are few levels.
MOST_PLAYERS = 300
# Up to this many players CP-SAT takes less than 0.2 s for levels that are left to it.
MOST_PLAYERS_OF_CP_SAT = 96
MOST_COSTS = 2**24
"""Costs of all pairs in all levels, above which the integer program takes too much memory."""
EFFORT = 0.1
"""CP-SAT's deterministic time for a cross-check that nobody asked for."""


def verify_levels(
    problem: Problem, engine: str, options: EngineOptions, solution: Solution
) -> tuple[LevelValue, ...]:
    """Return the levels of a solution, with values recomputed by the verifier.

    The tuple is empty if the status is "infeasible"; without a pairing the values are
    None. Raises EngineError if the pairing is not legal, if a value is below the
    engine's bound, or if the engine calls a pairing optimal whose levels are not at
    their bounds.
    """
    verified_values: tuple[int, ...] | None = None
    if solution.arcs is not None:
        pairing_verdict = verify_pairing(problem, solution.arcs, solution.further)
        if not pairing_verdict.legal:
            violation_messages = [
                violation.message for violation in pairing_verdict.violations
            ]
            fault_messages = [
                *map(message, pairing_verdict.faults),
                *violation_messages,
            ]
            raise EngineError(
                with_heading(message("solving.illegal", engine=engine), *fault_messages)
            )
        verified_values = pairing_verdict.values
    if solution.status == "infeasible":
        return ()

    levels = level_values(problem, options.objective, verified_values, solution.bounds)
    for level in levels:
        verified_value, claimed_bound = level.value, level.bound
        if (
            verified_value is not None
            and claimed_bound is not None
            and verified_value < claimed_bound
        ):
            raise EngineError("solving.other_bound", engine=engine)
    if solution.status == "optimal" and any(level.proven is False for level in levels):
        raise EngineError("solving.no_optimum", engine=engine)
    return levels


def cross_check(result: Result, options: EngineOptions, verify: Verify) -> Result:
    """Solve a result again by a second engine, and add that engine to `proven_by`.

    It returns a new result. `proven_by` stays as it is if one of the engines did not
    finish, if the first one is not exact, or if the second one cannot do it. If
    `verify` is True, a note says what came of it; otherwise there is a note only if
    OR-Tools is not installed, and large rounds are not solved again. Raises EngineError
    if two engines have proven different answers, or if the second one's claims are
    wrong.
    """
    is_requested = verify is True
    try:
        if not abilities_of(result.engine).exact:
            raise UnsupportedError("solving.proves_nothing", engine=result.engine)
        if result.status in ("optimal", "infeasible") and not result.proven_by:
            raise UnsupportedError("solving.nothing_to_settle")
        other_engine, second_solution = solve_again(
            result.problem, result.parts, result.arcs, options, is_requested
        )
    except UnsupportedError as error:
        unsupported_reason = error.reason
        if is_requested:
            return result.noted(
                with_heading(message("solving.not_verified"), unsupported_reason)
            )
        if error.kind == "engine.no_ortools":
            return result.noted(
                message("solving.no_second_engine", **unsupported_reason.fields)
            )
        return result

    for engine_name, engine_status in (
        (result.engine, result.status),
        (other_engine, second_solution.status),
    ):
        if engine_status not in ("optimal", "infeasible"):
            stopped_note = message("solving.verify_stopped", engine=engine_name)
            return result.noted(stopped_note) if is_requested else result

    second_levels = verify_levels(
        result.problem, other_engine, options, second_solution
    )
    _require_agreement(result, other_engine, second_solution.status, second_levels)
    result = replace(result, proven_by=(*result.proven_by, other_engine))
    if is_requested:
        return result.noted(message("solving.verified", engine=other_engine))
    return result


def _require_agreement(
    result: Result, other_engine: str, status: str, levels: tuple[LevelValue, ...]
) -> None:
    """Raise EngineError if another engine has proven something else than the result.

    Compared are the status and the values of the decisive levels. `status` and `levels`
    are those of the other engine. The pairings may differ.
    """
    decisive_values = [level.value for level in result.decisive]
    other_values = [level.value for level in decisive_levels(levels)]
    if (result.status, decisive_values) == (status, other_values):
        return
    raise EngineError(
        "solving.disagree",
        engine=result.engine,
        other=other_engine,
        claim=_claim(result.status, decisive_values),
        other_claim=_claim(status, other_values),
    )


def _claim(status: str, values: list[int | None]) -> str:
    """Return what an engine claims as a text for an error message.

    It has the status and the values of the levels, for example "optimal [0, 2]";
    without values it is the status alone.
    """
    return f"{status} {values}" if values else status


def solve_again(
    problem: Problem,
    parts: tuple[str, ...],
    pairing: Arcs | None,
    options: EngineOptions,
    is_requested: bool,
) -> tuple[str, Solution]:
    """Solve a round by an engine that had no part in its first answer.

    Returns the engine's name and its solution, which is not verified. `parts` are the
    engines of the first answer; if no other is left, the last one of `EXACT` solves all
    levels alone. Unless the user asked for the check (`is_requested`), only what is
    quick is tried, and the status may be "unknown". The `pairing` of the first answer,
    None if there is none, saves stages in which nothing can be better.

    Raises UnsupportedError if no engine can do it, and EngineError if two differ in a
    bracket.
    """
    # If both engines had a part, the one that always ends solves all levels alone.
    other_engine = next(
        (engine_name for engine_name in EXACT if engine_name not in parts), EXACT[-1]
    )
    unknown_solution = Solution("unknown", None, ())
    options = replace(options, progress=None)
    is_small_round = _is_small(problem)

    # The Booleans of lookahead rounds take seconds to make.
    is_quick_round = is_small_round and not problem.lookahead
    if not is_requested and (not is_quick_round or options.budget.is_over):
        return other_engine, unknown_solution
    if other_engine == "cpsat" and not has_ortools():
        raise make_ortools_error()
    if other_engine != "cpsat" or not is_small_round:
        return other_engine, solve_by(other_engine, problem, options)

    pairs_solution = _solve_by_pairs(problem, parts[0], pairing, options, is_requested)
    if pairs_solution.status in ("optimal", "infeasible") or not is_requested:
        return other_engine, pairs_solution
    return other_engine, solve_by(other_engine, problem, options)


def _is_small(problem: Problem) -> bool:
    """Return whether the integer program of single pairs solves a round quickly.

    The round has at most `MOST_PLAYERS` players. Without a system, all pairs have at
    most `MOST_COSTS` costs in all levels. A system needs only the costs of one bracket
    at a time.
    """
    cost_count = len(problem) ** 2 * len(problem.levels)
    has_few_costs = problem.system is not None or cost_count <= MOST_COSTS
    return len(problem) <= MOST_PLAYERS and has_few_costs


def _solve_by_pairs(
    problem: Problem,
    engine: str,
    pairing: Arcs | None,
    options: EngineOptions,
    is_requested: bool,
) -> Solution:
    """Solve by CP-SAT with one Boolean for each pair, to check a first answer.

    `pairing` is that of the first answer. For a system that pairs by brackets, `engine`
    solves each bracket again and CP-SAT checks it. If the weights are too large for
    CP-SAT, the status is "unknown" for a requested check; otherwise UnsupportedError is
    raised.
    """
    # OR-Tools takes half of a second to import, and most rounds need no cross-check by it.
    from pairopt.engines.cpsat import pair_model_engine

    bracket_system = pairing_system(problem)
    if bracket_system is not None:
        return bracket_system.solve(
            problem, options, partial(_cross_check_bracket, engine)
        )
    try:
        is_cp_sat_allowed = is_requested or len(problem) <= MOST_PLAYERS_OF_CP_SAT
        return pair_model_engine.solve(
            problem, options, pairing, EFFORT, is_cp_sat_allowed
        )
    except UnsupportedError:
        # The weights are too large for this program's integers; another one may hold them.
        if not is_requested:
            raise
        return Solution("unknown", None, ())


def _cross_check_bracket(
    engine: str,
    columns: AllowedArcs,
    values: tuple[int, ...],
    used: IntArray | None,
    budget: Budget,
) -> LevelOptimum | None:
    """Solve a bracket by an engine and by the integer program, and compare the values.

    Returns the optimum of the engine with the name `engine`, None if the bracket has no
    pairing. `columns` are the allowed arcs, and `values` those of levels that are
    solved already. `used` are indices of the arcs of a pairing to start from, None
    without one. The program starts from the engine's pairing. Raises EngineError if the
    values of the levels differ.
    """
    # OR-Tools takes half of a second to import, and most rounds need no cross-check by it.
    from pairopt.engines.cpsat import pair_model_engine

    first_optimum = bracket_engine(engine).settle(columns, values, used, budget)
    if first_optimum is not None:
        used = first_optimum.used
    second_optimum = pair_model_engine.settle(columns, values, used, budget)

    first_values = None if first_optimum is None else first_optimum.values
    second_values = None if second_optimum is None else second_optimum.values
    if first_values != second_values:
        raise EngineError(
            "solving.brackets_disagree",
            engine=engine,
            one=first_values,
            two=second_values,
        )
    return first_optimum
