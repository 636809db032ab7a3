"""Exact: a perfect matching that is the cheapest of all edges, and the prices that show it.

A compiled library matches a few of the edges, as far as its integers go. Whole numbers of any size
settle the rest, from a matching that is nearly right: under prices of vertices and odd sets no
edge of the few costs less than its ends pay (see `blossom`); others that do are put to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import rustworkx as rx
from numpy.typing import NDArray

from pairopt.budget import Budget
from pairopt.engines.matching.blossom import NOBODY, Blossom
from pairopt.engines.matching.graph import Costs, Edges, nearest, room
from pairopt.engines.types import types_of
from pairopt.event.arcs import BoolArray, FloatArray, IntArray

WIDENED = 1
"""Of the edges that cost less than their prices, so many of each vertex are added at once."""
SECONDS = 7e-9
"""What rustworkx takes an edge and vertex; measured on 400 to 1,200 players: 3e-9 to 4e-8."""
LARGEST = 2**60
"""Sums up to it are kept in 64 bits."""
Numbers = NDArray[Any]
"""Exact integers: of 64 bits, or Python's."""
Sets = Mapping[frozenset[int], int]
"""Odd sets of vertices, and what a match that leaves one pays for it."""


@dataclass(frozen=True)
class Cheapest:
    """The partner of each vertex, the price that each has besides those of sets, and these."""

    mate: Sequence[int]
    alone: Sequence[int]
    sets: Sets

    @property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """The two ends of each match."""
        mate = np.array(self.mate)
        one = np.flatnonzero(np.arange(len(mate)) < mate)
        return one, mate[one]


def best_matching(
    players: int, edges: Edges, cost: Costs, budget: Budget = Budget()
) -> Edges | None:
    """A perfect matching of least total cost, None where there is none.

    `cost` has an entry a column, at least 0. An odd field has one vertex more, the bye.
    Raises TimeUpError.
    """
    most, limit = int(cost.max(initial=0)), room(players)
    spare = max(most.bit_length() - limit.bit_length() + 1, 0)
    found = _compiled(players, edges, cost >> spare, budget)
    if found is None or not spare:
        return found
    vertices, twice = players + players % 2, doubled(cost)[edges.number]
    every = np.ones(len(edges), np.bool_)
    known = edges.of(players, found.first, found.second)
    exact = cheapest(vertices, edges, twice, known, every, budget)
    return edges.joining(players, *exact.pairs)


def _compiled(players: int, edges: Edges, cost: Costs, budget: Budget) -> Edges | None:
    """The same by rustworkx, for costs of at most `room`."""
    vertices = players + players % 2
    budget.check(len(edges) * vertices * SECONDS)  # it cannot be stopped
    weight = (cost.max(initial=0) - cost)[edges.number].tolist()
    graph: rx.PyGraph[None, int] = rx.PyGraph()
    graph.add_nodes_from([None] * vertices)
    rows = zip(edges.first.tolist(), edges.second.tolist(), weight, strict=True)
    graph.extend_from_weighted_edge_list(list(rows))
    matched = rx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    if 2 * len(matched) < vertices:
        return None
    one, two = np.array(list(matched), np.int64).T
    return edges.joining(players, one, two)


def cheapest(
    vertices: int,
    edges: Edges,
    cost: Numbers,
    known: BoolArray,
    few: BoolArray | None = None,
    budget: Budget = Budget(),
) -> Cheapest:
    """The cheapest perfect matching of edges that cost so much each, even numbers.

    One is `known`, maybe a dear one. The `few` edges that are looked at first, those which cost the
    least above the prices of their ends unless they are given, hold it too. Raises TimeUpError.
    """
    mine, half = edges.chosen(known), np.zeros(vertices, cost.dtype)
    half[mine.first] = half[mine.second] = cost[known] // 2
    one, two = edges.first, edges.second
    paid = prices_below(vertices, one, two, cost, half)
    if few is None:
        few = nearest(vertices, one, two, rough(cost - paid[one] - paid[two]))
    few, price = few | known, paid.tolist()
    near: list[dict[int, int]] = [{} for _ in range(vertices)]
    for u, v, each in _listed(edges.chosen(few), cost[few]):
        near[u][v] = near[v][u] = each
    mate = [NOBODY] * vertices
    for u, v, each in _listed(mine, cost[known]):
        if each == price[u] + price[v]:
            mate[u], mate[v] = v, u
    blossom = Blossom(near, price, mate)
    others, left = edges.chosen(~few), cost[~few]
    while True:
        blossom.match(budget)
        alone, sets = blossom.prices()
        above = above_prices(others, left, alone, sets)
        less: BoolArray = (above < 0).astype(np.bool_)
        if not less.any():
            return Cheapest(blossom.mate, alone, sets)
        rank = -rough(-above[less])
        less[less] = nearest(vertices, others.first[less], others.second[less], rank, WIDENED)
        for u, v, each in _often_first(vertices, others.chosen(less), left[less]):
            blossom.add(u, v, each)
        others, left = others.chosen(~less), left[~less]


def _often_first(vertices: int, edges: Edges, cost: Numbers) -> Iterator[tuple[int, int, int]]:
    """Edges of the vertices that have the most of them first, and these vertices first in them."""
    often = np.bincount(np.append(edges.first, edges.second), minlength=vertices)
    one, two = often[edges.first], often[edges.second]
    order = np.argsort(-np.maximum(one, two), kind="stable")
    turn = one < two
    first = np.where(turn, edges.second, edges.first)
    second = np.where(turn, edges.first, edges.second)
    yield from zip(first[order].tolist(), second[order].tolist(), cost[order].tolist(), strict=True)


def doubled(cost: Numbers) -> Numbers:
    """Twice as much, as Python's integers where sums of some could not be kept in 64 bits."""
    fits = int(cost.max(initial=0)) < LARGEST // 4
    return 2 * cost.astype(np.int64 if fits else object)


def _listed(edges: Edges, cost: Numbers) -> zip[tuple[int, int, int]]:
    return zip(edges.first.tolist(), edges.second.tolist(), cost.tolist(), strict=True)


def above_prices(edges: Edges, cost: Numbers, alone: Sequence[int], sets: Sets) -> Numbers:
    """What each edge, of these costs, costs more than the prices of its ends and of sets."""
    fit = max(map(abs, alone), default=0) + sum(sets.values()) < LARGEST
    price = np.array(alone, cost.dtype if fit else object)
    inside = np.zeros((len(sets), len(alone)), np.bool_)
    for row, members in zip(inside, sets, strict=True):
        row[list(members)] = True
    cell = types_of(list(inside), len(alone))
    holds = np.zeros((int(cell.max(initial=0)) + 1, len(sets)), np.bool_)
    holds[cell] = inside.T
    of_sets = (holds * np.array(list(sets.values()), price.dtype)) @ holds.T
    own = of_sets.diagonal()
    leaving = own[:, None] + own - 2 * of_sets
    one, two = edges.first, edges.second
    above: Numbers = cost - price[one] - price[two] - leaving[cell[one], cell[two]]
    return above


def prices_below(
    ends: int, one: IntArray, two: IntArray, twice: Numbers, like: Numbers | None = None
) -> Numbers:
    """A price for each of so many ends, so that nothing between two costs less than theirs.

    `twice` is what each pair of ends costs, even. Prices are first those of the cheapest pair of
    each end, or like others, of which those of most pairs that cost less come down first; then,
    end by end, the highest that the others leave.
    """
    inside = one == two
    each = np.concatenate([one[~inside], two[~inside]])
    order = np.argsort(each.astype(np.min_scalar_type(ends)), kind="stable")
    others = np.concatenate([two[~inside], one[~inside]])[order]
    costs = np.tile(twice[~inside], 2)[order]
    there, start = np.unique(each[order], return_index=True)
    stop = np.append(start, len(each))[1:]
    most: Numbers = np.full(ends, twice.max(initial=0), twice.dtype)
    np.minimum.at(most, one[inside], twice[inside] // 2)
    rows = [*zip(there.tolist(), most[there], start.tolist(), stop.tolist(), strict=True)]
    if like is None:
        paid = most.copy()
        paid[there] = np.minimum(most[there], np.minimum.reduceat(costs, start) // 2)
    else:
        paid = np.minimum(like, most)
        over = costs < paid[each[order]] + paid[others]
        for row in np.argsort(-np.add.reduceat(over, start), kind="stable").tolist():
            end, _, low, high = rows[row]
            paid[end] = min(paid[end], (costs[low:high] - paid[others[low:high]]).min())
    for end, top, low, high in rows:
        paid[end] = min(top, (costs[low:high] - paid[others[low:high]]).min())
    return paid


def rough(above: Numbers) -> FloatArray:
    """About the logarithms of numbers not below 0, however large."""
    spare = max(int(above.max(initial=0)).bit_length() - 1000, 0)
    size: FloatArray = np.log2(1 + (above >> spare).astype(np.float64))
    return size
