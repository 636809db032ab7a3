"""Priced: the cheapest matching among few edges, and why it is the cheapest of all.

Every type of players gets a price, so that no column costs less than its two ends together. What
a perfect matching costs above all prices is the sum of what its edges do. So the edges of each
player that are above by the least mostly hold a cheapest matching; and if it is above by g, no
edge that is above by more belongs to a better one. Of the others, the exact prices of players and
odd sets under which it is the cheapest of the few tell those that may: they cost less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pairopt.budget import Budget
from pairopt.engines.columns import Columns
from pairopt.engines.matching.exact import (
    Numbers,
    best_matching,
    cheapest,
    doubled,
    prices_below,
    rough,
)
from pairopt.engines.matching.graph import Costs, Edges, nearest
from pairopt.event.arcs import IntArray

ROOM = 6
"""What a column costs above the prices is at most so many times the largest cost."""
MANY = 350_000
"""More edges that may be in a cheaper matching are not matched all at once."""


@dataclass(frozen=True)
class Priced:
    """A cheapest perfect matching, and twice what columns, and it, cost above prices."""

    matching: Edges
    above: Costs
    total: int


def priced_matching(
    columns: Columns,
    edges: Edges,
    index: IntArray,
    cost: Costs,
    at_hand: Edges | None,
    sure: bool,
    budget: Budget,
) -> Priced | None:
    """A perfect matching of least cost, None where there is none.

    `edges` are all of the columns `index`, and `cost` is that of every column; `at_hand` is
    a perfect matching of them. Unless it must be `sure`, none is looked for where few edges hold
    none. Raises TimeUpError.
    """
    players, vertices = columns.players, columns.players + columns.odd
    above = _above(columns, index, cost)
    rank = rough(above)[edges.number]
    few = nearest(vertices, edges.first, edges.second, rank)
    if at_hand is not None:
        few |= edges.of(players, at_hand.first, at_hand.second)
    found = best_matching(players, edges.chosen(few), above, budget)
    if found is None:
        if not sure:
            return None
        few |= nearest(vertices, edges.first, edges.second, np.zeros(len(edges)))
        found = best_matching(players, edges.chosen(few), above, budget)
    if found is None:
        few[:] = True
        found = best_matching(players, edges, above, budget)
    if found is None:
        return None
    total = int(above[found.number].sum())
    may = few | (above < total)[edges.number]
    if may.sum() > few.sum():
        edges, few = edges.chosen(may), few[may]
        if len(edges) > MANY:
            known = edges.of(players, found.first, found.second)
            twice = doubled(above)[edges.number]
            exact = cheapest(vertices, edges, twice, known, few, budget)
            found = edges.joining(players, *exact.pairs)
        else:
            found = best_matching(players, edges, above, budget)
            assert found is not None  # those few hold one
        total = int(above[found.number].sum())
    return Priced(found, above, total)


def unpriced(matching: Edges | None, cost: Costs) -> Priced | None:
    """A matching of least cost, or None, as if all prices were 0."""
    if matching is None:
        return None
    return Priced(matching, 2 * cost, 2 * int(cost[matching.number].sum()))


def _above(columns: Columns, index: IntArray, cost: Costs) -> Costs:
    """Twice what the columns `index` cost above the prices of their ends, 0 for the others."""
    a, b, twice = columns.a[index], columns.b[index], 2 * cost[index]
    paid = prices_below(len(columns.size) + 1, a, b, twice)
    above: Numbers = np.zeros(len(columns), cost.dtype)
    above[index] = twice - paid[a] - paid[b]
    return above
