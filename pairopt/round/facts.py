"""Facts: what anybody can look up that keeps two players apart, or somebody from the bye."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from pairopt.event.arcs import BYE, BoolArray, IntArray, arcs_of
from pairopt.event.event import BYE_ROW, FORFEIT
from pairopt.problem.problem import Problem
from pairopt.rules.base import Constraint
from pairopt.wording import listed, points_text

ARTICLES = {
    "no_rematch": "C1",
    "no_repeat_bye": "C2",
    "no_bye_after_forfeit_win": "C2",
    "no_equal_absolute_preference": "C3",
    "no_equal_absolute_preference_below_topscorers": "C3",
}
"""Where FIDE's systems have the constraints of article 2."""
FEW = 3
"""So many players are kept apart one by one in a sentence."""


def ranked_by(problem: Problem) -> IntArray:
    """The points by which players are grouped: virtual ones too where a system counts them."""
    return problem.state.score if problem.system is None else problem.state.fide.score


def why_apart(problem: Problem, one: int, two: int) -> str:
    """Why two players may not meet, whoever has which side, "" where they may."""
    said = [_apart(problem, rule, one, two) for rule in _against(problem, [one, two])]
    return " and ".join(dict.fromkeys(said))


def why_no_bye(problem: Problem, one: int) -> str:
    """Why a player may not have the bye, "" where they may."""
    said = [_no_bye(problem, rule, one) for rule in _against(problem, [one])]
    return " and ".join(dict.fromkeys(said))


def met_in(problem: Problem, one: int, two: int) -> str:
    """In which rounds two players met, "" where they did not."""
    state = problem.state
    rows, (p, q) = state.event.before, state.player[[one, two]]
    there = ((rows.first == p) & (rows.second == q)) | ((rows.first == q) & (rows.second == p))
    rounds = rows.round[there & (rows.status != FORFEIT)].tolist()
    return f"they have met in {_rounds(rounds)}" if rounds else ""


def why_out(problem: Problem, one: int) -> str:
    """Why a player meets nobody with the same points, "" where it is no fact of their group."""
    state, points = problem.state, ranked_by(problem)
    said = points_text(Fraction(int(points[one]), state.scale))
    mates = np.setdiff1d(np.flatnonzero(points == points[one]), [one])
    if not len(mates):
        return f"nobody else has {said}"
    if may_meet(problem, one, mates).any():
        return ""
    if len(mates) > FEW:
        return f"none of the {len(mates)} others with {said} is a possible opponent"
    each = [f"{state.shown[p]}: {why_apart(problem, one, p)}" for p in mates.tolist()]
    return f"no possible opponent with {said} ({'; '.join(each)})"


def may_meet(problem: Problem, one: int, others: IntArray) -> BoolArray:
    """Who of others a player may meet, whoever has which side."""
    arcs = arcs_of(np.full(len(others), one), others)
    return np.asarray(problem.legal(arcs) | problem.legal(arcs.reversed()), np.bool_)


def _against(problem: Problem, seats: Sequence[int]) -> list[Constraint]:
    """The constraints that do not allow a match, or a bye, either way round; all if together."""
    one, two = (*seats, BYE)[:2]
    arcs = arcs_of(np.array([one]), np.array([two]))
    ways = [arcs] if two == BYE else [arcs, arcs.reversed()]
    alone = [
        rule
        for rule in problem.constraints
        if not any(rule.legal(problem.state, way).any() for way in ways)
    ]
    if alone or any(problem.legal(way).any() for way in ways):
        return alone
    return [
        rule for rule in problem.constraints
        if not all(rule.legal(problem.state, way).all() for way in ways)
    ]  # fmt: skip


def _apart(problem: Problem, rule: Constraint, one: int, two: int) -> str:
    state = problem.state
    met = met_in(problem, one, two)
    if rule.kind in ("no_rematch", "max_meetings", "no_same_sides_rematch") and met:
        return met + _article(problem, rule)
    if ARTICLES.get(rule.kind) == "C3" and state.event.sides is not None:
        side = state.event.sides[int(state.fide.preferred[one])].capitalize()
        return f"both must have {side}" + _article(problem, rule)
    if rule.option == "forbid":
        return "they are not to meet, as asked for"
    return _rule(rule)


def _no_bye(problem: Problem, rule: Constraint, one: int) -> str:
    state = problem.state
    rows = state.event.before
    rows = rows.take(rows.first == state.player[one])
    byes = rows.round[rows.status == BYE_ROW].tolist()
    if rule.kind in ("no_repeat_bye", "no_bye_after_forfeit_win") and byes:
        return f"had the bye in {_rounds(byes)}" + _article(problem, rule)
    if rule.kind == "no_bye_after_forfeit_win":
        return "had a win's points without playing" + _article(problem, rule)
    if rule.option == "no_bye":
        return "is not to have the bye, as asked for"
    return _rule(rule)


def _rule(rule: Constraint) -> str:
    return f"{rule.kind} ({rule.describe()})"


def _article(problem: Problem, rule: Constraint) -> str:
    return f" ({ARTICLES[rule.kind]})" if problem.system and rule.kind in ARTICLES else ""


def _rounds(rounds: Sequence[int]) -> str:
    return f"round{'s' * (len(rounds) > 1)} {listed([str(number) for number in sorted(rounds)])}"
