"""Frontier: all that can be had of two or three criteria of a model, each compromise proven."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Unpack

import numpy as np

from pairopt.budget import Budget, TimeUpError
from pairopt.engines import engine_of, require_exact
from pairopt.engines.base import EngineError, Options, Settled, Status
from pairopt.engines.columns import Tight
from pairopt.engines.cpsat.stages import settle_within
from pairopt.errors import UsageError
from pairopt.event.arcs import Arcs
from pairopt.event.event import Event
from pairopt.lab.instruments.frontier.axes import Axis, Ways, axes_of, held_text, ways_of
from pairopt.lab.instruments.frontier.nondominated import Point, Region, nondominated
from pairopt.lots.duals import tightened
from pairopt.problem.levels import LevelValue
from pairopt.problem.options import ModelLike, RoundKeywords, RoundOptions, options_of, spelled_out
from pairopt.problem.problem import Problem
from pairopt.problem.ready import problem_for
from pairopt.problem.verifier import inspect
from pairopt.records import record, records
from pairopt.round.replay import every_round, new_notes
from pairopt.round.result import Result
from pairopt.round.solve import pair
from pairopt.words import Said


@dataclass(frozen=True)
class Frontier:
    """What a round can have of the axes, the levels `held` being at the optimum of the model.

    `points` are all Pareto-optimal totals, ascending, each proven: no pairing with the levels held
    has less on one axis without more on another. `own` are the totals of the model's optimal
    pairings, None for a weighted model, where they may differ from one to the next. `status` is
    "optimal" where the list is complete, "feasible" where the deadline came before it was,
    "unknown" where it came before the levels held were settled, "infeasible" without a pairing.
    """

    event: str
    round: int
    model: str
    players: int
    axes: tuple[Axis, ...]
    held: tuple[LevelValue, ...]
    status: Status
    points: tuple[Point, ...]
    own: tuple[int, ...] | None
    said: str
    conflicts: tuple[str, ...] = ()
    notes: tuple[str | Said, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether no compromise is missing."""
        return self.status == "optimal"

    def amounts(self, totals: Sequence[int]) -> tuple[int | float, ...]:
        """Totals in points or matches."""
        exact = (Fraction(t + a.offset, a.scale) for t, a in zip(totals, self.axes, strict=True))
        return tuple(int(v) if v.denominator == 1 else float(v) for v in exact)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: totals in points or matches."""
        return {
            **record(self, "event", "round", "model", "players", "status"),
            "held": records(self.held, "criterion", "level", "value", "scale"),
            "axes": [axis.name for axis in self.axes],
            "own": None if self.own is None else list(self.amounts(self.own)),
            "points": [
                {"totals": list(self.amounts(point.totals)), "pairings": list(point.matches)}
                for point in self.points
            ],
        }


@spelled_out(RoundOptions)
def frontier(
    event: Event,
    over: Sequence[str],
    model: ModelLike | None = None,
    **options: Unpack[RoundKeywords],
) -> Frontier:
    """All Pareto-optimal totals of two or three criteria of a model in the event's next round.

    The levels that the model has above the first of them are held at their optimum; all others
    are free. A weighted model has no levels above, and holds none.

    Args:
        event: players and rounds so far.
        over: two or three kinds of criteria, all levels of which are added up, or KIND:LEVEL for
            a single level, such as "score_groups" and "side_difference:2".
        model: as for `solve`.
        options: the fields of `RoundOptions`. The time limit is for the round as a whole.

    Raises:
        UsageError: for criteria that the model does not have, a system, a lookahead,
            or an engine that proves nothing.
        InputError: as for `solve`.
    """
    chosen = options_of(event, RoundOptions, options, "frontier")
    budget = chosen.budget(time.monotonic())
    problem = problem_for(event, model, chosen)
    engine = engine_of(problem, chosen)
    axes = axes_of(problem, over)
    if problem.lookahead:
        raise UsageError("with a lookahead there is no frontier: use --lookahead 0")
    require_exact(engine, "there is no frontier")
    weighted = problem.model.objective == "weighted"
    held = 0 if weighted else min(axis.first for axis in axes)
    best = pair(problem, engine, Options(problem.model.objective, budget=budget))
    points, status, own = _points(problem, axes, held, best, budget)
    return Frontier(
        event=problem.event.source,
        round=best.round,
        model=best.model,
        players=len(problem),
        axes=axes,
        held=best.level_values[:held] if best.proven else (),
        status=status,
        points=points,
        own=None if weighted else own,
        said=held_text(problem, axes, held),
        conflicts=best.conflicts,
        notes=best.notes,
    )


@spelled_out(RoundOptions)
def frontiers(
    event: Event,
    over: Sequence[str],
    model: ModelLike | None = None,
    **options: Unpack[RoundKeywords],
) -> Iterator[Frontier]:
    """The frontier of each round of an event, by the rounds before it; see `frontier`.

    With `last_round` the latest one is the last of the event. The time limit is for each round.
    """
    for before, given in every_round(event, options):
        found = frontier(before, over, model, **given)
        yield replace(found, notes=new_notes(before, found.round, found.notes))


def _points(
    problem: Problem, axes: Sequence[Axis], held: int, best: Result, budget: Budget
) -> tuple[tuple[Point, ...], Status, tuple[int, ...] | None]:
    """The compromises, whether they are all, and the totals of the model's pairing."""
    if best.arcs is None or not best.proven:
        return (), "unknown" if best.status == "feasible" else best.status, None
    costs = problem.costs(best.arcs)
    known = costs.sum(axis=0)[:held].tolist()
    own = tuple(int(axis.totals(costs).sum()) for axis in axes)
    ways = ways_of(problem, axes, held)
    columns, points = ways.columns, []
    free = replace(columns, costs=columns.costs[:, held:])
    try:
        start = Tight(np.ones(len(columns), np.bool_))
        within = tightened(columns, columns.costs[:, :held], known, start, budget)

        def least(region: Region) -> Point | None:
            found = settle_within(free, within, (None, *region), budget)
            return None if found is None else _checked(problem, ways, found, known)

        for point in nondominated(least, len(axes)):
            points.append(point)  # noqa: PERF402  those before the deadline are kept
    except TimeUpError:
        return tuple(points), "feasible", own
    if not any(_no_worse(point.totals, own) for point in points):
        raise EngineError(f"the frontier {points} misses the model's own pairing, {own}")
    return tuple(points), "optimal", own


def _checked(problem: Problem, ways: Ways, found: Settled, known: Sequence[int]) -> Point:
    """What was found, recomputed by the verifier. Raises EngineError where it is not so."""
    arcs = Arcs(ways.arcs.first[found.used], ways.arcs.second[found.used])
    legal = inspect(problem, arcs).legal
    held = problem.costs(arcs).sum(axis=0)[: len(known)].tolist()
    totals = ways.columns.costs[found.used, len(known) :].sum(axis=0)
    if not legal or held != known or tuple(totals.tolist()) != found.values:
        raise EngineError(f"{found.values} was claimed, and is not what the verifier finds")
    rows, _ = problem.seated(arcs)
    return Point(found.values, rows)


def _no_worse(one: Sequence[int], other: Sequence[int]) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True))
