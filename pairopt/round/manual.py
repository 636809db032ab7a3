"""Check a pairing that somebody made by hand, and measure it by the levels."""

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
from pairopt.round.given_pairing import check_lookahead_room, choose_better_sides
from pairopt.round.result import BY_HAND, Match, Result


@show_keywords(RoundOptions)
def check_manual_pairing(
    event: Event,
    matches: Sequence[Match],
    model: ModelLike | None = None,
    **options: Unpack[RoundKeywords],
) -> Result:
    """Return a pairing of the next round that a user made, with its levels.

    `matches` have the identifiers of two players, or of one for the bye; players get
    the better sides. `options` are those of the round. The status of the `Result` is
    "heuristic", and the conflicts name the constraints that the pairing breaks, so a
    pairing that breaks rules is no error. Raises UsageError if a player is paired twice
    or not at all, and for one who is unknown or inactive.
    """
    problem, budget = build_problem_with_budget(
        event, model, RoundOptions, options, "by_hand"
    )
    arcs = _build_arcs(problem, matches)
    pairing_verdict = verify_pairing(problem, arcs)
    if pairing_verdict.faults:
        fault_messages = [
            message(pairing_fault) for pairing_fault in pairing_verdict.faults
        ]
        raise UsageError(join_notes(fault_messages, name="pairing.faults"))
    room_violations, room_notes = check_lookahead_room(problem, arcs, budget)
    violations = (*pairing_verdict.violations, *room_violations)
    table_rows, arcs = problem.assign_tables(arcs)
    return Result(
        status="heuristic",
        objective=problem.model.objective,
        engine=BY_HAND,
        seed=budget.seed,
        level_values=level_values(
            problem, problem.model.objective, pairing_verdict.values
        ),
        matches=table_rows,
        problem=problem,
        arcs=arcs,
        conflicts=tuple(violation.message for violation in violations),
        notes=(*problem.notes, *room_notes),
    )


SET_ASIDE = ("relax", "allow", "allow_bye")
"""The options that set a rule aside, for everybody or for some players."""


def list_broken_rules(
    event: Event, matches: Sequence[Match], model: ModelLike | None = None, **given: Any
) -> tuple[str | Note, ...]:
    """Return messages that say which rules a pairing breaks, and for whom.

    `matches` have the identifiers of two players, or of one for the bye. The rules are
    those of the model; they count even if an option has set them aside. `given` are the
    options that the round was paired with. Only those that change who is paired and by
    which rules are used; of `relax` only "history". Empty if the pairing breaks no
    rule; players who are paired twice or not at all are not reported. Raises UsageError
    for an unknown or inactive player.
    """
    option_names = ("round", "last_round", "request_bye", "drop", "sides", "points")
    used_options = {
        option_name: given[option_name]
        for option_name in option_names
        if given.get(option_name)
    }
    used_options["relax"] = [
        relaxed_rule
        for relaxed_rule in given.get("relax", ())
        if relaxed_rule == "history"
    ]
    problem, _ = build_problem_with_budget(
        event, model, RoundOptions, used_options, "by_hand"
    )
    pairing_verdict = verify_pairing(problem, _build_arcs(problem, matches))
    return tuple(violation.message for violation in pairing_verdict.violations)


def with_initial_solution(result: Result, matches: Sequence[Match]) -> Result:
    """Return a result, or the initial solution if that is better.

    `matches` are the initial solution, a complete pairing by identifiers. Only a result
    that was stopped by the time limit can be replaced: one that is optimal, infeasible
    or heuristic is returned unchanged, as is a pairing that is at least as good.
    Otherwise a copy has the matches of the initial solution, the result's bounds and
    the status "feasible". Raises UsageError if the initial solution is not a pairing,
    or breaks a constraint.
    """
    problem = result.problem
    arcs = _build_arcs(problem, matches)
    initial_verdict = verify_pairing(problem, arcs)
    if initial_verdict.faults or initial_verdict.violations:
        fault_messages = [
            message(pairing_fault) for pairing_fault in initial_verdict.faults
        ]
        violation_messages = [
            violation.message for violation in initial_verdict.violations
        ]
        raise UsageError(
            join_notes([*fault_messages, *violation_messages], name="pairing.faults")
        )

    initial_levels = level_values(problem, result.objective, initial_verdict.values)
    initial_values = [
        initial_level.value for initial_level in decisive_levels(initial_levels)
    ]
    result_values = [
        result_level.value for result_level in decisive_levels(result.decisive)
    ]
    if result.status not in ("feasible", "unknown"):
        return result
    if result.arcs and result_values <= initial_values:
        return result

    # a level is proven if it and all levels before are at their bounds
    is_proven_so_far = True
    levels_with_bounds = list[LevelValue]()
    for initial_level, result_level in zip_longest(initial_levels, result.level_values):
        lower_bound = None if result_level is None else result_level.bound
        is_proven_so_far = is_proven_so_far and initial_level.value == lower_bound
        level_proven = None if initial_level.proven is None else is_proven_so_far
        levels_with_bounds.append(
            initial_level._replace(bound=lower_bound, proven=level_proven)
        )
    table_rows, arcs = problem.assign_tables(arcs)
    return replace(
        result,
        status="feasible",
        level_values=tuple(levels_with_bounds),
        matches=table_rows,
        arcs=arcs,
    )


def swap_players(
    matches: Sequence[Match], first_player: str, second_player: str
) -> tuple[Match, ...]:
    """Return the matches with two players in each other's places, by identifier.

    If one of them is in no match, that player takes the other's place, and the other is
    left out. If neither is in a match, nothing changes.
    """
    substitute_by_player = {first_player: second_player, second_player: first_player}
    return tuple(
        tuple(
            substitute_by_player.get(player_identifier, player_identifier)
            for player_identifier in match_of_players
        )
        for match_of_players in matches
    )


def _build_arcs(problem: Problem, matches: Sequence[Match]) -> Arcs:
    """Return the arcs of matches by identifiers, each with the better legal sides.

    A match is two players, or one for the bye. Whether everybody is paired once is not
    checked. Raises UsageError for an unknown or inactive player, or for a match of none
    or more than two.
    """
    state = problem.state
    seats_by_match = []
    for match_of_players in matches:
        player_positions = [
            active_position(state.event, player_identifier)
            for player_identifier in match_of_players
        ]
        seats_by_match.append(
            [int(state.seats[event_position]) for event_position in player_positions]
        )
    if any(len(match_of_players) not in (1, 2) for match_of_players in seats_by_match):
        raise UsageError("pairing.not_two")

    match_ends = [(*match_of_players, BYE)[:2] for match_of_players in seats_by_match]
    first_seats, second_seats = np.array(match_ends, np.int64).reshape(-1, 2).T
    arcs = arcs_of(first_seats, second_seats)
    objective_weights = problem.weights(problem.model.objective)
    return choose_better_sides(problem, arcs, arcs.match, objective_weights)
