"""Exact: a perfect matching that is the cheapest of all edges, and the prices that show it.

A few edges of each vertex first, under prices of vertices alone (see `fractional_prices`); others
that cost less are put to them. Then whole numbers of any size settle what is left to match, under
prices of vertices and odd sets (see `blossom`), until no edge of all costs less than its ends pay.

A perfect matching of two copies of the vertices, each edge both ways, is the sum of two halves; the
assignment that costs the least is found by a compiled library, in 64 bits. So costs are looked at
from their highest bits on: what is left of them above the prices so far is looked at next, and what
is far too dear counts as only just too dear. Prices of the assignment are shortest paths in what it
leaves (Bellman and Ford). Few vertices then have no partner of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import rustworkx as rx

from pairopt.budget import Budget
from pairopt.engines.base import EngineError
from pairopt.engines.matching.blossom import NOBODY, Blossom
from pairopt.engines.matching.graph import Costs, Edges, Numbers, by_ends, nearest, room
from pairopt.engines.types import types_of
from pairopt.event.arcs import BoolArray, FloatArray, IntArray

BITS = 58  # the assignment keeps costs times the square of vertices in so many bits


def fractional_prices(
    vertices: int, one: IntArray, two: IntArray, cost: Numbers, whole: bool = False
) -> tuple[Numbers, IntArray]:
    """Prices so that no edge one - two, at an even `cost` from 0 on, costs less than its ends; and
    each vertex's partner, if mutual, by edges at their prices. There must be a perfect matching.
    `whole` prices are sums and differences of costs, however these are made up."""
    price = np.zeros(vertices, cost.dtype)
    room, left = BITS - 2 * vertices.bit_length(), cost
    while True:
        spare = max(int(left.max(initial=0)).bit_length() - room, 0)
        part = (left >> spare + 1).astype(np.int64)
        mate = _assigned(vertices, one, two, part)
        more = _prices(vertices, one, two, part, mate).astype(cost.dtype) << spare
        price, left = price + more, left - more[one] - more[two]
        if not spare:
            break
        left = np.minimum(left, vertices << spare)
    if whole and cost.dtype == object:
        price = _prices(vertices, one, two, cost >> 1, mate)
    return price, mate


def _assigned(vertices: int, one: IntArray, two: IntArray, cost: IntArray) -> IntArray:
    """Whom the first copy of each vertex is assigned."""
    # loaded for larger fields only
    from ortools.graph.python.linear_sum_assignment import SimpleLinearSumAssignment

    solver = SimpleLinearSumAssignment()
    ends = np.concatenate([one, two]), np.concatenate([two, one])
    solver.add_arcs_with_cost(*ends, np.concatenate([cost, cost]))
    if solver.solve() != solver.OPTIMAL:
        raise EngineError("engine.no_assignment")
    return np.fromiter(map(solver.right_mate, range(vertices)), np.int64, vertices)


def _prices(vertices: int, one: IntArray, two: IntArray, cost: Numbers, mate: IntArray) -> Numbers:
    """The prices of both copies of each vertex together, under which an assignment is cheapest."""
    left, right = np.concatenate([one, two]), np.concatenate([two, one])
    cost = np.concatenate([cost, cost])
    # the first copy pays `first`, the second one the rest of what their match costs
    who, order = np.argsort(mate), np.argsort(left, kind="stable")
    start = np.searchsorted(left[order], np.arange(vertices))
    right, cost = right[order], cost[order]
    fits = right == mate[left[order]]
    own: Numbers = np.full(vertices, cost.max(initial=0), cost.dtype)
    np.minimum.at(own, left[order][fits], cost[fits])  # of two edges the cheaper
    instead = who[right]
    longer = cost - own[instead]
    first: Numbers = np.zeros(vertices, cost.dtype)
    for _ in range(vertices + 1):
        before = first
        first = np.minimum(first, np.minimum.reduceat(first[instead] + longer, start))
        if (first == before).all():
            return np.asarray(first + (own - first)[who])
    raise EngineError("engine.dear_assignment")


MANY = 50_000  # more edges take rustworkx longer
WIDENED = 3
"""Of the edges that cost less than their prices, so many of each vertex are added at once."""
LARGEST = 2**60  # sums up to it are kept in 64 bits
AT_ONCE = 2**16  # so many edges are priced together
Sets = Mapping[frozenset[int], int]
"""Odd sets of vertices, and what a match that leaves one pays for it."""


@dataclass(frozen=True)
class Cheapest:
    """The partner of each vertex, the price that each has besides those of sets, and these; and
    what each edge costs more."""

    mate: Sequence[int]
    alone: Sequence[int]
    sets: Sets
    above: Numbers

    @property
    def pairs(self) -> tuple[IntArray, IntArray]:
        mate = np.array(self.mate)
        one = np.flatnonzero(np.arange(len(mate)) < mate)
        return one, mate[one]


def best_matching(
    players: int, edges: Edges, cost: Costs, budget: Budget = Budget()
) -> Edges | None:
    """A perfect matching of least total cost, None where there is none. `cost` has an entry a
    column, at least 0. An odd field has one vertex more, the bye. Raises TimeUpError."""
    vertices = players + players % 2
    if len(edges) > MANY or int(cost.max(initial=0)) > room(players):
        found = cheapest(vertices, edges, doubled(cost)[edges.number], budget=budget)
        return None if found is None else edges.joining(players, *found.pairs)
    weight = (cost.max(initial=0) - cost)[edges.number]
    mate = heaviest(vertices, edges.first, edges.second, weight, everybody=True)
    return None if -1 in mate else edges.joining(players, np.arange(vertices), np.array(mate))


def heaviest(
    vertices: int, one: IntArray, two: IntArray, weight: IntArray | Costs, everybody: bool = False
) -> list[int]:
    """Everybody's opponent in a matching of the greatest weight, -1 for none. With `everybody` in
    one of as many as can be."""
    graph: rx.PyGraph[None, int] = rx.PyGraph()
    graph.add_nodes_from([None] * vertices)
    edges = zip(one.tolist(), two.tolist(), weight.tolist(), strict=True)
    graph.extend_from_weighted_edge_list(list(edges))
    mate = [-1] * vertices
    for a, b in rx.max_weight_matching(graph, max_cardinality=everybody, weight_fn=int):
        mate[a], mate[b] = b, a
    return mate


def cheapest(
    vertices: int, edges: Edges, cost: Numbers, few: BoolArray | None = None,
    budget: Budget = Budget(), whole: bool = False,
) -> Cheapest | None:  # fmt: skip
    """The cheapest perfect matching by costs that are even and not below 0, None where there is
    none. The `few` edges are looked at first. See `fractional_prices` on `whole`. Raises
    TimeUpError."""
    if few is None:
        paid = prices_below(vertices, edges.first, edges.second, cost)
        above = rough(cost - paid[edges.first] - paid[edges.second])
        few = nearest(vertices, edges.first, edges.second, above)
    given = len(edges)
    edges, cost, few = _with_dear(vertices, edges, cost, few)
    while True:
        budget.check()
        own = edges.chosen(few)
        price, mate = fractional_prices(vertices, own.first, own.second, cost[few], whole)
        left = above_prices(edges, cost, price, {})
        if not (less := (left < 0).astype(np.bool_)).any():
            break
        few |= _most(vertices, edges, left, less, WIDENED)
    blossom = _begun(vertices, own, cost[few], price, mate)
    while True:
        blossom.match(budget)
        alone, sets = blossom.prices()
        left = above_prices(edges, cost, alone, sets)
        if not (less := (left < 0).astype(np.bool_)).any():
            break
        less = _most(vertices, edges, left, less, 1)
        for u, v, each in _often_first(vertices, edges.chosen(less), cost[less]):
            blossom.add(u, v, each)
    most = int(cost.max(initial=0))
    if any(blossom.near[v][w] == most for v, w in enumerate(blossom.mate)):
        return None
    return Cheapest(blossom.mate, alone, sets, left[:given])


def _with_dear(
    vertices: int, edges: Edges, cost: Numbers, few: BoolArray
) -> tuple[Edges, Numbers, BoolArray]:
    """With edges, last and among the few, that are so dear that there is always a matching."""
    one = np.arange(0, vertices, 2, dtype=edges.first.dtype)
    most = (int(cost.max(initial=0)) + 2) * vertices
    if most * vertices >= LARGEST:  # prices are sums of as many
        cost = cost.astype(object)
    number = np.full(len(one), -1, edges.number.dtype)
    every = (np.concatenate(two) for two in (
        (edges.first, one), (edges.second, one + 1), (edges.number, number),
    ))  # fmt: skip
    dear = np.full(len(one), most, cost.dtype)
    return Edges(*every), np.append(cost, dear), np.append(few, np.ones(len(one), np.bool_))


def _begun(vertices: int, few: Edges, cost: Numbers, price: Numbers, mate: IntArray) -> Blossom:
    near: list[dict[int, int]] = [{} for _ in range(vertices)]
    for u, v, each in zip(few.first.tolist(), few.second.tolist(), cost.tolist(), strict=True):
        near[u][v] = near[v][u] = min(each, near[u].get(v, each))
    paid, partner = price.tolist(), [NOBODY] * vertices
    for u, v in enumerate(mate.tolist()):
        if partner[u] == partner[v] == NOBODY and near[u][v] == paid[u] + paid[v]:
            partner[u], partner[v] = v, u
    for u in range(vertices):
        if partner[u] == NOBODY:
            for v, each in near[u].items():
                if partner[v] == NOBODY and each == paid[u] + paid[v]:
                    partner[u], partner[v] = v, u
                    break
    return Blossom(near, paid, partner)


def _most(vertices: int, edges: Edges, left: Numbers, less: BoolArray, many: int) -> BoolArray:
    """Of the edges that are `less`, those of each vertex of which the least is `left`."""
    chosen, which = less.copy(), edges.chosen(less)
    chosen[less] = nearest(vertices, which.first, which.second, -rough(-left[less]), many)
    return chosen


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


def above_prices(
    edges: Edges, cost: Numbers, alone: Sequence[int] | Numbers, sets: Sets
) -> Numbers:
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
    above: Numbers = np.empty(len(edges), np.result_type(price, cost))
    for low in range(0, len(edges), AT_ONCE):  # so that the processor can hold them
        own = slice(low, low + AT_ONCE)
        one, two = edges.first[own], edges.second[own]
        above[own] = cost[own] - price[one] - price[two]
        if sets:
            above[own] -= leaving[cell[one], cell[two]]
    return above


def prices_below(ends: int, one: IntArray, two: IntArray, twice: Numbers) -> Numbers:
    """A price for each of so many ends, so that nothing between two costs less (`twice`, even) than
    theirs: of the cheapest pair of each, then, end by end, the highest that the others leave."""
    inside = one == two
    most: Numbers = np.full(ends, twice.max(initial=0), twice.dtype)
    np.minimum.at(most, one[inside], twice[inside] // 2)
    one, two, twice = one[~inside], two[~inside], twice[~inside]
    pair, start = by_ends(ends, one, two)
    there = np.diff(start).nonzero()[0]
    others, costs = (one + two)[pair], twice[pair]
    paid = most.copy()
    others -= np.repeat(there, np.diff(start)[there])
    paid[there] = np.minimum(most[there], np.minimum.reduceat(costs, start[there]) // 2)
    lows, highs = start[there].tolist(), start[there + 1].tolist()
    for end, top, low, high in zip(there.tolist(), most[there], lows, highs, strict=True):
        paid[end] = min(top, (costs[low:high] - paid[others[low:high]]).min())
    return paid


def rough(above: Numbers) -> FloatArray:
    """About the logarithms of numbers not below 0, however large."""
    spare = max(int(above.max(initial=0)).bit_length() - 1000, 0)
    return np.asarray(np.log2(1 + (above >> spare).astype(np.float64)), np.float64)
