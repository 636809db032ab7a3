"""Legal: a pairing that keeps the constraints, for when time is up before there is a better one.
Neighbours in the standings first, more distant players where these do not do. What is found has the
better sides by the first levels, and nothing is claimed of it."""

from __future__ import annotations

import numpy as np

from pairopt.budget import Budget
from pairopt.engines.matching.blossom import NOBODY, Blossom
from pairopt.engines.pairs import columns_of, pair_arcs, sided_arcs
from pairopt.engines.types import AT_ONCE
from pairopt.event.arcs import Arcs, IntArray
from pairopt.problem.problem import Problem

NEAR, WIDER = 8, 8  # so many neighbours are looked at first, and so many times as many then
LEVELS = 64  # so many decide which way round a pair is


def legal_pairing(problem: Problem, budget: Budget) -> Arcs | None:
    """A legal pairing, None where there is none (a lookahead is not regarded). The nearest
    neighbours are looked at in any case, then all opponents of who is left. Raises TimeUpError."""
    n, near, asked, time = len(problem), NEAR, {len(problem)}, Budget()
    order = np.append(np.argsort(-problem.state.score, kind="stable"), n)
    blossom = Blossom([{} for _ in range(n + n % 2)], [0] * (n + 1), [NOBODY] * (n + n % 2))
    open_to, mate = blossom.near, blossom.mate
    one, two = (order[places] for places in _within(n, near))
    while True:
        pairs = pair_arcs(problem, np.minimum(one, two), np.maximum(one, two))
        columns = columns_of(problem, pairs, None, 0, time)
        for a, b in zip(columns.a.tolist(), columns.b.tolist(), strict=True):  # the nearest first
            open_to[a][b] = open_to[b][a] = 0
            if mate[a] == mate[b] == NOBODY:
                mate[a], mate[b] = b, a
        if blossom.match(time):
            break
        if near >= n:
            return None
        time, alone = budget, np.flatnonzero(np.array(mate) == NOBODY)
        if alone[0] not in asked:
            alone = alone[alone < n][: AT_ONCE // n + 1]
            asked.update(alone.tolist())
            one, two = np.nonzero(np.arange(n) != alone[:, None])
            one = alone[one]
        else:
            near *= WIDER
            one, two = (order[places] for places in _within(n, near))
    first = np.flatnonzero(np.arange(len(mate)) < mate)
    chosen = columns_of(problem, pair_arcs(problem, first, np.array(mate)[first]), None, LEVELS)
    rng = np.random.default_rng([budget.seed, 1])
    return sided_arcs(chosen, chosen.a, chosen.b, np.arange(len(chosen)), rng)


def _within(n: int, near: int) -> tuple[IntArray, IntArray]:
    """Places so near to each other, and for an odd number everybody's bye, place n."""
    steps = [np.arange(n - step) for step in range(1, min(near, n - 1) + 1)]
    one = np.concatenate([np.zeros(0, np.int64), *steps])
    two = np.concatenate([one[:0], *(own + step for step, own in enumerate(steps, 1))])
    if n % 2:
        one, two = np.append(one, np.arange(n)), np.append(two, np.full(n, n))
    return one, two
