"""Slackness: which columns an optimal pairing can use, shown by a dual solution.

Give every type a price, and every odd set of players a price not below 0. Where no column costs
less than the prices of its two ends and of the odd sets that it leaves, no pairing costs less
than all prices together. If that sum is the level's proven value, optimal pairings are exactly
those that use nothing that costs more, and leave each set with a price by one match only
(complementary slackness; the sets are Edmonds' inequalities, see `engines.cpsat.parity`).

Prices are guessed by a linear program in floating point and verified in exact fractions. A
level for which that fails stays what it is: an equation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from ortools.linear_solver import pywraplp

from pairopt.arcs import BoolArray, IntArray
from pairopt.engines.columns import Columns
from pairopt.engines.cpsat.parity import parity_sets

MOST_COLUMNS = 4000
"""The linear program is not tried with more."""
DENOMINATOR = 240
"""Prices are fractions with small denominators."""

Row = tuple[IntArray, int]
"""An equation over the columns: coefficients, shape (columns,), and their sum's value."""


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
    kept = Tight(alive, (*now.rows, (cost, value)))
    if alive.sum() > MOST_COLUMNS:
        return kept
    sets = list(_odd_sets(columns, alive, cost, now.rows))
    prices = _prices(
        columns, alive, cost, value, [*now.rows, *((one, 1) for one in sets)], len(sets)
    )
    if prices is None:
        return kept
    ends, other = prices
    index = np.flatnonzero(alive)
    slack = cost[index].astype(object) - ends[columns.a[index]] - ends[columns.b[index]]
    for price, (row, _) in zip(other, [*now.rows, *((one, 1) for one in sets)], strict=True):
        if price:
            slack = slack - price * row[index].astype(object)
    if (slack < 0).any():
        return kept
    tight = np.zeros(len(columns), np.bool_)
    tight[index[slack == 0]] = True
    priced = other[len(now.rows) :]
    once = [(one, 1) for one, price in zip(sets, priced, strict=True) if price]
    return Tight(tight, (*now.rows, *once))


def _odd_sets(
    columns: Columns, alive: BoolArray, cost: IntArray, rows: Sequence[Row]
) -> Iterator[IntArray]:
    """For sets of an odd number of players, 1 where a column leaves it."""
    index = np.flatnonzero(alive)
    costs, together = [cost], cost
    for row, _ in reversed(rows):
        together = together + row
        costs.append(together)
    for leaving, players in parity_sets(columns, index, costs):
        if players % 2 and len(leaving):
            leaves = np.zeros(len(columns), np.int64)
            leaves[index[leaving]] = 1
            yield leaves


def _prices(
    columns: Columns,
    alive: BoolArray,
    cost: IntArray,
    value: int,
    rows: Sequence[Row],
    nonnegative: int,
) -> tuple[IntArray, list[Fraction]] | None:
    """Prices of types and of rows (the last ones not below 0) whose sum is exactly the value.

    Among such prices those that leave as many columns as possible with slack.
    """
    solver = pywraplp.Solver.CreateSolver("GLOP")
    infinity = solver.infinity()
    size = [*columns.size.tolist(), *([1] if columns.odd else [])]
    ends = [solver.NumVar(-infinity, infinity, "") for _ in size]
    free = len(rows) - nonnegative
    other = [solver.NumVar(-infinity if k < free else 0, infinity, "") for k in range(len(rows))]
    total = solver.Constraint(float(value), float(value))
    for price, weight in zip([*ends, *other], [*size, *(v for _, v in rows)], strict=True):
        total.SetCoefficient(price, float(weight))
    goal = solver.Objective()
    goal.SetMaximization()
    for k in np.flatnonzero(alive).tolist():
        below = solver.Constraint(-infinity, float(cost[k]))
        slack = solver.NumVar(0, 1, "")
        goal.SetCoefficient(slack, 1)
        below.SetCoefficient(slack, 1)
        a, b = int(columns.a[k]), int(columns.b[k])
        below.SetCoefficient(ends[a], 1 + (a == b))
        if a != b:
            below.SetCoefficient(ends[b], 1)
        for price, (row, _) in zip(other, rows, strict=True):
            if row[k]:
                below.SetCoefficient(price, float(row[k]))
    if solver.Solve() != pywraplp.Solver.OPTIMAL:
        return None
    found = [Fraction(p.solution_value()).limit_denominator(DENOMINATOR) for p in [*ends, *other]]
    both = sum(price * weight for price, weight in zip(
        found, [*size, *(v for _, v in rows)], strict=True))  # fmt: skip
    if both != value or any(price < 0 for price in found[len(found) - nonnegative :]):
        return None
    prices = np.array([*found[: len(size)], Fraction(0)], object)
    return prices, found[len(size) :]
