"""Who pairs what: small fields are matched; of others classes settle all that they can hold.

What classes cannot hold, levels in which every player differs, and what is too hard for them is
finished by matching the pairs that the proven values leave. Each step is exact.
"""

from __future__ import annotations

from pairopt.engines.base import Options, Solution, UnsupportedError
from pairopt.engines.cpsat import engine as cpsat
from pairopt.engines.cpsat.further import rounds_after
from pairopt.engines.matching import engine as matching
from pairopt.problem.problem import Problem

__all__ = ["rounds_after", "settle", "solve"]

FEW = 400
"""Up to so many players matching is faster from the first level on."""

settle = matching.settle


def solve(problem: Problem, options: Options) -> Solution:
    """Pair the round; see `Solution` for what comes back."""
    if options.formulation == "pairs":  # the plain boolean model, for study
        return cpsat.solve(problem, options)
    try:
        if len(problem) <= FEW and not problem.lookahead:
            return matching.solve(problem, options)
        return cpsat.solve(problem, options, settle)
    except UnsupportedError:  # its integers are too small: CP-SAT takes each level by itself
        return cpsat.solve(problem, options)
