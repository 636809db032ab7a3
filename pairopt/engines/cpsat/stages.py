"""Stages: optimise columns level by level, under limits, or by one weighted objective."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pairopt.budget import Budget, TimeUpError
from pairopt.engines.base import Progress, Settled
from pairopt.engines.columns import Columns, Equation, Reach, Tight, require_integers
from pairopt.engines.cpsat.counts import Counts, More, expression, solve_counts
from pairopt.engines.cpsat.messages import LOWEST, ModelBuilder
from pairopt.engines.odd_sets import least_of, longest_run
from pairopt.event.arcs import BoolArray, IntArray

PROBE_TRIES = 2
MOST = 2**60
"""The largest objective given to CP-SAT: near 2^62 it declares the model invalid."""


@dataclass(frozen=True)
class Stages:
    """Where the optimisation stands.

    `values` are the optimal values of the first levels, each proven given the ones before
    it; `alive` marks the columns that may still be used, `use` (None before any solution)
    how often each is. Columns above a level's value are never alive; `equations` holds the
    levels that need an equation besides. `bound` is set when time ran out: what the next
    level cannot be below. `feasible` is False when there is no solution at all.
    """

    values: tuple[int, ...]
    alive: BoolArray
    equations: tuple[Equation, ...] = ()
    use: IntArray | None = None
    feasible: bool = True
    bound: int | None = None

    @property
    def stopped(self) -> bool:
        """Whether time ran out."""
        return self.bound is not None


def settled(columns: Columns, values: tuple[int, ...]) -> Stages:
    """The standing in which the first levels must have these values."""
    alive = np.ones(len(columns), np.bool_)
    equations = []
    for level, value in enumerate(values):
        cost = columns.costs[:, level]
        alive &= cost <= value
        if value:
            equations.append((cost, value))
    return Stages(values, alive, tuple(equations))


def lexicographic(
    columns: Columns,
    budget: Budget,
    start: Stages,
    progress: Progress | None = None,
    further: More | None = None,
    tries: int | None = None,
) -> Stages:
    """Minimise the levels that `start` leaves open, in order.

    Most levels can be at their static lower bound at once: the longest run of such levels
    is found by bisection over feasibility solves. Only a level that cannot be there is
    minimised in a stage of its own. Stops where one takes more than so many `tries`.
    """
    now, levels = start, columns.costs.shape[1]
    while True:
        now = _run_at_bound(columns, budget, now, progress, further, tries)
        level = len(now.values)
        if level == levels or now.stopped or not now.feasible:
            return now
        now = _minimised(columns, budget, now, level, further, tries)
        if now.stopped or not now.feasible:
            return now
        if progress:
            progress(level, now.values[level])


def _run_at_bound(
    columns: Columns,
    budget: Budget,
    now: Stages,
    progress: Progress | None,
    further: More | None,
    tries: int | None,
) -> Stages:
    """Settle the longest run of levels that can all be at their static lower bound."""
    reach = columns.reach(now.alive, len(now.values))
    low, high, use = 0, longest_run(columns, reach), now.use
    if use is None:  # even the empty run is to be shown feasible
        low = -1
    middle = high
    while (low := _reached(reach, low, use)) < high:
        # one that is hard to tell is left to the stages of its levels
        found = solve_counts(
            columns,
            reach >= middle,
            budget,
            equations=now.equations,
            tries=tries or PROBE_TRIES if middle else tries,
            further=further,
        )
        if found.use is not None:
            use, low = found.use, middle
        elif (budget.spent or not middle) and not found.proven:
            return replace(now, use=use, bound=0)
        else:
            high = middle - 1
        # an impossible run is refuted in no time, a possible one is small: far out again
        middle = high - (high - low - 1) // 4
    if use is None:
        return replace(now, feasible=False)
    first, alive = len(now.values), reach >= low
    values = tuple(int(v) for v in (use @ columns.costs[:, first : first + low]))
    if progress:
        for level, value in enumerate(values, first):
            progress(level, value)
    equations = [
        (columns.costs[:, level], value)
        for level, value in enumerate(values, first)
        if value and (columns.costs[alive, level] != 0).any()
    ]
    return replace(
        now,
        values=now.values + values,
        alive=alive,
        equations=(*now.equations, *equations),
        use=use,
    )


def _reached(reach: Reach, low: int, use: IntArray | None) -> int:
    """The longest run that a solution at hand shows to be possible."""
    return low if use is None else max(low, int(reach[use > 0].min()))


def _minimised(
    columns: Columns,
    budget: Budget,
    now: Stages,
    level: int,
    further: More | None,
    tries: int | None,
) -> Stages:
    """The standing after a level that cannot be at its static bound."""
    cost = columns.costs[:, level]
    least = least_of(columns, now.alive, cost)
    found = solve_counts(
        columns, now.alive, budget,
        equations=now.equations, objective=cost, least=least, hint=now.use, tries=tries,
        further=further,
    )  # fmt: skip
    if found.use is None or not found.proven:
        return _stopped(now, found)
    value = found.bound
    return replace(
        now,
        values=(*now.values, value),
        alive=now.alive & (cost <= value),
        equations=(*now.equations, (cost, value)),
        use=found.use,
    )


def weighted(
    columns: Columns,
    budget: Budget,
    weights: tuple[int, ...],
    further: More | None = None,
    tries: int | None = None,
) -> Stages:
    """Minimise the weighted sum of all levels at once; the result's one value is the sum."""
    cost = in_one_level(columns, weights).costs[:, 0]
    now = Stages((), np.ones(len(columns), np.bool_))
    found = solve_counts(columns, now.alive, budget, objective=cost, tries=tries, further=further)
    if found.use is None and found.proven:
        return replace(now, feasible=False)
    if found.use is None or not found.proven:
        return _stopped(now, found)
    value = found.bound
    return Stages((value,), cost <= value, ((cost, value),), found.use)


def in_one_level(columns: Columns, weights: tuple[int, ...]) -> Columns:
    """The same columns, each with the weighted sum of its levels as the only one."""
    exact = columns.costs.astype(object) @ np.array(weights, object)
    require_integers(int((exact * columns.cap).sum()), MOST)
    return replace(columns, costs=np.array(exact, np.int64)[:, None])


def _stopped(now: Stages, found: Counts) -> Stages:
    return replace(now, use=now.use if found.use is None else found.use, bound=found.bound)


def settle_within(
    columns: Columns, within: Tight, most: Sequence[int | None], budget: Budget
) -> Settled | None:
    """The levels of single pairs minimised in order, none above its entry in `most` (None: free).

    Only columns alive `within` are used, under its equations. None where there is no pairing.
    Raises TimeUpError.
    """
    rows = [(cost, limit) for cost, limit in zip(columns.costs.T, most, strict=True)
            if limit is not None]  # fmt: skip

    def limited(program: ModelBuilder, _: Columns, index: IntArray, __: Budget) -> None:
        for coefficients, limit in rows:
            program.add(*expression(coefficients[index]), LOWEST, limit)

    start = Stages((), within.alive, within.equations)
    found = lexicographic(columns, budget, start, further=limited if rows else None)
    if found.stopped:
        raise TimeUpError
    return None if found.use is None else Settled(found.values, found.use.nonzero()[0])
