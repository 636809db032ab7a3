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
    perfect matching must cross each of the `single_crossings`, sets of vertices,
    exactly once. Bisection looks for one whose edges all cost less than a power of 2
    that is as small as possible. If it finds none that crosses the sets, every edge is
    marked. Edges are those of `graph`, in its order. Raises TimeUpError.
    """
    is_affordable = np.ones(len(graph), np.bool_)
    largest_cost = int(graph.cost.max(initial=0))
    # below 2 to the power of `low_exponent` there is no perfect matching
    low_exponent, high_exponent = -1, largest_cost.bit_length()
    while high_exponent - low_exponent > 1:
        if budget.is_over:
            raise TimeUpError
        middle_exponent = (low_exponent + high_exponent) // 2
        cheap_edges = np.flatnonzero(graph.cost < 2**middle_exponent)
        matched_positions = find_perfect_matching(graph.take(cheap_edges))
        if matched_positions is None:
            low_exponent = middle_exponent
            continue
        high_exponent = middle_exponent
        matched_graph = graph.take(cheap_edges[matched_positions])
        if (matched_graph.crossing(single_crossings).sum(axis=1) == 1).all():
            is_affordable = graph.cost <= int(matched_graph.cost.sum())
    return is_affordable
