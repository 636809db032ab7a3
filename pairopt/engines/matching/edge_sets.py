"""Candidates: the pairs among which a matching is the cheapest, however they are kept. A search
begins with a few of them, and asks for others that cost less than its prices say.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pairopt.engines.matching.edges import EACH, Edges, Numbers, near_edges_mask
from pairopt.engines.matching.reduced_costs import (
    Prices,
    Sets,
    approximate_log,
    exact_duals,
    feasible_duals,
    reduced_costs,
)
from pairopt.engines.player_types import PairClasses
from pairopt.engines.single_pairs import expand
from pairopt.event.arcs import BoolArray, IntArray

LEAST = 2  # of the cheapest types for each so many at least are looked at together

Priced = tuple[Edges, Numbers]  # edges, and what each of them costs


class EdgeSet(ABC):
    """Edges between so many `vertices`. Their costs, even and not below 0, are at most `most`."""

    vertices: int

    @property
    @abstractmethod
    def most(self) -> int: ...

    @cached_property
    @abstractmethod
    def first(self) -> Priced:
        """Those that are looked at first."""

    @abstractmethod
    def cheaper(self, alone: Prices, sets: Sets, many: int) -> Priced:
        """Some that cost less than these prices, of each vertex so many; none where none does."""

    @abstractmethod
    def matching(self, one: IntArray, two: IntArray) -> Edges:
        """The edges between one[0] and two[0], one[1] and two[1], ..., all vertices."""

    @abstractmethod
    def above(self, alone: Prices, sets: Sets) -> tuple[IntArray, Numbers, Numbers]:
        """Columns, and what no edge of each costs less, and more, above these prices."""


@dataclass(frozen=True)
class ExplicitEdges(EdgeSet):
    """Edges one by one, and the cost of each; the `few` are looked at first."""

    vertices: int
    edges: Edges
    cost: Numbers
    few: BoolArray | None = None

    @property
    def most(self) -> int:
        return int(self.cost.max(initial=0))

    @cached_property
    def first(self) -> Priced:
        edges, cost, few = self.edges, self.cost, self.few
        if few is None:
            paid = feasible_duals(self.vertices, edges.first, edges.second, cost)
            above = approximate_log(cost - paid[edges.first] - paid[edges.second])
            few = near_edges_mask(self.vertices, edges.first, edges.second, above)
        return edges.chosen(few), cost[few]

    def cheaper(self, alone: Prices, sets: Sets, many: int) -> Priced:
        left = reduced_costs(self.edges, self.cost, alone, sets)
        less = (left < 0).astype(np.bool_).nonzero()[0]
        less = less[
            _cheapest_edges_per_vertex(
                self.vertices, self.edges.chosen(less), left[less], many
            )
        ]
        return self.edges.chosen(less), self.cost[less]

    def matching(self, one: IntArray, two: IntArray) -> Edges:
        return self.edges.chosen(self.edges.of(self.vertices, one, two))

    def above(self, alone: Prices, sets: Sets) -> tuple[IntArray, Numbers, Numbers]:
        left = reduced_costs(self.edges, self.cost, alone, sets)
        return self.edges.number, left, left


@dataclass(frozen=True)
class TypedEdges(EdgeSet):
    """The pairs of the classes `index`, of which only what may cost less than its prices is ever
    listed; `cost` has an entry a class. `at_hand` is a perfect matching of them.
    """

    classes: PairClasses
    index: IntArray
    cost: Numbers
    at_hand: Edges | None = None

    @property
    def vertices(self) -> int:  # type: ignore[override]
        return self.classes.players + self.classes.odd

    @property
    def most(self) -> int:
        return int(self.cost.max(initial=0))

    @property
    def near(self) -> int:
        """How many types are looked at together for each: fewer, if they are of many players."""
        average = self.classes.players // len(self.classes.size)
        return max(min(EACH, EACH**2 // average), LEAST)

    @property
    def ends(self) -> tuple[IntArray, IntArray]:
        return self.classes.a[self.index], self.classes.b[self.index]

    @cached_property
    def first(self) -> Priced:
        above = self.cost[self.index]
        near = near_edges_mask(
            len(self.classes.size) + 1, *self.ends, approximate_log(above), self.near
        )
        edges = self._pairs(self.index[near])
        edges = edges.chosen(
            near_edges_mask(
                self.vertices,
                edges.first,
                edges.second,
                approximate_log(self.cost[edges.number]),
            )
        )
        if self.at_hand is not None:
            edges = edges.and_(self.at_hand)
        return edges, self.cost[edges.number]

    def cheaper(self, alone: Prices, sets: Sets, many: int) -> Priced:
        left = self.cost[self.index] - self._paid(alone, sets)
        less = (left < 0).astype(np.bool_).nonzero()[0]
        while len(less):
            a, b = (end[less] for end in self.ends)
            near = near_edges_mask(
                len(self.classes.size) + 1,
                a,
                b,
                -approximate_log(-left[less]),
                self.near,
            )
            edges = self._pairs(self.index[less[near]])
            cost = self.cost[edges.number]
            above = reduced_costs(edges, cost, alone, sets)
            found = (above < 0).astype(np.bool_)
            if found.any():
                edges, cost, above = edges.chosen(found), cost[found], above[found]
                chosen = _cheapest_edges_per_vertex(self.vertices, edges, above, many)
                return edges.chosen(chosen), cost[chosen]
            less = less[~near]  # none but pairs that have met pay so much
        none = self.index[:0]
        return Edges(none, none, none), self.cost[:0]

    def matching(self, one: IntArray, two: IntArray) -> Edges:
        classes = self.classes
        bye_of = np.full(len(classes.size), -1)
        bye_of[classes.a[classes.bye]] = classes.bye.nonzero()[0]
        number, pair = bye_of[classes.type_of[one]], two < classes.players
        number[pair] = classes.class_of(one[pair], two[pair])
        return Edges(one, two, number)

    def above(self, alone: Prices, sets: Sets) -> tuple[IntArray, Numbers, Numbers]:
        price, cost = exact_duals(alone, sets, self.cost), self.cost[self.index]
        return self.index, cost - self._paid(alone, sets), cost + self._most(-price)

    def _paid(self, alone: Prices, sets: Sets) -> Numbers:
        """The most that a pair of each class pays, if nobody has met."""
        price = exact_duals(alone, sets, self.cost)
        for members, each in sets.items():
            price[list(members)] += each
        return self._most(price)

    def _most(self, price: Numbers) -> Numbers:
        """Of the prices of two in each class, the largest sum."""
        classes, (a, b) = self.classes, self.ends
        order = np.concatenate(classes.members)
        start, values = np.cumsum(classes.size) - classes.size, price[order]
        most = np.maximum.reduceat(values, start)
        largest = (values == most.repeat(classes.size)).nonzero()[0]
        _, first = np.unique(classes.type_of[order[largest]], return_index=True)
        values[largest[first]] = values.min()
        second = np.append(np.maximum.reduceat(values, start), price[-1])
        most = np.append(most, price[-1])  # of the bye
        return np.asarray(most[a] + np.where(a == b, second[b], most[b]))

    def _pairs(self, which: IntArray) -> Edges:
        chosen = np.zeros(len(self.classes), np.bool_)
        chosen[which] = True
        return Edges(*expand(self.classes, chosen))


def _cheapest_edges_per_vertex(
    vertices: int, edges: Edges, left: Numbers, many: int
) -> BoolArray:
    """The edges, so many of each vertex, of which the least is `left`; all are below 0."""
    return near_edges_mask(
        vertices, edges.first, edges.second, -approximate_log(-left), many
    )
