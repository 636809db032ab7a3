"""Certifying: why no pairing is better, or why there is none, in numbers that anyone can check.

Vertices are the players, in some order, and in an odd field the bye after them. Levels are those
that decide: all of a lexicographic round, the weighted sum alone of a weighted one. Vectors of
levels are compared lexicographically.

Levels are packed into one integer an arc, in a mixed radix so large that no sum of costs which
the search for prices may form spills from one digit into the next; so what holds of the numbers
holds of the vectors. In a large field a few arcs of each vertex say what the prices are; all others
are looked at afterwards, and those that cost less than their prices are put to the few.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import chain, count
from typing import Any

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.alternating_paths import (
    find_exchangeable_vertices,
    iterate_set_bits,
    pack_bits,
)
from pairopt.engines.base import EngineError
from pairopt.engines.matching.edge_sets import ExplicitEdges
from pairopt.engines.matching.edges import Costs, Edges
from pairopt.engines.matching.min_cost_matching import (
    max_weight_partners,
    solve_min_cost_matching,
)
from pairopt.engines.matching.reduced_costs import double_exact
from pairopt.engines.odd_sets import component_of
from pairopt.event.arcs import BoolArray, IntArray

FIRST_ROOM = 256
"""Digits are first given so many times the room that one cost needs; mostly it is enough."""
Price = tuple[Fraction, ...]  # one number a level


@dataclass(frozen=True)
class Certificate:
    """A bound that no pairing is below, and that a pairing of these `values` attains. `prices` has
    one entry a vertex; `odd_sets` holds sets of an odd number of vertices, each with a price of
    which the first entry that is not 0 is positive. No legal arc costs less than the prices of its
    two ends and of the sets that it leaves. All prices together are `values`: one a level, sums
    over arcs without the levels' offsets.
    """

    prices: tuple[Price, ...]
    odd_sets: tuple[tuple[frozenset[int], Price], ...]
    values: tuple[int, ...]


@dataclass(frozen=True)
class TutteSet:
    """Why there is no pairing: `components` part all vertices but `players`, so that no legal arc
    joins two of them, and more of them are of odd size than there are `players` to save them.
    """

    players: frozenset[int]
    components: tuple[frozenset[int], ...]


class NotOptimalError(EngineError):
    """A pairing is better than the one that was to be shown to be optimal."""


def find_certificate(
    kinds: Sequence[Sequence[int]],
    number: IntArray,
    partner: IntArray,
    odd: bool,
    budget: Budget = Budget(),
) -> Certificate:
    """Why no pairing is better than that of `partner`. `number`, symmetric, of shape (vertices,
    vertices), says which of the `kinds` an arc is of, -1 where there is none; a kind is its cost,
    an integer a level. The last vertex is the bye if `odd`. Raises TimeUpError, NotOptimalError.
    """
    mine = [kinds[number[v, w]] for v, w in enumerate(partner.tolist()) if v < w]
    values = tuple(map(sum, zip(*mine, strict=True)))
    for room in chain([FIRST_ROOM], (64 * len(partner) ** power for power in count(1))):
        found = _vectors(_pack_arcs(kinds, number, partner, odd, room), partner, budget)
        if found is None:
            continue
        rows, priced = found
        total = [sum(level) for level in zip(*rows, *priced.values(), strict=True)]
        if total == [2 * value for value in values]:
            break
        if room > FIRST_ROOM:
            raise NotOptimalError("proof.not_optimal")
    half = cache(lambda twice: Fraction(twice, 2))
    return Certificate(
        prices=tuple(tuple(map(half, row)) for row in rows),
        odd_sets=tuple(
            (members, tuple(map(half, row))) for members, row in priced.items()
        ),
        values=values,
    )


@dataclass(frozen=True)
class _PackedArcs:
    """The arcs that count, and what those of a kind cost above the `least` of a match, or of the
    bye, twice, all levels in one number. `unit` is the place of a level's digit, 0 where all arcs
    have the same; digits are less than half of the next one's in size.
    """

    arcs: Edges
    cost: Costs
    least: list[int]
    least_bye: list[int]
    unit: list[int]
    odd: bool

    def digits(self, price: int) -> list[int]:
        """A price taken apart, one number a level; the first that counts takes all that is left."""
        found = [0] * len(self.unit)
        places = [level for level, unit in enumerate(self.unit) if unit]
        for level in places[:0:-1]:
            unit = self.unit[level]
            found[level] = (price + unit // 2) % unit - unit // 2
            price = (price - found[level]) // unit
        for level in places[:1]:
            found[level] = price
        return found


def _vectors(
    packed: _PackedArcs, partner: IntArray, budget: Budget
) -> tuple[list[list[int]], dict[frozenset[int], list[int]]] | None:
    """Twice the prices of vertices and sets, a number a level; None where digits spill over."""
    cost = packed.cost[packed.arcs.number]
    found = solve_min_cost_matching(
        ExplicitEdges(len(partner), packed.arcs, cost), budget, whole=True
    )
    assert found is not None  # that pairing at least
    rows = [packed.digits(price) for price in found.alone]
    ordered = sorted(found.sets, key=lambda members: (len(members), sorted(members)))
    priced = {members: packed.digits(found.sets[members]) for members in ordered}
    for level, unit in enumerate(packed.unit):
        largest = 2 * max(abs(row[level]) for row in rows)
        if (
            unit
            and 4 * (largest + sum(abs(row[level]) for row in priced.values())) > unit
        ):
            return None
    rows = [
        [d + least for d, least in zip(row, packed.least, strict=True)] for row in rows
    ]
    byes = zip(rows[-1], packed.least_bye, packed.least, strict=True)
    if packed.odd:
        rows[-1] = [digit + 2 * (bye - least) for digit, bye, least in byes]
    return rows, priced


def _pack_arcs(
    kinds: Sequence[Sequence[int]],
    number: IntArray,
    partner: IntArray,
    odd: bool,
    room: int,
) -> _PackedArcs:
    """The arcs that count, with their costs. A digit has room for `room` times the most that an arc
    costs, and for all that the pairing could be better, so that earlier levels outweigh it. As long
    as all matches of the pairing cost the least there is, what costs more is left out.
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
    cost: Costs = np.zeros(2 * many, object)
    least, least_bye, units = [], [], []
    for level in range(len(kinds[0])):
        column = np.array([row[level] for row in kinds] * 2, object)
        least.append(min(column[used & ~bye], default=0))
        least_bye.append(min(column[used & bye], default=0))
        above = (
            column - np.array([least[-1], least_bye[-1]], object)[bye.astype(np.int64)]
        )
        most = max(above[used])
        units.append(0)
        if any(units) or above[own].any():
            if most:
                gain = sum(above[own].tolist()) // 2
                units[-1] = room * (most + 1) + 4 * gain
                cost = cost * units[-1] + above
        else:
            used &= above == 0
    legal = used[kind]
    arcs = Edges(first[legal], second[legal], kind[legal])
    return _PackedArcs(arcs, double_exact(cost), least, least_bye, units, odd)


def find_tutte_set(meets: BoolArray, budget: Budget = Budget()) -> TutteSet | None:
    """A Tutte set of a graph, shape (vertices, vertices), None where everybody can be paired. Whom
    a maximum matching leaves alone, and all who could be left alone instead, fall into odd groups
    that may only meet the players between them, who are one fewer than the groups (Gallai and
    Edmonds' decomposition holds all such players at once). Raises TimeUpError.
    """
    budget.check()
    count = len(meets)
    one, two = np.nonzero(np.triu(meets, 1))
    mate = max_weight_partners(count, one, two, np.ones(len(one), np.int64))
    if -1 not in mate:
        return None
    opponents = [*map(pack_bits, meets)]
    alone = [
        find_exchangeable_vertices(opponents, mate, v)
        for v in range(count)
        if mate[v] == -1
    ]
    inside = np.isin(
        np.arange(count), [*iterate_set_bits(min(alone, key=int.bit_count))]
    )
    between = meets[inside].any(axis=0) & ~inside
    left = np.flatnonzero(~between)
    kept = ~between[one] & ~between[two]
    part = component_of(
        len(left), *(np.searchsorted(left, end[kept]) for end in (one, two))
    )
    parts = [frozenset(left[part == k].tolist()) for k in range(int(part.max()) + 1)]
    return TutteSet(frozenset(np.flatnonzero(between).tolist()), tuple(parts))


def format_duals(found: Certificate) -> dict[str, Any]:
    """Prices in halves, each with its players, and those of sets."""
    same: dict[Price, list[int]] = {}
    for v, price in enumerate(found.prices):
        if any(price):
            same.setdefault(price, []).append(v)
    return {
        "prices": [[_halves(price), encode_runs(who)] for price, who in same.items()],
        "sets": [
            [_halves(price), encode_runs(sorted(who))] for who, price in found.odd_sets
        ],
    }


def _halves(price: Price) -> list[int]:
    return [int(2 * each) if each else 0 for each in price]


def encode_runs(members: Iterable[int]) -> list[int]:
    """An ascending set as lengths of runs: of those who are not in it, of those who are, …"""
    ends = np.flatnonzero(np.diff(np.bincount([*members]), prepend=0, append=0))
    return [*np.diff(ends, prepend=0).tolist()]
