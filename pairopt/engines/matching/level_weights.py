"""Packing: several levels in one exact integer cost a column.

A matching that is better at an earlier level must have the lower total cost, whatever the later
levels lose. So an open level outweighs the ranges of the levels after it; a proven one outweighs
only what could be gained by giving up the values proven after it, `value - least`, and the ranges
of the open levels. Levels in which all that is alive costs the same take no room.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from pairopt.engines.allowed_arcs import MOST, AllowedArcs, weighted_sums
from pairopt.engines.matching.edges import Costs, sort_by_endpoints
from pairopt.event.arcs import BoolArray, IntArray

LevelBounds = tuple[list[int], list[int]]
"""What no perfect matching is below, and above, in each level."""

NATIVE = 2**59  # costs below this are kept in machine integers
AHEAD = 32  # no more levels are looked at together
DIGIT = 40  # bits of a weight that are multiplied at once
ENTRIES = (
    2**20
)  # so many values, of columns by levels, are brought to their scale at once


@dataclass(frozen=True)
class CandidateRows:
    """The columns `index`, of which one at least is alive."""

    columns: AllowedArcs
    index: IntArray

    @cached_property
    def by_ends(self) -> tuple[IntArray, IntArray, IntArray]:
        """Positions in `index` by their ends, each twice; where an end's begin; its players."""
        columns, size = (
            self.columns,
            np.append(self.columns.size, int(self.columns.odd)),
        )
        order, start = sort_by_endpoints(
            len(size), columns.a[self.index], columns.b[self.index]
        )
        there = np.diff(start).nonzero()[0]
        return order, start[there], size[there]

    def scaled(self, levels: Sequence[int]) -> ScaledLevels:
        columns, odd = self.columns, self.columns.odd
        cost = columns.costs.T.take(levels, axis=0).take(self.index, axis=1)
        bye = columns.bye[self.index] if odd else self.index[:0]
        byes = bye.nonzero()[0]
        least = least_bye = cost.min(axis=1)
        if 0 < len(byes) < len(self.index):
            match = int(np.argmin(bye))
            of_byes, cost[:, byes] = cost[:, byes], cost[:, [match]]
            least, least_bye = cost.min(axis=1), of_byes.min(axis=1)
            cost -= least[:, None]
            cost[:, byes] = of_byes - least_bye[:, None]
        else:
            cost -= least[:, None]
        largest = cost.max(axis=1, initial=0).astype(np.int64)
        unit, several = np.ones(len(largest), np.int64), (largest > 1).nonzero()[0]
        if len(several):
            unit[several] = np.gcd.reduce(cost[several], axis=1)
            if (unit > 1).any():
                cost //= unit.astype(cost.dtype)[:, None]
                largest //= unit
        both = zip(least.tolist(), least_bye.tolist(), strict=True)
        fixed = [match * (columns.matches - odd) + bye * odd for match, bye in both]
        return ScaledLevels(self, cost, largest.tolist(), unit.tolist(), fixed)


@dataclass(frozen=True)
class ScaledLevels:
    """Levels on their smallest scale. `cost`, shape (levels, columns), is what a column costs above
    the cheapest match (or the cheapest bye), divided by the greatest common divisor; `largest` the
    most of each level. A total of t stands for fixed + t * unit.
    """

    rows: CandidateRows
    cost: IntArray
    largest: list[int]
    unit: list[int]
    fixed: list[int]

    def __len__(self) -> int:
        return len(self.largest)

    def rough(self) -> LevelBounds:
        return [0] * len(self), [
            top * self.rows.columns.matches for top in self.largest
        ]

    def by_player(self) -> LevelBounds:
        """Bounds that look at every player."""
        return self._by_player

    @cached_property
    def _by_player(self) -> LevelBounds:
        order, start, size = self.rows.by_ends
        fits = max(self.largest, default=0) * self.rows.columns.players < MOST
        each, cost = (
            size if fits else size.astype(object),
            self.cost.take(order, axis=1),
        )
        low, high = (
            end.reduceat(cost, start, axis=1) @ each for end in (np.minimum, np.maximum)
        )
        return [-(-total // 2) for total in low.tolist()], [
            total // 2 for total in high.tolist()
        ]

    def weighed(self, weights: Sequence[int]) -> Costs:
        """The weighted sum of each column, in machine integers where they hold it."""
        if _max_weighted_value(weights, self.largest) < NATIVE:
            return weighted_sums(self.cost, np.array(weights, np.int64))
        used = [place for place, weight in enumerate(weights) if weight]
        table, weights = self.cost[used], [weights[place] for place in used]
        if sum(self.largest[place] for place in used) >= 2 ** (62 - DIGIT):
            return np.asarray(np.array(weights, object) @ table.astype(object))
        total = np.zeros(table.shape[1], np.object_)
        for shift in range(0, max(weights).bit_length(), DIGIT):
            digits = np.array(
                [weight >> shift & 2**DIGIT - 1 for weight in weights], np.int64
            )
            total += weighted_sums(table, digits).astype(object) << shift
        return total


@dataclass(frozen=True)
class PackedCosts:
    """One cost a column (0 where it is not alive) that orders the levels before `end`; `weights`
    and lower bounds `least` of `levels` that are not constant, on the scale of their `parts`.
    """

    parts: Sequence[ScaledLevels]
    levels: list[int]
    weights: list[int]
    least: list[int]
    end: int

    @property
    def rows(self) -> CandidateRows:
        return self.parts[0].rows

    @cached_property
    def cost(self) -> Costs:
        rest, sums = self.weights, list[Costs]()
        for part in self.parts:
            own, rest = rest[: len(part)], rest[len(part) :]
            sums.append(part.weighed(own))
        total = np.sum(sums, axis=0) if len(sums) > 1 else sums[0]
        whole: Costs = np.zeros(len(self.rows.columns), total.dtype)
        whole[self.rows.index] = total
        return whole

    def margins(self, values: tuple[int, ...]) -> list[tuple[int, int]]:
        """Levels, and what a matching at least costs more which first differs there from one
        with these values, the optimal ones.
        """
        found, loss = [], 0
        reached = _rescale_values(self.parts, [values[level] for level in self.levels])
        for place in range(len(self.weights) - 1, -1, -1):
            if weight := self.weights[place]:
                found.append((self.levels[place], weight - loss))
                loss += weight * (reached[place] - self.least[place])
        return found[::-1]


def pack(
    columns: AllowedArcs,
    alive: BoolArray,
    values: tuple[int, ...],
    free: int,
    start: int,
    limit: int,
    incumbent: int | None = None,
) -> PackedCosts:
    """Proven levels but for the first `free` ones, which have their values whatever is chosen, and
    those from `start` on until costs are above `limit`, one at least; between them all are
    constant. `incumbent` is level `start` of a matching at hand that has all the proven values.
    """
    rows, last = (
        CandidateRows(columns, alive.nonzero()[0]),
        min(start + AHEAD, columns.costs.shape[1]),
    )
    held = len(values) - free
    levels = [*range(free, len(values)), *range(start, last)]
    known = [*values[free:], *([] if incumbent is None else [incumbent])]
    step = max(ENTRIES // max(len(rows.index), 1), 1)
    parts: list[ScaledLevels] = []
    bounds, done = ScaledLevels.rough, 0
    for stop in [*range(held + step, len(levels), step), len(levels)]:
        parts.append(rows.scaled(levels[done:stop]))
        done, scale = stop, _scale(parts, bounds, held, known)
        if (most := scale.top(stop)) > limit and bounds is ScaledLevels.rough:
            bounds = ScaledLevels.by_player
            scale = _scale(parts, bounds, held, known)
            most = scale.top(stop)
        if most > limit:
            more = range(held + 1, stop + 1)  # how far one can go
            done = max(
                held + bisect_right(more, limit, key=scale.top), min(held + 1, stop)
            )
            break
    return PackedCosts(
        parts, levels[:stop], scale.weights(done), scale.least, start + done - held
    )


@dataclass(frozen=True)
class LevelWeights:
    """What weights are made of: the values of the proven levels and, if it is known, one of the
    next that is to be beaten (`best`); bounds of each level, and the largest cost in it.
    """

    proven: list[int]
    best: int | None
    least: list[int]
    most: list[int]
    largest: list[int]

    def top(self, end: int) -> int:
        """The largest cost with the levels before `end`."""
        return _max_weighted_value(self.weights(end), self.largest)

    def weights(self, end: int) -> list[int]:
        """Of each level, 0 for those that need none: the proven ones, others up to `end`."""
        proven, least, most = self.proven, self.least, self.most
        weights, unit, gain = [0] * len(least), 1, 0
        for level in range(end - 1, len(proven) - 1, -1):
            reach = most[level] - least[level]
            if reach > 0:
                weights[level] = unit
                unit *= reach + 1
                if level == len(proven) and self.best is not None:
                    reach = min(reach, max(self.best - least[level], 0))
                gain += weights[level] * reach
        for level in range(len(proven) - 1, -1, -1):
            if most[level] > least[level]:
                weights[level] = gain + 1
                gain += weights[level] * max(
                    min(proven[level], most[level]) - least[level], 0
                )
        return weights


def _scale(
    parts: Sequence[ScaledLevels],
    bounds: Callable[[ScaledLevels], LevelBounds],
    held: int,
    known: list[int],
) -> LevelWeights:
    low, high = zip(*map(bounds, parts), strict=True)
    values, largest = (
        _rescale_values(parts, known),
        [top for part in parts for top in part.largest],
    )
    best = values[held] if len(known) > held else None
    return LevelWeights(values[:held], best, [*chain(*low)], [*chain(*high)], largest)


def _rescale_values(parts: Sequence[ScaledLevels], values: Sequence[int]) -> list[int]:
    """What values of the first levels are on the scale of these."""
    units, fixed = (
        chain(*each) for each in ([p.unit for p in parts], [p.fixed for p in parts])
    )
    each = zip(values, units, fixed, strict=False)
    return [(value - known) // unit for value, unit, known in each]


def _max_weighted_value(weights: Sequence[int], largest: Sequence[int]) -> int:
    return sum(weight * cost for weight, cost in zip(weights, largest, strict=True))
