"""Prices: a certificate of an optimal pairing, from its arcs' costs and the pairing itself.

Levels are packed into one integer an arc, in a mixed radix so large that no sum of costs which
the search for prices may form spills from one digit into the next; so what holds of the numbers
holds of the vectors lexicographically. In a large field a few arcs of each vertex say what the
prices are; all others are looked at afterwards, and those that cost less than their prices are
put to the few.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from pairopt.engines.base import Budget, EngineError
from pairopt.engines.relaxation.blossom import NOBODY, Blossom
from pairopt.engines.relaxation.certificate import Certificate, Price
from pairopt.event.arcs import BoolArray, FloatArray, IntArray

FEW = 12
"""So many arcs of each vertex are looked at first, and so many more each time."""
Numbers = IntArray | NDArray[np.object_]
"""Exact integers: of 64 bits, or Python's."""


def certificate_of(
    kinds: Sequence[Sequence[int]],
    number: IntArray,
    partner: IntArray,
    odd: bool,
    budget: Budget = Budget(),
) -> Certificate:
    """Why no pairing is better than one that is optimal.

    `number`, symmetric, of shape (vertices, vertices), says which of the `kinds` an arc is of, -1
    where there is none; a kind is what such an arc costs, one integer a level. `partner` is the
    pairing. The last vertex is the bye where the field is `odd`.

    Raises TimeUpError; EngineError where the pairing is not optimal.
    """
    packed = _packed(kinds, number, partner, odd)
    alone, sets = _prices(packed, partner, budget)
    half = [packed.digits(price) for price in alone]
    rest = [Fraction(least, 2) for least in packed.least]
    prices = [tuple(Fraction(d, 2) + r for d, r in zip(row, rest, strict=True)) for row in half]
    if odd:
        byes = zip(prices[-1], packed.least_bye, packed.least, strict=True)
        prices[-1] = tuple(price + bye - least for price, bye, least in byes)
    odd_sets = tuple(
        (members, tuple(Fraction(digit, 2) for digit in packed.digits(price)))
        for members, price in sorted(sets.items(), key=lambda item: (len(item[0]), sorted(item[0])))
    )
    totals = _summed([*prices, *(price for _, price in odd_sets)], len(packed.least))
    mine = [kinds[number[v, w]] for v, w in enumerate(partner.tolist()) if v < w]
    values = tuple(sum(kind[k] for kind in mine) for k in range(len(packed.least)))
    if totals != values:
        raise EngineError("the pairing costs more than all prices: it is not optimal")
    return Certificate(tuple(prices), odd_sets, values)


def _summed(prices: Iterable[Price], levels: int) -> Price:
    total = [Fraction(0)] * levels
    for price in prices:
        total = [t + p for t, p in zip(total, price, strict=True)]
    return tuple(total)


@dataclass(frozen=True)
class _Packed:
    """Arcs `first` - `second` that cost `cost`, all levels in one, above the least there is.

    `least` and `least_bye` are what a match and the bye cost at least in each level. A level of
    which the cost holds nothing has `unit` 0; a digit of another is less than half of it in size.
    Arcs that are left out cost more at a level before the first that the cost holds.
    """

    first: IntArray
    second: IntArray
    cost: Numbers
    least: list[int]
    least_bye: list[int]
    unit: list[int]

    def digits(self, price: int) -> list[int]:
        """A price taken apart, one number a level."""
        found = []
        for unit in reversed(self.unit):
            digit = 0
            if unit:
                digit = (price + unit // 2) % unit - unit // 2
                if 8 * abs(digit) >= unit:
                    raise EngineError("a price does not fit between its neighbours")
                price = (price - digit) // unit
            found.append(digit)
        return found[::-1]


def _packed(
    kinds: Sequence[Sequence[int]], number: IntArray, partner: IntArray, odd: bool
) -> _Packed:
    """The arcs that count, with their costs.

    As long as all matches of the pairing cost the least there is, what costs more is left out.
    """
    vertices, last = len(number), len(number) - 1
    first, second = np.nonzero(np.triu(number >= 0, 1))
    count = len(kinds)
    kind = number[first, second] + np.where(odd & (second == last), count, 0)
    own = number[np.arange(vertices), partner]
    own = np.append(own[:last], own[last] + count * odd)
    own[partner[last]] += count * odd
    used = np.bincount(kind, minlength=2 * count) > 0
    bye = np.arange(2 * count) >= count
    cost: Numbers = np.zeros(2 * count, object)
    least, least_bye, units = [], [], []
    for level in range(len(kinds[0])):
        column = np.array([row[level] for row in kinds] * 2, object)
        least.append(min(column[used & ~bye], default=0))
        least_bye.append(min(column[used & bye], default=0))
        above = column - np.where(bye, least_bye[-1], least[-1])
        most = max(above[used])
        units.append(0)
        if any(units) or above[own].any():
            if most:
                units[-1] = 64 * vertices**2 * (most + 1)
                cost = cost * units[-1] + above
        else:
            used &= above == 0
    if int(max(cost[used], default=0)) < 2**62 // (16 * vertices):
        cost = np.where(used, cost, 0).astype(np.int64)
    chosen = np.flatnonzero(used[kind])
    return _Packed(first[chosen], second[chosen], cost[kind[chosen]], least, least_bye, units)


def _prices(
    packed: _Packed, partner: IntArray, budget: Budget
) -> tuple[list[int], dict[frozenset[int], int]]:
    """Twice the price of each vertex, and of each odd set that has one."""
    first, second, twice = packed.first, packed.second, 2 * packed.cost
    matched = partner[first] == second
    alone = np.zeros(len(partner), packed.cost.dtype)
    alone[first[matched]] = alone[second[matched]] = packed.cost[matched]
    sets: dict[frozenset[int], int] = {}
    chosen = matched
    left = twice - alone[first] - alone[second]
    worse = np.ones(len(first), np.bool_)
    while worse.any():
        chosen = chosen | _least(packed, left, worse)
        near: list[dict[int, int]] = [{} for _ in partner]
        arcs = zip(
            first[chosen].tolist(), second[chosen].tolist(), twice[chosen].tolist(), strict=True
        )
        for one, two, cost in arcs:
            near[one][two] = near[two][one] = cost
        paid, mate = _start(near, alone.tolist(), partner.tolist())
        prices, sets = Blossom(near, paid, mate, budget).prices()
        alone = np.array(prices, packed.cost.dtype)
        left = twice - alone[first] - alone[second]
        for members, price in sets.items():
            inside = np.zeros(len(partner), np.bool_)
            inside[list(members)] = True
            left[inside[first] != inside[second]] -= price
        worse = left < 0
    return alone.tolist(), sets


def _least(packed: _Packed, left: Numbers, among: BoolArray) -> BoolArray:
    """The arcs of which least is left, some of each vertex; of equal ones any."""
    index = np.random.default_rng(0).permutation(np.flatnonzero(among))
    chosen = np.zeros(len(among), np.bool_)
    ends = np.concatenate([packed.first[index], packed.second[index]])
    if len(index) <= 2 * FEW * len(np.unique(ends)):
        chosen[index] = True
        return chosen
    order = np.lexsort((np.tile(_rough(left[index]), 2), ends))
    ends = ends[order]
    place = np.arange(len(ends)) - np.searchsorted(ends, ends)
    chosen[np.tile(index, 2)[order[place < FEW]]] = True
    return chosen


def _rough(numbers: Numbers) -> FloatArray:
    """The numbers, or a fraction of them, in floating point."""
    bits = max(abs(int(numbers.max())), abs(int(numbers.min()))).bit_length()
    return (numbers >> max(bits - 1000, 0)).astype(np.float64)


def _start(
    near: Sequence[dict[int, int]], wanted: Sequence[int], partner: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Prices near those wanted under which no arc costs less, and the matches that cost no more.

    Where arcs cost less, ends of the most such arcs come down first.
    """
    paid = list(wanted)
    over = [
        sum(p + paid[v] > cost for v, cost in arcs.items())
        for p, arcs in zip(paid, near, strict=True)
    ]
    for u in sorted(range(len(near)), key=lambda u: -over[u]):
        if over[u]:
            paid[u] = min(paid[u], *(cost - paid[v] for v, cost in near[u].items()))
    for u, arcs in enumerate(near):
        paid[u] = min(cost - paid[v] for v, cost in arcs.items())
    mate = [v if paid[u] + paid[v] == near[u][v] else NOBODY for u, v in enumerate(partner)]
    return paid, mate
