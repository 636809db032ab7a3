"""Fractional: prices of vertices under which each is matched once, be it by two halves.

A perfect matching of two copies of the vertices, each edge both ways, is the sum of two halves; the
assignment that costs the least is found by a compiled library, in 64 bits. So costs are looked at
from their highest bits on: what is left of them above the prices so far is looked at next, and
what is far too dear counts as only just too dear. Prices of the assignment are shortest paths in
what it leaves (Bellman and Ford). Few vertices then have no partner of their own.
"""

from __future__ import annotations

import numpy as np
from ortools.graph.python.linear_sum_assignment import SimpleLinearSumAssignment

from pairopt.engines.matching.graph import Numbers
from pairopt.event.arcs import IntArray

BITS = 58
"""The assignment keeps costs times the square of vertices in so many bits."""


def fractional_prices(
    vertices: int, one: IntArray, two: IntArray, cost: Numbers
) -> tuple[Numbers, IntArray]:
    """Prices so that no edge one - two costs less than those of its ends; and who is matched.

    `cost` is even and not below 0. Of each vertex its partner, if that has it too; by edges that
    cost just their prices. There must be a perfect matching.
    """
    price = np.zeros(vertices, cost.dtype)
    room, left = BITS - 2 * vertices.bit_length(), cost
    while True:
        spare = max(int(left.max(initial=0)).bit_length() - room, 0)
        more, mate = _assigned(vertices, one, two, (left >> spare + 1).astype(np.int64))
        more = more.astype(cost.dtype) << spare
        price, left = price + more, left - more[one] - more[two]
        if not spare:
            return price, mate
        left = np.minimum(left, vertices << spare)


def _assigned(
    vertices: int, one: IntArray, two: IntArray, cost: IntArray
) -> tuple[IntArray, IntArray]:
    """The prices of both copies of each vertex together, and who its first copy is assigned."""
    left, right = np.concatenate([one, two]), np.concatenate([two, one])
    cost, every = np.concatenate([cost, cost]), range(vertices)
    solver = SimpleLinearSumAssignment()
    solver.add_arcs_with_cost(left, right, cost)
    solver.solve()
    mate = np.fromiter(map(solver.right_mate, every), np.int64, vertices)
    own = np.fromiter(map(solver.assignment_cost, every), np.int64, vertices)
    # the first copy pays `first`, the second one the rest of what their match costs
    who = np.argsort(mate)
    order = np.argsort(left, kind="stable")
    start = np.searchsorted(left[order], np.arange(vertices))
    instead = who[right[order]]
    longer = cost[order] - own[instead]
    first, before = np.zeros(vertices, np.int64), None
    while before is None or (first < before).any():
        before = first
        first = np.minimum(first, np.minimum.reduceat(first[instead] + longer, start))
    return first + (own - first)[who], mate
