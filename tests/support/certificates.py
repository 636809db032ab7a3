"""Certificates: no pairing is better, shown by prices on all pairs, without the matching's code.

The matching engine settles runs of levels one after the other. Of each run there are costs (levels
times weights) and prices of players and of odd sets. A pair's *surplus* is what it costs more than
its ends pay, and more than the sets pay that it leaves. Take all runs' surpluses of a pair as one
vector. Where no legal pair's vector is below zero in lexicographic order, all matches of a pairing
have zero vectors, and each of them leaves each set with a price once, then no pairing has lower
costs in that order: any other one leaves each odd set at least once, and pays as much for players.

A run of levels that all matches have at the least of all pairs is a run without prices. What
remains is that costs order the levels of their run as they stand in the model: each weight has to
exceed what later levels of the run could make up for, in pairs whose vectors are zero until there.

`recorded` notes runs, weights and prices while the engine works; the rest is worked out anew, from
what the rules say of each pair, in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from pairopt import Result
from pairopt.engines.matching import engine, level_by_level
from pairopt.event.arcs import BYE, Arcs, arcs_of
from pairopt.problem.problem import Problem

PAIRS = 2**16  # so many are looked at together
SAFE = 2**61  # sums up to it are kept in 64 bits
Ints = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Run:
    """Levels `start` to `stop` at their least, then those up to `end` in one cost: four times the
    sum of `weights` times `levels`, less what matches and byes have at `least`, by `units`. A
    vertex (the bye is the last) pays `price` and those of the `sets` that it leaves."""

    start: int
    stop: int
    end: int
    levels: Sequence[int]
    weights: Sequence[int]
    least: Sequence[tuple[int, int]]
    units: Sequence[int]
    price: Sequence[int]
    sets: Mapping[frozenset[int], int]


@dataclass
class Record:
    runs: list[Run] = field(default_factory=list)
    base: int = 0  # levels that are settled and no more looked at
    now: dict[str, Any] = field(default_factory=dict)


@contextmanager
def recorded(few: int = 0) -> Iterator[Record]:
    """The runs of the next solve by the matching engine, of which stages of more than so `few`
    pairs have prices; a stage without is no proof."""
    record = Record()
    settled, pack, below = (
        level_by_level._solve_levels_from,
        level_by_level.pack_levels,
        level_by_level.find_feasible_duals,
    )
    cheapest, further = level_by_level.solve_min_cost_matching, engine._add_levels

    def packing(columns: Any, alive: Any, *rest: Any) -> Any:
        packed, index, bye = (
            pack(columns, alive, *rest),
            np.flatnonzero(alive),
            columns.bye[alive],
        )
        least = []
        for level in packed.levels:
            cost = columns.costs[index, level]
            kinds = (cost[~bye], cost[bye] if columns.odd else cost[:0])
            least.append(tuple(int(kind.min()) if len(kind) else 0 for kind in kinds))
        units = [unit for part in packed.parts for unit in part.unit]
        record.now |= {"packed": packed, "least": least, "units": units}
        return packed

    def paying(*given: Any) -> Any:
        record.now["paid"] = below(*given)
        return record.now["paid"]

    def matching(*given: Any) -> Any:
        record.now["found"] = cheapest(*given)
        return record.now["found"]

    def settling(columns: Any, now: Any, alive: Any, start: int, *rest: Any) -> Any:
        record.now = {}
        if (standing := settled(columns, now, alive, start, *rest)) is None:
            return None
        packed, paid, found = (record.now[name] for name in ("packed", "paid", "found"))
        n = columns.players
        kind = getattr(columns, "type_of", np.arange(n))
        own = [int(paid[k]) for k in kind] + [
            int(paid[len(columns.size)])
        ] * columns.odd
        base = record.base
        record.runs.append(
            Run(
                base + len(now.values),
                base + start,
                base + packed.end,
                [base + level for level in packed.levels],
                packed.weights,
                record.now["least"],
                record.now["units"],
                [2 * a + int(b) for a, b in zip(own, found.alone, strict=True)],
                found.sets,
            )
        )
        return standing

    def going_on(problem: Any, columns: Any, found: Any, *rest: Any) -> Any:
        record.base += found.free
        return further(problem, columns, found, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(level_by_level, "MOST_EDGES_AT_ONCE", few)
        patch.setattr(level_by_level, "_solve_levels_from", settling)
        patch.setattr(level_by_level, "pack_levels", packing)
        patch.setattr(level_by_level, "find_feasible_duals", paying)
        patch.setattr(level_by_level, "solve_min_cost_matching", matching)
        patch.setattr(engine, "_add_levels", going_on)
        yield record


@dataclass
class Pairs:
    """Pairs that are left of a block, the better way round where that is known, and the levels
    known of them, shape (levels, pairs). `second` is the number of players for a bye."""

    problem: Problem
    first: Ints
    second: Ints
    ways: Ints  # bit 1 as listed, bit 2 the other way round
    known: Ints

    def __len__(self) -> int:
        return len(self.first)

    @property
    def bye(self) -> Ints:
        return np.asarray(self.second == len(self.problem))

    def keep(self, which: Ints) -> None:
        if not which.all():
            self.first, self.second = self.first[which], self.second[which]
            self.ways, self.known = self.ways[which], self.known[:, which]

    def know(self, stop: int) -> None:
        """The levels before `stop`, too: of two ways the one that is better in them."""
        start = len(self.known)
        if stop <= start:
            return
        arcs = _arcs(self.problem, self.first, self.second)
        one = self.problem.costs(arcs, start, stop).T.astype(np.int64)
        other = self.problem.costs(arcs.reversed(), start, stop).T.astype(np.int64)
        better = np.zeros(
            len(self), np.int64
        )  # which is, as the first level that differs says
        for a, b in zip(one, other, strict=True):
            better = np.where(better == 0, np.sign(b - a), better)
        ways = np.where((self.ways == 3) & (better > 0), 1, self.ways)
        self.ways = np.where((self.ways == 3) & (better < 0), 2, ways)
        self.known = np.concatenate([self.known, np.where(self.ways == 2, other, one)])


def _arcs(problem: Problem, first: Ints, second: Ints) -> Arcs:
    return Arcs(first, np.where(second == len(problem), BYE, second))


def _pairs(problem: Problem, first: Ints, second: Ints) -> Pairs:
    """The legal ones of these pairs."""
    arcs = _arcs(problem, first, second)
    ways = problem.legal(arcs).astype(np.int64)
    if problem.state.sided:
        ways += 2 * (problem.legal(arcs.reversed()) & arcs.match)
    found = Pairs(problem, first, second, ways, np.zeros((0, len(first)), np.int64))
    found.keep(ways > 0)
    return found


def every_pair(problem: Problem) -> Iterator[Pairs]:
    """All legal pairs and byes, in blocks."""
    n, odd, row = len(problem), len(problem) % 2, 0
    while row < n:
        rows = np.arange(row, min(row + max(PAIRS // n, 1), n))
        first = np.repeat(rows, n + odd - rows - 1)
        many = n + odd - rows - 1
        place = np.arange(len(first)) - np.repeat(np.cumsum(many) - many, many)
        yield _pairs(problem, first, first + 1 + place)
        row = int(rows[-1]) + 1


def arcs_of_result(result: Result) -> Arcs:
    """The pairing of a result, without requested byes."""
    place = {name: k for k, name in enumerate(result.problem.state.names)}
    rows = [row for row in result.matches if row["status"] != "requested"]
    second = [
        BYE if row["player2"] is None else place[str(row["player2"])] for row in rows
    ]
    return arcs_of([place[str(row["player1"])] for row in rows], second)  # type: ignore[arg-type]


@dataclass
class Extremes:
    """The least and the most that each vertex has in a level, of the pairs that are left."""

    least: Ints
    most: Ints

    def see(self, pairs: Pairs, value: Ints) -> None:
        for end in (pairs.first, pairs.second):
            np.minimum.at(self.least, end, value)
            np.maximum.at(self.most, end, value)

    @property
    def bounds(self) -> tuple[int, int]:
        return -(-sum(self.least.tolist()) // 2), sum(self.most.tolist()) // 2


def require_best(problem: Problem, runs: Sequence[Run], arcs: Arcs) -> tuple[int, ...]:
    """The levels of the pairing `arcs`, which the runs show to be the best of all. AssertionError
    where they do not show it."""
    n, levels = len(problem), len(problem.levels)
    vertices = n + n % 2
    low, high = np.minimum(arcs.first, arcs.second), np.maximum(arcs.first, arcs.second)
    matches = _pairs(
        problem, np.where(arcs.bye, arcs.first, low), np.where(arcs.bye, n, high)
    )
    ends = np.concatenate([matches.first, matches.second])
    assert sorted(ends.tolist()) == list(range(vertices)), "everybody is paired once"
    matches.know(levels)
    own = problem.costs(arcs).T
    assert (own.sum(axis=1) == matches.known.sum(axis=1)).all(), (
        "each the better way round"
    )
    values = tuple(int(total) for total in matches.known.sum(axis=1))
    assert runs[-1].end == levels, "all levels are settled"
    parts = [Checked(problem, run, matches) for run in runs]
    starts = [0, *(run.end for run in runs)]
    assert all(run.start <= start for run, start in zip(runs, starts, strict=False))
    for pairs in every_pair(problem):
        for part in parts:
            part.see(pairs)
            if not len(pairs):
                break
    for part in parts:
        part.require_order()
    return values


class Checked:
    """A run, and the `matches` of the pairing, whose surplus must be nothing."""

    def __init__(self, problem: Problem, run: Run, matches: Pairs) -> None:
        n = len(problem)
        self.run, self.matches, self.vertices = run, matches, n + n % 2
        largest = max(map(abs, run.price), default=0) * 4 + 4 * sum(run.sets.values())
        kind = np.int64 if largest < SAFE else object
        self.price = np.array(run.price, kind)
        self.inside = np.zeros((len(run.sets), self.vertices), np.bool_)
        self.paid = np.array(list(run.sets.values()), kind)
        for row, members in zip(self.inside, run.sets, strict=True):
            assert len(members) % 2 == 1
            row[list(members)] = True
        assert all(price >= 0 for price in run.sets.values()), "an odd set is paid for"
        self.most_of_sets = np.array([0] * self.vertices, kind)
        for row, price in zip(self.inside, self.paid, strict=True):
            self.most_of_sets[row] += price
        self.used = [k for k, weight in enumerate(run.weights) if weight]
        new = [k for k, level in enumerate(run.levels) if run.stop <= level < run.end]
        assert [run.levels[k] for k in new] == list(range(run.stop, run.end)), (
            "none is left out"
        )
        self.new, big = new, 2**62
        self.extremes = {
            k: Extremes(np.full(self.vertices, big), np.full(self.vertices, -big))
            for k in new
        }
        self.fixed = []
        for level in range(run.start, run.stop):
            cost = matches.known[level]
            kinds = [
                np.unique(cost[matches.bye == bye]).tolist() for bye in (False, True)
            ]
            assert all(len(kind) <= 1 for kind in kinds), "all matches have the least"
            self.fixed.append([kind[0] if kind else 0 for kind in kinds])
        left = self.surplus(matches, self.scaled(matches))
        assert (left == 0).all(), f"matches cost their prices, {run} {left}"
        for row in self.inside:
            leaves = row[matches.first] != row[matches.second]
            assert leaves.sum() == 1, "a set with a price is left once"

    def scaled(self, pairs: Pairs) -> dict[int, Ints]:
        """Levels on the scale of their weights."""
        found, bye = {}, pairs.bye
        for k in sorted({*self.used, *self.new}):
            match, of_bye = self.run.least[k]
            cost = pairs.known[self.run.levels[k]] - np.where(bye, of_bye, match)
            assert not (cost % self.run.units[k]).any()
            found[k] = cost // self.run.units[k]
        return found

    def surplus(self, pairs: Pairs, scaled: Mapping[int, Ints]) -> Ints:
        """What pairs cost above prices; without those of sets where they cost more anyhow."""
        one, two = pairs.first, pairs.second
        left = -self.price[one] - self.price[two]
        for k in self.used:
            weight, cost = 4 * self.run.weights[k], scaled[k]
            if (
                left.dtype != object
                and weight * (1 + int(cost.max(initial=0))) >= SAFE // 64
            ):
                left = left.astype(object)
            left = left + weight * (
                cost.astype(object) if left.dtype == object else cost
            )
        if len(self.paid):
            near = np.flatnonzero(
                (left <= self.most_of_sets[one] + self.most_of_sets[two]).astype(
                    np.bool_
                )
            )
            for row, price in zip(self.inside, self.paid, strict=True):
                leaves = near[row[one[near]] != row[two[near]]]
                left[leaves] -= price
        return np.asarray(left)

    def see(self, pairs: Pairs) -> None:
        """Keep of the pairs those of no surplus."""
        for level, least in enumerate(self.fixed, self.run.start):
            pairs.know(level + 1)
            above = pairs.known[level] - np.where(pairs.bye, least[1], least[0])
            assert (above >= 0).all(), f"level {level} is not the least"
            pairs.keep(above == 0)
        pairs.know(self.run.end)
        scaled = self.scaled(pairs)
        for k in self.new:
            self.extremes[k].see(pairs, scaled[k])
        left = self.surplus(pairs, scaled)
        assert (left >= 0).all(), f"a pair costs {-left.min()} less than its prices"
        alike = (left == 0).astype(np.bool_)
        for level in range(
            self.run.stop, self.run.end
        ):  # no pairing of the value has such a pair
            alike &= pairs.known[level] <= self.matches.known[level].sum()
        pairs.keep(alike)

    def require_order(self) -> None:
        """Costs order the levels of the run."""
        reached = {
            k: int(value.sum()) for k, value in self.scaled(self.matches).items()
        }
        gain = 0
        for k in reversed(self.new):
            least, most = self.extremes[k].bounds
            weight = self.run.weights[k]
            assert least <= reached[k] <= most
            if weight == 0:
                assert least == most, "a level that weighs nothing is constant"
            else:
                assert weight > gain, "no later levels make up for one"
                gain += weight * (most - reached[k])
