"""Priced: the cheapest matching among few edges, and why it is the cheapest of all.

Every type of players gets a price, so that no column costs less than its two ends together. What
a perfect matching costs above all prices is the sum of what its edges do. So the edges of each
player that are above by the least mostly hold a cheapest matching; and if it is above by g, no
edge that is above by more belongs to a better one. Of the others, the exact prices of players and
odd sets under which it is the cheapest of the few tell those that may: they cost less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairopt.engines.columns import Columns
from pairopt.engines.matching.blossom import NOBODY, Blossom
from pairopt.engines.matching.few import add, numbers
from pairopt.engines.matching.graph import Costs, Edges, best_matching, nearest
from pairopt.engines.matching.offers import LARGEST, SetCells, left_over
from pairopt.engines.matching.packing import Packed
from pairopt.event.arcs import BoolArray, IntArray

ROOM = 6
"""What a column costs above the prices is at most so many times the largest cost."""
LOOSE = 8
"""Where one match in so many costs more than its prices, exact ones take too long."""


@dataclass(frozen=True)
class Priced:
    """A cheapest perfect matching, and twice what columns, and it, cost above prices."""

    matching: Edges
    above: Costs
    total: int


def priced_matching(
    columns: Columns, edges: Edges, packed: Packed, known: Edges | None, sure: bool
) -> Priced | None:
    """A perfect matching of least cost, None where there is none.

    `edges` are all of the columns packed, at costs of at most `room` / ROOM; `known` is a perfect
    matching of them. Unless it must be `sure`, none is looked for where few edges hold none.
    """
    players, vertices = columns.players, columns.players + columns.odd
    above = _above(columns, packed.rows.index, packed.cost)
    rank = np.log2(1 + above.astype(np.float64))[edges.number]
    few = nearest(vertices, edges.first, edges.second, rank)
    if known is not None:
        few |= edges.of(players, known.first, known.second)
    found = best_matching(players, edges.chosen(few), above)
    if found is None:
        if not sure:
            return None
        few |= nearest(vertices, edges.first, edges.second, np.zeros(len(edges)))
        found = best_matching(players, edges.chosen(few), above)
    if found is None:
        few[:] = True
        found = best_matching(players, edges, above)
    while found is not None:
        total = int(above[found.number].sum())
        others = np.flatnonzero(~few & (above < total)[edges.number])
        loose = np.count_nonzero(above[found.number])
        cheaper = others
        if len(others) and loose * LOOSE <= len(found):
            known, left = edges.chosen(few), edges.chosen(others)
            cheaper = others[_cheaper(columns, known, found, left, above)]
        if not len(cheaper):
            return Priced(found, above, total)
        few[cheaper] = True
        found = best_matching(players, edges.chosen(few), above)
    return None


def _cheaper(columns: Columns, few: Edges, found: Edges, others: Edges, above: Costs) -> BoolArray:
    """Which other edges cost less than prices under which `found` is the cheapest of the few.

    Of many those of each vertex that do so by the most.
    """
    vertices = 2 * columns.matches
    twice = 2 * above.astype(np.int64 if above.max() < LARGEST // 4 else object)
    near: list[dict[int, int]] = [{} for _ in range(vertices)]
    add(near, few, twice)
    mate = np.full(vertices, NOBODY)
    tight = found.chosen(above[found.number] == 0)
    mate[tight.first], mate[tight.second] = tight.second, tight.first
    alone, sets = Blossom(near, [0] * vertices, mate.tolist()).prices()
    cells = SetCells.of(np.zeros(vertices, np.int64), sets)
    left = left_over(others, twice, numbers(alone, twice), cells)
    less: BoolArray = (left < 0).astype(np.bool_)
    rank = -np.log2(1 - left[less].astype(np.float64))
    less[less] = nearest(vertices, others.first[less], others.second[less], rank)
    return less


def unpriced(matching: Edges | None, cost: Costs) -> Priced | None:
    """A matching of least cost, or None, as if all prices were 0."""
    if matching is None:
        return None
    return Priced(matching, 2 * cost, 2 * int(cost[matching.number].sum()))


def _above(columns: Columns, index: IntArray, cost: Costs) -> Costs:
    """Twice what the columns `index` cost above the prices of their ends, 0 for the others.

    Prices are first those of the cheapest column of each type; then, type by type, the highest
    that the others leave.
    """
    a, b, twice = columns.a[index], columns.b[index], 2 * cost[index]
    paid: NDArray[Any] = np.full(len(columns.size) + 1, twice.max(initial=0), cost.dtype)
    inside = a == b
    np.minimum.at(paid, a[inside], cost[index[inside]])
    ends = np.concatenate([a[~inside], b[~inside]])
    order = np.argsort(ends, kind="stable")
    others = np.concatenate([b[~inside], a[~inside]])[order]
    costs = np.tile(twice[~inside], 2)[order]
    there, start = np.unique(ends[order], return_index=True)
    most = paid[there]
    paid[there] = np.minimum(most, np.minimum.reduceat(costs, start) // 2)
    stop = np.append(start, len(ends))[1:]
    for end, top, one, two in zip(there.tolist(), most, start.tolist(), stop.tolist(), strict=True):
        paid[end] = min(top, (costs[one:two] - paid[others[one:two]]).min())
    above: NDArray[Any] = np.zeros(len(columns), cost.dtype)
    above[index] = twice - paid[a] - paid[b]
    return above
