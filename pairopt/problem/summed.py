"""Summed: levels as sums over matches, as a proof lists them. The levels of criteria are sums over
the matches of any pairing. Those of a system are so among pairings that are as good in all levels
before: what a match adds may depend on these."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pairopt.event.arcs import Arcs
from pairopt.problem.levels import WEIGHTED_SUM, WEIGHTED_WORDS
from pairopt.problem.model_file import Objective
from pairopt.problem.problem import Problem
from pairopt.problem.system import Level
from pairopt.problem.system import Summed as Summed


def summed(problem: Problem, objective: Objective, arcs: Arcs) -> Iterator[Summed]:
    if problem.system is not None:
        yield from problem.system.summed(arcs)
        return
    weights = problem.weights(objective)
    if weights is None:
        yield Summed(problem.levels, problem.costs)
        return
    offset = sum(w * level.offset for w, level in zip(weights, problem.levels, strict=True))
    level = Level(-1, WEIGHTED_SUM, 1, problem.weight_scale, offset, WEIGHTED_WORDS)
    yield Summed((level,), problem.costs, weights)


LEGALITY = Summed((), lambda arcs: np.zeros((len(arcs), 0), np.int64))
"""No level at all: what is left is who may meet whom."""
