"""Optima: the optimal pairings as the perfect matchings of a graph, under a few equations."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines import allowed_arcs as kinds
from pairopt.engines.allowed_arcs import (
    LISTED_FIRST,
    OTHER_FIRST,
    AllowedArcs,
    OptimalUse,
)
from pairopt.engines.base import require_integers
from pairopt.engines.matching.edges import Edges, edges_of
from pairopt.engines.odd_sets import component_of
from pairopt.engines.player_types import PairClasses, classes_of, types_of
from pairopt.engines.single_pairs import all_pairs, columns_of, pair_arcs, sided_arcs
from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.problem.model_file import Objective
from pairopt.problem.problem import Problem
from pairopt.sampling.tight_arcs import tighten

MOST_PLAYERS = 3000  # matrices of players by players are in memory
MOST_WEIGHT = 2**62  # weighted sums are kept in machine integers


@dataclass(frozen=True)
class PairingComponent:
    """Players who are paired among themselves in every optimal pairing. Of `k` players (the last
    may be n, for the bye): `code`, shape (k, k), says what kind of pair two of them are, 0 for none
    that an optimal pairing holds. A kind is in `ways` optimal arcs (2 where either side will do),
    and adds `cost`, shape (kinds, rows), to the equations with the sums `totals`. `relaxed` is
    `code` as if no two players had met: pairs that are left out, or in fewer ways, for themselves
    alone are as other pairs of such players.
    """

    players: IntArray
    code: IntArray
    relaxed: IntArray
    ways: IntArray
    cost: IntArray
    totals: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.players)

    @cached_property
    def missing(self) -> IntArray:
        """How many ways fewer a pair has than in the relaxed component, shape (k, k)."""
        return np.asarray(self.ways[self.relaxed] - self.ways[self.code])


@dataclass(frozen=True)
class OptimalPairings:
    """All optimal pairings of a round: those of its components, independently. `number`, shape (n +
    1, n + 1), is the column of each pair, -1 for none; row n is the bye.
    """

    columns: AllowedArcs
    number: IntArray
    components: tuple[PairingComponent, ...]

    def arcs(self, first: IntArray, second: IntArray, rng: kinds.Lots) -> Arcs:
        """The arcs of pairs `first` < `second` (n for the bye), either side where both will do."""
        return sided_arcs(self.columns, first, second, self.number[first, second], rng)


def optima_of(
    problem: Problem, arcs: Arcs, objective: Objective, budget: Budget
) -> OptimalPairings:
    """All pairings that are as good as one that is optimal (a lookahead is not regarded). Raises
    UsageError where a weighted sum is too large, and TimeUpError.
    """
    columns, tight = _tight(problem, arcs, problem.weights(objective), budget)
    budget.check()
    table = _numbers(columns, tight.alive)
    found = _components(columns, tight, table, arcs.partners, problem.state.sided)
    return OptimalPairings(columns, table, tuple(found))


def _tight(
    problem: Problem, arcs: Arcs, weights: tuple[int, ...] | None, budget: Budget
) -> tuple[AllowedArcs, OptimalUse]:
    """Columns and equations of the optimal pairings; columns are pairs where players differ."""
    values = problem.totals(arcs)
    fine = problem.coarse < len(problem.criteria)
    if weights is not None and fine:
        columns = all_pairs(problem, weights)
    else:
        columns = classes_of(
            problem, types_of(problem.attributes(), len(problem)), weights
        )
    now = OptimalUse(np.ones(len(columns), np.bool_))
    if weights is not None:
        exact = columns.weighted(weights)
        value = sum(w * v for w, v in zip(weights, values, strict=True))
        require_integers(value, MOST_WEIGHT)
        cost = np.array(np.minimum(exact, value + 1), np.int64)[:, None]
        return columns, tighten(columns, cost, [value], now, budget)
    coarse = columns.costs.shape[1]
    now = tighten(columns, columns.costs, values[:coarse], now, budget)
    if not fine:
        return columns, now
    edges = edges_of(columns, now.alive)
    pairs = columns_of(problem, pair_arcs(problem, edges.first, edges.second))
    of_class = _numbers(columns, now.alive)[pairs.a, pairs.b]
    rows = tuple((row[of_class], value) for row, value in now.equations)
    now = OptimalUse(np.ones(len(pairs), np.bool_), rows)
    return pairs, tighten(pairs, pairs.costs[:, coarse:], values[coarse:], now, budget)


def _numbers(columns: AllowedArcs, alive: BoolArray) -> IntArray:
    """The column alive of any two players and, in row n, of their byes, -1 for none."""
    if isinstance(columns, PairClasses):
        return columns.table(
            np.append(np.where(alive, np.arange(len(columns)), -1), -1)
        )
    number = np.flatnonzero(alive)
    one, two = columns.a[number], columns.b[number]
    table = np.full((columns.players + 1,) * 2, -1, np.int64)
    table[one, two] = table[two, one] = number
    return table


def _components(
    columns: AllowedArcs,
    tight: OptimalUse,
    number: IntArray,
    partner: IntArray,
    sided: bool,
) -> list[PairingComponent]:
    n = len(number) - 1
    label = component_of(n + 1, *np.nonzero(np.triu(number >= 0)))
    rows = []
    if tight.equations:
        held = np.zeros((n + 1, len(columns) + 1), np.bool_)  # the last for -1
        held[label[:, None], number] = True
        held[:, -1] = False
        for coefficients, _ in tight.equations:
            varies = [
                bool(each.any()) and _varies(coefficients[each])
                for each in held[:, :-1]
            ]
            touched = np.unique(label[np.array(varies)[label]])
            if len(touched):
                label[np.isin(label, touched)] = touched[0]
                held[touched[0]] = held[touched].any(axis=0)
                held[touched[1:]] = False
                rows.append(coefficients)
    special = _special(columns, tight)
    kept = np.unique(label[: n + int(columns.size.sum()) % 2])
    parts = (np.flatnonzero(label == each) for each in kept)
    return [
        _component(one, columns, rows, number, special, partner, sided) for one in parts
    ]


def _varies(cost: IntArray) -> bool:
    return bool(len(cost) and (cost != cost[0]).any())


def _special(columns: AllowedArcs, tight: OptimalUse) -> Edges:
    """Special pairs, with the column alive of other pairs of their types where there is one."""
    none = np.zeros(0, np.int64)
    if not isinstance(columns, PairClasses):
        return Edges(none, none, none)
    low, high = np.divmod(columns.special_keys, len(columns.type_of))
    ta, tb = columns.type_of[low], columns.type_of[high]
    default = columns.default[np.minimum(ta, tb), np.maximum(ta, tb)]
    return Edges(low, high, default).chosen((default >= 0) & tight.alive[default])


def _component(
    players: IntArray,
    columns: AllowedArcs,
    rows: list[IntArray],
    number: IntArray,
    special: Edges,
    partner: IntArray,
    sided: bool,
) -> PairingComponent:
    """The component of these players; kinds are columns that differ in ways or equations."""
    position = np.full(len(number), -1)
    position[players] = np.arange(len(players))
    special = special.chosen(
        (position[special.first] >= 0) & (position[special.second] >= 0)
    )
    own = number[np.ix_(players, players)]
    held = np.zeros(len(columns) + 1, np.bool_)  # the last for -1
    held[own] = held[special.number] = True
    used = np.flatnonzero(held[:-1])
    either = columns.sides[used] == LISTED_FIRST | OTHER_FIRST
    ways = np.where(either & ~columns.bye[used] & sided, 2, 1)
    local = [row[used] for row in rows if _varies(row[used])]
    kinds, kind = np.unique(
        np.column_stack([ways, *local]), axis=0, return_inverse=True
    )
    code_of = np.zeros(len(columns) + 1, np.int64)  # the last for -1
    code_of[used] = kind.ravel() + 1
    table = np.concatenate([np.zeros((1, kinds.shape[1]), np.int64), kinds])
    cost = table[:, 1:]
    start = position[partner[players]]
    once = start > np.arange(len(players))
    code = code_of[own]
    mine = code[once, start[once]]
    relaxed = code.copy()
    one, two = position[special.first], position[special.second]
    its, others = code[one, two], code_of[special.number]
    same = (table[its, 0] <= table[others, 0]) & (cost[its] == cost[others]).all(axis=1)
    relaxed[one, two] = relaxed[two, one] = np.where((its == 0) | same, others, its)
    totals = tuple(cost[mine].sum(axis=0).tolist())
    return PairingComponent(players, code, relaxed, table[:, 0], cost, totals)
