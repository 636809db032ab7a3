"""Legal: a pairing that keeps the constraints, for when time is up before there is a better one.
Neighbours in the standings first, more distant players where these do not do. What is found has the
better sides, and nothing is claimed of it."""

from __future__ import annotations

import numpy as np

from pairopt.budget import Budget
from pairopt.engines.matching.exact import best_matching
from pairopt.engines.matching.graph import edges_of
from pairopt.engines.pairs import columns_of, pair_arcs, sided_arcs
from pairopt.event.arcs import Arcs, IntArray
from pairopt.problem.problem import Problem

NEAR, WIDER = 8, 8  # so many neighbours are looked at first, and so many times as many then


def legal_pairing(problem: Problem, budget: Budget) -> Arcs | None:
    """A legal pairing, None where there is none (a lookahead is not regarded). The nearest
    neighbours are looked at in any case. Raises TimeUpError."""
    n, near = len(problem), NEAR
    order = np.argsort(-problem.state.score, kind="stable")
    rank = np.empty(n + 1, np.int64)
    rank[order], rank[n] = np.arange(n), n
    while True:
        place, other = _within(n, near)
        one, two = order[place], np.append(order, n)[other]
        first, second = np.minimum(one, two), np.maximum(one, two)
        time = budget if near > NEAR else Budget()
        columns = columns_of(problem, pair_arcs(problem, first, second), None, 0, time)
        apart = np.abs(rank[columns.a] - rank[columns.b])
        found = best_matching(n, edges_of(columns, np.ones(len(columns), np.bool_)), apart, time)
        if found is not None:
            chosen = columns_of(problem, pair_arcs(problem, found.first, found.second))
            rng = np.random.default_rng([budget.seed, 1])
            return sided_arcs(chosen, chosen.a, chosen.b, np.arange(len(chosen)), rng)
        if near >= n:
            return None
        near *= WIDER


def _within(n: int, near: int) -> tuple[IntArray, IntArray]:
    """Places so near to each other, and for an odd number everybody's bye, place n."""
    steps = [np.arange(n - step) for step in range(1, min(near, n - 1) + 1)]
    one = np.concatenate([np.zeros(0, np.int64), *steps])
    two = np.concatenate([one[:0], *(own + step for step, own in enumerate(steps, 1))])
    if n % 2:
        one, two = np.append(one, np.arange(n)), np.append(two, np.full(n, n))
    return one, two
