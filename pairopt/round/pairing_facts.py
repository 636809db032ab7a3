"""Facts that anybody can look up: why two players may not meet, or somebody has no bye."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from pairopt.common.serialization import read_package_toml
from pairopt.event.arcs import BYE, BoolArray, IntArray, arcs_of
from pairopt.event.event import BYE_ROW, FORFEIT
from pairopt.messages import Message, Note, join_notes, message, with_heading
from pairopt.problem.problem import Problem
from pairopt.problem.verifier import Violation
from pairopt.rules.base import Constraint
from pairopt.rules.constraints.requested import ForbiddenBye, ForbiddenPairs

CONSTRAINTS = read_package_toml("pairopt", "fide/articles.toml")["constraints"]
"""The article of each constraint, the heaviest first."""
BY_ARTICLE = {
    "fact.met": "fact.met_by_article",
    "fact.same_side": "fact.same_side_by_article",
    "fact.had_bye": "fact.had_bye_by_article",
    "fact.won_unplayed": "fact.won_unplayed_by_article",
}
"""The message kind with an article for each one without."""
# so many players are named one by one in a sentence
MOST_NAMED_MATES = 3


def grouping_points(problem: Problem) -> IntArray:
    """Return the points by which players are grouped, shape (n,), in units of 1/scale.

    Under a system they include virtual points, if there are such.
    """
    return problem.state.score if problem.system is None else problem.state.fide.score


def explain_no_meeting(
    problem: Problem, first_player: int, second_player: int
) -> Note | None:
    """Say why two players may not meet, whichever side each has; None if they may.

    Players are positions in the state.
    """
    return _join_distinct(
        [
            _explain_no_meeting(problem, barring_rule, first_player, second_player)
            for barring_rule in _find_barring_rules(
                problem, [first_player, second_player]
            )
        ]
    )


def explain_no_bye(problem: Problem, player: int) -> Note | None:
    """Say why a player may not have the bye; None if they may.

    `player` is a position in the state.
    """
    return _join_distinct(
        [
            _explain_no_bye(problem, barring_rule, player)
            for barring_rule in _find_barring_rules(problem, [player])
        ]
    )


def _join_distinct(facts: Sequence[Message]) -> Note | None:
    """Join facts to one note, without repeating equal ones, in their order.

    None without facts.
    """
    distinct_facts = [
        joined_fact
        for fact_index, joined_fact in enumerate(facts)
        if joined_fact not in facts[:fact_index]
    ]
    return join_notes(distinct_facts) if distinct_facts else None


def describe_meetings(
    problem: Problem, first_player: int, second_player: int
) -> Message | None:
    """Name the rounds in which two players have met; None if they have not.

    Only rounds before the next one count, and forfeited matches don't. Players are
    positions in the state.
    """
    state = problem.state
    rows_before = state.event.before
    first_position, second_position = state.player[[first_player, second_player]]
    is_meeting = (rows_before.first == first_position) & (
        rows_before.second == second_position
    )
    is_meeting |= (rows_before.first == second_position) & (
        rows_before.second == first_position
    )
    meeting_rounds = sorted(
        rows_before.round[is_meeting & (rows_before.status != FORFEIT)].tolist()
    )
    if not meeting_rounds:
        return None
    return message("fact.met", rounds=meeting_rounds, many=len(meeting_rounds))


def order_violations(
    problem: Problem, violations: Sequence[Violation]
) -> tuple[Violation, ...]:
    """Sort violations by FIDE's articles, the heaviest first, and add facts.

    The message of a violation is replaced if a fact explains it. Only under a system;
    without one the violations are returned unchanged, in their order.
    """
    pairing_system = problem.system
    if pairing_system is None:
        return tuple(violations)

    state = problem.state
    violations_by_article = sorted(
        violations,
        key=lambda violation: (*CONSTRAINTS, violation.rule).index(violation.rule),
    )
    explained_violations = []
    for violation in violations_by_article:
        violation_seats = [
            state.names.index(player_identifier)
            for player_identifier in violation.players
        ]
        fact_note = explain_no_bye(problem, violation_seats[0])
        if len(violation_seats) == 2:
            if CONSTRAINTS.get(violation.rule) == "5.2":
                reason_note: Note | None = pairing_system.side_told(
                    state, violation_seats[1], violation_seats[0]
                )
            else:
                reason_note = explain_no_meeting(
                    problem, violation_seats[0], violation_seats[1]
                )
            player_names = [state.shown[player_seat] for player_seat in violation_seats]
            fact_note = None
            if reason_note is not None:
                fact_note = with_heading(
                    message("rule.of_players", players=player_names), reason_note
                )
        explained_violations.append(
            replace(violation, message=fact_note or violation.message)
        )
    return tuple(explained_violations)


def explain_no_mates(problem: Problem, player: int) -> Note | None:
    """Say why a player can meet nobody with the same points; None if they can.

    If only a few players have the same points, each of them gets a reason. `player` is
    a position in the state.
    """
    state, points_by_seat = problem.state, grouping_points(problem)
    points_of_player = Fraction(int(points_by_seat[player]), state.scale)
    players_with_points = np.flatnonzero(points_by_seat == points_by_seat[player])
    possible_mate_seats = np.setdiff1d(players_with_points, [player])
    if not len(possible_mate_seats):
        return message("fact.alone", points=points_of_player)
    if find_legal_opponents(problem, player, possible_mate_seats).any():
        return None
    if len(possible_mate_seats) > MOST_NAMED_MATES:
        return message(
            "fact.none_of_many",
            others=len(possible_mate_seats),
            points=points_of_player,
        )
    mate_notes = [
        _explain_mate(problem, player, mate_seat)
        for mate_seat in possible_mate_seats.tolist()
    ]
    return with_heading(
        message("fact.none_of_few", points=points_of_player), *mate_notes
    )


def _explain_mate(problem: Problem, player: int, mate: int) -> Note:
    """Return a note with the name of `mate`, and why a player may not meet them.

    Both are positions in the state.
    """
    heading_note = message("fact.of_player", name=problem.state.shown[mate])
    reason_note = explain_no_meeting(problem, player, mate)
    return (
        heading_note if reason_note is None else with_heading(heading_note, reason_note)
    )


def find_legal_opponents(
    problem: Problem, player: int, opponents: IntArray
) -> BoolArray:
    """Return a mask of `opponents` whom a player may meet, on one side or the other.

    All are positions in the state.
    """
    possible_arcs = arcs_of(np.full(len(opponents), player), opponents)
    return np.asarray(
        problem.legal(possible_arcs) | problem.legal(possible_arcs.reversed()), np.bool_
    )


def _find_barring_rules(problem: Problem, seats: Sequence[int]) -> list[Constraint]:
    """Return the constraints that each forbid a match, or a bye, either way round.

    `seats` are two positions in the state, or one for a bye. If no constraint does so
    alone, but all together forbid both ways, return those that forbid one way round.
    Empty if the match is legal.
    """
    first_seat, second_seat = (*seats, BYE)[:2]
    match_arcs = arcs_of(np.array([first_seat]), np.array([second_seat]))
    arcs_each_way = (
        [match_arcs] if second_seat == BYE else [match_arcs, match_arcs.reversed()]
    )
    legality_by_rule = [
        (
            constraint,
            [
                bool(constraint.legal(problem.state, way_arcs).all())
                for way_arcs in arcs_each_way
            ],
        )
        for constraint in problem.constraints
    ]
    barring_rules = [
        constraint
        for constraint, is_legal_each_way in legality_by_rule
        if not any(is_legal_each_way)
    ]
    if barring_rules or any(
        problem.legal(way_arcs).any() for way_arcs in arcs_each_way
    ):
        return barring_rules
    return [
        constraint
        for constraint, is_legal_each_way in legality_by_rule
        if not all(is_legal_each_way)
    ]


def _explain_no_meeting(
    problem: Problem, rule: Constraint, first_player: int, second_player: int
) -> Message:
    """Say by which fact one rule forbids two players to meet.

    `rule` must forbid it. The fact may be the rounds in which they met, the side that
    both have to have, or a forbidden pair. Without a known fact the rule itself is
    quoted. Players are positions in the state.
    """
    state = problem.state
    meetings_fact = describe_meetings(problem, first_player, second_player)
    if (
        rule.kind in ("no_rematch", "max_meetings", "no_same_sides_rematch")
        and meetings_fact
    ):
        return _with_article(problem, rule, meetings_fact)
    if CONSTRAINTS.get(rule.kind) == "C3" and state.event.sides is not None:
        side_name = state.event.sides[
            int(state.fide.preferred[first_player])
        ].capitalize()
        return _with_article(problem, rule, message("fact.same_side", side=side_name))
    if isinstance(rule, ForbiddenPairs):
        return message("fact.forbidden")
    return message("fact.rule", rule=rule.kind, words=rule.describe())


def _explain_no_bye(problem: Problem, rule: Constraint, player: int) -> Message:
    """Say by which fact one rule forbids a player the bye.

    `rule` must forbid it. The fact may be earlier byes, points without playing, or a
    forbidden bye. Without a known fact the rule itself is quoted. `player` is a
    position in the state.
    """
    state = problem.state
    player_name, rows_before = state.shown[player], state.event.before
    rows_of_player = rows_before.take(rows_before.first == state.player[player])
    bye_rounds = sorted(rows_of_player.round[rows_of_player.status == BYE_ROW].tolist())
    if rule.kind in ("no_repeat_bye", "no_bye_after_forfeit_win") and bye_rounds:
        bye_fact = message(
            "fact.had_bye", name=player_name, rounds=bye_rounds, many=len(bye_rounds)
        )
        return _with_article(problem, rule, bye_fact)
    if rule.kind == "no_bye_after_forfeit_win":
        return _with_article(
            problem, rule, message("fact.won_unplayed", name=player_name)
        )
    if isinstance(rule, ForbiddenBye):
        return message("fact.forbidden_bye", name=player_name)
    return message(
        "fact.rule_of", name=player_name, rule=rule.kind, words=rule.describe()
    )


def _with_article(problem: Problem, rule: Constraint, fact: Message) -> Message:
    """Return a fact with the article of FIDE's rules that forbids it.

    Without a system, or for a `rule` without an article, the fact is unchanged.
    """
    if not problem.system or rule.kind not in CONSTRAINTS:
        return fact
    message_fields = {**fact.fields, "article": CONSTRAINTS[rule.kind]}
    return Message(BY_ARTICLE[fact.kind], message_fields)
