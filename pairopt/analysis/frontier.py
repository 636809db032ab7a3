"""Frontier: all that can be had of two or three criteria of a model, each compromise proven."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm
from operator import le, mul
from typing import Any, Unpack

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.common.serialization import to_record, to_records
from pairopt.engines import engine_of, require_exact
from pairopt.engines.allowed_arcs import (
    AllowedArcs,
    OptimalUse,
    choose_sides,
    single_pairs,
)
from pairopt.engines.base import EngineError, EngineOptions, LevelOptimum, Status
from pairopt.engines.cpsat.level_by_level import minimize_within_bounds
from pairopt.errors import UsageError
from pairopt.event.arcs import Arcs, BoolArray, IntArray, all_pairs_and_byes, arcs_of
from pairopt.event.event import Event
from pairopt.event.table_assignment import PairedRow
from pairopt.messages import Note
from pairopt.messages.formatting import join_names
from pairopt.problem.build import build_problem_with_budget
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.levels import LevelValue
from pairopt.problem.options import ModelLike, RoundOptions, show_keywords
from pairopt.problem.problem import Problem
from pairopt.problem.verifier import verify_pairing
from pairopt.round.check_event import every_round, new_notes
from pairopt.round.result import Result
from pairopt.round.solve import pair
from pairopt.sampling.tight_arcs import tighten

Region = tuple[int | None, ...]
"""What each coordinate but the first may have at most, None for anything."""


@dataclass(frozen=True)
class FrontierPoint:
    """A compromise: its total on each axis, and a pairing that has it."""

    totals: tuple[int, ...]
    matches: tuple[PairedRow, ...] = field(compare=False, repr=False)


def nondominated_points(
    least: Callable[[Region], FrontierPoint | None], dimensions: int
) -> Iterator[FrontierPoint]:
    """Every point that no other dominates, once each, ascending; `least` returns the
    lexicographically least point in a region, None where there is none.
    """
    whole: Region = (None,) * (dimensions - 1)
    first = least(whole)
    regions = {} if first is None else {whole: first}
    while regions:
        point = min(regions.values(), key=lambda found: tuple(found.totals))
        yield point
        parts = {
            part: found
            for region, found in regions.items()
            for part in _subtract_region(region, point.totals[1:])
        }
        regions = {}
        for part, found in parts.items():
            if any(other != part and _inside(part, other) for other in parts):
                continue
            known = found if _inside(found.totals[1:], part) else least(part)
            if known is not None:
                regions[part] = known


def _subtract_region(region: Region, rest: Sequence[int]) -> Iterator[Region]:
    """What is left of a region where points are not as bad as this one in all its coordinates."""
    if not _inside(rest, region):
        yield region
        return
    for k, value in enumerate(rest):
        if value > 0:  # none is below 0
            yield (*region[:k], value - 1, *region[k + 1 :])


def _inside(limits: Sequence[int | None], region: Region) -> bool:
    """Whether a point, or all of a region with these limits, lies in a region."""
    both = zip(limits, region, strict=True)
    return all(
        most is None or (limit is not None and limit <= most) for limit, most in both
    )


MOST_TOTAL = 2**60  # of an axis


@dataclass(frozen=True, slots=True)
class FrontierAxis:
    """A level of the model, or all levels of a kind of criterion added up.

    `levels` are positions among the problem's (there may be none), `factors` make their values
    whole numbers of 1/`scale` each. Totals are in points or matches (total + offset) / scale.
    `first` levels of the model are above it.
    """

    name: str
    words: str
    levels: tuple[int, ...]
    factors: tuple[int, ...]
    scale: int
    offset: int
    first: int

    def totals(self, costs: IntArray) -> IntArray:
        """What rows of costs, shape (m, levels), add to the axis, shape (m,)."""
        return costs[:, list(self.levels)] @ np.array(self.factors, np.int64)


def axes_of(problem: Problem, names: Sequence[str]) -> tuple[FrontierAxis, ...]:
    """The axes of these names, a criterion's kind or KIND:LEVEL. Raises UsageError for not two or
    three, and for one that there is not or that comes twice.
    """
    if problem.system is not None:
        raise UsageError("frontier.of_a_system", model=problem.model.name)
    if len(names) not in (2, 3):
        raise UsageError("frontier.axes_count", count=len(names))
    axes = tuple(_axis(problem, name) for name in names)
    seen: set[int] = set()
    for axis in axes:
        if seen & {*axis.levels} or names.count(axis.name) > 1:
            raise UsageError("frontier.axis_twice", axis=axis.name)
        seen |= {*axis.levels}
    return axes


def _axis(problem: Problem, name: str) -> FrontierAxis:
    kind, _, label = name.partition(":")
    places = [place for place, rule in enumerate(problem.criteria) if rule.kind == kind]
    if not places:
        own = ", ".join(dict.fromkeys(rule.kind for rule in problem.criteria))
        if any(rule.kind == kind for rule in problem.model.criteria):
            raise UsageError(
                "frontier.axis_of_sides", axis=name, model=problem.model.name
            )
        raise UsageError(
            "frontier.axis_unknown",
            axis=name,
            model=problem.model.name,
            criteria=own or "none",
        )
    chosen = [
        (k, level)
        for k, level in enumerate(problem.levels)
        if level.place in places and label in ("", str(level.label))
    ]
    scale = lcm(*(level.scale for _, level in chosen))
    # a level that the round does not have is an extreme one: these come first
    first = sum(level.place < places[0] for level in problem.levels)
    return FrontierAxis(
        name,
        chosen[0][1].words if label and len(chosen) == 1 else f"all levels of {name}",
        tuple(k for k, _ in chosen),
        tuple(scale // level.scale for _, level in chosen),
        scale,
        sum(scale // level.scale * level.offset for _, level in chosen),
        chosen[0][0] if label and chosen else first,
    )


@dataclass(frozen=True)
class ArcChoices:
    """Pairs as columns, twice where neither way round is as good: `held` levels, then axes. `arcs`
    has an arc a column.
    """

    columns: AllowedArcs
    arcs: Arcs
    held: int


def ways_of(problem: Problem, axes: Sequence[FrontierAxis], held: int) -> ArcChoices:
    """Every pair in each way round that a pairing on the frontier may have it. The better way by
    the levels held; of those equally good, each that is not worse on the axes.
    """
    n = len(problem)
    arcs = all_pairs_and_byes(n)
    m = len(arcs)
    if problem.state.sided:
        arcs = arcs.both_ways
    every, legal = problem.costs(arcs), problem.legal(arcs)
    for axis in axes:
        most = every[:, list(axis.levels)].max(axis=0, initial=0).tolist()
        if sum(map(mul, most, axis.factors)) * n > MOST_TOTAL:
            raise UsageError("frontier.axis_too_large", axis=axis.name)
    costs = np.column_stack([every[:, :held], *(axis.totals(every) for axis in axes)])
    kept = legal
    if problem.state.sided:
        one, two = _either(costs[:m], costs[m:], legal[:m], legal[m:], held)
        kept = np.concatenate([one, two & arcs.match[:m]])
    arcs = arcs_of(arcs.first[kept], arcs.second[kept])
    low, high = np.minimum(arcs.first, arcs.second), np.maximum(arcs.first, arcs.second)
    low, high = np.where(arcs.bye, arcs.first, low), np.where(arcs.bye, n, high)
    return ArcChoices(single_pairs(n, low, high, costs[kept]), arcs, held)


def _either(
    costs: IntArray,
    swapped: IntArray,
    legal: BoolArray,
    legal_swapped: BoolArray,
    held: int,
) -> tuple[BoolArray, BoolArray]:
    """Which pairs are kept as they are listed, and which the other way round."""
    bits, _ = choose_sides(costs[:, :held], swapped[:, :held], legal, legal_swapped)
    one, two = (bits & 1).astype(np.bool_), (bits & 2).astype(np.bool_)
    listed_no_worse = (costs[:, held:] <= swapped[:, held:]).all(axis=1)
    other_better = (swapped[:, held:] <= costs[:, held:]).all(axis=1) & ~listed_no_worse
    both = one & two
    return one & ~(both & other_better), two & ~(both & listed_no_worse)


@dataclass(frozen=True)
class Frontier:
    """What a round can have of the axes, the levels `held` being at the optimum of the model.

    `points` are all Pareto-optimal totals, ascending, each proven. `own` are the totals of the
    model's optimal pairings, None for a weighted model, where they may differ. `status` is
    "feasible" where the time did not do for all, "unknown" not even for the levels held.
    """

    event: str
    round: int
    model: str
    players: int
    axes: tuple[FrontierAxis, ...]
    held: tuple[LevelValue, ...]
    status: Status
    points: tuple[FrontierPoint, ...]
    own: tuple[int, ...] | None
    said: str
    conflicts: tuple[str | Note, ...] = ()
    notes: tuple[str | Note, ...] = ()

    @property
    def complete(self) -> bool:
        return self.status == "optimal"

    def amounts(self, totals: Sequence[int]) -> tuple[int | float, ...]:
        """Totals in points or matches."""
        exact = (
            Fraction(t + a.offset, a.scale)
            for t, a in zip(totals, self.axes, strict=True)
        )
        return tuple(int(v) if v.denominator == 1 else float(v) for v in exact)

    def to_dict(self) -> dict[str, Any]:
        return {
            **to_record(self, "event", "round", "model", "players", "status"),
            "held": to_records(self.held, "criterion", "level", "value", "scale"),
            "axes": [axis.name for axis in self.axes],
            "own": None if self.own is None else list(self.amounts(self.own)),
            "points": [
                {
                    "totals": list(self.amounts(point.totals)),
                    "pairings": list(point.matches),
                }
                for point in self.points
            ],
        }


@show_keywords(RoundOptions)
def frontier(
    event: Event,
    over: Sequence[str],
    model: ModelLike | None = None,
    **options: Unpack[RoundKeywords],
) -> Frontier:
    """All Pareto-optimal totals of two or three criteria of a model in the event's next round.

    The levels that the model, if not weighted, has above the first of them are held at their
    optimum. `over` are kinds of criteria, all levels of which are added up, or KIND:LEVEL, such as
    "side_difference:2". Raises UsageError for criteria that the model does not have, a system, a
    lookahead, or an engine that proves nothing.
    """
    problem, budget = build_problem_with_budget(
        event, model, RoundOptions, options, "frontier"
    )
    engine = engine_of(problem, problem.asked)
    axes = axes_of(problem, over)
    if problem.lookahead:
        raise UsageError("frontier.lookahead")
    require_exact(engine, "there is no frontier")
    weighted = problem.model.objective == "weighted"
    held = 0 if weighted else min(axis.first for axis in axes)
    best = pair(problem, engine, EngineOptions(problem.model.objective, budget=budget))
    points, status, own = _points(problem, axes, held, best, budget)
    kinds = list(dict.fromkeys(level.criterion for level in problem.levels[:held]))
    above = (
        f"held at their optimum: {join_names(kinds)}" if kinds else "no level is held"
    )
    said = f"{above}; free: all levels from {' and '.join(a.name for a in axes)} on"
    return Frontier(
        problem.event.source,
        best.round,
        best.model,
        len(problem),
        axes,
        best.level_values[:held] if best.proven else (),
        status,
        points,
        None if weighted else own,
        said,
        best.conflicts,
        best.notes,
    )


@show_keywords(RoundOptions)
def frontiers(
    event: Event,
    over: Sequence[str],
    model: ModelLike | None = None,
    **options: Unpack[RoundKeywords],
) -> Iterator[Frontier]:
    """The frontier of each round of an event, by the rounds before it; see `frontier`."""
    for before, given in every_round(event, options):
        found = frontier(before, over, model, **given)
        yield replace(found, notes=new_notes(before, found.round, found.notes))


def _points(
    problem: Problem,
    axes: Sequence[FrontierAxis],
    held: int,
    best: Result,
    budget: Budget,
) -> tuple[tuple[FrontierPoint, ...], Status, tuple[int, ...] | None]:
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
        start = OptimalUse(np.ones(len(columns), np.bool_))
        within = tighten(columns, columns.costs[:, :held], known, start, budget)

        def least(region: Region) -> FrontierPoint | None:
            found = minimize_within_bounds(free, within, (None, *region), budget)
            return None if found is None else _verify_point(problem, ways, found, known)

        for point in nondominated_points(least, len(axes)):
            points.append(point)  # noqa: PERF402  those before the deadline are kept
    except TimeUpError:
        return tuple(points), "feasible", own
    if not any(all(map(le, point.totals, own)) for point in points):
        raise EngineError("frontier.misses_own", points=str(points), own=str(own))
    return tuple(points), "optimal", own


def _verify_point(
    problem: Problem, ways: ArcChoices, found: LevelOptimum, known: Sequence[int]
) -> FrontierPoint:
    """What was found, recomputed by the verifier. Raises EngineError where it is not so."""
    arcs = Arcs(ways.arcs.first[found.used], ways.arcs.second[found.used])
    legal = verify_pairing(problem, arcs).legal
    held = problem.totals(arcs)[: len(known)]
    totals = ways.columns.costs[found.used, len(known) :].sum(axis=0)
    if not legal or held != known or tuple(totals.tolist()) != found.values:
        raise EngineError("frontier.not_found", values=str(found.values))
    return FrontierPoint(found.values, problem.assign_tables(arcs)[0])
