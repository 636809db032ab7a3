"""Alternating: changes of partners, and what they show of all best pairings.

Who could be left alone instead of somebody: J. Edmonds, Paths, trees, and flowers (1965), a tree of
alternating paths, in which odd cycles are shrunk to their base. And the pairs of all best pairings:
one at hand is the best of a level if no change of partners, even one that takes a player twice,
makes it cheaper. Then shortest ways of change are prices: what costs just its prices makes up the
best pairings, which are all that is left for the next level."""

import numpy as np

from pairopt.budget import Budget
from pairopt.event.arcs import BoolArray, IntArray

FAR = 2**60  # the cost of no pair


def exchangeable(  # noqa: C901 - one search, one loop
    opponents: list[set[int]], mate: list[int], root: int
) -> tuple[int, ...]:
    """`root`, whom a maximum matching leaves alone, and who could be left alone instead."""
    n = len(mate)
    parent, base, outer = [-1] * n, list(range(n)), [False] * n
    queue, outer[root] = [root], True

    def common_base(one: int, two: int) -> int:
        passed = set()
        while True:
            one = base[one]
            passed.add(one)
            if mate[one] == -1:
                break
            one = parent[mate[one]]
        while base[two] not in passed:
            two = parent[mate[base[two]]]
        return base[two]

    def mark(blossom: set[int], one: int, top: int, child: int) -> None:
        while base[one] != top:
            blossom |= {base[one], base[mate[one]]}
            parent[one], child = child, mate[one]
            one = parent[mate[one]]

    for one in queue:
        for two in opponents[one]:
            if base[one] == base[two] or mate[one] == two:
                continue
            if two == root or (mate[two] != -1 and parent[mate[two]] != -1):
                top, blossom = common_base(one, two), set[int]()
                mark(blossom, one, top, two)
                mark(blossom, two, top, one)
                for each in range(n):
                    if base[each] in blossom:
                        base[each] = top
                        if not outer[each]:
                            outer[each] = True
                            queue.append(each)
            elif parent[two] == -1:
                parent[two] = one
                outer[mate[two]] = True
                queue.append(mate[two])
    return tuple(p for p in range(n) if outer[p])


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
    (rows, columns), like the `number` of each pair, -1 for none; `mate` is each row's column. All
    pairings of these, and no others, cost that in so many of the first levels: where both sides are
    the same players, a level may cost more than their prices say. Raises TimeUpError."""
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
