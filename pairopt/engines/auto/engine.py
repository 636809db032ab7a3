"""The default engine: choose who pairs what.

Fields of some hundred players are matched, larger ones begin with classes in CP-SAT.
What classes cannot hold, or what takes CP-SAT more than a small deterministic time, is
finished by matching over the pairs that the proven values leave. CP-SAT takes long to
import, and is imported when needed. Without OR-Tools, fields of any size are matched.
"""

from collections.abc import Sequence
from dataclasses import replace

from pairopt.engines.base import EngineOptions, Solution, UnsupportedError
from pairopt.engines.further import further_of, without_later_bounds
from pairopt.engines.matching import engine as matching
from pairopt.engines.ortools import has_ortools
from pairopt.engines.room import rounds_by_matching
from pairopt.problem.problem import Problem

MOST_PLAYERS_FOR_MATCHING = (
    400  # players, up to which matching is at least as fast for all levels
)

settle = matching.settle


def solve_all(prepared: Sequence[tuple[Problem, EngineOptions]]) -> list[Solution]:
    """Pair several rounds without lookahead; return one solution for each, in order.

    If each has at most `MOST_PLAYERS_FOR_MATCHING` players, or if OR-Tools is not
    installed, matching pairs all of them in one call. Otherwise, or if an option asks
    for the formulation "pairs", `solve` pairs each round by itself. `prepared` holds
    each problem with its options.
    """
    has_pair_formulation = any(
        options.formulation == "pairs" for _, options in prepared
    )
    are_small = all(
        len(problem) <= MOST_PLAYERS_FOR_MATCHING for problem, _ in prepared
    )
    if (are_small or not has_ortools()) and not has_pair_formulation:
        return matching.solve_all(prepared)
    return [solve(problem, options) for problem, options in prepared]


def solve(problem: Problem, options: EngineOptions) -> Solution:
    """Pair one round by matching, by CP-SAT, or by CP-SAT and then matching.

    Small rounds are matched. Larger ones begin with classes in CP-SAT, and matching
    finishes the levels that are left. The formulation "pairs" always takes CP-SAT. The
    solution's `parts` are the names of the engines that took part. Raises TimeUpError
    if the deadline passes before the first stage, and UnsupportedError if OR-Tools is
    needed and not installed, or if the weights are too large for CP-SAT alone.
    """
    if options.formulation == "pairs":
        # OR-Tools takes half of a second to import, and most rounds are
        # paired without it.
        from pairopt.engines.cpsat import engine as cpsat

        return replace(cpsat.solve(problem, options), parts=("cpsat",))
    if problem.lookahead:
        return _solve_with_lookahead(problem, options)
    return _solve_without_lookahead(problem, options)


def _solve_without_lookahead(problem: Problem, options: EngineOptions) -> Solution:
    """Pair a round without lookahead: by matching if it is small, or by CP-SAT first.

    Matching also pairs the whole round if classes are too many or too coarse, or if
    weights are too large for CP-SAT. Raises TimeUpError.
    """
    if len(problem) <= MOST_PLAYERS_FOR_MATCHING or not has_ortools():
        return matching.solve(problem, options)

    # OR-Tools takes half of a second to import, and most rounds are paired without it.
    from pairopt.engines.cpsat import engine as cpsat

    try:
        solution = cpsat.solve(problem, options, settle)
    except (cpsat.TooManyClassesError, UnsupportedError):
        return matching.solve(problem, options)
    engine_names = ("cpsat",) if solution.handed is None else ("cpsat", "matching")
    return replace(solution, parts=engine_names)


def _solve_with_lookahead(problem: Problem, options: EngineOptions) -> Solution:
    """Pair a round with a lookahead: first without it, then check the further rounds.

    If further rounds are possible after the optimum without the lookahead, that optimum
    is the result. Otherwise CP-SAT pairs this round and the further rounds together.
    Raises TimeUpError.
    """
    rounds_ahead = further_of(problem)
    if rounds_ahead is None or rounds_ahead.too_many:
        return Solution("infeasible", None, ())

    model_without_lookahead = replace(problem.model, lookahead=0)
    solution_without_lookahead = _solve_without_lookahead(
        replace(problem, model=model_without_lookahead), options
    )
    if solution_without_lookahead.arcs is None:
        return (
            solution_without_lookahead
            if solution_without_lookahead.status == "infeasible"
            else without_later_bounds(solution_without_lookahead)
        )
    further_rounds = rounds_by_matching(
        problem, solution_without_lookahead.arcs, options.budget
    )
    if further_rounds is not None:
        return replace(solution_without_lookahead, further=further_rounds, left=None)

    # OR-Tools takes half of a second to import, and most rounds are paired without it.
    from pairopt.engines.cpsat import engine as cpsat

    joint_solution = cpsat.with_room(problem, options, solution_without_lookahead)
    if joint_solution.arcs is solution_without_lookahead.arcs:
        return joint_solution
    return replace(joint_solution, parts=("cpsat",))
