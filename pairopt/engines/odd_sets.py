"""Parity: of a set of odd number at least one match leaves (Edmonds' odd-set inequalities). A
linear relaxation, which pairs three players by halves, does not see it. Here the sets are those
that a level would keep apart, the components of types under columns that cost it nothing, say score
groups; and the number of leaving matches is given its parity as an equation.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from pairopt.engines.allowed_arcs import AllowedArcs, Reach
from pairopt.event.arcs import BoolArray, IntArray

MOST_SETS = 100  # up to so many components their chain is looked at


def find_odd_set_cuts(
    columns: AllowedArcs, index: IntArray, costs: Iterable[IntArray]
) -> Iterator[tuple[IntArray, int]]:
    """The columns (positions in `index`, which lists those that may be used) that leave each set,
    and its number of players. For each array of costs, sets are the components under columns that
    cost nothing, and beginnings of their chain; sets of one type are left out.
    """
    a, b = columns.a[index], columns.b[index]
    size = np.append(columns.size, int(columns.odd))
    seen = set()
    for cost in costs:
        free = cost[index] == 0
        component = component_of(len(size), a[free], b[free])
        types = np.bincount(component, minlength=len(size))
        crossing = component[a] != component[b]
        sets = [component == number for number in np.flatnonzero(types > 1)]
        sets += _prefix_sets(component, component[a[crossing]], component[b[crossing]])
        for inside in sets:
            if (key := inside.tobytes()) not in seen:
                seen.add(key)
                yield (
                    np.flatnonzero(crossing & (inside[a] != inside[b])),
                    int(size[inside].sum()),
                )


def _prefix_sets(component: IntArray, one: IntArray, two: IntArray) -> list[BoolArray]:
    """The first 2, 3, ... components of chains that columns `one` - `two` make of them."""
    near: dict[int, set[int]] = {}
    for here, there in zip(one.tolist(), two.tolist(), strict=True):
        near.setdefault(here, set()).add(there)
        near.setdefault(there, set()).add(here)
    if not 2 < len(near) <= MOST_SETS:
        return []
    sets, left = [], set(near)
    while left:
        chain = _breadth_first_order(
            near, _breadth_first_order(near, min(left))[-1]
        )  # from one end to the other
        inside = component == chain[0]
        for number in chain[1:-1]:
            inside = inside | (component == number)
            sets.append(inside)
        left -= set(chain)
    return sets


def _breadth_first_order(near: dict[int, set[int]], start: int) -> list[int]:
    order = [start]
    for here in order:
        order += sorted(near[here] - set(order))
    return order


def component_of(n: int, a: IntArray, b: IntArray) -> IntArray:
    """The number of each of n nodes' connected component under edges a - b, by least nodes."""
    label = np.arange(n)
    while not np.array_equal(one := label[a], two := label[b]):
        np.minimum.at(label, np.maximum(one, two), np.minimum(one, two))
        label = label[label]
    return np.asarray(np.unique(label, return_inverse=True)[1], np.int64)


def max_level_block(columns: AllowedArcs, reach: Reach) -> int:
    """The most that columns reach which leave no odd part, the bye included, -1 where all leave
    one: what is odd has no perfect matching.
    """
    size = np.concatenate([columns.size, [int(columns.odd)]])
    reached = np.full((len(size), len(size)), -1, np.int8)
    np.maximum.at(reached.reshape(-1), columns.a * len(size) + columns.b, reach)
    reached = np.maximum(reached, reached.T)
    most = int(reached.max(axis=1)[size > 0].min())
    odd = _bits(size[None] % 2 == 1)[0]
    runs = range(most, -1, -1)
    return next((run for run in runs if _even_parts(_bits(reached >= run), odd)), -1)


def _bits(rows: BoolArray) -> list[int]:
    """Each row as an integer, its first entry as the lowest bit."""
    data, width = (
        np.packbits(rows, axis=1, bitorder="little").tobytes(),
        -(-rows.shape[1] // 8),
    )
    places = range(0, len(data), width)
    return [int.from_bytes(data[place : place + width], "little") for place in places]


def _even_parts(near: Sequence[int], odd: int) -> bool:
    """Whether each connected part has an even number of `odd` nodes; sets are bits of integers."""
    while odd:
        part = new = odd & -odd
        while new:
            node = new.bit_length() - 1
            more = near[node] & ~part
            part, new = part | more, new ^ 1 << node | more
        if (part & odd).bit_count() % 2:
            return False
        odd &= ~part
    return True


def odd_set_lower_bound(columns: AllowedArcs, alive: BoolArray, cost: IntArray) -> int:
    """What no pairing costs less than: each odd part under free columns is left by a match."""
    dear, free = alive & (cost > 0), alive & (cost == 0)
    size = np.append(columns.size, int(columns.odd))
    part = component_of(len(size), columns.a[free], columns.b[free])
    odd = int((np.bincount(part, size) % 2).sum())
    return (odd + 1) // 2 * int(cost[dear].min()) if dear.any() else 0
