"""Slackness: which columns an optimal pairing can use, shown by a dual solution.

Give every type a price, and every odd set of players a price not below 0. Where no column costs
less than the prices of its two ends and of the odd sets that it leaves, no pairing costs less
than all prices together. If that sum is the level's proven value, optimal pairings are exactly
those that use nothing that costs more, and leave each set with a price by one match only
(complementary slackness; the sets are Edmonds' inequalities, see `odd_sets`).

Prices are alike for players who are exchangeable, so that pairings can be counted by types. They
are found by a linear program in floating point, with more odd sets as they turn out to be
left by nobody, and verified in whole numbers over a common denominator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pairopt.budget import Budget, TimeUpError
from pairopt.engines.columns import Columns, Equation, Tight
from pairopt.engines.odd_sets import component_of, parity_sets
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.lots.dual_program import PriceProgram

MOST_COLUMNS = 20_000
"""The linear program is not tried with more."""
LARGEST = 10**9
"""The linear program is not tried with larger costs: floating point would not do."""
MOST_TURNS = 60
"""So many linear programs look for odd sets."""
TOLERANCE = 1e-6


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
        alive, least = columns.least(now.alive, cost)
        if value == least:
            now = Tight(alive, now.equations)
        else:
            now = _certified(columns, now, cost, value, budget)
    return now


def _certified(columns: Columns, now: Tight, cost: IntArray, value: int, budget: Budget) -> Tight:
    """What is left after a level above its bound: by prices, or with one equation more."""
    alive = now.alive & (cost <= value) if (cost >= 0).all() else now.alive
    found = lowest(columns, alive, now.equations, cost, budget)
    if found is None or found.value != value:
        return Tight(alive, (*now.equations, (cost, value)))
    return Tight(found.tight, (*now.equations, *((leaves, 1) for leaves in found.once)))


@dataclass(frozen=True)
class Lowest:
    """A proven lower bound of a level, and what pairings that attain it can use.

    These are the columns `tight`, and each set of `once`, 1 where a column leaves it, is left by
    one match.
    """

    value: int
    tight: BoolArray
    once: tuple[IntArray, ...]


def lowest(
    columns: Columns,
    alive: BoolArray,
    equations: Sequence[Equation],
    cost: IntArray,
    budget: Budget = Budget(),
) -> Lowest | None:
    """The bound that prices prove for the columns alive under equations.

    None where there are too many columns, the best bound is no integer, after so many turns, or
    when the time is up.
    """
    index = np.flatnonzero(alive)
    if not 0 < len(index) <= MOST_COLUMNS or np.abs(cost[index]).max() > LARGEST:
        return None
    sets = tuple(_odd_sets(columns, index, equations, cost))
    program = PriceProgram(columns, index, cost, tuple(equations), sets, budget)
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
    return Lowest(value, tight, tuple(once))


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
