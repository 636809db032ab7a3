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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ortools.linear_solver.python import model_builder

from pairopt.engines.relaxation.columns import Columns, Row, exact_total
from pairopt.engines.relaxation.odd_sets import components, parity_sets
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
    rows: tuple[Row, ...] = ()


def tightened(columns: Columns, costs: IntArray, values: Sequence[int], start: Tight) -> Tight:
    """`start` after further levels: their `costs`, shape (columns, levels), and proven values."""
    now = start
    for cost, value in zip(costs.T, values, strict=True):
        alive = _at_bound(columns, now.alive, cost, value)
        now = Tight(alive, now.rows) if alive is not None else _certified(columns, now, cost, value)
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


def _certified(columns: Columns, now: Tight, cost: IntArray, value: int) -> Tight:
    """What is left after a level above its bound: by prices, or with one equation more."""
    alive = now.alive & (cost <= value) if (cost >= 0).all() else now.alive
    found = lowest(columns, alive, now.rows, cost, turns=PATIENT_TURNS)
    if found is None or found.value != value:
        return Tight(alive, (*now.rows, (cost, value)))
    return Tight(found.tight, (*now.rows, *((leaves, 1) for leaves in found.once)))


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
    rows: Sequence[Row],
    cost: IntArray,
    stopped: Callable[[], bool] = lambda: False,
    turns: int = MOST_TURNS,
) -> Lowest | None:
    """The bound that prices prove for the columns alive under equations.

    None where there are too many columns, the best bound is no integer, or after so many turns.
    """
    found = _separated(columns, alive, rows, cost, stopped, turns)
    if found is None:
        return None
    program, bound, use = found
    index, value = program.index, round(bound)
    prices = program.prices(value) if abs(bound - value) < TOLERANCE else None
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
    fits = _is_pairing(columns, whole, [*rows, (cost, value)])
    return Lowest(value, tight, tuple(once), whole if fits else None)


def _separated(
    columns: Columns,
    alive: BoolArray,
    rows: Sequence[Row],
    cost: IntArray,
    stopped: Callable[[], bool],
    turns: int,
) -> tuple[_Program, float, FloatArray] | None:
    """The program with all odd sets that its own solution leaves to themselves."""
    index = np.flatnonzero(alive)
    if not 0 < len(index) <= MOST_COLUMNS or np.abs(cost[index]).max() > LARGEST:
        return None
    program = _Program(
        columns, index, cost, tuple(rows), tuple(_odd_sets(columns, index, rows, cost))
    )
    for _ in range(turns):
        bound, use = program.bound()
        if not np.isfinite(bound) or stopped():
            return None
        violated = _odd_components(columns, index, use > TOLERANCE)
        if not violated:
            return program, bound, use
        program = replace(program, sets=(*program.sets, *violated))
    return None


def _is_pairing(columns: Columns, use: IntArray, rows: Sequence[Row]) -> bool:
    """Whether columns used so often hold every player once and satisfy the equations."""
    needed = np.append(columns.size, int(columns.odd))
    held = np.bincount(columns.a, use, len(needed)) + np.bincount(columns.b, use, len(needed))
    return bool(
        np.array_equal(held, needed)
        and (use <= columns.cap).all()
        and all(exact_total(use, row) == value for row, value in rows)
    )


def _odd_sets(
    columns: Columns, index: IntArray, rows: Sequence[Row], cost: IntArray
) -> Iterator[IntArray]:
    """Sets of an odd number of players that are likely to matter: 1 where a column leaves one.

    Those that a level would keep apart, and single types that have matches inside.
    """
    costs, together = [cost], cost
    for row, _ in reversed(rows):
        together = together + row
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
    label = components(len(size), a[used], b[used])
    players = np.bincount(label, weights=size, minlength=len(size)).astype(np.int64)
    odd = np.flatnonzero(players % 2)
    return [((label[a] == c) != (label[b] == c)).astype(np.int64) for c in odd.tolist()]


@dataclass(frozen=True)
class _Program:
    """The linear program of the prices of a level: what each column of `index` costs at least.

    `rows` are the equations so far, whose prices are free; `sets`, shape (columns of `index`,)
    each, are left by one match at least, so that their prices are not below 0.
    """

    columns: Columns
    index: IntArray
    cost: IntArray
    rows: tuple[Row, ...]
    sets: tuple[IntArray, ...]

    @property
    def weight(self) -> list[int]:
        """What the prices count for in the bound: types, rows, sets."""
        types = [*self.columns.size.tolist(), *([1] if self.columns.odd else [])]
        return [*types, *(value for _, value in self.rows), *[1] * len(self.sets)]

    def bound(self) -> tuple[float, FloatArray]:
        """The highest sum of prices, and how often the columns are used (maybe in part) for it."""
        model, prices, columns = self._model(slack=False)
        model.maximize(_sum(prices, self.weight))
        solver = _solver()
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
        solver = _solver()
        if solver.solve(model) != model_builder.SolveStatus.OPTIMAL:
            return None
        found = [Fraction(solver.value(p)).limit_denominator(DENOMINATOR) for p in prices]
        types = len(found) - len(self.rows) - len(self.sets)
        ends, of_sets = np.array([*found[:types], Fraction(0)], object), found[types:]
        of_rows, of_sets = of_sets[: len(self.rows)], of_sets[len(self.rows) :]
        total = sum(price * weight for price, weight in zip(found, self.weight, strict=True))
        if total != value or any(price < 0 for price in of_sets):
            return None
        a, b = self.columns.a[self.index], self.columns.b[self.index]
        slack = self.cost[self.index].astype(object) - ends[a] - ends[b]
        for price, (row, _) in zip(of_rows, self.rows, strict=True):
            slack = slack - price * row[self.index].astype(object) if price else slack
        for price, leaves in zip(of_sets, self.sets, strict=True):
            slack = slack - price * leaves.astype(object) if price else slack
        return None if (slack < 0).any() else (slack, of_sets)

    def _model(self, slack: bool) -> tuple[model_builder.Model, list[Any], list[Any]]:
        """The program, its prices, and its columns' constraints or, if wanted, slacks up to 1."""
        model = model_builder.Model()  # type: ignore[no-untyped-call]
        infinity = float("inf")
        count = len(self.weight)
        prices = [
            model.new_num_var(0 if k >= count - len(self.sets) else -infinity, infinity, "")
            for k in range(count)
        ]
        types = count - len(self.rows) - len(self.sets)
        rows = [row[self.index] for row, _ in self.rows] + list(self.sets)
        terms: list[list[tuple[int, int]]] = []
        ends = zip(
            self.columns.a[self.index].tolist(), self.columns.b[self.index].tolist(), strict=True
        )
        for a, b in ends:
            terms.append([(a, 2)] if a == b else [(a, 1), (b, 1)])
        for r, row in enumerate(rows):
            for k in np.flatnonzero(row).tolist():
                terms[k].append((types + r, int(row[k])))
        made: list[Any] = []
        for term, cost in zip(terms, self.cost[self.index].tolist(), strict=True):
            below = _sum([prices[p] for p, _ in term], [factor for _, factor in term])
            if slack:
                made.append(model.new_num_var(0, 1, ""))
                model.add(below + made[-1] <= cost)
            else:
                made.append(model.add(below <= cost))
        return model, prices, made


def _solver() -> model_builder.Solver:
    solver = model_builder.Solver("GLOP")
    solver.set_solver_specific_parameters(GLOP)
    return solver


def _sum(variables: Sequence[Any], factors: Sequence[int]) -> Any:
    return model_builder.LinearExpr.weighted_sum(variables, list(map(float, factors)))
