"""Compute the proven Pareto frontier of two or three criteria of a model."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm
from operator import le, mul
from typing import Any, NoReturn, Unpack

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
from pairopt.round.check_event import list_rounds, select_new_notes
from pairopt.round.result import Result
from pairopt.round.solve import pair
from pairopt.sampling.tight_arcs import tighten

Region = tuple[int | None, ...]
"""The largest value of each coordinate but the first, None for no limit."""


@dataclass(frozen=True)
class FrontierPoint:
    """A Pareto-optimal compromise between the axes of a frontier, with a pairing.

    Attributes
    ----------
    totals : tuple of int
        The total of each axis, in its unit of 1/scale, without the axis's offset.
    matches : tuple of PairedRow
        A pairing with these totals, as rows by table. Equal points may have others.
    """

    totals: tuple[int, ...]
    matches: tuple[PairedRow, ...] = field(compare=False, repr=False)


def nondominated_points(
    least: Callable[[Region], FrontierPoint | None], dimensions: int
) -> Iterator[FrontierPoint]:
    """Yield every nondominated point once, in ascending order.

    `least` returns the lexicographically least point in a region, None if the region
    has none; a region limits all coordinates but the first from above. Coordinates are
    integers from 0 on, and `dimensions` is their number. Each point found splits the
    regions that still have to be searched.
    """
    whole_space: Region = (None,) * (dimensions - 1)
    least_point = least(whole_space)
    # the regions to search, each with its least point
    least_of_region = {} if least_point is None else {whole_space: least_point}
    while least_of_region:
        next_point = min(
            least_of_region.values(), key=lambda candidate: tuple(candidate.totals)
        )
        yield next_point

        # A part keeps the least point of its region for now, though it may be outside.
        point_of_part = {
            region_part: candidate
            for region, candidate in least_of_region.items()
            for region_part in _subtract_region(region, next_point.totals[1:])
        }
        least_of_region = {}
        for region_part, candidate in point_of_part.items():
            if any(
                other_part != region_part and _is_inside(region_part, other_part)
                for other_part in point_of_part
            ):
                continue
            is_candidate_inside = _is_inside(candidate.totals[1:], region_part)
            part_point = candidate if is_candidate_inside else least(region_part)
            if part_point is not None:
                least_of_region[region_part] = part_point


def _subtract_region(region: Region, limits: Sequence[int]) -> Iterator[Region]:
    """Yield the parts of a region with a smaller value than a point in some coordinate.

    `limits` are the point's coordinates but the first. A region that does not contain
    the point is yielded as it is.
    """
    if not _is_inside(limits, region):
        yield region
        return

    for coordinate_index, point_limit in enumerate(limits):
        # No total is below 0.
        if point_limit > 0:
            yield (
                *region[:coordinate_index],
                point_limit - 1,
                *region[coordinate_index + 1 :],
            )


def _is_inside(limits: Sequence[int | None], region: Region) -> bool:
    """Return whether a point lies in a region, or a region lies in another one.

    `limits` are the point's coordinates but the first, or the largest values of a
    region; None is no limit, and lies only inside None.
    """
    return all(
        region_limit is None
        or (coordinate_limit is not None and coordinate_limit <= region_limit)
        for coordinate_limit, region_limit in zip(limits, region, strict=True)
    )


MOST_TOTAL = 2**60
"""The largest total of an axis, so that sums fit in 64-bit integers."""


@dataclass(frozen=True, slots=True)
class FrontierAxis:
    """An axis of a frontier: one level of the model, or a criterion's levels added up.

    `name` is the one that the caller gave, and `words` describe the axis. `levels` are
    the indices of the problem's levels (there may be none). `factors` turn their values
    into whole numbers of 1/`scale`. A total in points or matches is (total + offset) /
    scale. `first` is the number of levels of the model above the axis.
    """

    name: str
    words: str
    levels: tuple[int, ...]
    factors: tuple[int, ...]
    scale: int
    offset: int
    first: int

    def totals(self, costs: IntArray) -> IntArray:
        """Return what each arc adds to the axis, shape (m,).

        `costs` are the arcs' costs at the levels of the problem, shape (m, levels). The
        sums are in units of 1/`scale`, without the offset.
        """
        return costs[:, list(self.levels)] @ np.array(self.factors, np.int64)


def axes_of(problem: Problem, names: Sequence[str]) -> tuple[FrontierAxis, ...]:
    """Return the axes of these names, each a criterion's kind or KIND:LEVEL.

    Raise UsageError unless there are two or three, all known and without common levels,
    and for a pairing system, which has no axes.
    """
    if problem.system is not None:
        raise UsageError("frontier.of_a_system", model=problem.model.name)
    if len(names) not in (2, 3):
        raise UsageError("frontier.axes_count", count=len(names))

    axes = tuple(_build_axis(problem, axis_name) for axis_name in names)
    used_level_indices: set[int] = set()
    for axis in axes:
        if used_level_indices & {*axis.levels} or names.count(axis.name) > 1:
            raise UsageError("frontier.axis_twice", axis=axis.name)
        used_level_indices |= {*axis.levels}
    return axes


def _build_axis(problem: Problem, name: str) -> FrontierAxis:
    """Build the axis of a name: a criterion's kind, or KIND:LEVEL for one level.

    A level that this round does not have gives an axis without levels, all totals of
    which are 0. Raise UsageError if the model does not have the criterion.
    """
    criterion_kind, _, level_label = name.partition(":")
    criterion_places = [
        criterion_place
        for criterion_place, criterion in enumerate(problem.criteria)
        if criterion.kind == criterion_kind
    ]
    if not criterion_places:
        _raise_unknown_axis(problem, name, criterion_kind)

    axis_levels = [
        (level_index, level)
        for level_index, level in enumerate(problem.levels)
        if level.place in criterion_places and level_label in ("", str(level.label))
    ]
    common_scale = lcm(*(level.scale for _, level in axis_levels))
    total_offset = sum(
        common_scale // level.scale * level.offset for _, level in axis_levels
    )
    # A label that the round does not have is an extreme one: such levels come first.
    levels_above = sum(level.place < criterion_places[0] for level in problem.levels)
    axis_words = f"all levels of {name}"
    if level_label and axis_levels:
        levels_above = axis_levels[0][0]
        if len(axis_levels) == 1:
            axis_words = axis_levels[0][1].words

    return FrontierAxis(
        name,
        axis_words,
        tuple(level_index for level_index, _ in axis_levels),
        tuple(common_scale // level.scale for _, level in axis_levels),
        common_scale,
        total_offset,
        levels_above,
    )


def _raise_unknown_axis(problem: Problem, name: str, kind: str) -> NoReturn:
    """Raise UsageError for the axis `name`, whose criterion the problem does not have.

    If the model has the criterion `kind`, the message says that the event has no sides;
    otherwise it lists the criteria that the problem has.
    """
    model = problem.model
    if any(criterion.kind == kind for criterion in model.criteria):
        raise UsageError("frontier.axis_of_sides", axis=name, model=model.name)

    criterion_kinds = dict.fromkeys(criterion.kind for criterion in problem.criteria)
    criteria_text = ", ".join(criterion_kinds) or "none"
    raise UsageError(
        "frontier.axis_unknown", axis=name, model=model.name, criteria=criteria_text
    )


@dataclass(frozen=True)
class ArcChoices:
    """The allowed arcs of a frontier, with one or both choices of a pair's sides.

    The costs of `columns` are the `held` levels, then the axes. `arcs` has one arc per
    column.
    """

    columns: AllowedArcs
    arcs: Arcs
    held: int


def build_arc_choices(
    problem: Problem, axes: Sequence[FrontierAxis], held_levels: int
) -> ArcChoices:
    """Build the arcs that a pairing on the frontier can contain.

    Each pair has the sides that are better by the first `held_levels` levels. If both
    sides are equally good there, a side is dropped only if the other dominates it on
    the axes. Illegal arcs are left out. The costs of an arc are the held levels, then
    the axes. Raise UsageError if the totals of an axis can become too large for 64-bit
    integers.
    """
    player_count = len(problem)
    arcs = all_pairs_and_byes(player_count)
    pair_count = len(arcs)
    if problem.state.sided:
        # the m arcs, then the same arcs with swapped sides
        arcs = arcs.both_ways
    level_costs = problem.costs(arcs)
    is_legal = problem.legal(arcs)
    for frontier_axis in axes:
        largest_costs = (
            level_costs[:, list(frontier_axis.levels)].max(axis=0, initial=0).tolist()
        )
        if (
            sum(map(mul, largest_costs, frontier_axis.factors)) * player_count
            > MOST_TOTAL
        ):
            raise UsageError("frontier.axis_too_large", axis=frontier_axis.name)

    axis_costs = [frontier_axis.totals(level_costs) for frontier_axis in axes]
    held_and_axis_costs = np.column_stack([level_costs[:, :held_levels], *axis_costs])
    is_arc_kept = is_legal
    if problem.state.sided:
        is_listed_kept, is_swapped_kept = _undominated_sides(
            held_and_axis_costs[:pair_count],
            held_and_axis_costs[pair_count:],
            is_legal[:pair_count],
            is_legal[pair_count:],
            held_levels,
        )
        # A bye has no sides to swap.
        is_arc_kept = np.concatenate(
            [is_listed_kept, is_swapped_kept & arcs.match[:pair_count]]
        )

    arcs = arcs_of(arcs.first[is_arc_kept], arcs.second[is_arc_kept])
    lower_seats = np.minimum(arcs.first, arcs.second)
    higher_seats = np.maximum(arcs.first, arcs.second)
    lower_seats = np.where(arcs.bye, arcs.first, lower_seats)
    higher_seats = np.where(arcs.bye, player_count, higher_seats)
    return ArcChoices(
        single_pairs(
            player_count, lower_seats, higher_seats, held_and_axis_costs[is_arc_kept]
        ),
        arcs,
        held_levels,
    )


def _undominated_sides(
    costs: IntArray,
    swapped: IntArray,
    legal: BoolArray,
    legal_swapped: BoolArray,
    held_levels: int,
) -> tuple[BoolArray, BoolArray]:
    """Choose the sides that a frontier needs of each pair.

    Returns two masks of pairs: those kept with the listed sides, and those kept with
    swapped sides; a pair may be in both. `costs` and `swapped` are the costs with
    either choice, shape (pairs, levels + axes), the held levels first; `legal` and
    `legal_swapped` say which choices are allowed. If both choices have equal costs,
    only the listed one is kept.
    """
    allowed_sides, _ = choose_sides(
        costs[:, :held_levels], swapped[:, :held_levels], legal, legal_swapped
    )
    is_listed_kept = (allowed_sides & 1).astype(np.bool_)
    is_swapped_kept = (allowed_sides & 2).astype(np.bool_)

    listed_axes = costs[:, held_levels:]
    swapped_axes = swapped[:, held_levels:]
    is_listed_no_worse = (listed_axes <= swapped_axes).all(axis=1)
    is_swapped_better = (swapped_axes <= listed_axes).all(axis=1) & ~is_listed_no_worse

    is_tied_on_held_levels = is_listed_kept & is_swapped_kept
    return (
        is_listed_kept & ~(is_tied_on_held_levels & is_swapped_better),
        is_swapped_kept & ~(is_tied_on_held_levels & is_listed_no_worse),
    )


@dataclass(frozen=True)
class Frontier:
    """The Pareto frontier of a round: all trade-offs that no other pairing dominates.

    Attributes
    ----------
    event : str
        The name of the event.
    round : int
        The number of the round.
    model : str
        The name of the model.
    players : int
        The number of players in the round.
    axes : tuple[FrontierAxis, ...]
        The criteria that are traded against each other.
    held : tuple[LevelValue, ...]
        The levels that stay at their optimum.
    status : Status
        "optimal" if all points were found, "feasible" if the time limit ended the
        search for points, "unknown" if the time limit ended before the held levels were
        solved, "infeasible" if no pairing exists.
    points : tuple[FrontierPoint, ...]
        All Pareto-optimal totals in ascending order, each proven.
    own : tuple[int, ...] | None
        The totals of the model's optimal pairings. None for a weighted model, whose
        optimal pairings may have different totals.
    said : str
        The held levels in words.
    conflicts : tuple[str | Note, ...]
        The rules that conflict if the round has no pairing.
    notes : tuple[str | Note, ...]
        Further remarks, in sentences.
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
        """Whether all points were found. False if no pairing exists."""
        return self.status == "optimal"

    def amounts(self, totals: Sequence[int]) -> tuple[int | float, ...]:
        """Convert totals of the axes, in their order, to points or matches.

        Whole amounts are integers, others floats.
        """
        exact_amounts = (
            Fraction(axis_total + axis.offset, axis.scale)
            for axis_total, axis in zip(totals, self.axes, strict=True)
        )
        return tuple(
            int(exact_amount) if exact_amount.denominator == 1 else float(exact_amount)
            for exact_amount in exact_amounts
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, with each point's totals in points or matches.

        Notes, conflicts and `said` are left out.
        """
        point_records = [
            {
                "totals": list(self.amounts(frontier_point.totals)),
                "pairings": list(frontier_point.matches),
            }
            for frontier_point in self.points
        ]
        amounts_of_model_optimum = (
            None if self.own is None else list(self.amounts(self.own))
        )
        return {
            **to_record(self, "event", "round", "model", "players", "status"),
            "held": to_records(self.held, "criterion", "level", "value", "scale"),
            "axes": [axis.name for axis in self.axes],
            "own": amounts_of_model_optimum,
            "points": point_records,
        }


@show_keywords(RoundOptions)
def frontier(
    event: Event,
    over: Sequence[str],
    model: ModelLike | None = None,
    **options: Unpack[RoundKeywords],
) -> Frontier:
    """Compute all Pareto-optimal totals of two or three criteria in the next round.

    Levels with a higher priority than the chosen criteria stay at their optimum. In a
    weighted model, no level has a higher priority than another level.

    Parameters
    ----------
    event : Event
        The event with the rounds that have been played.
    over : sequence of str
        Two or three kinds of criteria; all levels of a criterion are added up. For a
        single level, write KIND:LEVEL, such as "side_difference:2".
    model : str, path or Model, optional
        The model that pairs the round; by default the event's own, otherwise
        "standard".
    **options
        The options of `pairopt.solve` that concern the round.

    Returns
    -------
    Frontier
        The trade-offs, each with an example of a pairing.

    Raises
    ------
    UsageError
        If the model lacks a chosen criterion, if the model is a pairing system or has a
        lookahead, or if the engine cannot prove an optimum.

    Examples
    --------
    >>> import pairopt
    >>> event = pairopt.read_event("examples/weekly")
    >>> frontier = pairopt.frontier(event, ["score_groups", "side_difference"])
    >>> [frontier.amounts(point.totals) for point in frontier.points]
    [(3, 3), (4, 2), (5, 1), (7, 0)]
    """
    problem, budget = build_problem_with_budget(
        event, model, RoundOptions, options, "frontier"
    )
    engine_name = engine_of(problem, problem.asked)
    axes = axes_of(problem, over)
    if problem.lookahead:
        raise UsageError("frontier.lookahead")
    require_exact(engine_name, "a Pareto front needs an exact engine.")

    is_weighted = problem.model.objective == "weighted"
    held_levels = 0 if is_weighted else min(axis.first for axis in axes)
    engine_options = EngineOptions(problem.model.objective, budget=budget)
    best_result = pair(problem, engine_name, engine_options)
    frontier_points, frontier_status, own_totals = _compute_points(
        problem, axes, held_levels, best_result, budget
    )

    held_kinds = list(
        dict.fromkeys(level.criterion for level in problem.levels[:held_levels])
    )
    held_text = "no level is fixed"
    if held_kinds:
        held_text = f"fixed at their optimum: {join_names(held_kinds)}"
    axis_names = " and ".join(axis.name for axis in axes)
    return Frontier(
        problem.event.source,
        best_result.round,
        best_result.model,
        len(problem),
        axes,
        best_result.level_values[:held_levels] if best_result.proven else (),
        frontier_status,
        frontier_points,
        None if is_weighted else own_totals,
        f"{held_text}; not fixed: all levels from {axis_names} on",
        best_result.conflicts,
        best_result.notes,
    )


@show_keywords(RoundOptions)
def frontiers(
    event: Event,
    over: Sequence[str],
    model: ModelLike | None = None,
    **options: Unpack[RoundKeywords],
) -> Iterator[Frontier]:
    """Compute the Pareto frontier of each round of an event from the earlier rounds.

    Parameters
    ----------
    event : Event
        The event with the rounds that have been played.
    over : sequence of str
        The criteria, as for `frontier`.
    model : str, path or Model, optional
        The model that pairs the rounds; by default the event's own, otherwise
        "standard".
    **options
        The options of `pairopt.solve` that concern the round.

    Yields
    ------
    Frontier
        The Pareto-optimal trade-offs of one round.

    Raises
    ------
    UsageError
        If `frontier` raises it for a round.

    Examples
    --------
    >>> import pairopt
    >>> event = pairopt.read_event("examples/weekly")
    >>> rounds = pairopt.frontiers(event, ["score_groups", "side_difference"])
    >>> [len(frontier.points) for frontier in rounds]
    [1, 1, 1, 5, 1]
    """
    for round_event, round_options in list_rounds(event, options):
        round_frontier = frontier(round_event, over, model, **round_options)
        new_notes = select_new_notes(
            round_event, round_frontier.round, round_frontier.notes
        )
        yield replace(round_frontier, notes=new_notes)


def _compute_points(
    problem: Problem,
    axes: Sequence[FrontierAxis],
    held_levels: int,
    best: Result,
    budget: Budget,
) -> tuple[tuple[FrontierPoint, ...], Status, tuple[int, ...] | None]:
    """Compute a frontier's points; return them, the status, and the own totals.

    `best` is the result of pairing the round by the model, whose totals of the axes are
    the third value. If it is not proven optimal, there are no points and no totals; the
    status is then "infeasible" without any pairing, otherwise "unknown". The status is
    "feasible" if the deadline came before the last point, with the points found until
    then. It is "optimal" if all points were found. `held_levels` is the number of the
    first levels that stay at their optimum. Raise EngineError if no point is at least
    as good as that pairing.
    """
    if best.arcs is None or not best.proven:
        return (), "unknown" if best.status == "feasible" else best.status, None

    arc_costs = problem.costs(best.arcs)
    held_values = arc_costs.sum(axis=0)[:held_levels].tolist()
    own_totals = tuple(int(axis.totals(arc_costs).sum()) for axis in axes)
    arc_choices = build_arc_choices(problem, axes, held_levels)
    arc_columns = arc_choices.columns
    axis_columns = replace(arc_columns, costs=arc_columns.costs[:, held_levels:])
    frontier_points = []
    try:
        unrestricted_use = OptimalUse(np.ones(len(arc_columns), np.bool_))
        held_costs = arc_columns.costs[:, :held_levels]
        optimal_use = tighten(
            arc_columns, held_costs, held_values, unrestricted_use, budget
        )

        def least(region: Region) -> FrontierPoint | None:
            """Return the lexicographically least point in a region.

            Return None if the region has no point. Raise TimeUpError when the deadline
            passes.
            """
            region_optimum = minimize_within_bounds(
                axis_columns, optimal_use, (None, *region), budget
            )
            if region_optimum is None:
                return None
            return _verify_point(problem, arc_choices, region_optimum, held_values)

        for frontier_point in nondominated_points(least, len(axes)):
            frontier_points.append(frontier_point)  # noqa: PERF402  those before the deadline are kept
    except TimeUpError:
        return tuple(frontier_points), "feasible", own_totals

    if not any(
        all(map(le, frontier_point.totals, own_totals))
        for frontier_point in frontier_points
    ):
        raise EngineError(
            "frontier.misses_own", points=str(frontier_points), own=str(own_totals)
        )
    return tuple(frontier_points), "optimal", own_totals


def _verify_point(
    problem: Problem,
    choices: ArcChoices,
    optimum: LevelOptimum,
    held_values: Sequence[int],
) -> FrontierPoint:
    """Convert an engine's optimum to a point, after verifying its pairing and totals.

    `held_values` are the values that the held levels must have. Raise EngineError if
    the pairing is illegal or has other values or totals. `choices` are the arcs that
    the optimum chooses from.
    """
    used_columns = optimum.used
    arcs = Arcs(choices.arcs.first[used_columns], choices.arcs.second[used_columns])
    is_legal = verify_pairing(problem, arcs).legal
    verified_values = problem.totals(arcs)[: len(held_values)]
    axis_totals = choices.columns.costs[used_columns, len(held_values) :].sum(axis=0)
    if (
        not is_legal
        or verified_values != held_values
        or tuple(axis_totals.tolist()) != optimum.values
    ):
        raise EngineError("frontier.not_found", values=str(optimum.values))
    return FrontierPoint(optimum.values, problem.assign_tables(arcs)[0])
