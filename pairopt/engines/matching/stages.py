"""Stages: level by level on ever fewer pairs, or one weighted sum."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pairopt.engines.base import Budget, Progress, UnsupportedError
from pairopt.engines.matching.graph import Edges, best_matching, edges_of, room
from pairopt.engines.matching.packing import pack
from pairopt.engines.relaxation.columns import Columns
from pairopt.engines.relaxation.weights import require_fit
from pairopt.event.arcs import BoolArray


@dataclass(frozen=True)
class Stages:
    """Where the optimisation stands.

    `values` are the optimal values of the first levels, each proven given the ones before it;
    `alive` marks the columns that may still be used, `matching` has all those values.
    `feasible` is False when there is no perfect matching, `stopped` True when time ran out.
    """

    values: tuple[int, ...]
    alive: BoolArray
    matching: Edges | None = None
    feasible: bool = True
    stopped: bool = False


def lexicographic(
    columns: Columns,
    start: Stages,
    budget: Budget = Budget(),
    progress: Progress | None = None,
) -> Stages:
    """Minimise the levels that `start` leaves open, in order.

    Raises UnsupportedError where levels do not fit in the integers together.
    """
    now, levels = start, columns.costs.shape[1]
    while now.matching is None or len(now.values) < levels:
        known = len(now.values)
        now = _advanced(columns, now, budget)
        if now.stopped or not now.feasible:
            return now
        if progress:
            for level, value in enumerate(now.values[known:], known):
                progress(level, value)
    return now


def _advanced(columns: Columns, now: Stages, budget: Budget) -> Stages:
    """Settle a run of levels at their static lower bound, and all that fit after them.

    Any run of levels that can be at their bounds at once is optimal, and leaves few pairs.
    So the longest run that leaves nobody alone is tried first, then shorter ones that leave
    more, in growing steps.
    """
    players, known = int(columns.size.sum()), len(now.values)
    runs = columns.runs(now.alive, known)
    run = len(runs) - 1
    while not _nobody_alone(columns, runs[run]):
        if run == 0:
            return replace(now, feasible=False)
        run -= 1
    step = 1
    while True:
        if budget.spent:
            return replace(now, stopped=True)
        alive, start = runs[run], known + run
        packed = pack(
            columns, alive, now.values, start, room(players), _incumbent(columns, alive, start, now)
        )
        stuck = now.matching is not None and known < columns.costs.shape[1]
        if packed is None or (stuck and packed.end == known):
            raise UnsupportedError(
                f"levels 1 to {known + 1} of this round do not fit together in the integers of "
                "the engine matching: use --engine cpsat"
            )
        matching = best_matching(players, edges_of(columns, alive), packed.cost)
        if matching is not None:
            values = _totals(columns, matching)
            if values[:known] == now.values:
                break
        wider = [k for k in range(run) if runs[k].sum() > runs[run].sum()]
        if not wider:
            return replace(now, feasible=False)
        run, step = wider[-min(step, len(wider))], 2 * step
    for level in range(start, packed.end):
        alive = alive & (columns.costs[:, level] <= values[level])
    return Stages(values[: packed.end], alive, matching)


def _incumbent(columns: Columns, alive: BoolArray, level: int, now: Stages) -> int | None:
    """The value of a level in the matching at hand, if that uses only what is alive."""
    if now.matching is None or level == columns.costs.shape[1]:
        return None
    used = now.matching.number
    return int(columns.costs[used, level].sum()) if alive[used].all() else None


def _nobody_alone(columns: Columns, alive: BoolArray) -> bool:
    """Whether each type of players, and the bye, has a column alive."""
    seen = np.zeros(len(columns.size) + columns.odd, np.bool_)
    seen[columns.a[alive]] = True
    seen[columns.b[alive]] = True
    return bool(seen.all())


def _totals(columns: Columns, matching: Edges) -> tuple[int, ...]:
    return tuple(columns.costs[matching.number].sum(axis=0).tolist())


def weighted(columns: Columns, weights: tuple[int, ...], budget: Budget = Budget()) -> Stages:
    """Minimise the weighted sum of all levels at once; the result's one value is the sum."""
    start = Stages((), np.ones(len(columns), np.bool_))
    if budget.spent:
        return replace(start, stopped=True)
    cost = columns.costs.astype(object) @ np.array(weights, object)
    players = int(columns.size.sum())
    require_fit(int(cost.max(initial=0)), room(players))
    matching = best_matching(players, edges_of(columns, start.alive), cost)
    if matching is None:
        return replace(start, feasible=False)
    return replace(start, values=(int(cost[matching.number].sum()),), matching=matching)
