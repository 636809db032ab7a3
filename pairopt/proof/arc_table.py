"""Arc table: what every arc of a round costs in levels that come together, by the rules alone.

Vertices are the active players in some order and, in an odd field, the bye after them. Arcs have
a direction: who has the first side comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pairopt.budget import Budget
from pairopt.engines.contract import require_alike, sample_of
from pairopt.engines.types import types_of
from pairopt.event.arcs import BYE, Arcs, BoolArray, IntArray, arcs_of
from pairopt.problem.problem import Problem
from pairopt.problem.summed import Summed

AT_ONCE = 2**20
"""So many numbers, one an arc and level, are looked at together."""
Cost = tuple[int, ...]
"""What an arc costs, one integer a level."""
ArcKind = tuple[Cost | None, Cost | None]
"""What two cost when the first of them has the first side, and when the second has it.

None where that may not be.
"""


@dataclass(frozen=True)
class ArcTable:
    """Arcs: `kinds` in ascending order, and the number of the kind of any two, the first first.

    `number`, shape (vertices, vertices), is -1 where there is no legal arc.
    """

    kinds: tuple[ArcKind, ...]
    number: IntArray

    @property
    def costs(self) -> list[Cost]:
        """What each kind costs the better way round."""
        return [min(way for way in kind if way is not None) for kind in self.kinds]

    def cut(self, levels: int) -> ArcTable:
        """The table of so many levels, the first."""
        short: list[ArcKind] = [
            (one and one[:levels], other and other[:levels]) for one, other in self.kinds
        ]
        kinds = {kind: k for k, kind in enumerate(dict.fromkeys(short))}
        place = np.array([*(kinds[kind] for kind in short), -1])
        return ArcTable(tuple(kinds), place[self.number])


def arc_table(
    problem: Problem,
    levels: Sequence[Summed],
    order: IntArray,
    alive: BoolArray | None = None,
    budget: Budget = Budget(),
) -> ArcTable:
    """The table of levels that come together.

    `order` holds the players' positions in the state, shape (n,). With the arcs that are `alive`,
    symmetric, only of these and as if each way round were legal. Raises TimeUpError.
    """
    n = len(problem)
    vertices, seats = n + n % 2, np.append(order, BYE)
    number = np.full((vertices, vertices), -1, np.int64)
    one, two = np.triu_indices(vertices, 1) if alive is None else np.nonzero(np.triu(alive))
    kinds: dict[ArcKind, int] = {}
    width = sum(len(some.levels) for some in levels)
    for start in budget.watched(range(0, len(one), step := AT_ONCE // (width + 1) + 1)):
        i, j = one[start : start + step], two[start : start + step]
        number[i, j], number[j, i] = _numbered(
            problem, levels, arcs_of(seats[i], seats[j]), kinds, alive is None
        )
    return _in_order(kinds, number)


def table_by_types(
    problem: Problem, levels: Summed, order: IntArray, budget: Budget = Budget()
) -> ArcTable:
    """The same table of all arcs, from types of exchangeable players where there are such.

    It says what an engine sees of the round: quickly, but not by the rules for each arc.
    Raises TimeUpError, and EngineError where an arc is seen not to be as others of its types.
    """
    n, kinds = len(problem), dict[ArcKind, int]()
    if not levels.attributes:
        return arc_table(problem, [levels], order, budget=budget)
    type_of = types_of(levels.attributes, n)
    one = np.empty(int(type_of.max()) + 1, np.int64)
    one[type_of] = np.arange(n)
    a, b = np.triu_indices(len(one))
    block = np.empty((len(one), len(one)), np.int64)
    for start in budget.watched(range(0, len(a), step := AT_ONCE // (len(levels.levels) + 1) + 1)):
        i, j = a[start : start + step], b[start : start + step]
        typical = arcs_of(one[i], one[j], typical=True)
        block[i, j], block[j, i] = _numbered(problem, [levels], typical, kinds)
    kind = np.append(type_of, len(one)) if n % 2 else type_of
    number = np.pad(block, (0, 1), constant_values=-1)[kind[:, None], kind]
    np.fill_diagonal(number, -1)
    pairs, sample = problem.special_pairs(), sample_of(type_of, problem.seed)
    budget.check()
    number[pairs[:, 0], pairs[:, 1]], number[pairs[:, 1], pairs[:, 0]] = _numbered(
        problem, [levels], arcs_of(*pairs.T), kinds
    )
    seen, _ = _numbered(problem, [levels], arcs_of(*sample.T), kinds)
    alike = seen == number[sample[:, 0], sample[:, 1]]
    if n % 2:
        byes = arcs_of(np.arange(n), np.full(n, BYE))
        number[:n, n], number[n, :n] = _numbered(problem, [levels], byes, kinds)
        alike = np.append(alike, number[:n, n] == number[one[type_of], n])
    require_alike(problem, type_of, sample, alike)
    seats = np.append(order, n) if n % 2 else order
    return _in_order(kinds, number[seats[:, None], seats])


def table_of_one(levels: Summed, order: IntArray, own: int, alive: BoolArray) -> ArcTable:
    """The table of a level in which only the arcs of the vertex `own` count, of arcs `alive`."""
    others, seats = np.flatnonzero(alive[own]), np.append(order, BYE)
    one, two = np.sort([np.full(len(others), own), others], axis=0)
    amounts = levels.costs(arcs_of(seats[one], seats[two]))[:, 0]
    values = sorted({*amounts.tolist()} - {0})
    number = np.where(alive, 0, -1)
    number[own, others] = number[others, own] = np.searchsorted([0, *values], amounts)
    return ArcTable(tuple(((value,), (value,)) for value in [0, *values]), number)


def _numbered(
    problem: Problem,
    levels: Sequence[Summed],
    arcs: Arcs,
    kinds: dict[ArcKind, int],
    sides: bool = True,
) -> tuple[IntArray, IntArray]:
    """The kinds of arcs, and those of the same the other way; new ones are put to `kinds`.

    Without `sides` both ways round are legal, and cost the same.
    """
    m = len(arcs)
    both = arcs.both_ways if sides else arcs
    costs = np.hstack([np.zeros((len(both), 0), np.int64), *(some.costs(both) for some in levels)])
    legal = problem.legal(both) if sides else np.ones(m, np.bool_)
    ways = np.zeros((m, 2), np.bool_)
    ways[:, 0], ways[:, 1] = legal[:m], legal[-m:] if m else legal
    costs = np.hstack([costs[:m], costs[-m:] if m else costs])
    width = costs.shape[1] // 2
    if sides:
        ways[:, 1] &= arcs.match
    costs[:, :width][~ways[:, 0]] = 0
    costs[:, width:][~ways[:, 1]] = 0
    alike = types_of([*ways.T, *costs.T], m)
    rows = np.empty(int(alike.max(initial=-1)) + 1, np.int64)
    rows[alike] = np.arange(m)
    straight, turned = np.empty_like(rows), np.empty_like(rows)
    every = zip(ways[rows].tolist(), costs[rows].tolist(), strict=True)
    for k, (there, row) in enumerate(every):
        one, other = _weighted(levels, row[:width]), _weighted(levels, row[width:])
        kind = one if there[0] else None, other if there[1] else None
        if kind == (None, None):
            straight[k] = turned[k] = -1
        else:
            straight[k] = kinds.setdefault(kind, len(kinds))
            turned[k] = kinds.setdefault(kind[::-1], len(kinds))
    return straight[alike], turned[alike]


def _weighted(levels: Sequence[Summed], costs: list[int]) -> Cost:
    """What decides: all levels, or their weighted sum."""
    for some in levels:
        if some.weights is not None:
            return (sum(w * c for w, c in zip(some.weights, costs, strict=True)),)
    return tuple(costs)


def _in_order(kinds: dict[ArcKind, int], number: IntArray) -> ArcTable:
    used = np.unique(number[number >= 0]).tolist()
    names = list(kinds)
    ascending = sorted(used, key=lambda k: [(way is None, way or ()) for way in names[k]])
    place = np.full(len(kinds) + 1, -1, np.int64)
    place[ascending] = np.arange(len(ascending))
    return ArcTable(tuple(names[k] for k in ascending), place[number])
