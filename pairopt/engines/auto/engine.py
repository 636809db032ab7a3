"""Who pairs what: fields of some hundred players are matched, others begin with classes. What
classes cannot hold, or what takes them more than a small deterministic effort, is finished by
matching the pairs that the proven values leave. CP-SAT takes long to load, and is loaded when
needed."""

from collections.abc import Sequence
from dataclasses import replace

from pairopt.engines.base import Options, Solution, UnsupportedError
from pairopt.engines.further import further_of, rounds_by_matching, without_later_bounds
from pairopt.engines.matching import engine as matching
from pairopt.problem.problem import Problem

FEW = 400  # up to so many players matching is faster, or as fast, from the first level on

settle = matching.settle


def solve_all(prepared: Sequence[tuple[Problem, Options]]) -> list[Solution]:
    """Several rounds without lookahead, step by step where all are matched."""
    few = all(how.formulation != "pairs" and len(problem) <= FEW for problem, how in prepared)
    return matching.solve_all(prepared) if few else [solve(*each) for each in prepared]


def solve(problem: Problem, options: Options) -> Solution:
    plain = options.formulation == "pairs"  # one boolean a pair, for study
    if not plain and len(problem) <= FEW:
        return _matched(problem, options)
    from pairopt.engines.cpsat import engine as cpsat

    if not plain:
        try:
            found = cpsat.solve(problem, options, settle)
        except (cpsat.TooFineError, UnsupportedError):
            if not problem.lookahead:
                return matching.solve(problem, options)
        else:
            parts = ("cpsat",) if found.handed is None else ("cpsat", "matching")
            return replace(found, parts=parts)
    return replace(cpsat.solve(problem, options), parts=("cpsat",))


def _matched(problem: Problem, options: Options) -> Solution:
    """The round by matching. With a lookahead its optimum is the round's where it leaves room for
    the further rounds; only where it does not, CP-SAT pairs all rounds together."""
    further = further_of(problem)
    if further is None:
        return matching.solve(problem, options)
    if further.too_many:
        return Solution("infeasible", None, ())

    plain = replace(problem, model=replace(problem.model, lookahead=0))
    free = matching.solve(plain, options)
    if free.arcs is None:
        return free if free.status == "infeasible" else without_later_bounds(free)
    rounds = rounds_by_matching(problem, free.arcs, options.budget)
    if rounds is not None:
        return replace(free, further=rounds, left=None)

    from pairopt.engines.cpsat import engine as cpsat

    found = cpsat.with_room(problem, options, free)
    return found if found.arcs is free.arcs else replace(found, parts=("cpsat",))
