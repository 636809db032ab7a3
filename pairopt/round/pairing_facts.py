"""Facts: what anybody can look up that keeps two players apart, or somebody from the bye."""

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
"""By their articles, the heaviest first."""
BY_ARTICLE = {
    "fact.met": "fact.met_by_article",
    "fact.same_side": "fact.same_side_by_article",
    "fact.had_bye": "fact.had_bye_by_article",
    "fact.won_unplayed": "fact.won_unplayed_by_article",
}
"""The same facts with their articles."""
FEW = 3  # so many players are kept apart one by one in a sentence


def ranked_by(problem: Problem) -> IntArray:
    """The points by which players are grouped: virtual ones too where a system counts them."""
    return problem.state.score if problem.system is None else problem.state.fide.score


def why_apart(problem: Problem, one: int, two: int) -> Note | None:
    """Why two players may not meet, whoever has which side, None where they may."""
    return _all(
        [_apart(problem, rule, one, two) for rule in _against(problem, [one, two])]
    )


def why_no_bye(problem: Problem, one: int) -> Note | None:
    return _all([_no_bye(problem, rule, one) for rule in _against(problem, [one])])


def _all(facts: Sequence[Message]) -> Note | None:
    once = [fact for k, fact in enumerate(facts) if fact not in facts[:k]]
    return join_notes(once) if once else None


def meeting_fact(problem: Problem, one: int, two: int) -> Message | None:
    state = problem.state
    rows, (p, q) = state.event.before, state.player[[one, two]]
    there = ((rows.first == p) & (rows.second == q)) | (
        (rows.first == q) & (rows.second == p)
    )
    rounds = sorted(rows.round[there & (rows.status != FORFEIT)].tolist())
    return message("fact.met", rounds=rounds, many=len(rounds)) if rounds else None


def by_weight(problem: Problem, broken: Sequence[Violation]) -> tuple[Violation, ...]:
    """What is broken, of a system by its articles, the heaviest first, with the facts."""
    if (system := problem.system) is None:
        return tuple(broken)
    state, made = problem.state, list[Violation]()
    for each in sorted(
        broken, key=lambda each: (*CONSTRAINTS, each.rule).index(each.rule)
    ):
        seats = [state.names.index(player) for player in each.players]
        fact = why_no_bye(problem, seats[0])
        if len(seats) == 2:
            sides = CONSTRAINTS.get(each.rule) == "5.2"
            why = (
                system.side_told(state, *seats[::-1])
                if sides
                else why_apart(problem, *seats)
            )
            both = [state.shown[p] for p in seats]
            fact = None
            if why is not None:
                fact = with_heading(message("rule.of_players", players=both), why)
        made.append(replace(each, message=fact or each.message))
    return tuple(made)


def why_out(problem: Problem, one: int) -> Note | None:
    """Why a player meets nobody with the same points, None where it is no fact of their group."""
    state, ranks = problem.state, ranked_by(problem)
    points = Fraction(int(ranks[one]), state.scale)
    mates = np.setdiff1d(np.flatnonzero(ranks == ranks[one]), [one])
    if not len(mates):
        return message("fact.alone", points=points)
    if may_meet(problem, one, mates).any():
        return None
    if len(mates) > FEW:
        return message("fact.none_of_many", others=len(mates), points=points)
    each = [_of_player(problem, one, p) for p in mates.tolist()]
    return with_heading(message("fact.none_of_few", points=points), *each)


def _of_player(problem: Problem, one: int, other: int) -> Note:
    """Why somebody may not meet another player, whose name comes first."""
    heading = message("fact.of_player", name=problem.state.shown[other])
    why = why_apart(problem, one, other)
    return heading if why is None else with_heading(heading, why)


def may_meet(problem: Problem, one: int, others: IntArray) -> BoolArray:
    """Who of others a player may meet, whoever has which side."""
    arcs = arcs_of(np.full(len(others), one), others)
    return np.asarray(problem.legal(arcs) | problem.legal(arcs.reversed()), np.bool_)


def _against(problem: Problem, seats: Sequence[int]) -> list[Constraint]:
    """The constraints that do not allow a match, or a bye, either way round; all if together."""
    one, two = (*seats, BYE)[:2]
    arcs = arcs_of(np.array([one]), np.array([two]))
    ways = [arcs] if two == BYE else [arcs, arcs.reversed()]
    kept = [
        (rule, [bool(rule.legal(problem.state, way).all()) for way in ways])
        for rule in problem.constraints
    ]
    alone = [rule for rule, legal in kept if not any(legal)]
    if alone or any(problem.legal(way).any() for way in ways):
        return alone
    return [rule for rule, legal in kept if not all(legal)]


def _apart(problem: Problem, rule: Constraint, one: int, two: int) -> Message:
    state = problem.state
    met = meeting_fact(problem, one, two)
    if rule.kind in ("no_rematch", "max_meetings", "no_same_sides_rematch") and met:
        return _by_article(problem, rule, met)
    if CONSTRAINTS.get(rule.kind) == "C3" and state.event.sides is not None:
        side = state.event.sides[int(state.fide.preferred[one])].capitalize()
        return _by_article(problem, rule, message("fact.same_side", side=side))
    if isinstance(rule, ForbiddenPairs):
        return message("fact.forbidden")
    return message("fact.rule", rule=rule.kind, words=rule.describe())


def _no_bye(problem: Problem, rule: Constraint, one: int) -> Message:
    state = problem.state
    name, rows = state.shown[one], state.event.before
    rows = rows.take(rows.first == state.player[one])
    byes = sorted(rows.round[rows.status == BYE_ROW].tolist())
    if rule.kind in ("no_repeat_bye", "no_bye_after_forfeit_win") and byes:
        said = message("fact.had_bye", name=name, rounds=byes, many=len(byes))
        return _by_article(problem, rule, said)
    if rule.kind == "no_bye_after_forfeit_win":
        return _by_article(problem, rule, message("fact.won_unplayed", name=name))
    if isinstance(rule, ForbiddenBye):
        return message("fact.forbidden_bye", name=name)
    return message("fact.rule_of", name=name, rule=rule.kind, words=rule.describe())


def _by_article(problem: Problem, rule: Constraint, fact: Message) -> Message:
    """The fact with the article of FIDE's rules for which it counts, where a system has one."""
    if not problem.system or rule.kind not in CONSTRAINTS:
        return fact
    return Message(
        BY_ARTICLE[fact.kind], {**fact.fields, "article": CONSTRAINTS[rule.kind]}
    )
