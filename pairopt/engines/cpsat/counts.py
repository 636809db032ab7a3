"""One CP-SAT solve: how often each column is used so that every player is in one match."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pairopt.budget import Budget, TimeUpError
from pairopt.engines.columns import Columns, Equation, exact_total, whole_bound
from pairopt.engines.cpsat.messages import (
    FIRST_LIMIT,
    HIGHEST,
    LIMIT_PER_COLUMN,
    SEARCHES,
    ModelBuilder,
    answer,
    parameters_of,
)
from pairopt.engines.odd_sets import parity_sets
from pairopt.event.arcs import BoolArray, IntArray

More = Callable[[ModelBuilder, Columns, IntArray, Budget], object]
"""Adds to a program whose first variables are the columns of an index what it is to hold besides
the pairing: further rounds, or limits of levels."""


@dataclass(frozen=True)
class Counts:
    """What a solve found: `use`, shape (columns,), or None, and whether that is proven.

    With an objective, `bound` is what no solution can be below. `use` None and proven means
    that there is no solution.
    """

    use: IntArray | None
    proven: bool
    bound: int = 0


def solve_counts(
    columns: Columns,
    allowed: BoolArray,
    budget: Budget,
    *,
    equations: Sequence[Equation] = (),
    objective: IntArray | None = None,
    least: int = 0,
    hint: IntArray | None = None,
    tries: int | None = None,
    further: More | None = None,
) -> Counts:
    """Use the allowed columns so that each type's players are all in one match each.

    Minimises `objective` (coefficients, shape (columns,), value at least `least`) where it
    is given, else finds any solution. `further` rounds, where given, are to be possible after
    it (the columns are then single pairs). Gives up, unproven, when the budget' time is up or
    after so many `tries`.
    """
    index = np.flatnonzero(allowed)
    try:
        program = _program(columns, index, budget, equations, objective, further)
    except TimeUpError:
        return Counts(None, proven=False, bound=least)
    if program is None:
        return Counts(None, proven=True)
    if objective is not None:
        goal = expression(objective[index])
        program.add(*goal, least, HIGHEST)
        program.minimise(*goal)
    if hint is not None:
        program.hint(hint[index].tolist())
    return _solved(program, index, budget, len(columns), objective, least, tries)


def _program(
    columns: Columns,
    index: IntArray,
    budget: Budget,
    equations: Sequence[Equation],
    objective: IntArray | None,
    further: More | None,
) -> ModelBuilder | None:
    """A program whose first variables are the columns; None where there is clearly no solution.

    Raises TimeUpError.
    """
    needed = np.append(columns.size, 1) if columns.odd else columns.size
    ends = np.concatenate([columns.a[index], columns.b[index]])
    if not np.bincount(ends, minlength=len(needed)).all():
        return None
    program = ModelBuilder()
    for cap in budget.watched(columns.cap[index].tolist()):
        program.variable(cap)
    for size, (terms, factors) in zip(needed.tolist(), _by_type(columns, index), strict=False):
        program.add(terms, factors, size, size)
    for coefficients, value in equations:
        program.add(*expression(coefficients[index]), value, value)
    wanted = [cost for cost, _ in equations]
    wanted.append(np.zeros(len(columns), np.int64) if objective is None else objective)
    if not _add_parity(program, columns, index, wanted, budget):
        return None
    if further is not None:
        further(program, columns, index, budget)
    return program


def _add_parity(
    program: ModelBuilder,
    columns: Columns,
    index: IntArray,
    wanted: list[IntArray],
    budget: Budget,
) -> bool:
    """Add the parity of the sets that a level would keep apart; False where that cannot be.

    Raises TimeUpError.
    """
    # kept apart by a level, or by it and those after it: groups two apart are joined by one
    together = np.cumsum(wanted[::-1], axis=0)[1:]
    for leaving, players in budget.watched(parity_sets(columns, index, [*wanted, *together])):
        if len(leaving):
            half = program.variable(players // 2)
            odd, factors = players % 2, [*[1] * len(leaving), -2]
            program.add([*leaving.tolist(), half], factors, odd, odd)
        elif players % 2:
            return False
    return True


def _solved(
    program: ModelBuilder,
    index: IntArray,
    budget: Budget,
    size: int,
    objective: IntArray | None,
    least: int,
    tries: int | None,
) -> Counts:
    """Run the solver with ever longer limits, each time searching in another way.

    A search that is lucky takes milliseconds where an unlucky one takes minutes. Limits are
    of CP-SAT's deterministic time, so the same run is made on every machine.
    """
    best: IntArray | None = None
    limit = FIRST_LIMIT if tries else max(FIRST_LIMIT, len(index) * LIMIT_PER_COLUMN)
    for attempt in range(tries) if tries else itertools.count():
        if budget.spent:
            break
        parameters = parameters_of(budget, attempt)
        parameters.max_deterministic_time = limit * 2 ** (attempt // len(SEARCHES))
        found = answer(program, parameters)
        if found.status == "INFEASIBLE":
            return Counts(None, proven=True, bound=least)
        if objective is not None:
            least = max(least, whole_bound(found.bound))
        if found.status in ("OPTIMAL", "FEASIBLE"):
            best = np.zeros(size, np.int64)
            best[index] = found.values[: len(index)]
            value = 0 if objective is None else exact_total(best, objective)
            if found.status == "OPTIMAL" or objective is None:
                return Counts(best, proven=True, bound=value)
            program.hint(best[index].tolist())
    return Counts(best, proven=False, bound=least)


def _by_type(columns: Columns, index: IntArray) -> Iterator[tuple[list[int], list[int]]]:
    """For each type the positions in `index` of its columns, and how many of it each uses."""
    ends = np.concatenate([columns.a[index], columns.b[index]])
    position = np.tile(np.arange(len(index)), 2)
    inside = np.tile(columns.a[index] == columns.b[index], 2)
    keep = ~inside | (np.arange(len(ends)) < len(index))
    ends, position, inside = ends[keep], position[keep], inside[keep]
    order = np.lexsort((position, ends))
    stops = np.searchsorted(ends[order], np.arange(len(columns.size) + 2))
    position, factor = position[order].tolist(), np.where(inside, 2, 1)[order].tolist()
    for start, stop in pairwise(stops):
        yield position[start:stop], factor[start:stop]


def expression(coefficients: IntArray) -> tuple[list[int], list[int]]:
    """Which variables count, and their factors."""
    terms = np.flatnonzero(coefficients)
    return terms.tolist(), coefficients[terms].tolist()
