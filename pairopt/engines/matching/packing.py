"""Packing: several levels in one exact integer cost a column.

A matching that is better at an earlier level must have the lower total cost, whatever the later
levels lose. So an open level outweighs the ranges of the levels after it; a proven one outweighs
only what could be gained by giving up the values proven after it, `value - least`, and the
ranges of the open levels. Levels in which all that is alive costs the same take no room.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pairopt.engines.matching.graph import Costs
from pairopt.engines.relaxation.columns import Columns
from pairopt.event.arcs import BoolArray, IntArray

Bounds = tuple[list[int], list[int]]
"""What no perfect matching is below, and above, in each level."""

NATIVE = 2**62
"""Costs below this are kept in machine integers."""


@dataclass(frozen=True)
class Scaled:
    """The levels of the columns `index` on their smallest scale.

    `cost`, shape (columns, levels), is what a column costs above the cheapest match (or the
    cheapest bye), divided by the greatest common divisor; `largest` the most of each level. A
    total of t stands for fixed + t * unit.
    """

    columns: Columns
    index: IntArray
    cost: IntArray
    largest: list[int]
    unit: list[int]
    fixed: list[int]

    def value(self, level: int, value: int) -> int:
        """A level's value on this scale, rounded down."""
        return (value - self.fixed[level]) // self.unit[level]

    def bounds(self) -> Iterator[Bounds]:
        """Bounds of each level: the cheap ones, then those that look at every player."""
        levels = len(self.largest)
        yield [0] * levels, [top * self.columns.matches for top in self.largest]
        size = np.append(self.columns.size, int(self.columns.odd)).astype(object)
        low = np.full((len(size), levels), max(self.largest, default=0))
        high = np.zeros((len(size), levels), np.int64)
        for end in (self.columns.a[self.index], self.columns.b[self.index]):
            np.minimum.at(low, end, self.cost)
            np.maximum.at(high, end, self.cost)
        yield [-(-total // 2) for total in size @ low], [total // 2 for total in size @ high]


def scaled(columns: Columns, alive: BoolArray) -> Scaled:
    """The columns alive on their smallest scale."""
    index = np.flatnonzero(alive)
    cost, odd = columns.costs[index], columns.odd
    least = least_bye = cost.min(axis=0)
    bye = columns.bye[index] if odd else np.zeros(0, np.bool_)
    if bye.any() and not bye.all():
        least, least_bye = cost[~bye].min(axis=0), cost[bye].min(axis=0)
        cost = cost - np.where(bye[:, None], least_bye, least)
    else:
        cost = cost - least
    largest = cost.max(axis=0, initial=0)
    unit, several = np.ones(len(largest), np.int64), np.flatnonzero(largest > 1)
    if len(several):
        unit[several] = np.gcd.reduce(cost[:, several], axis=0)
        cost = cost // unit
    fixed = [
        match * (columns.matches - odd) + bye * odd
        for match, bye in zip(least.tolist(), least_bye.tolist(), strict=True)
    ]
    return Scaled(columns, index, cost, (largest // unit).tolist(), unit.tolist(), fixed)


@dataclass(frozen=True)
class Packed:
    """One cost a column (0 where it is not alive) that orders the levels before `end`."""

    cost: Costs
    end: int


def pack(
    columns: Columns,
    alive: BoolArray,
    values: tuple[int, ...],
    start: int,
    limit: int,
    incumbent: int | None = None,
) -> Packed | None:
    """Proven levels, and as many from `start` on as fit with them: no cost is above `limit`.

    None where not even the proven ones fit.

    Levels between the proven ones and `start` must be constant. `incumbent` is the value of
    level `start` in a perfect matching of the columns alive that has all the proven values.
    """
    rows = scaled(columns, alive)
    levels = columns.costs.shape[1]
    proven = [rows.value(level, value) for level, value in enumerate(values)]
    best = None if incumbent is None else rows.value(start, incumbent)
    weights, end = [0] * levels, start
    for least, most in rows.bounds():
        for end in range(levels, start - 1, -1):
            weights = _weights(proven, start, end, least, most, best)
            top = sum(w * cost for w, cost in zip(weights, rows.largest, strict=True))
            if top <= limit:
                break
        if end == levels:
            break
    if top > limit:
        return None
    return Packed(_spread(rows, weights, top), end)


def _weights(
    proven: list[int], start: int, end: int, least: list[int], most: list[int], best: int | None
) -> list[int]:
    """The weight of each level, 0 for those that need none."""
    weights, unit, gain = [0] * len(least), 1, 0
    for level in range(end - 1, start - 1, -1):
        reach = most[level] - least[level]
        if reach > 0:
            weights[level] = unit
            unit *= reach + 1
            if level == start and best is not None:
                reach = min(reach, max(best - least[level], 0))
            gain += weights[level] * reach
    for level in range(len(proven) - 1, -1, -1):
        if most[level] > least[level]:
            weights[level] = gain + 1
            most_gain = min(proven[level], most[level]) - least[level]
            gain += weights[level] * max(most_gain, 0)
    return weights


def _spread(rows: Scaled, weights: list[int], top: int) -> Costs:
    """The weighted sum of each column, in machine integers where they hold it."""
    used = [level for level, weight in enumerate(weights) if weight]
    chosen = [weights[level] for level in used]
    if top < NATIVE:
        cost = np.zeros(len(rows.columns), np.int64)
        cost[rows.index] = rows.cost[:, used] @ np.array(chosen, np.int64)
        return cost
    exact = np.zeros(len(rows.columns), np.object_)
    exact[rows.index] = rows.cost[:, used].astype(object) @ np.array(chosen, object)
    return exact
