"""By hand: a pairing that somebody wants, measured as if it had been solved for."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, Unpack

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.arcs import BYE, Arcs, arcs_of
from pairopt.event.event import Event
from pairopt.messages import Note, join_notes, message
from pairopt.problem.build import active_position, build_problem_with_budget
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.levels import LevelValue, decisive_levels, level_values
from pairopt.problem.options import ModelLike, RoundOptions, show_keywords
from pairopt.problem.problem import Problem
from pairopt.problem.verifier import verify_pairing
from pairopt.round.given_pairing import better_ways, room_left
from pairopt.round.result import BY_HAND, Match, Result


@show_keywords(RoundOptions)
def check_manual_pairing(
    event: Event,
    matches: Sequence[Match],
    model: ModelLike | None = None,
    **options: Unpack[RoundKeywords],
) -> Result:
    """A pairing of the event's next round that somebody wants, with its levels.

    `matches` are two players each, or one for the bye; sides are given the better way round. The
    `Result` is of status "heuristic", its conflicts name the constraints that it breaks. Raises
    UsageError for what is no pairing of the round: somebody twice, or not at all.
    """
    problem, budget = build_problem_with_budget(
        event, model, RoundOptions, options, "by_hand"
    )
    wanted = _arcs(problem, matches)
    verdict = verify_pairing(problem, wanted)
    if verdict.faults:
        faults = [message(fault) for fault in verdict.faults]
        raise UsageError(join_notes(faults, name="pairing.faults"))
    missing, said = room_left(problem, wanted, budget)
    rows, arcs = problem.assign_tables(wanted)
    return Result(
        status="heuristic",
        objective=problem.model.objective,
        engine=BY_HAND,
        seed=budget.seed,
        level_values=level_values(problem, problem.model.objective, verdict.values),
        matches=rows,
        problem=problem,
        arcs=arcs,
        conflicts=tuple(broken.message for broken in (*verdict.violations, *missing)),
        notes=(*problem.notes, *said),
    )


SET_ASIDE = ("relax", "allow", "allow_bye")
"""The options that set a rule aside, for everybody or for some players."""


def rules_broken(
    event: Event, matches: Sequence[Match], model: ModelLike | None = None, **given: Any
) -> tuple[str | Note, ...]:
    """Return which rules a pairing breaks, and for whom, as if no option had set any aside.

    `given` are the options that the round was paired with. Those that change who is to be paired
    and by what count, the others are left out.
    """
    kept = ("round", "last_round", "request_bye", "drop", "sides", "points")
    options = {name: given[name] for name in kept if given.get(name)}
    options["relax"] = [name for name in given.get("relax", ()) if name == "history"]
    problem, _ = build_problem_with_budget(
        event, model, RoundOptions, options, "by_hand"
    )
    verdict = verify_pairing(problem, _arcs(problem, matches))
    return tuple(broken.message for broken in verdict.violations)


def no_worse(result: Result, matches: Sequence[Match]) -> Result:
    """The result, or where it stopped short of a pairing of its round that somebody has, that.
    Raises UsageError for one that is none, or breaks a constraint.
    """
    problem, arcs = result.problem, _arcs(result.problem, matches)
    verdict = verify_pairing(problem, arcs)
    if verdict.faults or verdict.violations:
        broken = [
            *map(message, verdict.faults),
            *(each.message for each in verdict.violations),
        ]
        raise UsageError(join_notes(broken, name="pairing.faults"))
    levels, sure = level_values(problem, result.objective, verdict.values), True
    mine, theirs = (
        [level.value for level in decisive_levels(some)]
        for some in (levels, result.decisive)
    )
    if result.status not in ("feasible", "unknown") or (result.arcs and theirs <= mine):
        return result
    made = list[LevelValue]()
    for level, known in zip_longest(levels, result.level_values):
        bound = None if known is None else known.bound
        sure = sure and level.value == bound
        proven = None if level.proven is None else sure
        made.append(level._replace(bound=bound, proven=proven))
    rows, arcs = problem.assign_tables(arcs)
    return replace(
        result, status="feasible", level_values=tuple(made), matches=rows, arcs=arcs
    )


def swap_players(matches: Sequence[Match], one: str, other: str) -> tuple[Match, ...]:
    places = {one: other, other: one}
    return tuple(
        tuple(places.get(player, player) for player in match) for match in matches
    )


def _arcs(problem: Problem, matches: Sequence[Match]) -> Arcs:
    state = problem.state
    seats = [
        [int(state.seats[active_position(state.event, player)]) for player in match]
        for match in matches
    ]
    if any(len(match) not in (1, 2) for match in seats):
        raise UsageError("pairing.not_two")
    both = [(*match, BYE)[:2] for match in seats]
    arcs = arcs_of(*np.array(both, np.int64).reshape(-1, 2).T)
    return better_ways(
        problem, arcs, arcs.match, problem.weights(problem.model.objective)
    )
