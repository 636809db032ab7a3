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

FEW = 400  # players, up to which matching is at least as fast for all levels

settle = matching.settle


def solve_all(prepared: Sequence[tuple[Problem, EngineOptions]]) -> list[Solution]:
    """Pair several rounds without lookahead, in one call if all of them are matched.

    Otherwise each round is paired by itself. The solutions are in the same order.
    """
    has_pair_formulation = any(
        options.formulation == "pairs" for _, options in prepared
    )
    are_small = all(len(problem) <= FEW for problem, _ in prepared)
    if (are_small or not has_ortools()) and not has_pair_formulation:
        return matching.solve_all(prepared)
    return [solve(problem, options) for problem, options in prepared]


def solve(problem: Problem, options: EngineOptions) -> Solution:
    """Pair a round with the engine that is faster, or with both in turn.

    The solution's `parts` are the engines that took part. The formulation "pairs" is
    solved by CP-SAT.
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
    if len(problem) <= FEW or not has_ortools():
        return matching.solve(problem, options)

    # OR-Tools takes half of a second to import, and most rounds are paired without it.
    from pairopt.engines.cpsat import engine as cpsat

    try:
        solution = cpsat.solve(problem, options, settle)
    except (cpsat.TooManyClassesError, UnsupportedError):
        return matching.solve(problem, options)
    parts = ("cpsat",) if solution.handed is None else ("cpsat", "matching")
    return replace(solution, parts=parts)


def _solve_with_lookahead(problem: Problem, options: EngineOptions) -> Solution:
    """Pair a round with a lookahead.

    The optimum without it is the round's, if the further rounds are possible after it.
    Only otherwise CP-SAT pairs all rounds together.
    """
    further = further_of(problem)
    if further is None or further.too_many:
        return Solution("infeasible", None, ())

    model = replace(problem.model, lookahead=0)
    solution_without_lookahead = _solve_without_lookahead(
        replace(problem, model=model), options
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

    solution = cpsat.with_room(problem, options, solution_without_lookahead)
    if solution.arcs is solution_without_lookahead.arcs:
        return solution
    return replace(solution, parts=("cpsat",))
