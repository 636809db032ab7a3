"""Priced: the cheapest matching of many edges, and what prices show of all others.

Every type of players gets a price, so that no column costs less than its two ends together. Those
edges of each player that are above by the least are looked at first. Under the exact prices of
players and odd sets that come with the matching, no edge is in another one of the same cost that
costs more than its prices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pairopt.budget import Budget
from pairopt.engines.columns import Columns
from pairopt.engines.matching.exact import above_prices, cheapest, doubled, prices_below, rough
from pairopt.engines.matching.graph import Costs, Edges, Numbers, nearest
from pairopt.event.arcs import BoolArray, IntArray


@dataclass(frozen=True)
class Priced:
    """A cheapest perfect matching, and what all others of the columns that are `alive` cost.

    None of the same cost uses another column. Four times what one costs more than this is at most
    `spare`, and for each of its columns what it is `above`.
    """

    matching: Edges
    alive: BoolArray
    above: Numbers
    spare: int


def priced_matching(
    columns: Columns,
    edges: Edges,
    index: IntArray,
    cost: Costs,
    at_hand: Edges | None,
    budget: Budget,
) -> Priced | None:
    """A perfect matching of least cost, None where there is none.

    `edges` are all of the columns `index`, and `cost` is that of every column; `at_hand` is a
    perfect matching of them. Raises TimeUpError.
    """
    players, vertices = columns.players, columns.players + columns.odd
    twice = doubled(_above(columns, index, cost))[edges.number]
    budget.check()
    few = nearest(vertices, edges.first, edges.second, rough(twice))
    budget.check()
    if at_hand is not None:
        few |= edges.of(players, at_hand.first, at_hand.second)
    found = cheapest(vertices, edges, twice, few, budget)
    if found is None:
        return None
    left = above_prices(edges, twice, found.alone, found.sets)
    alive = np.zeros(len(columns), np.bool_)
    alive[edges.number[left == 0]] = True
    above: Numbers = np.zeros(len(columns), left.dtype)
    np.maximum.at(above, edges.number, left)
    spare = sum((min(len(members), vertices - len(members)) - 1) * price
                for members, price in found.sets.items())  # fmt: skip
    return Priced(edges.joining(players, *found.pairs), alive, above, spare)


def unpriced(matching: Edges | None, cost: Costs) -> Priced | None:
    """A matching of least cost, or None, as if all prices were 0."""
    if matching is None:
        return None
    total = int(cost[matching.number].sum())
    return Priced(matching, cost <= total, 4 * cost, -4 * total)


def _above(columns: Columns, index: IntArray, cost: Costs) -> Costs:
    """Twice what the columns `index` cost above the prices of their ends, 0 for the others."""
    a, b, twice = columns.a[index], columns.b[index], 2 * cost[index]
    paid = prices_below(len(columns.size) + 1, a, b, twice)
    above: Numbers = np.zeros(len(columns), cost.dtype)
    above[index] = twice - paid[a] - paid[b]
    return above
