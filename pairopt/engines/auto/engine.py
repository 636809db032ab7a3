"""Who pairs what: fields of some hundred are matched; of others classes settle all they can.

What classes cannot hold, levels in which every player differs, and what is too hard for them is
finished by matching the pairs that the proven values leave. Each step is exact.
"""

from __future__ import annotations

from dataclasses import replace

from pairopt.engines.base import Options, Solution, UnsupportedError
from pairopt.engines.cpsat import engine as cpsat
from pairopt.engines.cpsat.engine import TooFineError
from pairopt.engines.cpsat.further import rounds_after
from pairopt.engines.matching import engine as matching
from pairopt.problem.problem import Problem

__all__ = ["rounds_after", "settle", "solve"]

FEW = 400
"""Up to so many players matching is faster, or as fast, from the first level on."""

settle = matching.settle


def solve(problem: Problem, options: Options) -> Solution:
    """Pair the round; see `Solution` for what comes back."""
    if options.formulation == "pairs":  # the plain boolean model, for study
        return cpsat.solve(problem, options)
    try:
        if problem.lookahead or len(problem) > FEW:
            return _by_classes(problem, options)
        return _matched(problem, options)
    except UnsupportedError:  # its integers are too small: CP-SAT takes each level by itself
        return cpsat.solve(problem, options)


def _by_classes(problem: Problem, options: Options) -> Solution:
    try:
        found = cpsat.solve(problem, options, settle)
    except TooFineError:
        if problem.lookahead:
            return cpsat.solve(problem, options)
        return _matched(problem, options)
    return replace(found, proven_by=("cpsat",) if found.handed is None else ("cpsat", "matching"))


def _matched(problem: Problem, options: Options) -> Solution:
    return replace(matching.solve(problem, options), proven_by=("matching",))
