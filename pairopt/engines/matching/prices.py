"""Prices: the cheapest matching among few edges, and why it is the cheapest of all.

Every type of players gets a price, so that no column costs less than its two ends together. What
a perfect matching costs above all prices is the sum of what its edges do. So the edges of each
player that are above by the least mostly hold a cheapest matching; and if it is above by g, no
edge that is above by more belongs to a better one. The matching starts where the prices are, which
is half its way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairopt.engines.matching.graph import Costs, Edges, best_matching, nearest
from pairopt.engines.matching.packing import Packed
from pairopt.engines.relaxation.columns import Columns
from pairopt.event.arcs import IntArray

ROOM = 6
"""What a column costs above the prices is at most so many times the largest cost."""


@dataclass(frozen=True)
class Priced:
    """A cheapest perfect matching, and twice what columns, and it, cost above prices."""

    matching: Edges
    above: Costs
    total: int


def cheapest(
    columns: Columns, edges: Edges, packed: Packed, known: Edges | None, sure: bool
) -> Priced | None:
    """A perfect matching of least cost, None where there is none.

    `edges` are all of the columns packed, at costs of at most `room` / ROOM; `known` is a perfect
    matching of them. Unless it must be `sure`, none is looked for where few edges hold none.
    """
    players = columns.players
    above = _above(columns, packed.rows.index, packed.cost)
    rank = np.log2(1 + above.astype(np.float64))[edges.number]
    few = nearest(players + players % 2, edges.first, edges.second, rank)
    if known is not None:
        few |= edges.of(players, known.first, known.second)
    found = best_matching(players, edges.take(few), above)
    if found is not None:
        better = (above < above[found.number].sum())[edges.number]
        if (better & ~few).any():
            better |= edges.of(players, found.first, found.second)
            found = best_matching(players, edges.take(better), above)
    elif sure:
        found = best_matching(players, edges, above)
    return None if found is None else Priced(found, above, int(above[found.number].sum()))


def unpriced(matching: Edges | None, cost: Costs) -> Priced | None:
    """The same of a cheapest matching that was found without these prices."""
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
