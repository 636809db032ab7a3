"""Offers: the arcs of a large field, a few at first, then those that cost less than their prices.

All arcs between two types of players cost the same, but for special pairs. So nobody has to look
at every pair to know that none costs less than the prices of its ends: the highest prices of both
types show it. Costs are whole and even; the bye is a vertex after the players.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairopt.engines.columns import Columns
from pairopt.engines.matching.graph import Costs, Edges, edges_of
from pairopt.engines.types import Classes, types_of
from pairopt.event.arcs import BoolArray, IntArray

EACH = 4
"""So many of the best arcs of each vertex are looked at first, and fewer of the next best."""
MANY = 64
"""So many arcs a vertex are the best of all."""
AT_ONCE = 16
"""So many players of a type, those with the highest prices, are looked at first."""
SAMPLE = 300
"""Prices in a field of about so many players say what they are in a larger one, roughly."""
LARGEST = 2**60
"""Sums up to it are kept in 64 bits."""
Numbers = NDArray[Any]
"""Exact integers: of 64 bits, or Python's."""
Sets = Mapping[frozenset[int], int]
"""Odd sets of vertices, and what a match that leaves one pays for it."""


@dataclass(frozen=True)
class Offer(ABC):
    """Where arcs come from: the columns alive, with what an arc of each column costs."""

    columns: Columns
    alive: BoolArray
    cost: Numbers

    @property
    def vertices(self) -> int:
        """How many there are, the bye included."""
        return 2 * self.columns.matches

    def smaller(self) -> Offer | None:
        """A smaller field whose prices may do here, if there is one."""
        return None

    @abstractmethod
    def first(self, like: Numbers | None = None) -> tuple[Edges, Numbers]:
        """Arcs to begin with, some of each vertex, and prices that may do.

        These are `like` others: those of the smaller field besides sets, or guesses for this one.
        """

    @abstractmethod
    def cheaper(self, alone: Numbers, sets: Sets) -> Edges:
        """Some of the arcs that cost less than the prices of their ends and of sets, if any do."""

    @abstractmethod
    def joining(self, one: IntArray, two: IntArray) -> Edges:
        """The arcs between one[0] and two[0], one[1] and two[1], ..., all different."""


def offer_of(columns: Columns, alive: BoolArray, cost: Costs) -> Offer:
    """The arcs of the columns alive, at costs that are as many as the columns."""
    fits = int(cost.max(initial=0)) * (columns.players + 1) < LARGEST
    twice = 2 * cost.astype(np.int64 if fits else object)
    if isinstance(columns, Classes):
        return ClassOffer(columns, alive, twice)
    return PairOffer(columns, alive, twice)


class PairOffer(Offer):
    """Columns that are single pairs."""

    @cached_property
    def _all(self) -> Edges:
        return edges_of(self.columns, self.alive)

    def first(self, like: Numbers | None = None) -> tuple[Edges, Numbers]:
        """The cheapest arcs of each vertex; its price is half of what the first one costs."""
        cost, arcs = self.cost[self._all.number], self._all
        if like is not None:
            price = self._lowered(like)
        else:
            price = np.full(self.vertices, cost.max(initial=0), cost.dtype)
            for end in (arcs.first, arcs.second):
                np.minimum.at(price, end, cost)
            price //= 2
        return self._best(cost - price[arcs.first] - price[arcs.second]), price

    def _lowered(self, like: Numbers) -> Numbers:
        """Prices like these under which no arc costs less, as high as they can be.

        Where arcs cost less, ends of the most such arcs come down first.
        """
        arcs, price = self._all, like.copy()
        ends = np.concatenate([arcs.first, arcs.second])
        order = np.argsort(ends, kind="stable")
        others = np.concatenate([arcs.second, arcs.first])[order]
        cost = np.tile(self.cost[arcs.number], 2)[order]
        each = np.searchsorted(ends[order], np.arange(self.vertices + 1)).tolist()
        less = cost < price[ends[order]] + price[others]
        over = np.bincount(ends[order][less], minlength=self.vertices)
        down = np.argsort(-over, kind="stable")[: np.count_nonzero(over)].tolist()
        for raised in (False, True):
            for v in range(self.vertices) if raised else down:
                own = slice(each[v], each[v + 1])
                most = (cost[own] - price[others[own]]).min()
                price[v] = most if raised else min(price[v], most)
        return price

    def cheaper(self, alone: Numbers, sets: Sets) -> Edges:
        """Arcs that cost less than their prices, a few of each vertex."""
        cells = SetCells.of(np.zeros(self.vertices, np.int64), sets)
        left = left_over(self._all, self.cost, alone, cells)
        return self._best(left, left < 0)

    def joining(self, one: IntArray, two: IntArray) -> Edges:
        """The arcs between these vertices."""
        return self._all.joining(self.vertices, one, two)

    def _best(self, left: Numbers, among: BoolArray | None = None) -> Edges:
        """The arcs of which least is left, so many of each vertex."""
        arcs = self._all if among is None else self._all.chosen(among)
        left = left if among is None else left[among]
        # of equal ones any; what floating point rounds is only the order in which they are tried
        rough = left.astype(np.float64) + np.random.default_rng(0).random(len(left))
        if len(arcs) > (many := MANY * self.vertices):
            least = np.sort(np.argpartition(rough, many)[:many])
            arcs, rough = arcs.chosen(least), rough[least]
        order = np.argsort(rough, kind="stable")
        kept = np.zeros(len(arcs), np.bool_)
        for end in (arcs.first, arcs.second):
            by_end = order[np.argsort(end[order], kind="stable")]
            size = np.bincount(end, minlength=self.vertices)
            place = np.arange(len(by_end)) - np.repeat(np.cumsum(size) - size, size)
            kept[by_end[place < EACH]] = True
        return arcs.chosen(kept)


@dataclass(frozen=True)
class ClassOffer(Offer):
    """Classes of exchangeable pairs."""

    columns: Classes

    @cached_property
    def _type(self) -> IntArray:
        """The type of each vertex; the bye is one of its own."""
        bye = [len(self.columns.size)] * self.columns.odd
        return np.append(self.columns.type_of, bye).astype(np.int64)

    @cached_property
    def _members(self) -> list[IntArray]:
        return [*self.columns.members, np.array([len(self.columns.type_of)])]

    @cached_property
    def _number(self) -> IntArray:
        """The column alive of any two types, -1 without one."""
        number = self.columns.of_types
        return np.where(self.alive[number] & (number >= 0), number, -1)

    def first(self, like: Numbers | None = None) -> tuple[Edges, Numbers]:
        """Arcs of the types that are the best for each other by the prices of a smaller field."""
        price, rng = self._prices(like), np.random.default_rng(0)
        found = [(self._type[:0], self._type[:0])]
        for mine, others, least in self._good(price):
            found.append((np.repeat(mine, least), rng.choice(others, len(mine) * least)))
        return self.joining(*map(np.concatenate, zip(*found, strict=True))), price[self._type]

    def _good(self, price: Numbers) -> Iterator[tuple[IntArray, IntArray, int]]:
        """The players of each type, those they may well meet, and how many of these to try."""
        for t, mine in enumerate(self._members[: len(self.columns.size) + self.columns.odd]):
            near = np.flatnonzero(self._number[t] >= 0)
            left = self.cost[self._number[t, near]] - price[near]
            for rank, value in enumerate(np.unique(left)[:EACH], 1):
                others = np.concatenate([self._members[b] for b in near[left == value].tolist()])
                yield mine, others, EACH // rank

    def _prices(self, like: Numbers | None) -> Numbers:
        """Roughly the price of a player of each type, and of the bye."""
        if like is None:
            cost = np.where(self._number >= 0, self.cost[self._number], self.cost.max())
            least: Numbers = cost.min(axis=1) // 2
            return least
        size = self._fewer
        order = np.lexsort((like, np.repeat(np.arange(len(size)), size)))
        middle = np.cumsum(size) - size + size // 2  # of no byes: anything
        price: Numbers = like[order[np.minimum(middle, len(order) - 1)]]
        return price

    @cached_property
    def _fewer(self) -> IntArray:
        """Players of each type, and byes, in the smaller field: odd numbers stay odd."""
        size = self.columns.size
        fewer = np.maximum(size * SAMPLE // self.vertices, 4)
        fewer = np.minimum(size, fewer + (fewer + size) % 2)
        return np.append(fewer, fewer.sum() % 2)

    def smaller(self) -> ClassOffer | None:
        """A field with fewer players of each large type, where that is much smaller."""
        if self.vertices <= 2 * SAMPLE or self._fewer.sum() > self.vertices // 2:
            return None
        fewer = self._fewer[:-1]
        none = np.zeros(0, np.int64)
        classes = replace(
            self.columns,
            size=fewer,
            type_of=np.repeat(np.arange(len(fewer)), fewer),
            special_keys=none,
            special_class=none,
        )
        return ClassOffer(classes, self.alive, self.cost)

    def cheaper(self, alone: Numbers, sets: Sets) -> Edges:
        """Arcs that cost less than their prices, a few of any two types."""
        cells = SetCells.of(self._type, sets)
        order = np.lexsort((-alone, cells.cell))
        members = np.split(order, np.cumsum(np.bincount(cells.cell))[:-1])
        highest = alone[[each[0] for each in members]]
        kind = self._type[[each[0] for each in members]]
        number = self._number[kind[:, None], kind]
        left = self.cost[number] - highest[:, None] - highest - cells.common
        one, two = np.nonzero(np.triu((number >= 0) & (left < 0)))
        found = [self._special(alone, cells)]
        for i, j in zip(one.tolist(), two.tolist(), strict=True):
            found.append(self._among(members[i], members[j], alone, cells))
        ends = zip(*((few.first, few.second, few.number) for few in found), strict=True)
        return Edges(*map(np.concatenate, ends))

    def joining(self, one: IntArray, two: IntArray) -> Edges:
        """The arcs alive among these pairs, each once."""
        n = self.vertices
        keys = np.unique(np.minimum(one, two) * n + np.maximum(one, two))
        one, two = keys // n, keys % n
        number = self._number[self._type[one], self._type[two]]
        both = np.flatnonzero((two < len(self.columns.type_of)) & (one != two))
        number[one == two] = -1
        number[both] = self.columns.class_of(one[both], two[both])
        return Edges(one, two, number).chosen(self.alive[number] & (number >= 0))

    def _special(self, alone: Numbers, cells: SetCells) -> Edges:
        classes = self.columns
        low, high = np.divmod(classes.special_keys, len(classes.type_of))
        number = classes.special_class
        few = Edges(low, high, number).chosen(self.alive[number] & (number >= 0))
        return few.chosen(left_over(few, self.cost, alone, cells) < 0)

    def _among(self, one: IntArray, two: IntArray, alone: Numbers, cells: SetCells) -> Edges:
        """Arcs between these that cost less, of those with the highest prices."""
        many = AT_ONCE
        while True:
            i, j = one[:many], two[:many]
            few = self.joining(np.repeat(i, len(j)), np.tile(j, len(i)))
            few = few.chosen(left_over(few, self.cost, alone, cells) < 0)
            if len(few) or many >= max(len(one), len(two)):
                return few
            many *= 4


@dataclass(frozen=True)
class SetCells:
    """Vertices of one kind that are in the same odd sets: `cell` of each vertex.

    `common`, shape (cells, cells): what a match between two cells pays for the sets that it leaves.
    """

    cell: IntArray
    common: Numbers

    @staticmethod
    def of(kind: IntArray, sets: Sets) -> SetCells:
        """The cells of vertices, each of a kind."""
        inside = np.zeros((len(sets), len(kind)), np.bool_)
        for row, members in zip(inside, sets, strict=True):
            row[list(members)] = True
        cell = types_of([kind, *inside], len(kind))
        holds = np.zeros((int(cell.max()) + 1, len(sets)), np.bool_)
        holds[cell] = inside.T
        price = np.array(list(sets.values()), object)
        if sum(sets.values()) < LARGEST:
            price = price.astype(np.int64)
        both = (holds * price) @ holds.T
        own = both.diagonal()
        return SetCells(cell, own[:, None] + own - 2 * both)


def left_over(arcs: Edges, cost: Numbers, alone: Numbers, cells: SetCells) -> Numbers:
    """What arcs cost more than their prices, those of sets included."""
    own = cost[arcs.number] - alone[arcs.first] - alone[arcs.second]
    left: Numbers = own - cells.common[cells.cell[arcs.first], cells.cell[arcs.second]]
    return left
