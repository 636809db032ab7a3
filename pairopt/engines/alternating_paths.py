"""Alternating: changes of partners, and what they show of all best pairings.

Who could be left alone instead of somebody: J. Edmonds, Paths, trees, and flowers (1965), a tree of
alternating paths, in which odd cycles are shrunk to their base. And the pairs of all best pairings:
one at hand is the best of a level if no change of partners, even one that takes a player twice,
makes it cheaper. Then shortest ways of change are prices: what costs just its prices makes up the
best pairings, which are all that is left for the next level.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from pairopt.common.budget import Budget
from pairopt.event.arcs import BoolArray, IntArray

FAR = 2**60  # the cost of no pair


def find_exchangeable_vertices(
    opponents: Sequence[int], mate: list[int], root: int, gone: int = 0
) -> int:
    """`root`, whom a maximum matching leaves alone, and who could be left alone instead. Sets are
    bits of integers: whom each may meet, who is `gone`, and who is found.
    """
    parent, base = [-1] * len(mate), list(range(len(mate)))
    queue, found = [root], 1 << root
    unseen, inside = (
        ~(gone | found),
        dict[int, int](),
    )  # who is in the odd cycle of a base

    def bases(one: int) -> Iterator[int]:
        """Those from one to the root."""
        yield (one := base[one])
        while mate[one] != -1:
            yield (one := base[parent[mate[one]]])

    def cycle(one: int, top: int, child: int) -> int:
        """Whom the way from one up to the top goes over; it can be walked the other way now."""
        passed = 0
        while base[one] != top:
            for part in (base[one], base[mate[one]]):
                passed |= inside.get(part, 1 << part)
            parent[one], child = child, mate[one]
            one = parent[child]
        return passed

    for one in queue:
        while new := opponents[one] & unseen:
            two = _lowest_set_bit(new)
            parent[two] = one
            found |= 1 << mate[two]
            unseen &= ~(1 << two | 1 << mate[two])
            queue.append(mate[two])
        while odd := opponents[one] & found & ~inside.get(base[one], 1 << base[one]):
            two = _lowest_set_bit(odd)
            above = {*bases(one)}
            top = next(each for each in bases(two) if each in above)
            shrunk = cycle(one, top, two) | cycle(two, top, one)
            inside[top] = inside.get(top, 1 << top) | shrunk
            queue += iterate_set_bits(shrunk & ~found)
            found |= shrunk
            for each in iterate_set_bits(shrunk):
                base[each] = top
    return found


def _lowest_set_bit(some: int) -> int:
    return (some & -some).bit_length() - 1


def iterate_set_bits(some: int) -> Iterator[int]:
    """The places of the bits of an integer."""
    while some:
        yield _lowest_set_bit(some)
        some &= some - 1


def pack_bits(row: BoolArray) -> int:
    """An integer with a bit for each place that is True."""
    return int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")


def index_pairs(
    one: IntArray, two: IntArray, used: IntArray
) -> tuple[IntArray, IntArray]:
    """The number of the pair of any two, -1 for none, and the partner of each in those used."""
    mate = np.empty(2 * len(used), np.int64)
    mate[one[used]], mate[two[used]] = two[used], one[used]
    number = np.full((len(mate), len(mate)), -1)
    number[one, two] = number[two, one] = np.arange(len(one))
    return number, mate


def pairs_at_minimum_cost(
    costs: IntArray, number: IntArray, mate: IntArray, budget: Budget
) -> tuple[BoolArray, int]:
    """Pairs that are in a pairing which costs as little as `mate` in each level, in order. Shape
    (rows, columns), like the `number` of each pair, -1 for none; `mate` is each row's column. All
    pairings of these, and no others, cost that in so many of the first levels: where both sides are
    the same players, a level may cost more than their prices say. Raises TimeUpError.
    """
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
