"""Chain: the steps of a proof, each on the arcs that the steps before leave in question.

A system compares pairings level after level, bracket after bracket, and what an arc adds to a
level is known only of pairings that are alike before. So there is a step for each bracket's
quality, and one for each player in the order of its candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, count

import numpy as np

from pairopt.budget import Budget
from pairopt.engines.alternating import exchangeable
from pairopt.engines.odd_sets import component_of
from pairopt.event.arcs import BYE, BoolArray, IntArray, arcs_of
from pairopt.problem.problem import Problem
from pairopt.problem.summed import Summed
from pairopt.proof.arc_table import ArcTable, arc_table, table_of_one
from pairopt.proof.certificate import Certificate, Price
from pairopt.proof.certifying import NotOptimalError, certificate_of
from pairopt.proof.step import (
    Record,
    alike_of,
    level_record,
    members_of,
    prices_of,
    split_types,
    step_of,
)

NOTHING = (Fraction(0),)
Lone = list[list[tuple[int, int]]]
"""Rounds of pairs: a vertex that has one arc left, and the other end, which has more."""


def chain_of(
    problem: Problem, levels: Iterable[Summed], order: IntArray, partner: IntArray, budget: Budget
) -> Iterator[Record]:
    """The steps of a pairing in which each vertex has this partner; the last is about sides.

    `order` holds the players' positions in the state. Raises TimeUpError; EngineError where the
    pairing is not optimal.
    """
    legal = arc_table(problem, [], order, budget=budget)
    alive, before = legal.number >= 0, list[Summed]()
    place = np.full(len(partner) + 1, len(partner) - 1)  # of the state's positions; BYE is last
    place[order] = np.arange(len(order))
    made = _Chain(problem, order, place, partner, budget)
    for some in levels:
        budget.check()
        record, alive = made.step(some, before, alive)
        before.append(some)
        yield record
    nothing = Certificate(prices=((),) * len(partner), odd_sets=(), values=())
    yield step_of((), legal, nothing, np.zeros(len(partner), np.int64), alive)


@dataclass(frozen=True)
class _Chain:
    """What all steps have in common."""

    problem: Problem
    order: IntArray
    place: IntArray
    partner: IntArray
    budget: Budget

    def step(
        self, some: Summed, before: Sequence[Summed], alive: BoolArray
    ) -> tuple[Record, BoolArray]:
        """The record of a step, and the arcs that it leaves in question."""
        rest, lone = without_lone(alive, self.partner)
        if before and some.own is not None:
            found = self.of_one(some, rest, lone, alive)
            if found is not None:
                return found
        for many in chain([0], (2**k for k in count())):
            again = [each for each in before[-many:] if self.counts(each, rest)] if many else []
            try:
                return self.together([*again, some], rest, lone, alive, not before)
            except NotOptimalError:
                if many >= len(before):
                    raise
        raise AssertionError

    def counts(self, some: Summed, alive: BoolArray) -> bool:
        """Whether some arc in question adds to these levels."""
        return bool(self.costs(some, *np.nonzero(np.triu(alive))).any())

    def costs(self, some: Summed, one: IntArray, two: IntArray) -> IntArray:
        """What arcs one < two add to levels."""
        seats = np.append(self.order, BYE)
        return some.costs(arcs_of(seats[one], seats[two]))

    def of_one(
        self, some: Summed, rest: BoolArray, lone: Lone, alive: BoolArray
    ) -> tuple[Record, BoolArray] | None:
        """The step of a level in which only one player's arcs count, by `alone_with`."""
        assert some.own is not None
        own = int(self.place[some.own])
        table = table_of_one(some, self.order, own, alive)
        costs = np.array(table.costs, np.int64)
        alone = alone_with(own, costs[table.number[own], 0], rest, self.partner)
        if alone is None:
            return None
        found, left = narrowed(alone, lone, alive, table.number, costs, own)
        type_of = split_types(np.zeros(len(alive), np.int64), found)
        types, kind = int(type_of.max()) + 1, table.number[own]
        return {
            "levels": [level_record(level, found.values[0]) for level in some.levels],
            "types": [each.tolist() for each in members_of(type_of)[:-1]],
            "kinds": [[[value]] for value in costs[:, 0].tolist()],
            "arcs": [[0] * (types - a) for a in range(types)],
            "special": [[own, v, int(kind[v])] for v in np.flatnonzero(kind > 0).tolist()],
            **prices_of(found, type_of),
        }, left

    def together(
        self, levels: Sequence[Summed], rest: BoolArray, lone: Lone, alive: BoolArray, first: bool
    ) -> tuple[Record, BoolArray]:
        """The step of levels that come together, by prices of the arcs that are left.

        Raises NotOptimalError, TimeUpError.
        """
        table = arc_table(self.problem, levels, self.order, alive, self.budget)
        found = self.certificate(table, rest)
        costs = np.array(table.costs, np.int64).reshape(len(table.kinds), -1)
        found, left = narrowed(found, lone, alive, table.number, costs)
        every = [level for some in levels for level in some.levels]
        alike = self.alike(levels, np.asarray(rest.any(axis=1)))
        return step_of(every, table, found, alike, None if first else alive), left

    def certificate(self, table: ArcTable, rest: BoolArray) -> Certificate:
        """Prices of who has more than one arc, and of who has one: it is all theirs.

        Raises NotOptimalError, TimeUpError.
        """
        vertices, costs = len(rest), table.costs
        levels = len(costs[0])
        free = np.flatnonzero(rest.any(axis=1))
        prices = np.zeros((vertices, levels), object)
        values = np.zeros(levels, object)
        for v in np.setdiff1d(np.arange(vertices), free).tolist():
            if v < self.partner[v]:
                prices[v] = costs[table.number[v, self.partner[v]]]
                values = values + prices[v]
        sets: tuple[tuple[frozenset[int], Price], ...] = ()
        if len(free):
            number = np.where(rest, table.number, -1)[np.ix_(free, free)]
            partner = np.searchsorted(free, self.partner[free])
            bye = bool(self.problem.state.odd and free[-1] == vertices - 1)
            found = certificate_of(costs, number, partner, bye, self.budget)
            prices[free] = found.prices
            values = values + np.array(found.values, object)
            sets = tuple(
                (frozenset(free[[*members]].tolist()), price) for members, price in found.odd_sets
            )
        rows = tuple(tuple(map(Fraction, row)) for row in prices.tolist())
        return Certificate(rows, sets, tuple(values.tolist()))

    def alike(self, levels: Sequence[Summed], free: BoolArray) -> IntArray:
        """Who is told apart by what levels count; who has one arc left is of one type."""
        n, code = len(self.order), alike_of(levels, self.order, self.problem.state.odd)
        code[n:] = -1  # the bye
        for some in levels:
            if some.own is not None:
                code[self.place[some.own]] = -3 - self.place[some.own]
        return np.where(free | (np.arange(len(code)) == n), code, -2)


def without_lone(alive: BoolArray, partner: IntArray) -> tuple[BoolArray, Lone]:
    """The arcs that are left when who has one arc has it, and so on.

    And those that have one, where the other end had more.
    """
    rest, rounds = alive.copy(), Lone()
    while True:
        degree = np.count_nonzero(rest, axis=1)
        ends = [(v, int(partner[v])) for v in np.flatnonzero(degree == 1).tolist()]
        for one, two in ends:
            rest[[one, two]] = rest[:, [one, two]] = False
        ends = [(one, two) for one, two in ends if degree[two] > 1]
        if not ends:
            return rest, rounds
        rounds.append(ends)


def narrowed(
    found: Certificate,
    lone: Lone,
    alive: BoolArray,
    number: IntArray,
    costs: IntArray,
    own: int | None = None,
) -> tuple[Certificate, BoolArray]:
    """A certificate that puts lone arcs apart, too, and the arcs that it leaves in question.

    `number`, shape (vertices, vertices), says which of the `costs` an arc has, a row each. A
    vertex with one arc pays what the other end gets: so much that no other arc of that is left.
    Where only the vertex `own` has arcs that cost something, arcs of whoever pays nothing stay.
    """
    twice = [[int(2 * price) if price else 0 for price in row] for row in found.prices]
    prices = np.array(twice, np.int64)
    if own is None:
        one, two = np.nonzero(np.triu(alive))
    else:
        ends = {own, *np.flatnonzero(prices[:, 0]).tolist(), *chain.from_iterable(chain(*lone))}
        some = np.array(sorted(ends.union(*(members for members, _ in found.odd_sets))))
        row, two = np.nonzero(alive[some])
        one = some[row]
    if lone:
        over = _over(found, prices, one, two, number, costs, 0)
        unit = 2 * max(1, 1 - int(over.min()))
        for turn, pairs in enumerate(lone[::-1], 1):
            for v, w in pairs:
                prices[v, 0] += turn * unit
                prices[w, 0] -= turn * unit
        rows = [*found.prices]
        for v in chain.from_iterable(chain(*lone)):
            rows[v] = (Fraction(int(prices[v, 0]), 2), *rows[v][1:])
        found = Certificate(tuple(rows), found.odd_sets, found.values)
    left = alive.copy()
    for level in range(costs.shape[1]):
        over = _over(found, prices, one, two, number, costs, level)
        if (over < 0).any():
            raise NotOptimalError("a match costs less than prices")
        dead, same = over > 0, over == 0
        left[one[dead], two[dead]] = left[two[dead], one[dead]] = False
        one, two = one[same], two[same]
    return found, left


def _over(
    found: Certificate, prices: IntArray, one: IntArray, two: IntArray, number: IntArray,
    costs: IntArray, level: int,
) -> IntArray:  # fmt: skip
    """Twice what arcs cost in a level above the prices of their ends and of sets that they leave.

    `prices` are twice those of vertices.
    """
    over: IntArray = 2 * costs[number[one, two], level] - prices[one, level] - prices[two, level]
    for members, price in found.odd_sets:
        if price[level]:
            inside = np.zeros(len(prices), np.bool_)
            inside[[*members]] = True
            over[inside[one] != inside[two]] -= int(2 * price[level])
    return over


def alone_with(
    own: int, amounts: IntArray, alive: BoolArray, partner: IntArray
) -> Certificate | None:
    """Prices of a level in which only one vertex has arcs that cost something: these `amounts`.

    If it took who costs less, somebody else would have to be left alone. Who can be instead of
    the partner falls into odd groups, which may only meet the vertices between them, one fewer
    than the groups: these get what the groups pay. None where it can have somebody who costs less.
    """
    prices, paid = [0] * len(partner), int(amounts[partner[own]])
    least = int(amounts[alive[own]].min(initial=paid))
    sets, over = list[tuple[frozenset[int], Price]](), paid - least
    prices[own] = least
    if over > 0:
        rest = alive.copy()
        rest[own] = rest[:, own] = False
        mate = partner.tolist()
        root = mate[own]
        mate[own] = mate[root] = -1
        opponents = [set(np.flatnonzero(row).tolist()) for row in rest]
        group = np.array(sorted(exchangeable(opponents, mate, root)))
        if (amounts[group] < paid)[alive[own, group]].any():
            return None
        for k in np.setdiff1d(np.flatnonzero(rest[group].any(axis=0)), group).tolist():
            prices[k] = -over
        one, two = np.nonzero(np.triu(rest[np.ix_(group, group)]))
        part = component_of(len(group), one, two)
        for k in range(int(part.max()) + 1):
            members = group[part == k].tolist()
            if len(members) == 1:
                prices[members[0]] = over
            else:
                sets.append((frozenset(members), (Fraction(over),)))
    rows = tuple((Fraction(price),) if price else NOTHING for price in prices)
    return Certificate(rows, tuple(sets), (paid,))
