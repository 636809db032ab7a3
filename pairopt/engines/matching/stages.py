"""Stages: level by level on ever fewer pairs, or one weighted sum."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace

import numpy as np

from pairopt.engines.base import Budget, Progress, TimeUpError, UnsupportedError
from pairopt.engines.matching.few import best_of, room
from pairopt.engines.matching.graph import Edges
from pairopt.engines.matching.packing import pack
from pairopt.engines.relaxation.columns import Columns
from pairopt.engines.relaxation.odd_sets import component_of
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
    So the longest run that leaves no odd part is tried first, then shorter ones that leave more,
    in growing steps.
    """
    players, known = int(columns.size.sum()), len(now.values)
    runs = columns.runs(now.alive, known)
    run = bisect_left(range(len(runs)), True, key=lambda k: not _even_parts(columns, runs[k])) - 1
    if run < 0:
        return replace(now, feasible=False)
    left, step = [int(alive.sum()) for alive in runs], 1
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
        try:
            matching = best_of(columns, alive, packed.cost, budget)
        except TimeUpError:
            return replace(now, stopped=True)
        if matching is not None:
            values = _totals(columns, matching)
            if values[:known] == now.values:
                break
        wider = [k for k in range(run) if left[k] > left[run]]
        if not wider:
            return replace(now, feasible=False)
        run, step = wider[-min(step, len(wider))], 2 * step
    settled = slice(start, packed.end)
    alive = alive & (columns.costs[:, settled] <= np.array(values[settled])).all(axis=1)
    return Stages(values[: packed.end], alive, matching)


def _incumbent(columns: Columns, alive: BoolArray, level: int, now: Stages) -> int | None:
    """The value of a level in the matching at hand, if that uses only what is alive."""
    if now.matching is None or level == columns.costs.shape[1]:
        return None
    used = now.matching.number
    return int(columns.costs[used, level].sum()) if alive[used].all() else None


def _even_parts(columns: Columns, alive: BoolArray) -> bool:
    """Whether parts of the field that no column alive joins have even numbers of players.

    Any part of types, the bye among them; what is odd has no perfect matching.
    """
    size = np.append(columns.size, int(columns.odd))
    a, b = columns.a[alive], columns.b[alive]
    used = np.zeros(len(size), np.bool_)
    used[a] = used[b] = True
    part = component_of(len(size), a, b)
    return bool(used[size > 0].all() and not (np.bincount(part, size) % 2).any())


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
    try:
        matching = best_of(columns, start.alive, cost, budget)
    except TimeUpError:
        return replace(start, stopped=True)
    if matching is None:
        return replace(start, feasible=False)
    return replace(start, values=(int(cost[matching.number].sum()),), matching=matching)
