"""Exact: a perfect matching that is the cheapest of all edges, and the prices that show it.

A few edges of each vertex first, under prices of vertices alone (see `fractional_prices`); others
that cost less are put to them. Then whole numbers of any size settle what is left to match, under
prices of vertices and odd sets (see `blossom`), until no edge of all costs less than its ends pay.

A perfect matching of two copies of the vertices, each edge both ways, is the sum of two halves; the
assignment that costs the least is found by a compiled library, in 64 bits. So costs are looked at
from their highest bits on: what is left of them above the prices so far is looked at next, and what
is far too dear counts as only just too dear. Prices of the assignment are shortest paths in what it
leaves (Bellman and Ford). Few vertices then have no partner of their own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import rustworkx as rx

from pairopt.common.budget import Budget
from pairopt.engines.base import EngineError
from pairopt.engines.matching.blossom import NOBODY, PrimalDualMatching
from pairopt.engines.matching.edge_sets import EdgeSet, ExplicitEdges
from pairopt.engines.matching.edges import Costs, Edges, Numbers, max_exact_cost
from pairopt.engines.matching.reduced_costs import (
    LARGEST,
    Sets,
    double_exact,
    feasible_duals,
)
from pairopt.engines.ortools import has_ortools
from pairopt.event.arcs import IntArray

BITS = 58  # the assignment keeps costs times the square of vertices in so many bits


def fractional_duals(
    vertices: int, one: IntArray, two: IntArray, cost: Numbers, whole: bool = False
) -> tuple[Numbers, IntArray]:
    """Prices so that no edge one - two, at an even `cost` from 0 on, costs less than its ends; and
    each vertex's partner, if mutual, by edges at their prices (without OR-Tools nobody's). There
    must be a perfect matching.
    `whole` prices are sums and differences of costs, however these are made up.
    """
    if (
        not has_ortools()
    ):  # weaker prices and no partners: the same matching costs, more slowly
        return feasible_duals(vertices, one, two, cost), np.zeros(0, np.int64)

    price = np.zeros(vertices, cost.dtype)
    room, left = BITS - 2 * vertices.bit_length(), cost
    while True:
        spare = max(int(left.max(initial=0)).bit_length() - room, 0)
        part = (left >> spare + 1).astype(np.int64)
        mate = _assign_double_cover(vertices, one, two, part)
        more = (
            _duals_of_assignment(vertices, one, two, part, mate).astype(cost.dtype)
            << spare
        )
        price, left = price + more, left - more[one] - more[two]
        if not spare:
            break
        left = np.minimum(left, vertices << spare)
    if whole and cost.dtype == object:
        price = _duals_of_assignment(vertices, one, two, cost >> 1, mate)
    return price, mate


def _assign_double_cover(
    vertices: int, one: IntArray, two: IntArray, cost: IntArray
) -> IntArray:
    """Whom the first copy of each vertex is assigned."""
    # loaded for larger fields only
    from ortools.graph.python.linear_sum_assignment import SimpleLinearSumAssignment

    solver = SimpleLinearSumAssignment()
    ends = np.concatenate([one, two]), np.concatenate([two, one])
    solver.add_arcs_with_cost(*ends, np.concatenate([cost, cost]))
    if solver.solve() != solver.OPTIMAL:
        raise EngineError("engine.no_assignment")
    return np.fromiter(map(solver.right_mate, range(vertices)), np.int64, vertices)


def _duals_of_assignment(
    vertices: int, one: IntArray, two: IntArray, cost: Numbers, mate: IntArray
) -> Numbers:
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
SPARSE, EXACT = (
    16,
    2**53,
)  # entries of a table, for each edge; what floating point holds exactly
WIDENED = 3
"""Of the edges that cost less than their prices, so many of each vertex are added at once."""


@dataclass(frozen=True)
class MinCostMatching:
    """The partner of each vertex, the price that each has besides those of sets, and these."""

    mate: Sequence[int]
    alone: Sequence[int]
    sets: Sets

    @property
    def pairs(self) -> tuple[IntArray, IntArray]:
        mate = np.array(self.mate)
        one = np.flatnonzero(np.arange(len(mate)) < mate)
        return one, mate[one]


def find_min_cost_perfect_matching(
    players: int, edges: Edges, cost: Costs, budget: Budget = Budget()
) -> Edges | None:
    """A perfect matching of least total cost, None where there is none. `cost` has an entry a
    column, at least 0. An odd field has one vertex more, the bye. Raises TimeUpError.
    """
    vertices = players + players % 2
    most = cost.max(initial=0)
    if len(edges) > MANY or int(most) > max_exact_cost(players):
        found = solve_min_cost_matching(
            ExplicitEdges(vertices, edges, double_exact(cost)[edges.number]), budget
        )
        return None if found is None else edges.joining(players, *found.pairs)
    weight = (most - cost)[edges.number]
    mate = max_weight_partners(
        vertices, edges.first, edges.second, weight, everybody=True
    )
    if -1 in mate:
        return None
    return edges.chosen((np.array(mate)[edges.first] == edges.second).nonzero()[0])


def max_weight_partners(
    vertices: int,
    one: IntArray,
    two: IntArray,
    weight: IntArray | Costs,
    everybody: bool = False,
) -> list[int]:
    """Everybody's opponent in a matching of the greatest weight, -1 for none. With `everybody` in
    one of as many as can be.
    """
    graph: rx.PyGraph[Any, Any] = rx.PyGraph()
    mate, place = [-1] * vertices, one * vertices + two
    later = (
        place + (two == vertices - 1) * vertices**2
    )  # those of the last vertex after all others
    in_order = any(
        np.count_nonzero(each[1:] <= each[:-1]) == 0 for each in (place, later)
    )
    # a table takes less time than a list, and keeps edges in this order
    if in_order and vertices**2 < SPARSE * len(one) and weight.max() < EXACT:
        table = np.full((vertices, vertices), np.nan)
        table[one, two] = weight
        graph = rx.PyGraph.from_adjacency_matrix(table, null_value=np.nan)
    if graph.num_edges() < len(
        one
    ):  # in no table, or there twice, or the other way round
        graph = rx.PyGraph()
        graph.add_nodes_from([None] * vertices)
        edges = zip(one.tolist(), two.tolist(), weight.tolist(), strict=True)
        graph.extend_from_weighted_edge_list(list(edges))
    for a, b in rx.max_weight_matching(graph, max_cardinality=everybody, weight_fn=int):
        mate[a], mate[b] = b, a
    return mate


def solve_min_cost_matching(
    among: EdgeSet, budget: Budget = Budget(), whole: bool = False
) -> MinCostMatching | None:
    """The cheapest perfect matching by costs that are even and not below 0, None where there is
    none. See `fractional_prices` on `whole`. Raises TimeUpError.
    """
    vertices, (edges, cost) = among.vertices, _with_expensive_edges(among)
    while True:
        budget.check()
        price, mate = fractional_duals(vertices, edges.first, edges.second, cost, whole)
        more, costs = among.cheaper(price, {}, WIDENED)
        if not len(more):
            break
        edges, cost = edges.and_(more), np.concatenate([cost, costs])
    blossom = start_blossom(vertices, edges, cost, price, mate.tolist())
    while True:
        blossom.match(budget)
        alone, sets = blossom.prices()
        more, costs = among.cheaper(alone, sets, 1)
        if not len(more):
            break
        for u, v, each in _order_by_degree(vertices, more, costs):
            blossom.add(u, v, each)
    most = int(cost.max(initial=0))
    if any(blossom.near[v][w] == most for v, w in enumerate(blossom.mate)):
        return None
    return MinCostMatching(blossom.mate, alone, sets)


def _with_expensive_edges(among: EdgeSet) -> tuple[Edges, Numbers]:
    """The first edges, and others so dear that there is always a matching."""
    vertices, (edges, cost) = among.vertices, among.first
    one = np.arange(0, vertices, 2)
    most = (among.most + 2) * vertices
    if most * vertices >= LARGEST:  # prices are sums of as many
        cost = cost.astype(object)
    dear = np.full(len(one), most, cost.dtype)
    return edges.and_(Edges(one, one + 1, np.full(len(one), -1))), np.append(cost, dear)


def start_blossom(
    vertices: int, few: Edges, cost: Numbers, price: Numbers, mate: Sequence[int] = ()
) -> PrimalDualMatching:
    """A matching of edges at their prices, first those of `mate`, that is to be made perfect."""
    near: list[dict[int, int]] = [{} for _ in range(vertices)]
    for u, v, each in zip(
        few.first.tolist(), few.second.tolist(), cost.tolist(), strict=True
    ):
        near[u][v] = near[v][u] = min(each, near[u].get(v, each))
    paid, partner = price.tolist(), [NOBODY] * vertices
    for u, v in enumerate(mate):
        if partner[u] == partner[v] == NOBODY and near[u][v] == paid[u] + paid[v]:
            partner[u], partner[v] = v, u
    for u in range(vertices):
        if partner[u] == NOBODY:
            for v, each in near[u].items():
                if partner[v] == NOBODY and each == paid[u] + paid[v]:
                    partner[u], partner[v] = v, u
                    break
    return PrimalDualMatching(near, paid, partner)


def _order_by_degree(
    vertices: int, edges: Edges, cost: Numbers
) -> Iterator[tuple[int, int, int]]:
    """Edges of the vertices that have the most of them first, and these vertices first in them."""
    often = np.bincount(np.append(edges.first, edges.second), minlength=vertices)
    one, two = often[edges.first], often[edges.second]
    order = np.argsort(-np.maximum(one, two), kind="stable")
    turn = one < two
    first = np.where(turn, edges.second, edges.first)
    second = np.where(turn, edges.first, edges.second)
    yield from zip(
        first[order].tolist(), second[order].tolist(), cost[order].tolist(), strict=True
    )
