"""Tight: the pairs of all best pairings, where prices of single players tell them. A pairing at
hand is the best of a level if no change of partners, even one that takes a player twice, makes it
cheaper. Then shortest ways of change are prices: what costs just its prices makes up the best
pairings, which are all that is left for the next level."""

from __future__ import annotations

import numpy as np

from pairopt.budget import Budget
from pairopt.event.arcs import BoolArray, IntArray

FAR = 2**60  # the cost of no pair


def meetings(one: IntArray, two: IntArray, used: IntArray) -> tuple[IntArray, IntArray]:
    """The number of the pair of any two, -1 for none, and the partner of each in those used."""
    mate = np.empty(2 * len(used), np.int64)
    mate[one[used]], mate[two[used]] = two[used], one[used]
    number = np.full((len(mate), len(mate)), -1)
    number[one, two] = number[two, one] = np.arange(len(one))
    return number, mate


def at_least_cost(
    costs: IntArray, number: IntArray, mate: IntArray, budget: Budget
) -> tuple[BoolArray, int]:
    """Pairs that are in a pairing which costs as little as `mate` in each level, in order. Shape
    (rows, columns), like the `number` of each pair, -1 for none; `mate` is each row's column. No
    other pairs are, and all pairings of these cost that in so many of the first levels: where the
    two sides are the same players, a level may cost more than prices of players say. Raises
    TimeUpError."""
    allowed: BoolArray = number >= 0
    own = np.arange(len(mate))
    for level, cost in enumerate(costs.T):
        if not cost.any():
            continue
        full = np.where(allowed, cost[number], FAR)
        change = full[:, mate] - full[own, mate]  # who takes whose partner
        price, most = np.zeros(len(mate), np.int64), full[own, mate].sum()
        while (lower := (price[:, None] + change).min(axis=0)).sum() < price.sum():
            budget.check()
            price = lower
            if price.min() < -most:  # more than all that they pay
                return allowed, level
        tight = price[:, None] + change == price
        allowed = np.zeros_like(allowed)
        allowed[:, mate] = tight
    return allowed, costs.shape[1]
