"""Edges that cost more than a whole pairing does, which no optimal pairing uses.

A few matches may cost many orders of magnitude more than the others, for example powers
of 50 in a cost formula of sides. Without them, linear programming has smaller numbers,
which it computes more exactly.
"""

from __future__ import annotations

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines.cpsat.matching_relaxation import CostGraph, VertexSets
from pairopt.engines.cpsat.odd_set_separation import find_perfect_matching
from pairopt.event.arcs import BoolArray


def find_affordable_edges(
    graph: CostGraph, single_crossings: VertexSets, budget: Budget
) -> BoolArray:
    """Return which edges cost at most as much as one perfect matching, shape (edges,).

    Costs are not negative, so a matching of minimum cost has only these edges. The
    perfect matching crosses each of the sets exactly once. It consists of edges below a
    power of 2 that is as small as possible. If it is not found, each edge is
    affordable. Raises TimeUpError.
    """
    affordable = np.ones(len(graph), np.bool_)
    most_cost = int(graph.cost.max(initial=0))
    # below 2 to the power of `low` there is no perfect matching
    low, high = -1, most_cost.bit_length()
    while high - low > 1:
        if budget.is_over:
            raise TimeUpError
        middle = (low + high) // 2
        cheap_edges = np.flatnonzero(graph.cost < 2**middle)
        matching = find_perfect_matching(graph.take(cheap_edges))
        if matching is None:
            low = middle
            continue
        high = middle
        matched = graph.take(cheap_edges[matching])
        if (matched.crossing(single_crossings).sum(axis=1) == 1).all():
            affordable = graph.cost <= int(matched.cost.sum())
    return affordable
