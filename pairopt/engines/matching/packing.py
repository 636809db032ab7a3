"""Packing: several levels in one exact integer cost a column.

A matching that is better at an earlier level must have the lower total cost, whatever the later
levels lose. So an open level outweighs the ranges of the levels after it; a proven one outweighs
only what could be gained by giving up the values proven after it, `value - least`, and the ranges
of the open levels. Levels in which all that is alive costs the same take no room."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pairopt.engines.columns import Columns
from pairopt.engines.matching.graph import Costs
from pairopt.event.arcs import BoolArray, IntArray

LevelBounds = tuple[list[int], list[int]]
"""What no perfect matching is below, and above, in each level."""

NATIVE = 2**59  # costs below this are kept in machine integers
AHEAD = 32  # no more levels are looked at together
DIGIT = 40  # bits of a weight that are multiplied at once


@dataclass(frozen=True)
class Scaled:
    """Levels of the columns `index` on their smallest scale. `cost`, shape (columns, levels), is
    what a column costs above the cheapest match (or the cheapest bye), divided by the greatest
    common divisor; `largest` the most of each level. A total of t stands for fixed + t * unit."""

    columns: Columns
    index: IntArray
    cost: IntArray
    largest: list[int]
    unit: list[int]
    fixed: list[int]

    def value(self, level: int, value: int) -> int:
        return (value - self.fixed[level]) // self.unit[level]

    def bounds(self) -> Iterator[LevelBounds]:
        """Bounds of each level: the cheap ones, then those that look at every player."""
        yield [0] * len(self.largest), [top * self.columns.matches for top in self.largest]
        ends = np.concatenate([self.columns.a[self.index], self.columns.b[self.index]])
        order = np.argsort(ends, kind="stable")
        cost = self.cost[order % max(len(self.index), 1)]
        there, start = np.unique(ends[order], return_index=True)
        size = np.append(self.columns.size, int(self.columns.odd))
        each, ends_of = size[there].astype(object), (np.minimum, np.maximum)
        low, high = (each @ end.reduceat(cost, start) if len(there) else [] for end in ends_of)
        yield [-(-total // 2) for total in low], [total // 2 for total in high]


def scaled(columns: Columns, index: IntArray, levels: IntArray) -> Scaled:
    """Some levels of the columns `index` (at least one) on their smallest scale."""
    cost, odd = columns.costs.T.take(levels, axis=0).take(index, axis=1).T, columns.odd
    least = least_bye = cost.min(axis=0)
    bye = columns.bye[index] if odd else np.zeros(0, np.bool_)
    if bye.any() and not bye.all():
        least, least_bye = cost[~bye].min(axis=0), cost[bye].min(axis=0)
        cost -= np.where(bye[:, None], least_bye, least)
    else:
        cost -= least
    largest = cost.max(axis=0, initial=0)
    unit, several = np.ones(len(largest), np.int64), (largest > 1).nonzero()[0]
    if len(several):
        unit[several] = np.gcd.reduce(cost[:, several], axis=0)
        if (unit > 1).any():
            cost //= unit
            largest //= unit
    both = zip(least.tolist(), least_bye.tolist(), strict=True)
    fixed = [match * (columns.matches - odd) + bye * odd for match, bye in both]
    return Scaled(columns, index, cost, largest.tolist(), unit.tolist(), fixed)


@dataclass(frozen=True)
class Packed:
    """One cost a column (0 where it is not alive) that orders the levels before `end`; `weights`
    and lower bounds `least` of `levels` that are not constant, on the scale of `rows`."""

    rows: Scaled
    levels: IntArray
    weights: list[int]
    least: list[int]
    end: int

    @cached_property
    def cost(self) -> Costs:
        """The weighted sum of each column, in machine integers where they hold it."""
        rows = self.rows
        if _top(self.weights, rows.largest) < NATIVE:
            whole = np.zeros(len(rows.columns), np.int64)
            whole[rows.index] = rows.cost @ np.array(self.weights, np.int64)
            return whole
        cost = np.zeros(len(rows.columns), np.object_)
        used = [place for place, weight in enumerate(self.weights) if weight]
        table, weights = rows.cost[:, used], [self.weights[place] for place in used]
        if sum(rows.largest[place] for place in used) < 2 ** (62 - DIGIT):
            for shift in range(0, max(weights).bit_length(), DIGIT):
                digits = [weight >> shift & 2**DIGIT - 1 for weight in weights]
                part = (table @ np.array(digits, np.int64)).astype(object)
                cost[rows.index] += part << shift
        else:
            cost[rows.index] = table.astype(object) @ np.array(weights, object)
        return cost

    def margins(self, values: tuple[int, ...]) -> list[tuple[int, int]]:
        """Levels, and what a matching at least costs more which first differs there from one
        with these values, the optimal ones."""
        found, loss = [], 0
        for place in range(len(self.weights) - 1, -1, -1):
            level, weight = int(self.levels[place]), self.weights[place]
            if weight:
                found.append((level, weight - loss))
                loss += weight * (self.rows.value(place, values[level]) - self.least[place])
        return found[::-1]


def pack(
    columns: Columns, alive: BoolArray, values: tuple[int, ...], free: int, start: int, limit: int,
    incumbent: int | None = None,
) -> Packed:  # fmt: skip
    """Proven levels but for the first `free` ones, which have their values whatever is chosen, and
    those from `start` on until costs are above `limit`, one at least; between them all are
    constant. `incumbent` is level `start` of a matching at hand that has all the proven values."""
    last = min(start + AHEAD, columns.costs.shape[1])
    levels = np.array([*range(free, len(values)), *range(start, last)], np.int64)
    rows, held = scaled(columns, np.flatnonzero(alive), levels), len(values) - free
    proven = [rows.value(place, value) for place, value in enumerate(values[free:])]
    best = None if incumbent is None else rows.value(held, incumbent)
    for least, most in rows.bounds():

        def weights(end: int, least: list[int] = least, most: list[int] = most) -> list[int]:
            return _weights(proven, held + end, least, most, best)

        many = last - start
        if _top(packed := weights(many), rows.largest) <= limit:
            break
        ends = range(many + 1)
        fit = bisect_right(ends, limit, key=lambda end: _top(weights(end), rows.largest)) - 1
        packed = weights(many := max(fit, min(many, 1)))
    return Packed(rows, levels, packed, least, start + many)


def _top(weights: list[int], largest: list[int]) -> int:
    return sum(weight * cost for weight, cost in zip(weights, largest, strict=True))


def _weights(
    proven: list[int], end: int, least: list[int], most: list[int], best: int | None
) -> list[int]:
    """The weight of each level, 0 for those that need none: the proven ones, others up to `end`."""
    weights, unit, gain = [0] * len(least), 1, 0
    for level in range(end - 1, len(proven) - 1, -1):
        reach = most[level] - least[level]
        if reach > 0:
            weights[level] = unit
            unit *= reach + 1
            if level == len(proven) and best is not None:
                reach = min(reach, max(best - least[level], 0))
            gain += weights[level] * reach
    for level in range(len(proven) - 1, -1, -1):
        if most[level] > least[level]:
            weights[level] = gain + 1
            gain += weights[level] * max(min(proven[level], most[level]) - least[level], 0)
    return weights
