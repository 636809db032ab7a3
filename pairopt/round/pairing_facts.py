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
FEW = 3


def grouping_points(problem: Problem) -> IntArray:
    """Return the points by which players are grouped, shape (n,).

    They include virtual points if a system counts them.
    """
    return problem.state.score if problem.system is None else problem.state.fide.score


def explain_no_meeting(
    problem: Problem, first_player: int, second_player: int
) -> Note | None:
    """Say why two players may not meet with any sides; None if they may.

    Players are positions in the state.
    """
    return _join_distinct(
        [
            _explain_no_meeting(problem, rule, first_player, second_player)
            for rule in _find_barring_rules(problem, [first_player, second_player])
        ]
    )


def explain_no_bye(problem: Problem, player: int) -> Note | None:
    """Say why a player may not have the bye; None if they may."""
    return _join_distinct(
        [
            _explain_no_bye(problem, rule, player)
            for rule in _find_barring_rules(problem, [player])
        ]
    )


def _join_distinct(facts: Sequence[Message]) -> Note | None:
    """Join facts to one note, each only once; None without any."""
    distinct = [fact for k, fact in enumerate(facts) if fact not in facts[:k]]
    return join_notes(distinct) if distinct else None


def describe_meetings(
    problem: Problem, first_player: int, second_player: int
) -> Message | None:
    """Name the rounds in which two players have met; None if they have not."""
    state = problem.state
    rows = state.event.before
    p, q = state.player[[first_player, second_player]]
    is_meeting = (rows.first == p) & (rows.second == q)
    is_meeting |= (rows.first == q) & (rows.second == p)
    rounds = sorted(rows.round[is_meeting & (rows.status != FORFEIT)].tolist())
    if not rounds:
        return None
    return message("fact.met", rounds=rounds, many=len(rounds))


def order_violations(
    problem: Problem, violations: Sequence[Violation]
) -> tuple[Violation, ...]:
    """Return violations with their facts, under a system by its articles, heaviest first.

    Without a system they are returned as they are.
    """
    system = problem.system
    if system is None:
        return tuple(violations)

    state = problem.state
    in_order = sorted(
        violations,
        key=lambda violation: (*CONSTRAINTS, violation.rule).index(violation.rule),
    )
    with_facts = []
    for violation in in_order:
        seats = [state.names.index(player) for player in violation.players]
        fact = explain_no_bye(problem, seats[0])
        if len(seats) == 2:
            if CONSTRAINTS.get(violation.rule) == "5.2":
                why: Note | None = system.side_told(state, seats[1], seats[0])
            else:
                why = explain_no_meeting(problem, seats[0], seats[1])
            names = [state.shown[p] for p in seats]
            fact = None
            if why is not None:
                fact = with_heading(message("rule.of_players", players=names), why)
        with_facts.append(replace(violation, message=fact or violation.message))
    return tuple(with_facts)


def explain_no_mates(problem: Problem, player: int) -> Note | None:
    """Say why a player meets nobody with the same points; None if no rule is the reason."""
    state, points_of = problem.state, grouping_points(problem)
    points = Fraction(int(points_of[player]), state.scale)
    group = np.flatnonzero(points_of == points_of[player])
    mates = np.setdiff1d(group, [player])
    if not len(mates):
        return message("fact.alone", points=points)
    if find_legal_opponents(problem, player, mates).any():
        return None
    if len(mates) > FEW:
        return message("fact.none_of_many", others=len(mates), points=points)
    reasons = [_explain_mate(problem, player, mate) for mate in mates.tolist()]
    return with_heading(message("fact.none_of_few", points=points), *reasons)


def _explain_mate(problem: Problem, player: int, mate: int) -> Note:
    """Say why a player may not meet another one, whose name comes first."""
    heading = message("fact.of_player", name=problem.state.shown[mate])
    why = explain_no_meeting(problem, player, mate)
    return heading if why is None else with_heading(heading, why)


def find_legal_opponents(
    problem: Problem, player: int, opponents: IntArray
) -> BoolArray:
    """Return a mask of the players whom a player may meet, with any sides."""
    arcs = arcs_of(np.full(len(opponents), player), opponents)
    return np.asarray(problem.legal(arcs) | problem.legal(arcs.reversed()), np.bool_)


def _find_barring_rules(problem: Problem, seats: Sequence[int]) -> list[Constraint]:
    """Return the constraints that forbid a match, or a bye, either way round.

    If only all together do so, return those that forbid one way round.
    """
    first_player, second_player = (*seats, BYE)[:2]
    arcs = arcs_of(np.array([first_player]), np.array([second_player]))
    ways = [arcs] if second_player == BYE else [arcs, arcs.reversed()]
    legal_ways = [
        (rule, [bool(rule.legal(problem.state, way).all()) for way in ways])
        for rule in problem.constraints
    ]
    barring = [rule for rule, is_legal in legal_ways if not any(is_legal)]
    if barring or any(problem.legal(way).any() for way in ways):
        return barring
    return [rule for rule, is_legal in legal_ways if not all(is_legal)]


def _explain_no_meeting(
    problem: Problem, rule: Constraint, first_player: int, second_player: int
) -> Message:
    """Say by which fact a rule forbids two players to meet."""
    state = problem.state
    fact = describe_meetings(problem, first_player, second_player)
    if rule.kind in ("no_rematch", "max_meetings", "no_same_sides_rematch") and fact:
        return _with_article(problem, rule, fact)
    if CONSTRAINTS.get(rule.kind) == "C3" and state.event.sides is not None:
        side = state.event.sides[int(state.fide.preferred[first_player])].capitalize()
        return _with_article(problem, rule, message("fact.same_side", side=side))
    if isinstance(rule, ForbiddenPairs):
        return message("fact.forbidden")
    return message("fact.rule", rule=rule.kind, words=rule.describe())


def _explain_no_bye(problem: Problem, rule: Constraint, player: int) -> Message:
    """Say by which fact a rule forbids a player the bye."""
    state = problem.state
    name, rows = state.shown[player], state.event.before
    rows = rows.take(rows.first == state.player[player])
    byes = sorted(rows.round[rows.status == BYE_ROW].tolist())
    if rule.kind in ("no_repeat_bye", "no_bye_after_forfeit_win") and byes:
        fact = message("fact.had_bye", name=name, rounds=byes, many=len(byes))
        return _with_article(problem, rule, fact)
    if rule.kind == "no_bye_after_forfeit_win":
        return _with_article(problem, rule, message("fact.won_unplayed", name=name))
    if isinstance(rule, ForbiddenBye):
        return message("fact.forbidden_bye", name=name)
    return message("fact.rule_of", name=name, rule=rule.kind, words=rule.describe())


def _with_article(problem: Problem, rule: Constraint, fact: Message) -> Message:
    """Return a fact with the article of FIDE's rules for which it counts, under a system."""
    if not problem.system or rule.kind not in CONSTRAINTS:
        return fact
    fields = {**fact.fields, "article": CONSTRAINTS[rule.kind]}
    return Message(BY_ARTICLE[fact.kind], fields)
