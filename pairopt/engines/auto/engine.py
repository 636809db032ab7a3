"""Who pairs what: fields of some hundred players are matched, others begin with classes. What
classes cannot hold, or what takes them more than a small deterministic effort, is finished by
matching the pairs that the proven values leave. CP-SAT takes long to load, and is loaded when
needed. Without OR-Tools, fields of any size are matched.
"""

from collections.abc import Sequence
from dataclasses import replace

from pairopt.engines.base import EngineOptions, Solution, UnsupportedError
from pairopt.engines.further import further_of, without_later_bounds
from pairopt.engines.matching import engine as matching
from pairopt.engines.ortools import has_ortools
from pairopt.engines.room import rounds_by_matching
from pairopt.problem.problem import Problem

FEW = (
    400  # up to so many players matching is faster, or as fast, from the first level on
)

settle = matching.settle


def solve_all(prepared: Sequence[tuple[Problem, EngineOptions]]) -> list[Solution]:
    """Several rounds without lookahead, step by step where all are matched."""
    plain = any(how.formulation == "pairs" for _, how in prepared)
    few = all(len(problem) <= FEW for problem, _ in prepared) or not has_ortools()
    if few and not plain:
        return matching.solve_all(prepared)
    return [solve(*each) for each in prepared]


def solve(problem: Problem, options: EngineOptions) -> Solution:
    if options.formulation == "pairs":  # one boolean a pair, for study
        # OR-Tools takes half of a second to import, and most rounds are
        # paired without it.
        from pairopt.engines.cpsat import engine as cpsat

        return replace(cpsat.solve(problem, options), parts=("cpsat",))
    return (
        _with_room(problem, options) if problem.lookahead else _free(problem, options)
    )


def _free(problem: Problem, options: EngineOptions) -> Solution:
    """Pair a round without lookahead."""
    if len(problem) <= FEW or not has_ortools():
        return matching.solve(problem, options)

    # OR-Tools takes half of a second to import, and most rounds are paired without it.
    from pairopt.engines.cpsat import engine as cpsat

    try:
        found = cpsat.solve(problem, options, settle)
    except (cpsat.TooManyClassesError, UnsupportedError):
        return matching.solve(problem, options)
    return replace(
        found, parts=("cpsat",) if found.handed is None else ("cpsat", "matching")
    )


def _with_room(problem: Problem, options: EngineOptions) -> Solution:
    """Pair a round with a lookahead. The optimum without it is the round's where it leaves room for
    the further rounds. Only where it does not, CP-SAT pairs all rounds together.
    """
    further = further_of(problem)
    if further is None or further.too_many:
        return Solution("infeasible", None, ())

    free = _free(replace(problem, model=replace(problem.model, lookahead=0)), options)
    if free.arcs is None:
        return free if free.status == "infeasible" else without_later_bounds(free)
    rounds = rounds_by_matching(problem, free.arcs, options.budget)
    if rounds is not None:
        return replace(free, further=rounds, left=None)

    # OR-Tools takes half of a second to import, and most rounds are paired without it.
    from pairopt.engines.cpsat import engine as cpsat

    found = cpsat.with_room(problem, options, free)
    return found if found.arcs is free.arcs else replace(found, parts=("cpsat",))
