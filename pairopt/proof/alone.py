"""Alone: who is left alone by a matching of as many as can be, and why there is no pairing.

A player whom a maximum matching leaves alone, and all who could be left alone instead, fall into
odd groups that may only meet the players between them, who are one fewer than the groups
(Edmonds' alternating tree; Gallai and Edmonds' decomposition holds all such players at once).
"""

from __future__ import annotations

import numpy as np
import rustworkx as rx

from pairopt.budget import Budget
from pairopt.engines.odd_sets import component_of
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.proof.certificate import TutteSet


def tutte_set(meets: BoolArray, budget: Budget = Budget()) -> TutteSet | None:
    """A Tutte set of a graph, shape (vertices, vertices), None where everybody can be paired.

    Raises TimeUpError.
    """
    budget.check()
    count = len(meets)
    one, two = np.nonzero(np.triu(meets, 1))
    mate = heaviest(count, one, two, np.ones(len(one), np.int64))
    if -1 not in mate:
        return None
    opponents = [set(np.flatnonzero(row).tolist()) for row in meets]
    alone = [exchangeable(opponents, mate, v) for v in range(count) if mate[v] == -1]
    inside = np.zeros(count, np.bool_)
    fewest = min(alone, key=len)
    inside[list(fewest)] = True
    between = meets[inside].any(axis=0) & ~inside
    left = np.flatnonzero(~between)
    position = np.full(count, -1)
    position[left] = np.arange(len(left))
    kept = ~between[one] & ~between[two]
    part = component_of(len(left), position[one[kept]], position[two[kept]])
    parts = [frozenset(left[part == k].tolist()) for k in range(int(part.max()) + 1)]
    return TutteSet(frozenset(np.flatnonzero(between).tolist()), tuple(parts))


def heaviest(vertices: int, one: IntArray, two: IntArray, weight: IntArray) -> list[int]:
    """Everybody's opponent in a matching of the greatest weight, above 0 each; -1 for none."""
    graph: rx.PyGraph[None, int] = rx.PyGraph()
    graph.add_nodes_from([None] * vertices)
    edges = zip(one.tolist(), two.tolist(), weight.tolist(), strict=True)
    graph.extend_from_weighted_edge_list(list(edges))
    mate = [-1] * vertices
    for a, b in rx.max_weight_matching(graph, weight_fn=int):
        mate[a], mate[b] = b, a
    return mate


def exchangeable(  # noqa: C901 - one search, one loop
    opponents: list[set[int]], mate: list[int], root: int
) -> tuple[int, ...]:
    """`root`, whom a maximum matching leaves alone, and who could be left alone instead.

    Edmonds' search for alternating paths, blossoms shrunk to their base.
    """
    n = len(mate)
    parent, base, outer = [-1] * n, list(range(n)), [False] * n
    queue, outer[root] = [root], True

    def common_base(one: int, two: int) -> int:
        passed = set()
        while True:
            one = base[one]
            passed.add(one)
            if mate[one] == -1:
                break
            one = parent[mate[one]]
        while base[two] not in passed:
            two = parent[mate[base[two]]]
        return base[two]

    def mark(blossom: set[int], one: int, top: int, child: int) -> None:
        while base[one] != top:
            blossom |= {base[one], base[mate[one]]}
            parent[one], child = child, mate[one]
            one = parent[mate[one]]

    for one in queue:
        for two in opponents[one]:
            if base[one] == base[two] or mate[one] == two:
                continue
            if two == root or (mate[two] != -1 and parent[mate[two]] != -1):
                top, blossom = common_base(one, two), set[int]()
                mark(blossom, one, top, two)
                mark(blossom, two, top, one)
                for each in range(n):
                    if base[each] in blossom:
                        base[each] = top
                        if not outer[each]:
                            outer[each] = True
                            queue.append(each)
            elif parent[two] == -1:
                parent[two] = one
                outer[mate[two]] = True
                queue.append(mate[two])
    return tuple(p for p in range(n) if outer[p])
