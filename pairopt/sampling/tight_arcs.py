"""Slackness: which columns an optimal pairing can use, shown by a dual solution.

Give every type a price, and every odd set of players a price not below 0. Where no
column costs less than the prices of its two ends and of the odd sets that it leaves, no
pairing costs less than all prices together. If that sum is the level's proven value,
optimal pairings are exactly those that use nothing that costs more, and leave each set
with a price by one match only (complementary slackness; the sets are Edmonds'
inequalities, see `odd_sets`).

Prices are alike for players who are exchangeable, so that pairings can be counted by
types. They are found by a linear program in floating point, with more odd sets as they
turn out to be left by nobody, and verified in whole numbers over a common denominator.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines.allowed_arcs import AllowedArcs, Equation, OptimalUse
from pairopt.engines.odd_sets import component_of, find_odd_set_cuts
from pairopt.engines.ortools import without_ortools
from pairopt.event.arcs import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from ortools.linear_solver.python import model_builder_helper as linear

DENOMINATOR = 240  # prices are fractions with a small common denominator
ROUNDED = 1e-4  # less than what any other such fractions are apart
GLOP = "max_deterministic_time: 3"


@dataclass(frozen=True)
class DualProgram:
    """The linear program of a level's prices: what each column of `index` costs at least. Prices of `equations` are free, those of `sets`, shape (columns of `index`,) each, not below 0."""

    columns: AllowedArcs
    index: IntArray
    cost: IntArray
    equations: tuple[Equation, ...]
    sets: tuple[IntArray, ...]
    budget: Budget

    @property
    def weight(self) -> list[int]:
        """The weight of each price in the bound: first types, then equations, then odd sets."""
        types = [*self.columns.size.tolist(), *([1] if self.columns.odd else [])]
        return [*types, *(value for _, value in self.equations), *[1] * len(self.sets)]

    def bound(self) -> tuple[float, FloatArray] | None:
        """The highest sum of prices, if any, and how often it uses columns. Raises TimeUpError."""
        model, weight = self._model, self.weight
        model.set_objective_coefficients(
            list(range(len(weight))), list(map(float, weight))
        )
        solver = _solve_dual(model, self.budget)
        return (
            None
            if solver is None
            else (solver.objective_value(), np.abs(solver.dual_values()))
        )

    def prices(self, value: int) -> tuple[NDArray[np.object_], list[int]] | None:
        """Exact prices whose sum is the value: each column's slack above them, and those of sets, times one number that makes them whole. As many columns as possible have slack; None where rounding to fractions does not give any. Raises TimeUpError."""
        model, weight, columns = (
            _helper().ModelBuilderHelper(),
            self.weight,
            len(self.index),
        )
        model.overwrite_model(self._model)
        model.clear_objective()
        model.set_maximize(True)
        slacks = model.add_var_array([columns], 0, 1, False, "").tolist()
        _fill(model, range(columns), slacks, [1] * columns)
        model.set_objective_coefficients(slacks, [1.0] * columns)
        total = model.add_linear_constraint()
        model.set_constraint_lower_bound(total, value)
        model.set_constraint_upper_bound(total, value)
        _fill(model, [total] * len(weight), range(len(weight)), weight)
        if (solver := _solve_dual(model, self.budget)) is None:
            return None
        if (found := _whole(solver.variable_values()[: len(weight)])) is None:
            return None
        whole, scale = found
        of_sets = whole[len(whole) - len(self.sets) :]
        exact = sum(price * count for price, count in zip(whole, weight, strict=True))
        if exact != scale * value or any(price < 0 for price in of_sets):
            return None
        slack = [cost * scale for cost in self.cost[self.index].tolist()]
        for row, price, factor in zip(*self._terms, strict=True):
            slack[row] -= factor * whole[price]
        return None if min(slack) < 0 else (np.array(slack, object), of_sets)

    @cached_property
    def _model(self) -> linear.ModelBuilderHelper:
        """The program's prices, and a constraint a column that they do not exceed its cost."""
        self.budget.check()
        model: linear.ModelBuilderHelper = _helper().ModelBuilderHelper()
        model.add_var_array([len(self.weight) - len(self.sets)], -inf, inf, False, "")
        model.add_var_array([len(self.sets)], 0, inf, False, "")
        model.set_maximize(True)
        for cost in self.cost[self.index].tolist():
            model.set_constraint_upper_bound(model.add_linear_constraint(), cost)
        _fill(model, *self._terms)
        return model

    @cached_property
    def _terms(self) -> tuple[list[int], list[int], list[int]]:
        """What prices each column has, as a sparse matrix: rows, prices and factors."""
        a, b = self.columns.a[self.index], self.columns.b[self.index]
        equations = [each[self.index] for each, _ in self.equations]
        dense = np.array([*equations, *self.sets], np.int64).reshape(-1, len(a))
        two, (number, column) = np.flatnonzero(a != b), np.nonzero(dense)
        terms = (
            (np.arange(len(a)), two, column),
            (a, b[two], number + len(self.weight) - len(dense)),
            (1 + (a == b), np.ones(len(two), np.int64), dense[number, column]),
        )
        rows, prices, factors = (np.concatenate(part).tolist() for part in terms)
        return rows, prices, factors


def _whole(prices: FloatArray) -> tuple[list[int], int] | None:
    """Prices as whole numbers over a common denominator, None where there is no small one."""
    scaled = np.outer(np.arange(1, DENOMINATOR + 1), prices)
    near = np.rint(scaled)
    fits = np.flatnonzero((np.abs(scaled - near) < ROUNDED).all(axis=1))
    return (
        (near[fits[0]].astype(np.int64).tolist(), int(fits[0]) + 1)
        if len(fits)
        else None
    )


def _solve_dual(
    model: linear.ModelBuilderHelper, budget: Budget
) -> linear.ModelSolverHelper | None:
    solver = _solver(budget)
    solver.solve(model)
    return solver if solver.status() == _helper().SolveStatus.OPTIMAL else None


def _helper() -> Any:
    """OR-Tools' linear programs. Raises UsageError where OR-Tools is not installed."""
    try:
        return import_module("ortools.linear_solver.python.model_builder_helper")
    except ImportError as error:
        raise without_ortools() from error


def _solver(budget: Budget) -> linear.ModelSolverHelper:
    solver: linear.ModelSolverHelper = _helper().ModelSolverHelper("GLOP")
    solver.set_solver_specific_parameters(GLOP)
    if (left := budget.seconds_left()) is not None:
        solver.set_time_limit_in_seconds(max(left, 0))
    return solver


def _fill(model: linear.ModelBuilderHelper, *terms: Iterable[int]) -> None:
    """Terms of constraints, by their rows, variables and factors."""
    for row, variable, factor in zip(*terms, strict=True):
        model.add_term_to_constraint(row, variable, factor)


MOST_COLUMNS = 20_000  # the linear program is not tried with more
LARGEST = (
    10**9
)  # the linear program is not tried with larger costs: floating point would not do
MOST_TURNS = 60  # so many linear programs look for odd sets
TOLERANCE = 1e-6


def tighten(
    columns: AllowedArcs,
    costs: IntArray,
    values: Sequence[int],
    start: OptimalUse,
    budget: Budget = Budget(),
) -> OptimalUse:
    """`start` after levels of these `costs` and proven values. Raises TimeUpError."""
    now = start
    for cost, value in budget.iterate(zip(costs.T, values, strict=True)):
        alive, least = columns.least(now.alive, cost)
        plain = OptimalUse(alive, now.equations)
        now = (
            plain
            if value == least
            else _certify_level(columns, now, cost, value, budget)
        )
    return now


def _certify_level(
    columns: AllowedArcs, now: OptimalUse, cost: IntArray, value: int, budget: Budget
) -> OptimalUse:
    alive = now.alive & (cost <= value) if (cost >= 0).all() else now.alive
    found = lowest(columns, alive, now.equations, cost, budget)
    if found is None or found.value != value:
        return OptimalUse(alive, (*now.equations, (cost, value)))
    return OptimalUse(
        found.tight, (*now.equations, *((leaves, 1) for leaves in found.once))
    )


@dataclass(frozen=True)
class LevelLowerBound:
    """A proven lower bound of a level, and what pairings that attain it can use. These are the columns `tight`, and each set of `once`, 1 where a column leaves it, is left by one match."""

    value: int
    tight: BoolArray
    once: tuple[IntArray, ...]


def lowest(
    columns: AllowedArcs,
    alive: BoolArray,
    equations: Sequence[Equation],
    cost: IntArray,
    budget: Budget = Budget(),
) -> LevelLowerBound | None:
    """The bound that prices prove for the columns alive under equations. None where there are too many columns, the best bound is no integer, after so many turns, or when the time is up."""
    index = np.flatnonzero(alive)
    if not 0 < len(index) <= MOST_COLUMNS or np.abs(cost[index]).max() > LARGEST:
        return None
    sets = tuple(_odd_sets(columns, index, equations, cost))
    program = DualProgram(columns, index, cost, tuple(equations), sets, budget)
    try:
        for _ in range(MOST_TURNS):
            if (found := program.bound()) is None:
                return None
            bound, use = found
            unseen = _odd_components(columns, index, use > TOLERANCE)
            if not unseen:
                break
            program = replace(program, sets=(*program.sets, *unseen))
        else:
            return None
        value = round(bound)
        prices = program.prices(value) if abs(bound - value) < TOLERANCE else None
    except TimeUpError:
        return None
    if prices is None:
        return None
    slack, priced = prices
    tight = np.zeros(len(columns), np.bool_)
    tight[index[slack == 0]] = True
    once = []
    for leaves, price in zip(program.sets, priced, strict=True):
        if price:
            once.append(np.zeros(len(columns), np.int64))
            once[-1][index] = leaves
    return LevelLowerBound(value, tight, tuple(once))


def _odd_sets(
    columns: AllowedArcs, index: IntArray, equations: Sequence[Equation], cost: IntArray
) -> Iterator[IntArray]:
    """Odd sets that are likely to matter, which a level would keep apart: 1 where left."""
    costs, together = [cost], cost
    for equation, _ in reversed(equations):
        together = together + equation
        costs.append(together)
    for leaving, players in find_odd_set_cuts(columns, index, costs):
        if players % 2 and len(leaving):
            leaves = np.zeros(len(index), np.int64)
            leaves[leaving] = 1
            yield leaves
    a, b = columns.a[index], columns.b[index]
    for t in np.unique(a[a == b]).tolist():
        if columns.size[t] % 2:
            yield ((a == t) != (b == t)).astype(np.int64)


def _odd_components(
    columns: AllowedArcs, index: IntArray, used: BoolArray
) -> list[IntArray]:
    """The components under used columns that hold an odd number of players: nobody leaves them."""
    a, b = columns.a[index], columns.b[index]
    size = np.append(columns.size, int(columns.odd))
    label = component_of(len(size), a[used], b[used])
    players = np.bincount(label, weights=size, minlength=len(size)).astype(np.int64)
    odd = np.flatnonzero(players % 2)
    return [((label[a] == c) != (label[b] == c)).astype(np.int64) for c in odd.tolist()]
