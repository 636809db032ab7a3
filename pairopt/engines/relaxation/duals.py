"""Slackness: which columns an optimal pairing can use, shown by a dual solution.

Give every type a price, and every odd set of players a price not below 0. Where no column costs
less than the prices of its two ends and of the odd sets that it leaves, no pairing costs less
than all prices together. If that sum is the level's proven value, optimal pairings are exactly
those that use nothing that costs more, and leave each set with a price by one match only
(complementary slackness; the sets are Edmonds' inequalities, see `engines.parity`).

Prices are found by a linear program in floating point, with more odd sets as they turn out to be
left by nobody, and verified in exact fractions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ortools.linear_solver.python import model_builder

from pairopt.engines.base import Budget, TimeUpError
from pairopt.engines.relaxation.columns import Columns, Equation, exact_total
from pairopt.engines.relaxation.odd_sets import component_of, parity_sets
from pairopt.event.arcs import BoolArray, FloatArray, IntArray

MOST_COLUMNS = 20_000
"""The linear program is not tried with more."""
DENOMINATOR = 240
"""Prices are fractions with small denominators."""
LARGEST = 10**9
"""The linear program is not tried with larger costs: floating point would not do."""
GLOP = "max_deterministic_time: 3"
MOST_TURNS = 12
"""Linear programs that look for odd sets, where nobody says how many."""
PATIENT_TURNS = 60
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Tight:
    """What the optimal pairings of some levels can use: columns and equations."""

    alive: BoolArray
    equations: tuple[Equation, ...] = ()


def tightened(
    columns: Columns,
    costs: IntArray,
    values: Sequence[int],
    start: Tight,
    budget: Budget = Budget(),
) -> Tight:
    """`start` after more levels: their `costs`, shape (columns, levels), and proven values.

    Raises TimeUpError.
    """
    now = start
    for cost, value in budget.watched(zip(costs.T, values, strict=True)):
        alive = _at_bound(columns, now.alive, cost, value)
        if alive is None:
            now = _certified(columns, now, cost, value, budget)
        else:
            now = Tight(alive, now.equations)
    return now


def _at_bound(columns: Columns, alive: BoolArray, cost: IntArray, value: int) -> BoolArray | None:
    """What is left where each match and the bye must cost the least there is, else None."""
    bye = columns.bye
    matches = int(columns.size.sum()) // 2
    if not alive.any():
        return alive
    least = int(cost[alive & ~bye].min(initial=cost[alive].max()))
    least_bye = int(cost[alive & bye].min()) if (alive & bye).any() else 0
    if value != matches * least + least_bye:
        return None
    tight: BoolArray = alive & (cost == np.where(bye, least_bye, least))
    return tight


def _certified(columns: Columns, now: Tight, cost: IntArray, value: int, budget: Budget) -> Tight:
    """What is left after a level above its bound: by prices, or with one equation more."""
    alive = now.alive & (cost <= value) if (cost >= 0).all() else now.alive
    found = lowest(columns, alive, now.equations, cost, budget, PATIENT_TURNS)
    if found is None or found.value != value:
        return Tight(alive, (*now.equations, (cost, value)))
    return Tight(found.tight, (*now.equations, *((leaves, 1) for leaves in found.once)))


@dataclass(frozen=True)
class Lowest:
    """A proven lower bound of a level, and what pairings that attain it can use.

    These are the columns `tight`, and each set of `once`, 1 where a column leaves it, is left by
    one match. `use` is such a pairing where the linear program has happened to find one.
    """

    value: int
    tight: BoolArray
    once: tuple[IntArray, ...]
    use: IntArray | None


def lowest(
    columns: Columns,
    alive: BoolArray,
    equations: Sequence[Equation],
    cost: IntArray,
    budget: Budget = Budget(),
    turns: int = MOST_TURNS,
) -> Lowest | None:
    """The bound that prices prove for the columns alive under equations.

    None where there are too many columns, the best bound is no integer, after so many turns, or
    when the time is up.
    """
    try:
        found = _separated(columns, alive, equations, cost, budget, turns)
        if found is None:
            return None
        program, bound, use = found
        index, value = program.index, round(bound)
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
    whole = np.zeros(len(columns), np.int64)
    whole[index] = np.rint(use)
    fits = _is_pairing(columns, whole, [*equations, (cost, value)])
    return Lowest(value, tight, tuple(once), whole if fits else None)


def _separated(
    columns: Columns,
    alive: BoolArray,
    equations: Sequence[Equation],
    cost: IntArray,
    budget: Budget,
    turns: int,
) -> tuple[_Program, float, FloatArray] | None:
    """The program with all odd sets that its own solution leaves to themselves."""
    index = np.flatnonzero(alive)
    if not 0 < len(index) <= MOST_COLUMNS or np.abs(cost[index]).max() > LARGEST:
        return None
    sets = tuple(_odd_sets(columns, index, equations, cost))
    program = _Program(columns, index, cost, tuple(equations), sets, budget)
    for _ in range(turns):
        bound, use = program.bound()
        if not np.isfinite(bound):
            return None
        violated = _odd_components(columns, index, use > TOLERANCE)
        if not violated:
            return program, bound, use
        program = replace(program, sets=(*program.sets, *violated))
    return None


def _is_pairing(columns: Columns, use: IntArray, equations: Sequence[Equation]) -> bool:
    """Whether columns used so often hold every player once and satisfy the equations."""
    needed = np.append(columns.size, int(columns.odd))
    held = np.bincount(columns.a, use, len(needed)) + np.bincount(columns.b, use, len(needed))
    return bool(
        np.array_equal(held, needed)
        and (use <= columns.cap).all()
        and all(exact_total(use, equation) == value for equation, value in equations)
    )


def _odd_sets(
    columns: Columns, index: IntArray, equations: Sequence[Equation], cost: IntArray
) -> Iterator[IntArray]:
    """Sets of an odd number of players that are likely to matter: 1 where a column leaves one.

    Those that a level would keep apart, and single types that have matches inside.
    """
    costs, together = [cost], cost
    for equation, _ in reversed(equations):
        together = together + equation
        costs.append(together)
    for leaving, players in parity_sets(columns, index, costs):
        if players % 2 and len(leaving):
            leaves = np.zeros(len(index), np.int64)
            leaves[leaving] = 1
            yield leaves
    a, b = columns.a[index], columns.b[index]
    for t in np.unique(a[a == b]).tolist():
        if columns.size[t] % 2:
            yield ((a == t) != (b == t)).astype(np.int64)


def _odd_components(columns: Columns, index: IntArray, used: BoolArray) -> list[IntArray]:
    """The components under used columns that hold an odd number of players: nobody leaves them."""
    a, b = columns.a[index], columns.b[index]
    size = np.append(columns.size, int(columns.odd))
    label = component_of(len(size), a[used], b[used])
    players = np.bincount(label, weights=size, minlength=len(size)).astype(np.int64)
    odd = np.flatnonzero(players % 2)
    return [((label[a] == c) != (label[b] == c)).astype(np.int64) for c in odd.tolist()]


@dataclass(frozen=True)
class _Program:
    """The linear program of the prices of a level: what each column of `index` costs at least.

    `equations` are those so far, whose prices are free; `sets`, shape (columns of `index`,)
    each, are left by one match at least, so that their prices are not below 0.
    """

    columns: Columns
    index: IntArray
    cost: IntArray
    equations: tuple[Equation, ...]
    sets: tuple[IntArray, ...]
    budget: Budget

    @property
    def weight(self) -> list[int]:
        """What the prices count for in the bound: types, equations, sets."""
        types = [*self.columns.size.tolist(), *([1] if self.columns.odd else [])]
        return [*types, *(value for _, value in self.equations), *[1] * len(self.sets)]

    def bound(self) -> tuple[float, FloatArray]:
        """The highest sum of prices, and how often the columns are used (maybe in part) for it."""
        model, prices, columns = self._model(slack=False)
        model.maximize(_sum(prices, self.weight))
        solver = _solver(self.budget)
        if solver.solve(model) != model_builder.SolveStatus.OPTIMAL:
            return float("-inf"), np.zeros(len(self.index))
        use = np.array([solver.dual_value(column) for column in columns])
        return float(solver.objective_value), np.abs(use)

    def prices(self, value: int) -> tuple[NDArray[np.object_], list[Fraction]] | None:
        """Exact prices whose sum is the value: each column's slack above them, and those of sets.

        Among such prices those that leave as many columns as possible with slack; None where
        rounding to fractions does not give any.
        """
        model, prices, slacks = self._model(slack=True)
        model.add(_sum(prices, self.weight) == value)
        model.maximize(_sum(slacks, [1] * len(slacks)))
        solver = _solver(self.budget)
        if solver.solve(model) != model_builder.SolveStatus.OPTIMAL:
            return None
        found = [Fraction(solver.value(p)).limit_denominator(DENOMINATOR) for p in prices]
        types = len(found) - len(self.equations) - len(self.sets)
        ends, of_sets = np.array([*found[:types], Fraction(0)], object), found[types:]
        of_equations, of_sets = of_sets[: len(self.equations)], of_sets[len(self.equations) :]
        total = sum(price * weight for price, weight in zip(found, self.weight, strict=True))
        if total != value or any(price < 0 for price in of_sets):
            return None
        a, b = self.columns.a[self.index], self.columns.b[self.index]
        slack = self.cost[self.index].astype(object) - ends[a] - ends[b]
        for price, (equation, _) in zip(of_equations, self.equations, strict=True):
            slack = slack - price * equation[self.index].astype(object) if price else slack
        for price, leaves in zip(of_sets, self.sets, strict=True):
            slack = slack - price * leaves.astype(object) if price else slack
        return None if (slack < 0).any() else (slack, of_sets)

    def _model(self, slack: bool) -> tuple[model_builder.Model, list[Any], list[Any]]:
        """The program, its prices, and its columns' constraints or, if wanted, slacks up to 1.

        Raises TimeUpError.
        """
        model = model_builder.Model()  # type: ignore[no-untyped-call]
        infinity = float("inf")
        count = len(self.weight)
        prices = [
            model.new_num_var(0 if k >= count - len(self.sets) else -infinity, infinity, "")
            for k in range(count)
        ]
        types = count - len(self.equations) - len(self.sets)
        terms_of = [equation[self.index] for equation, _ in self.equations] + list(self.sets)
        terms: list[list[tuple[int, int]]] = []
        ends = zip(
            self.columns.a[self.index].tolist(), self.columns.b[self.index].tolist(), strict=True
        )
        for a, b in self.budget.watched(ends):
            terms.append([(a, 2)] if a == b else [(a, 1), (b, 1)])
        for r, factors in enumerate(self.budget.watched(terms_of)):
            for k in np.flatnonzero(factors).tolist():
                terms[k].append((types + r, int(factors[k])))
        made: list[Any] = []
        costs = self.cost[self.index].tolist()
        for term, cost in self.budget.watched(zip(terms, costs, strict=True)):
            below = _sum([prices[p] for p, _ in term], [factor for _, factor in term])
            if slack:
                made.append(model.new_num_var(0, 1, ""))
                model.add(below + made[-1] <= cost)
            else:
                made.append(model.add(below <= cost))
        return model, prices, made


def _solver(budget: Budget) -> model_builder.Solver:
    solver = model_builder.Solver("GLOP")
    solver.set_solver_specific_parameters(GLOP)
    if (left := budget.left()) is not None:
        solver.set_time_limit_in_seconds(max(left, 0))
    return solver


def _sum(variables: Sequence[Any], factors: Sequence[int]) -> Any:
    return model_builder.LinearExpr.weighted_sum(variables, list(map(float, factors)))
