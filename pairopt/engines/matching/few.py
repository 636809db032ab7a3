"""Few: the cheapest perfect matching of a large field, from a few of its arcs, exactly.

A matching of some of the arcs has prices under which no other of these is cheaper (see
`relaxation.blossom`). If no arc of the whole field costs less than its prices, the matching is the
cheapest of all; else those that do are put to the few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pairopt.budget import Budget
from pairopt.engines.columns import Columns
from pairopt.engines.matching.blossom import NOBODY, Blossom
from pairopt.engines.matching.graph import Costs, Edges
from pairopt.engines.matching.offers import LARGEST, Numbers, Offer, offer_of
from pairopt.event.arcs import BoolArray

SMALL = 500
"""Up to so many players a matching of all arcs is as fast."""
MOST = 2**1000
"""Costs are of any size, but the larger, the slower."""
Near = list[dict[int, int]]
"""Of each vertex what its arcs cost, by their other ends."""


@dataclass(frozen=True)
class Cheapest:
    """The partner of each vertex, and the price that each has besides those of sets."""

    mate: Sequence[int]
    alone: Sequence[int]


def best_of_few(
    columns: Columns, alive: BoolArray, cost: Costs, budget: Budget = Budget()
) -> Edges | None:
    """A perfect matching of least total cost of the columns alive, None where there is none.

    `cost` has an entry a column, at least 0 and at most `MOST`. Raises TimeUpError.
    """
    offer = offer_of(columns, alive, cost)
    if not alive.any() or (found := cheapest(offer, budget)) is None:
        return None
    mate = np.array(found.mate)
    one = np.flatnonzero(np.arange(len(mate)) < mate)
    return offer.joining(one, mate[one])


def cheapest(offer: Offer, budget: Budget = Budget()) -> Cheapest | None:
    """A perfect matching of least cost; None where there is none. Raises TimeUpError."""
    n = offer.vertices
    few, prices = offer.first()
    near: Near = [{} for _ in range(n)]
    dear = n * (int(offer.cost.max(initial=0)) + 1)  # more than any matching costs; even
    for vertex in range(0, n, 2):  # so that there is one
        near[vertex][vertex + 1] = near[vertex + 1][vertex] = dear
    alone = prices.tolist()
    while True:
        _add(near, few, offer.cost)
        _lower(alone, near)
        blossom = Blossom(near, alone, _match(alone, near), budget)
        alone, sets = blossom.prices()
        few = offer.cheaper(_numbers(alone, offer.cost), sets)
        if not len(few):
            break
    if any(near[v][w] == dear for v, w in enumerate(blossom.mate)):
        return None
    return Cheapest(blossom.mate, alone)


def _numbers(numbers: Sequence[int], like: Numbers) -> Numbers:
    fit = max(map(abs, numbers)) < LARGEST
    return np.array(numbers, like.dtype if fit else object)


def _add(near: Near, few: Edges, cost: Numbers) -> None:
    ends = few.first.tolist(), few.second.tolist(), cost[few.number].tolist()
    for one, two, each in zip(*ends, strict=True):
        near[one][two] = near[two][one] = each


def _lower(alone: list[int], near: Near) -> None:
    """Make prices so high that no arc costs less than those of its ends, but no higher."""
    for _ in range(2):
        for vertex, arcs in enumerate(near):
            alone[vertex] = min(cost - alone[other] for other, cost in arcs.items())


def _match(alone: Sequence[int], near: Near) -> list[int]:
    """Matches of arcs that cost just their prices, as they come."""
    mate = [NOBODY] * len(near)
    for vertex, arcs in enumerate(near):
        if mate[vertex] == NOBODY:
            for other, cost in arcs.items():
                if mate[other] == NOBODY and alone[vertex] + alone[other] == cost:
                    mate[vertex], mate[other] = other, vertex
                    break
    return mate
