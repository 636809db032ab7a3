"""Chain: the steps of a proof, each on the arcs that the steps before leave in question.

A system compares pairings level after level, bracket after bracket, and what an arc adds to a
level is known only of pairings that are alike before. So there is a step for each bracket's
quality, and one for each player in the order of its candidates.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, count

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.alternating_paths import (
    find_exchangeable_vertices,
    iterate_set_bits,
    pack_bits,
)
from pairopt.engines.odd_sets import component_of
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.proof.certificate import (
    Certificate,
    NotOptimalError,
    Price,
    find_certificate,
    format_duals,
)
from pairopt.proof.claim import ArcCosts, Claim, Content, step_costs

NOTHING = (Fraction(0),)
Levels = list[int]  # levels of a claim, by their numbers
Lone = list[list[tuple[int, int]]]
"""Rounds of pairs: a vertex that has one arc left, and the other end, which has more."""


def iterate_steps(claim: Claim, partner: IntArray, budget: Budget) -> Iterator[Content]:
    """The steps of a pairing by partners. Raises TimeUpError; EngineError if it is not optimal."""
    alive, before, done = claim.table.number >= 0, list[Levels](), 0
    made = _StepBuilder(claim, partner, budget)
    for some in claim.chain:
        budget.check()
        levels = [*range(done, done := done + len(some.levels))]
        content, alive = made.step(levels, before, alive)
        before.append(levels)
        yield content


@dataclass(frozen=True)
class _StepBuilder:
    """What all steps have in common."""

    claim: Claim
    partner: IntArray
    budget: Budget

    def step(
        self, levels: Levels, before: Sequence[Levels], alive: BoolArray
    ) -> tuple[Content, BoolArray]:
        """The content of a step, and the arcs that it leaves in question."""
        rest, lone = without_lone(alive, self.partner)
        owns = self.claim.owns(levels)
        if before and owns is not None and len(levels) == 1:
            costs = step_costs(self.claim, levels, alive)
            found = certify_one_vertex(
                owns[0], costs.kinds[costs.number[owns[0]], 0], rest, self.partner
            )
            if found is not None:
                return self.narrowed(levels, costs, found, lone, alive, owns[0])
        for many in chain([0], (2**k for k in count())):
            again = (
                [each for each in before[-many:] if self.counts(each, rest)]
                if many
                else []
            )
            every = [*chain.from_iterable(again), *levels]
            costs = step_costs(self.claim, every, alive)
            try:
                found = self.certificate(costs, rest)
                return self.narrowed(every, costs, found, lone, alive)
            except NotOptimalError:
                if many >= len(before):
                    raise
        raise AssertionError

    def counts(self, levels: Levels, alive: BoolArray) -> bool:
        """Whether some arc in question adds to these levels."""
        return bool(step_costs(self.claim, levels, alive).number.any())

    def narrowed(
        self,
        levels: Levels,
        costs: ArcCosts,
        found: Certificate,
        lone: Lone,
        alive: BoolArray,
        own: int | None = None,
    ) -> tuple[Content, BoolArray]:
        found, left = narrow_certificate(
            found, lone, alive, costs.number, costs.kinds, own
        )
        return {"levels": levels, **costs.content(alive), **format_duals(found)}, left

    def certificate(self, costs: ArcCosts, rest: BoolArray) -> Certificate:
        """Prices of who has more than one arc, and of who has one: it is all theirs. Raises
        NotOptimalError, TimeUpError.
        """
        vertices, kinds = len(rest), costs.kinds.tolist()
        free = np.flatnonzero(rest.any(axis=1))
        prices = np.zeros((vertices, len(kinds[0])), object)
        values = np.zeros(len(kinds[0]), object)
        for v in np.setdiff1d(np.arange(vertices), free).tolist():
            if v < self.partner[v]:
                prices[v] = kinds[costs.number[v, self.partner[v]]]
                values = values + prices[v]
        sets: tuple[tuple[frozenset[int], Price], ...] = ()
        if len(free):
            number = np.where(rest, costs.number, -1)[np.ix_(free, free)]
            partner = np.searchsorted(free, self.partner[free])
            bye = bool(self.claim.odd and free[-1] == vertices - 1)
            found = find_certificate(kinds, number, partner, bye, self.budget)
            prices[free] = found.prices
            values = values + np.array(found.values, object)
            sets = tuple(
                (frozenset(free[[*members]].tolist()), price)
                for members, price in found.odd_sets
            )
        rows = tuple(tuple(map(Fraction, row)) for row in prices.tolist())
        return Certificate(rows, sets, tuple(values.tolist()))


def without_lone(alive: BoolArray, partner: IntArray) -> tuple[BoolArray, Lone]:
    """The arcs that are left when who has one arc has it, and so on. And those that have one, where
    the other end had more.
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


def narrow_certificate(
    found: Certificate,
    lone: Lone,
    alive: BoolArray,
    number: IntArray,
    costs: IntArray,
    own: int | None = None,
) -> tuple[Certificate, BoolArray]:
    """A certificate that puts lone arcs apart, too, and the arcs that it leaves in question.
    `number`, shape (vertices, vertices), says which of the `costs` an arc has, a row each. A vertex
    with one arc pays what the other end gets: so much that no other arc of that is left. Where only
    the vertex `own` has arcs that cost something, arcs of whoever pays nothing stay.
    """
    twice = [[int(2 * price) if price else 0 for price in row] for row in found.prices]
    prices = np.array(twice, np.int64)
    if own is None:
        one, two = np.nonzero(np.triu(alive))
    else:
        ends = {
            own,
            *np.flatnonzero(prices[:, 0]).tolist(),
            *chain.from_iterable(chain(*lone)),
        }
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
            raise NotOptimalError("proof.too_cheap")
        dead, same = over > 0, over == 0
        left[one[dead], two[dead]] = left[two[dead], one[dead]] = False
        one, two = one[same], two[same]
    return found, left


def _over(
    found: Certificate,
    prices: IntArray,
    one: IntArray,
    two: IntArray,
    number: IntArray,
    costs: IntArray,
    level: int,
) -> IntArray:
    """Twice what arcs cost in a level above prices (twice those of vertices) and sets left."""
    over: IntArray = (
        2 * costs[number[one, two], level] - prices[one, level] - prices[two, level]
    )
    for members, price in found.odd_sets:
        if price[level]:
            inside = np.zeros(len(prices), np.bool_)
            inside[[*members]] = True
            over[inside[one] != inside[two]] -= int(2 * price[level])
    return over


def certify_one_vertex(
    own: int, amounts: IntArray, alive: BoolArray, partner: IntArray
) -> Certificate | None:
    """Prices of a level in which only one vertex has arcs that cost something: these `amounts`. If
    it took who costs less, somebody else would have to be left alone. Who can be instead of the
    partner falls into odd groups, which may only meet the vertices between them, one fewer than the
    groups: these get what the groups pay. None where it can have somebody who costs less.
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
        group = np.array(
            [
                *iterate_set_bits(
                    find_exchangeable_vertices([*map(pack_bits, rest)], mate, root)
                )
            ]
        )
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
