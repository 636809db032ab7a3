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
from typing import Any

import numpy as np
from ortools.linear_solver.python import model_builder

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
    model = model_builder.Model()  # type: ignore[no-untyped-call]
    infinity = float("inf")
    free = len(rows) - nonnegative
    weight = [*columns.size.tolist(), *([1] if columns.odd else []), *(v for _, v in rows)]
    types = len(weight) - len(rows)
    price = [
        model.new_num_var(-infinity if k < types + free else 0, infinity, "")
        for k in range(len(weight))
    ]
    model.add(_sum(price, weight) == value)
    slacks = []
    for k in np.flatnonzero(alive).tolist():
        slacks.append(model.new_num_var(0, 1, ""))
        a, b = int(columns.a[k]), int(columns.b[k])
        terms = [(price[a], 2)] if a == b else [(price[a], 1), (price[b], 1)]
        terms += [(price[types + r], int(row[k])) for r, (row, _) in enumerate(rows) if row[k]]
        variables, factors = zip(*terms, strict=True)
        model.add(_sum([*variables, slacks[-1]], [*factors, 1]) <= int(cost[k]))
    model.maximize(_sum(slacks, [1] * len(slacks)))
    solver = model_builder.Solver("GLOP")
    if solver.solve(model) != model_builder.SolveStatus.OPTIMAL:
        return None
    found = [Fraction(solver.value(p)).limit_denominator(DENOMINATOR) for p in price]
    both = sum(p * w for p, w in zip(found, weight, strict=True))
    if both != value or any(p < 0 for p in found[types + free :]):
        return None
    prices = np.array([*found[:types], Fraction(0)], object)
    return prices, found[types:]


def _sum(variables: Sequence[Any], factors: Sequence[int]) -> Any:
    return model_builder.LinearExpr.weighted_sum(variables, list(map(float, factors)))
