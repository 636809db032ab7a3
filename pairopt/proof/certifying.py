"""Prices: a certificate of an optimal pairing, from its arcs' costs and the pairing itself.

Levels are packed into one integer an arc, in a mixed radix so large that no sum of costs which
the search for prices may form spills from one digit into the next; so what holds of the numbers
holds of the vectors lexicographically. In a large field a few arcs of each vertex say what the
prices are; all others are looked at afterwards, and those that cost less than their prices are
put to the few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import chain, count
from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairopt.budget import Budget
from pairopt.engines.base import EngineError
from pairopt.engines.matching.blossom import NOBODY, Blossom
from pairopt.event.arcs import BoolArray, FloatArray, IntArray
from pairopt.proof.certificate import Certificate

FEW = 8
"""So many arcs of each vertex are looked at first, and so many more each time."""
LITTLE = 16
"""Digits are first given so many times the room that one cost needs; mostly it is enough."""
NOTHING = 2**60
"""What an arc costs that is none, where costs are kept in 64 bits."""
Numbers = NDArray[Any]
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
    mine = [kinds[number[v, w]] for v, w in enumerate(partner.tolist()) if v < w]
    values = tuple(map(sum, zip(*mine, strict=True)))
    for room in chain([LITTLE], (64 * len(partner) ** power for power in count(1))):
        found = _vectors(_packed(kinds, number, partner, odd, room), partner, budget)
        if found is None:
            continue
        rows, priced = found
        total = [sum(level) for level in zip(*rows, *priced.values(), strict=True)]
        if total == [2 * value for value in values]:
            break
        if room > LITTLE:
            raise EngineError("the pairing costs more than all prices: it is not optimal")
    half = cache(lambda twice: Fraction(twice, 2))
    return Certificate(
        prices=tuple(tuple(map(half, row)) for row in rows),
        odd_sets=tuple((members, tuple(map(half, row))) for members, row in priced.items()),
        values=values,
    )


@dataclass(frozen=True)
class _Packed:
    """What arcs cost, all levels in one, above the least there is; shape (vertices, vertices).

    An arc that costs `nothing` is none, or one that costs more than any of the pairing at a level
    before the first that the cost holds. `least` and `least_bye` are what a match and the bye
    cost at least in each level. `unit` is the place of a level's digit, 0 where all arcs have the
    same; digits are less than half of the next one's in size.
    """

    cost: Numbers
    nothing: int
    least: list[int]
    least_bye: list[int]
    unit: list[int]
    odd: bool

    def digits(self, price: int) -> list[int]:
        """A price taken apart, one number a level."""
        found = []
        for unit in reversed(self.unit):
            digit = (price + unit // 2) % unit - unit // 2 if unit else 0
            price = (price - digit) // unit if unit else price
            found.append(digit)
        return found[::-1]


def _vectors(
    packed: _Packed, partner: IntArray, budget: Budget
) -> tuple[list[list[int]], dict[frozenset[int], list[int]]] | None:
    """Twice the prices of vertices and odd sets, a number a level.

    None where digits are so large that what is left of an arc's cost could spill over.
    """
    alone, sets = _prices(packed, partner, budget)
    rows = [packed.digits(price) for price in alone]
    ordered = sorted(sets, key=lambda members: (len(members), sorted(members)))
    priced = {members: packed.digits(sets[members]) for members in ordered}
    for level, unit in enumerate(packed.unit):
        largest = 2 * max(abs(row[level]) for row in rows)
        if unit and 4 * (largest + sum(abs(row[level]) for row in priced.values())) > unit:
            return None
    rows = [[d + least for d, least in zip(row, packed.least, strict=True)] for row in rows]
    byes = zip(rows[-1], packed.least_bye, packed.least, strict=True)
    if packed.odd:
        rows[-1] = [digit + 2 * (bye - least) for digit, bye, least in byes]
    return rows, priced


def _packed(
    kinds: Sequence[Sequence[int]], number: IntArray, partner: IntArray, odd: bool, room: int
) -> _Packed:
    """The arcs that count, with their costs.

    A digit has room for `room` times the most that an arc costs, and for all that the level of
    the pairing could be better, so that earlier levels outweigh it. As long as all matches of the
    pairing cost the least there is, what costs more is left out.
    """
    vertices, last = len(number), len(number) - 1
    first, second = np.nonzero(np.triu(number >= 0, 1))
    many = len(kinds)
    kind = number[first, second] + np.where(odd & (second == last), many, 0)
    own = number[np.arange(vertices), partner]
    own = np.append(own[:last], own[last] + many * odd)
    own[partner[last]] += many * odd
    used = np.bincount(kind, minlength=2 * many) > 0
    bye = np.arange(2 * many) >= many
    cost: Numbers = np.zeros(2 * many, object)
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
                gain = sum(above[own].tolist()) // 2
                units[-1] = room * (most + 1) + 4 * gain
                cost = cost * units[-1] + above
        else:
            used &= above == 0
    nothing, most = NOTHING, max(cost[used])
    if most < NOTHING // 4:
        cost = np.where(used, cost, 0).astype(np.int64)
    else:
        nothing = most * NOTHING
    table = np.full(number.shape, nothing, cost.dtype)
    legal = used[kind]
    first, second, kind = first[legal], second[legal], kind[legal]
    table[first, second] = table[second, first] = cost[kind]
    return _Packed(table, nothing, least, least_bye, units, odd)


def _prices(
    packed: _Packed, partner: IntArray, budget: Budget
) -> tuple[list[int], dict[frozenset[int], int]]:
    """Twice the price of each vertex, and of each odd set that has one."""
    none = packed.cost == packed.nothing
    twice = np.where(none, packed.nothing, 2 * packed.cost)
    everybody = np.arange(len(partner))
    alone = packed.cost[everybody, partner]
    chosen = np.zeros(none.shape, np.bool_)
    chosen[everybody, partner] = True
    while True:
        alone = _lowered(twice, alone)
        chosen |= _least(twice - alone[:, None] - alone, none)
        near: list[dict[int, int]] = [{} for _ in partner]
        first, second = np.nonzero(np.triu(chosen | chosen.T))
        costs = twice[first, second].tolist()
        for one, two, cost in zip(first.tolist(), second.tolist(), costs, strict=True):
            near[one][two] = near[two][one] = cost
        paid = alone.tolist()
        matched = zip(paid, near, partner.tolist(), strict=True)
        mate = [v if p + paid[v] == arcs[v] else NOBODY for p, arcs, v in matched]
        prices, sets = Blossom(near, paid, mate, budget).prices()
        alone = _numbers(prices)
        left = twice - alone[:, None] - alone
        for members, price in sets.items():
            inside = np.isin(everybody, list(members))
            left[np.ix_(inside, ~inside)] -= price
            left[np.ix_(~inside, inside)] -= price
        if not ((left < 0) & ~none).any():
            return prices, sets
        chosen |= _least(left, none | (left >= 0))


def _lowered(twice: Numbers, wanted: Numbers) -> Numbers:
    """Prices near those wanted under which no arc costs less, as high as they can be.

    Where arcs cost less, ends of the most such arcs come down first.
    """
    paid = wanted.copy()
    over = (twice < paid[:, None] + paid).sum(axis=1)
    for u in np.argsort(-over, kind="stable")[: np.count_nonzero(over)].tolist():
        paid[u] = min(paid[u], (twice[u] - paid).min())
    for u in range(len(paid)):
        paid[u] = (twice[u] - paid).min()
    return paid


def _least(left: Numbers, none: BoolArray) -> BoolArray:
    """The arcs of which least is left: of each vertex some of the least, fewer of the next.

    Of equal ones those that come first in an order of the vertices that is as good as any.
    """
    order = np.random.default_rng(0).permutation(len(left))
    rough = np.where(none, np.inf, _rough(np.where(none, 0, left)))[:, order]
    chosen = np.zeros(none.shape, np.bool_)
    for u, row in enumerate(rough):
        by_cost = np.argsort(row, kind="stable")
        row = row[by_cost]
        new = np.append(True, row[1:] != row[:-1])
        rank = np.cumsum(new)
        place = np.arange(len(row)) - np.flatnonzero(new)[rank - 1]
        chosen[u, order[by_cost[(place * rank < FEW) & (rank <= FEW)]]] = True
    return chosen & ~none


def _numbers(numbers: Sequence[int]) -> Numbers:
    """An array of 64 bits, if that will do."""
    fit = max(map(abs, numbers)) < NOTHING // 2
    return np.array(numbers, np.int64 if fit else object)


def _rough(numbers: Numbers) -> FloatArray:
    """Floating-point numbers in the same order, near enough (of large ones the logarithms)."""
    if numbers.dtype != object:
        return numbers.astype(np.float64)
    return np.array(np.frompyfunc(_logarithm, 1, 1)(numbers), np.float64)


def _logarithm(number: int) -> float:
    return log2(1 + number) if number >= 0 else -log2(1 - number)
