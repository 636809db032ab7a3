"""Pair players in random order; the last player has the bye."""

import numpy as np

from pairopt.extend import BYE, EngineOptions, Problem, Solution, arcs_of


def solve(problem: Problem, options: EngineOptions) -> Solution:
    """Pair the round at random, without lower bounds for the levels."""
    rng = np.random.default_rng(options.budget.seed)
    seats = np.append(rng.permutation(len(problem)), [BYE] * (len(problem) % 2))
    unknown = (None,) * len(problem.levels)
    return Solution("heuristic", arcs_of(seats[::2], seats[1::2]), unknown)
