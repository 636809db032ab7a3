"""The engine: players two by two in an order drawn by lot, the last with the bye."""

import numpy as np

from pairopt.extend import BYE, EngineOptions, Problem, Solution, arcs_of


def solve(problem: Problem, options: EngineOptions) -> Solution:
    """Pair the round; see `Solution` for what comes back."""
    rng = np.random.default_rng(options.budget.seed)
    seats = np.append(rng.permutation(len(problem)), [BYE] * (len(problem) % 2))
    unknown = (None,) * len(problem.levels)
    return Solution("heuristic", arcs_of(seats[::2], seats[1::2]), unknown)
