"""Who pairs what: fields of some hundred players are matched, others begin with classes. What
classes cannot hold, or what takes them more than a small deterministic effort, is finished by
matching the pairs that the proven values leave. CP-SAT takes long to load, and is loaded when
needed."""

from dataclasses import replace

from pairopt.engines.base import Options, Solution, UnsupportedError
from pairopt.engines.matching import engine as matching
from pairopt.problem.problem import Problem

FEW = 400  # up to so many players matching is faster, or as fast, from the first level on

settle = matching.settle


def solve(problem: Problem, options: Options) -> Solution:
    plain = options.formulation == "pairs"  # one boolean a pair, for study
    if not plain and not problem.lookahead and len(problem) <= FEW:
        return _matched(problem, options)
    from pairopt.engines.cpsat import engine as cpsat

    if not plain:
        try:
            found = cpsat.solve(problem, options, settle)
        except (cpsat.TooFineError, UnsupportedError):
            if not problem.lookahead:
                return _matched(problem, options)
        else:
            parts = ("cpsat",) if found.handed is None else ("cpsat", "matching")
            return replace(found, parts=parts)
    return replace(cpsat.solve(problem, options), parts=("cpsat",))


def _matched(problem: Problem, options: Options) -> Solution:
    return replace(matching.solve(problem, options), parts=("matching",))
