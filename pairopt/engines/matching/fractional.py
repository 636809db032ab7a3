"""Fractional: prices of vertices under which each is matched once, be it by two halves.

A perfect matching of two copies of the vertices, each edge both ways, is the sum of two halves; the
assignment that costs the least is found by a compiled library, in 64 bits. So costs are looked at
from their highest bits on: what is left of them above the prices so far is looked at next, and
what is far too dear counts as only just too dear. Prices of the assignment are shortest paths in
what it leaves (Bellman and Ford). Few vertices then have no partner of their own.
"""

from __future__ import annotations

import numpy as np

from pairopt.engines.base import EngineError
from pairopt.engines.matching.graph import Numbers
from pairopt.event.arcs import IntArray

BITS = 58
"""The assignment keeps costs times the square of vertices in so many bits."""


def fractional_prices(
    vertices: int, one: IntArray, two: IntArray, cost: Numbers, whole: bool = False
) -> tuple[Numbers, IntArray]:
    """Prices so that no edge one - two costs less than those of its ends; and who is matched.

    `cost` is even and not below 0. Of each vertex its partner, if that has it too; by edges that
    cost just their prices. There must be a perfect matching. `whole` prices are sums and
    differences of costs, however these are made up.
    """
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
            both: Numbers = first + (own - first)[who]
            return both
    raise EngineError("engine.dear_assignment")
