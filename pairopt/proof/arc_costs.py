"""Arc table: what every match of a round costs, both ways round, by the rules alone.

Vertices are the active players in some order and, in an odd field, the bye after them.
"""

from dataclasses import dataclass
from math import gcd

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.player_types import types_of
from pairopt.event.arcs import BYE, Arcs, IntArray, arcs_of
from pairopt.problem.problem import Problem
from pairopt.problem.system import Level, LevelSums

AT_ONCE = 2**20  # so many numbers, one a match and level, are looked at together
Cost = tuple[int, ...]  # what a match costs, one integer a level
Kind = tuple[Cost | None, Cost | None]
"""What two cost when the first of them has the first side, and the second; None for may not."""


@dataclass(frozen=True)
class ArcCostTable:
    """Matches: `kinds` in ascending order, and the `number` of that of any two vertices. The first
    of a kind is the lower vertex. `number`, symmetric, of shape (vertices, vertices), is -1 where
    there is no legal match.
    """

    kinds: tuple[Kind, ...]
    number: IntArray

    @property
    def costs(self) -> list[Cost]:
        """What each kind costs the better way round."""
        return [min(way for way in kind if way is not None) for kind in self.kinds]

    def with_smallest_scales(
        self, levels: tuple[Level, ...]
    ) -> "tuple[ArcCostTable, tuple[Level, ...]]":
        """The same over the smallest scales, which later rounds with finer points leave alone."""
        ways = [way for kind in self.kinds for way in kind if way is not None]
        units = [
            gcd(level.scale, level.offset, *{way[k] for way in ways})
            for k, level in enumerate(levels)
        ]
        kinds = tuple(
            tuple(
                way and tuple(c // u for c, u in zip(way, units, strict=True))
                for way in kind
            )
            for kind in self.kinds
        )
        both = zip(levels, units, strict=True)
        least = (
            each._replace(scale=each.scale // u, offset=each.offset // u)
            for each, u in both
        )
        return ArcCostTable(kinds, self.number), tuple(least)  # type: ignore[arg-type]


def build_arc_table(
    problem: Problem, levels: LevelSums, order: IntArray, budget: Budget
) -> ArcCostTable:
    """The table of levels, of each match by itself. `order` holds the players' positions in the
    state, shape (n,). Raises TimeUpError.
    """
    n = len(problem)
    vertices, seats = n + n % 2, np.append(order, BYE)
    one, two = np.triu_indices(vertices, 1)
    kinds: dict[Kind | None, int] = {None: -1}
    found = np.empty(len(one), np.int64)
    step = AT_ONCE // (len(levels.levels) + 1) + 1
    for start in budget.iterate(range(0, len(one), step)):
        i, j = one[start : start + step], two[start : start + step]
        found[start : start + step] = _number_kinds(
            problem, levels, arcs_of(seats[i], seats[j]), kinds
        )
    del kinds[None]
    names = sorted(
        kinds, key=lambda kind: [(way is None, way or ()) for way in kind or ()]
    )
    place = np.full(len(names) + 1, -1)
    place[[kinds[kind] for kind in names]] = np.arange(len(names))
    number = np.full((vertices, vertices), -1, np.int64)
    number[one, two] = number[two, one] = place[found]
    return ArcCostTable(tuple(kind for kind in names if kind is not None), number)


def _number_kinds(
    problem: Problem, levels: LevelSums, arcs: Arcs, kinds: dict[Kind | None, int]
) -> IntArray:
    """The kind of each arc; new ones are put to `kinds`."""
    m, both = len(arcs), arcs.both_ways
    legal, costs = problem.legal(both), levels.costs(both)
    legal[m:] &= arcs.match
    costs[~legal] = 0
    ways = np.column_stack([legal[:m], legal[m:]])
    rows = np.hstack([costs[:m], costs[m:]])
    alike = types_of([*ways.T, *rows.T], m)
    first = np.empty(int(alike.max(initial=-1)) + 1, np.int64)
    first[alike] = np.arange(m)
    number, width = np.empty_like(first), costs.shape[1]
    every = zip(ways[first].tolist(), rows[first].tolist(), strict=True)
    for k, ((there, back), row) in enumerate(every):
        one = _decisive(levels, row[:width]) if there else None
        other = _decisive(levels, row[width:]) if back else None
        kind = (one, other) if there or back else None
        number[k] = kinds.setdefault(kind, len(kinds) - 1)
    return number[alike]


def _decisive(levels: LevelSums, costs: list[int]) -> Cost:
    """What decides: all levels, or their weighted sum."""
    if levels.weights is None:
        return tuple(costs)
    return (sum(w * c for w, c in zip(levels.weights, costs, strict=True)),)
