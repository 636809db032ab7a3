"""Arc table: what every arc of a round costs, worked out by the rules alone.

Vertices are the active players in some order and, in an odd field, the bye after them. An arc
between two of them is the better legal way round; costs are those of the levels that decide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pairopt.budget import Budget
from pairopt.engines.types import classes_of, legal_ways, types_of
from pairopt.event.arcs import BYE, IntArray, arcs_of
from pairopt.problem.model_file import Objective
from pairopt.problem.problem import Problem
from pairopt.problem.weights import model_weights

AT_ONCE = 2**20
"""So many numbers, one an arc and level, are looked at together."""
ArcKind = tuple[int, ...]
"""What an arc costs, one integer a level."""


@dataclass(frozen=True)
class ArcTable:
    """Every arc of a round: `kinds` in ascending order, and the number of each arc's kind.

    `number` is symmetric, shape (vertices, vertices), -1 where there is no legal arc.
    """

    kinds: tuple[ArcKind, ...]
    number: IntArray


def arc_table(
    problem: Problem, objective: Objective, order: IntArray, budget: Budget = Budget()
) -> ArcTable:
    """The table of a round; `order` holds the players' positions in the state, shape (n,).

    Raises TimeUpError.
    """
    n = len(problem)
    given = model_weights(problem) if objective == "weighted" else None
    weights = given[0] if given else None
    one, two = np.triu_indices(n, 1)
    if problem.state.odd:
        one, two = np.append(one, np.arange(n)), np.append(two, np.full(n, n))
    seats = np.append(order, BYE)
    number = np.full((n + n % 2, n + n % 2), -1, np.int64)
    kinds: dict[ArcKind, int] = {}
    step = AT_ONCE // (len(problem.levels) + 1) + 1
    for start in budget.watched(range(0, len(one), step)):
        i, j = one[start : start + step], two[start : start + step]
        sides, costs = legal_ways(problem, arcs_of(seats[i], seats[j]), weights)
        legal = np.flatnonzero(sides)
        number[i[legal], j[legal]] = _numbered(costs[legal], weights, kinds)
    return _in_order(kinds, np.maximum(number, number.T))


def table_by_classes(
    problem: Problem, objective: Objective, order: IntArray, budget: Budget = Budget()
) -> ArcTable:
    """The same table, from classes of exchangeable arcs where all levels have them.

    It says what an engine sees of the round: quickly, but not by the rules for each arc.
    Raises TimeUpError, and EngineError where an arc is seen not to be as its class.
    """
    n = len(problem)
    if problem.coarse < len(problem.criteria):
        return arc_table(problem, objective, order, budget)
    given = model_weights(problem) if objective == "weighted" else None
    weights = given[0] if given else None
    classes = classes_of(problem, types_of(problem.attributes(), n), weights)
    kinds: dict[ArcKind, int] = {}
    kind_of = np.append(_numbered(classes.costs, weights, kinds), -1)
    seats = np.append(order, np.arange(n, n + n % 2))
    return _in_order(kinds, classes.table(kind_of)[np.ix_(seats, seats)])


def _numbered(
    costs: IntArray, weights: tuple[int, ...] | None, kinds: dict[ArcKind, int]
) -> IntArray:
    """The kinds of arcs with these costs, shape (arcs, levels); new ones are put to `kinds`."""
    alike = types_of(list(costs.T), len(costs))
    rows = np.empty(int(alike.max(initial=-1)) + 1, np.int64)
    rows[alike] = np.arange(len(costs))
    found = [_kind(row, weights) for row in costs[rows].tolist()]
    numbers = np.array([kinds.setdefault(kind, len(kinds)) for kind in found], np.int64)
    return numbers[alike]


def _in_order(kinds: dict[ArcKind, int], number: IntArray) -> ArcTable:
    ascending = sorted(kinds)
    place = np.empty(len(kinds) + 1, np.int64)
    place[[kinds[kind] for kind in ascending]] = np.arange(len(kinds))
    place[-1] = -1
    return ArcTable(tuple(ascending), place[number])


def _kind(costs: list[int], weights: tuple[int, ...] | None) -> ArcKind:
    """What decides: all levels, or their weighted sum."""
    if weights is None:
        return tuple(costs)
    return (sum(w * c for w, c in zip(weights, costs, strict=True)),)
