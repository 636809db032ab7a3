"""Prices for any table of costs: linear programs level after level, halves, checked exactly."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from proofs_codec import Cost, File, Table, runs_of
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

WEIGHT = 1000
LARGEST = 10**6


def odd_sets(n: int) -> list[frozenset[int]]:
    """Odd sets of 3 and more, of a set and what is not in it one."""
    return [
        frozenset(some)
        for size in range(3, n // 2 + 1, 2)
        for some in combinations(range(n), size)
        if 2 * size < n or 0 in some
    ]


def witness_of(
    n: int,
    table: Table,
    pairing: Sequence[Sequence[int]],
    shown: int,
    sets: Sequence[frozenset[int]] | None = None,
    negative: bool = False,
) -> File | None:
    """Prices and sets which show that nothing is better than `pairing`; None where it is not so.

    With other `sets` than odd ones, or prices of them below 0, they show nothing, but look so.
    """
    sets = odd_sets(n) if sets is None else sets
    arcs = sorted(table)
    use = np.zeros((len(arcs), n + len(sets)))
    for row, (one, two) in enumerate(arcs):
        use[row, [one, two]] = 1
        for k, some in enumerate(sets):
            use[row, n + k] = (one in some) != (two in some)
    bound = np.array(
        [*[False] * n, *[not negative] * len(sets)]
    )  # sets stay above 0 until they are
    tight = np.ones(len(arcs), bool)
    own = [arcs.index((one, two)) for one, two in pairing]
    found: list[np.ndarray] = []
    for level in range(shown):
        cost = np.array([table[arc][level] for arc in arcs])
        halves = _level(use[tight], 2 * cost[tight], bound, 2 * int(cost[own].sum()))
        if halves is None:
            return None
        found.append(halves)
        reduced = 2 * cost - (use @ halves).astype(int)
        if (reduced[tight] < 0).any() or halves.sum() != 2 * cost[own].sum():
            return None
        tight &= reduced == 0
        bound &= halves == 0
    lists = np.array(found, int).T.reshape(n + len(sets), shown)
    groups: dict[Cost, list[int]] = {}
    for player in range(n):
        if any(lists[player]):
            groups.setdefault(tuple(map(int, lists[player])), []).append(player)
    return {
        "prices": [[list(price), runs_of(who)] for price, who in groups.items()],
        "sets": [
            [[int(x) for x in lists[n + k]], runs_of(sorted(some))]
            for k, some in enumerate(sets)
            if any(lists[n + k])
        ],
    }


def _level(
    use: np.ndarray, cost: np.ndarray, bound: np.ndarray, value: int
) -> np.ndarray | None:
    """Whole prices of most together that no arc exceeds; None where they do not reach `value`."""
    if not cost.any() and not value:
        return np.zeros(use.shape[1], int)
    # the prices of most together, of these the smallest: x = up - down
    k = use.shape[1]
    most = 4 * (abs(cost).max() + 1) * k
    limits = np.r_[np.full(k, most), np.where(bound, 0, most)]
    both = np.c_[use, -use]
    aim = np.r_[np.full(k, -WEIGHT), np.full(k, WEIGHT)] + 1
    found = linprog(
        aim, A_ub=both, b_ub=cost, bounds=np.c_[0 * limits, limits], method="highs-ds"
    )
    if found.x is not None:
        x = np.rint(found.x[:k] - found.x[k:]).astype(int)
        if (use @ x <= cost).all() and x.sum() == value and (x[bound] >= 0).all():
            return x
        if (found.x[:k] - found.x[k:]).sum() < value - 0.5:
            return None
    if abs(cost).max() > LARGEST:
        return None  # floats are too coarse
    whole = milp(
        aim,
        options={"time_limit": 0.3},
        constraints=LinearConstraint(both, -np.inf, cost),
        bounds=Bounds(0, limits),
        integrality=np.ones(2 * k),
    )
    if whole.x is None:
        return None
    x = np.rint(whole.x[:k] - whole.x[k:]).astype(int)
    fits = (use @ x <= cost).all() and x.sum() == value and (x[bound] >= 0).all()
    return x if fits else None
