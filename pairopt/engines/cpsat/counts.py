"""One CP-SAT solve: how often each column is used so that every player is in one match."""

from __future__ import annotations

import math
import operator
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from ortools.sat.python import cp_model

from pairopt.arcs import BoolArray, IntArray
from pairopt.engines.columns import Columns
from pairopt.engines.cpsat.parity import parity_sets

Row = tuple[IntArray, int]
"""An equation over the columns: coefficients, shape (columns,), and their sum's value."""


@dataclass(frozen=True)
class Settings:
    """How CP-SAT is to run. `deadline` is a value of time.monotonic(), None for no limit."""

    seed: int = 0
    workers: int = 1
    deadline: float | None = None

    def left(self) -> float | None:
        """Seconds left, None without limit."""
        return None if self.deadline is None else self.deadline - time.monotonic()


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
    settings: Settings,
    *,
    rows: Sequence[Row] = (),
    objective: IntArray | None = None,
    least: int = 0,
    hint: IntArray | None = None,
) -> Counts:
    """Use the allowed columns so that each type's players are all in one match each.

    Minimises `objective` (coefficients, shape (columns,), value at least `least`) where it
    is given, else finds any solution.
    """
    index = np.flatnonzero(allowed)
    left = settings.left()
    if left is not None and left <= 0:
        return Counts(None, proven=False, bound=least)
    model = cp_model.CpModel()
    use = [model.new_int_var(0, cap, "") for cap in columns.cap[index].tolist()]
    needed = np.append(columns.size, 1) if columns.odd else columns.size
    for size, (terms, factors) in zip(needed.tolist(), _by_type(columns, index), strict=False):
        if not terms:
            return Counts(None, proven=True)
        model.add(_sum([use[k] for k in terms], factors) == size)
    for coefficients, value in rows:
        model.add(_expression(use, coefficients[index]) == value)
    wanted = [cost for cost, _ in rows]
    wanted.append(np.zeros(len(columns), np.int64) if objective is None else objective)
    for leaving, players in parity_sets(columns, index, wanted):
        if not len(leaving):
            if players % 2:
                return Counts(None, proven=True)
            continue
        twice = model.new_int_var(0, players // 2, "")
        out = [use[k] for k in leaving]
        model.add(_sum([*out, twice], [*[1] * len(out), -2]) == players % 2)
    if objective is not None:
        goal = _expression(use, objective[index])
        model.add(goal >= least)
        model.minimize(goal)
    if hint is not None:
        for variable, value in zip(use, hint[index].tolist(), strict=True):
            model.add_hint(variable, value)
    solver = _solver(settings, left)
    status = solver.solve(model)
    if solver.status_name(status) == "MODEL_INVALID":
        raise AssertionError(f"invalid CP-SAT model: {model.validate()}")
    proven = solver.status_name(status) in ("OPTIMAL", "INFEASIBLE")
    if solver.status_name(status) not in ("OPTIMAL", "FEASIBLE"):
        return Counts(None, proven, least)
    counts = np.zeros(len(columns), np.int64)
    counts[index] = [solver.value(variable) for variable in use]
    if objective is None:
        return Counts(counts, proven=True)
    value = _exact(counts, objective)
    bound = value if proven else max(least, _whole(solver.best_objective_bound))
    return Counts(counts, proven, bound)


def _solver(settings: Settings, left: float | None) -> cp_model.CpSolver:
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = settings.workers
    solver.parameters.interleave_search = settings.workers > 1  # repeatable with several
    solver.parameters.random_seed = settings.seed % 2**31
    # measured: without these the class model takes seconds where it now takes milliseconds
    solver.parameters.linearization_level = 2
    solver.parameters.cp_model_probing_level = 0
    solver.parameters.symmetry_level = 0
    if left is not None:
        solver.parameters.max_time_in_seconds = left
    return solver


def _by_type(columns: Columns, index: IntArray) -> Iterator[tuple[list[int], list[int]]]:
    """For each type the positions in `index` of its columns, and how many of it each uses."""
    ends = np.concatenate([columns.a[index], columns.b[index]])
    position = np.tile(np.arange(len(index)), 2)
    inside = np.tile(columns.a[index] == columns.b[index], 2)
    keep = ~inside | (np.arange(len(ends)) < len(index))
    ends, position, inside = ends[keep], position[keep], inside[keep]
    order = np.argsort(ends, kind="stable")
    stops = np.searchsorted(ends[order], np.arange(len(columns.size) + 2))
    position, factor = position[order].tolist(), np.where(inside, 2, 1)[order].tolist()
    for start, stop in pairwise(stops):
        yield position[start:stop], factor[start:stop]


def _expression(use: list[cp_model.IntVar], coefficients: IntArray) -> cp_model.LinearExprT:
    terms = np.flatnonzero(coefficients)
    return _sum([use[k] for k in terms], coefficients[terms].tolist())


def _sum(variables: list[cp_model.IntVar], factors: list[int]) -> cp_model.LinearExprT:
    return cp_model.LinearExpr.weighted_sum(variables, factors)


def _exact(counts: IntArray, coefficients: IntArray) -> int:
    """Their product in Python integers (numpy's would wrap around)."""
    used = np.flatnonzero(counts)
    return sum(map(operator.mul, counts[used].tolist(), coefficients[used].tolist()))


def _whole(bound: float) -> int:
    """An integer that is certainly no higher than the solver's floating-point bound."""
    if abs(bound) < 2**52:
        return math.ceil(bound - 1e-6)
    return math.floor(bound * (1 - 1e-15 if bound > 0 else 1 + 1e-15))
