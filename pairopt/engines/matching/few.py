"""Few: the cheapest perfect matching of a large field, from a few of its arcs, exactly.

A matching of some of the arcs has prices under which no other of these is cheaper (see
`relaxation.blossom`). If no arc of the whole field costs less than its prices, the matching is the
cheapest of all; else those that do are put to the few.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pairopt.budget import Budget
from pairopt.engines.columns import Columns
from pairopt.engines.matching.blossom import NOBODY, Blossom
from pairopt.engines.matching.graph import Costs, Edges
from pairopt.engines.matching.offers import LARGEST, Numbers, Offer, Sets, offer_of
from pairopt.event.arcs import BoolArray

SMALL = 500
"""Up to so many players a matching of all arcs is as fast."""
MOST = 2**1000
"""Costs are of any size, but the larger, the slower."""


@dataclass(frozen=True)
class Cheapest:
    """The partner of each vertex, the price that each has besides those of sets, and these."""

    mate: Sequence[int]
    alone: Sequence[int]
    sets: Sets


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


def cheapest(
    offer: Offer, budget: Budget = Budget(), known: Edges | None = None
) -> Cheapest | None:
    """A perfect matching of least cost, None where there is none; maybe one like that `known`.

    Raises TimeUpError.
    """
    n, like, mate = offer.vertices, None, np.full(offer.vertices, NOBODY)
    if known is not None:
        half = offer.cost[known.number] // 2
        like = np.zeros(n, offer.cost.dtype)
        like[known.first] = like[known.second] = half
        mate[known.first], mate[known.second] = known.second, known.first
    elif (smaller := offer.smaller()) and (sample := cheapest(smaller)) is not None:
        like = np.array(sample.alone, object)
    few, prices = offer.first(like)
    dear = n * (int(offer.cost.max(initial=0)) + 1)  # more than any matching costs; even
    near: list[dict[int, int]] = [{} for _ in range(n)]
    for vertex in range(0, n, 2):  # so that there is a perfect matching
        near[vertex][vertex + 1] = near[vertex + 1][vertex] = dear
    if known is not None:
        add(near, known, offer.cost)
    alone = prices.tolist()
    while True:
        add(near, few, offer.cost)
        _lower(alone, near)
        blossom = Blossom(near, alone, _match(alone, near, mate.tolist()), budget)
        alone, sets = blossom.prices()
        few = offer.cheaper(numbers(alone, offer.cost), sets)
        if not len(few):
            break
    if any(near[v][w] == dear for v, w in enumerate(blossom.mate)):
        return None
    return Cheapest(blossom.mate, alone, sets)


def numbers(alone: Sequence[int], like: Numbers) -> Numbers:
    """Prices as an array, of 64 bits if others are and that will do."""
    fit = max(map(abs, alone)) < LARGEST
    return np.array(alone, like.dtype if fit else object)


def add(near: Sequence[dict[int, int]], few: Edges, cost: Numbers) -> None:
    """Write arcs to what those of each vertex cost, by their other ends."""
    ends = few.first.tolist(), few.second.tolist(), cost[few.number].tolist()
    for one, two, each in zip(*ends, strict=True):
        near[one][two] = near[two][one] = each


def _lower(alone: list[int], near: Sequence[Mapping[int, int]]) -> None:
    """Make prices so high that no arc costs less than those of its ends, but no higher."""
    for _ in range(2):
        for vertex, arcs in enumerate(near):
            alone[vertex] = min(cost - alone[other] for other, cost in arcs.items())


def _match(
    alone: Sequence[int], near: Sequence[Mapping[int, int]], known: Sequence[int]
) -> list[int]:
    """Matches of arcs that cost just their prices: those known, then others as they come."""
    mate = [
        w if w != NOBODY and alone[v] + alone[w] == near[v][w] else NOBODY
        for v, w in enumerate(known)
    ]
    for vertex, arcs in enumerate(near):
        if mate[vertex] == NOBODY:
            for other, cost in arcs.items():
                if mate[other] == NOBODY and alone[vertex] + alone[other] == cost:
                    mate[vertex], mate[other] = other, vertex
                    break
    return mate
