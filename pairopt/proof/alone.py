"""Alone: who is left alone by a matching of as many as can be, and why there is no pairing.

A player whom a maximum matching leaves alone, and all who could be left alone instead, fall into
odd groups that may only meet the players between them, who are one fewer than the groups
(Gallai and Edmonds' decomposition holds all such players at once).
"""

from __future__ import annotations

import numpy as np

from pairopt.budget import Budget
from pairopt.engines.alternating import exchangeable
from pairopt.engines.matching.exact import heaviest
from pairopt.engines.odd_sets import component_of
from pairopt.event.arcs import BoolArray
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
