"""Explain: each match in a sentence, and what another pairing would have cost.

A cause is named only where it is a fact of the round (an odd score group, nobody left in it);
for all else the proof is the reason: no pairing is better.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, Unpack

import numpy as np

from pairopt.engines import engine_of
from pairopt.engines.base import Options, Status
from pairopt.errors import UsageError
from pairopt.event.arcs import BYE, Arcs, arcs_of
from pairopt.event.event import Event
from pairopt.event.state import State
from pairopt.problem.options import (
    ModelLike,
    Pair,
    RoundKeywords,
    RoundOptions,
    options_of,
    spelled_out,
)
from pairopt.problem.problem import Problem
from pairopt.problem.ready import active_position, problem_for
from pairopt.problem.system import Level
from pairopt.proof.reasons import Reason, reasons_of
from pairopt.records import json_value, record, records
from pairopt.round.deviation import deviation
from pairopt.round.facts import met_in, ranked_by, why_apart, why_no_bye, why_out
from pairopt.round.result import Result
from pairopt.round.solve import pair
from pairopt.rules.base import Constraint
from pairopt.rules.constraints.asked_for import ForbiddenBye, ForbiddenPairs, ForcedBye, ForcedPairs
from pairopt.wording import counted, pair_text, points_text, times

Kind = Literal["impossible", "free", "worse", "unknown"]


@dataclass(frozen=True, slots=True)
class LevelShare:
    """What a match adds to a level: the value is over the level's scale."""

    level: Level
    value: int


@dataclass(frozen=True, slots=True)
class ExplainedMatch:
    """A match (player2 None for a bye) with its shares of the levels and a sentence."""

    player1: str
    player2: str | None
    shares: tuple[LevelShare, ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """What the round would be otherwise.

    `kind` says whether that is impossible, free (equally good) or worse; then `level` is the
    index of the first level that is worse, `optimum` and `value` are its values over its scale.
    """

    question: str
    kind: Kind
    sentence: str
    level: int | None = None
    optimum: int | None = None
    value: int | None = None


@dataclass(frozen=True)
class Explanation:
    """A paired round, its matches explained, the answers to questions, and reasons of levels.

    `brackets` has a sentence for each bracket of a system that pairs by them.
    """

    result: Result
    matches: tuple[ExplainedMatch, ...]
    answers: tuple[Alternative, ...]
    brackets: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        names = self.result.problem.state.names
        asked = ("question", "kind", "level", "optimum", "value", "sentence")
        return {
            **record(self.result, "round", "model", "status"),
            "matches": [
                {
                    **record(match, "player1", "player2"),
                    "shares": [
                        {"criterion": s.level.criterion, "level": s.level.label,
                         "value": json_value(s.value), "scale": s.level.scale}
                        for s in match.shares
                    ],
                    "sentence": match.sentence,
                }
                for match in self.matches
            ],
            "answers": records(self.answers, *asked),
            "brackets": list(self.brackets),
            "reasons": [
                {**record(reason, "level"), "players": sorted(names[p] for p in reason.players),
                 "clause": reason.clause}
                for reason in self.reasons
            ],
            "conflicts": list(self.result.conflicts),
        }  # fmt: skip


@spelled_out(RoundOptions)
def explain(
    event: Event,
    model: ModelLike | None = None,
    *,
    why: Sequence[Pair] = (),
    why_not: Sequence[Pair] = (),
    why_bye: Sequence[str] = (),
    why_float: Sequence[str] | None = None,
    **options: Unpack[RoundKeywords],
) -> Explanation:
    """Pair the round, explain each match, and answer what another pairing would cost.

    Args:
        event: players and rounds so far.
        model: name, path or `Model`; by default the event's own, else "standard".
        why: pairs that may ask why they meet: what would it cost if they did not?
        why_not: pairs that may ask why they do not meet.
        why_bye: players who may ask why they have the bye, or do not.
        why_float: players who may ask why they meet somebody with other points; where a system
            pairs by brackets, all who float down by default.
        options: the fields of `RoundOptions`; the time limit is one for all pairings together.

    Raises:
        UsageError: for players who are not in the round.
    """
    chosen = options_of(event, RoundOptions, options, "explain")
    budget = chosen.budget(time.monotonic())
    problem = problem_for(event, model, chosen)
    how, engine = Options(problem.model.objective, budget=budget), engine_of(problem, chosen)
    result = pair(problem, engine, how)
    if not result.matches:
        return Explanation(result, (), ())
    ask = Asker(result, how)
    answers = [ask.about_pair(each, meets=True) for each in why]
    answers += [ask.about_pair(each, meets=False) for each in why_not]
    answers += [ask.about_bye(player) for player in why_bye]
    if why_float is None:
        why_float = [] if answers else _floaters(result)
    answers += [ask.about_float(player) for player in why_float]
    known = reasons_of(result, budget)
    return Explanation(result, explained(result, known), tuple(answers), _brackets(result), known)


@dataclass(frozen=True)
class Asker:
    """Pairs a round again under one more constraint, to say what another pairing would cost."""

    result: Result
    options: Options

    @property
    def problem(self) -> Problem:
        return self.result.problem

    def paired(self, more: Sequence[Constraint]) -> Result:
        problem = replace(self.problem, constraints=(*self.problem.constraints, *more))
        return pair(problem, self.result.engine, self.options)

    def about_pair(self, players: Pair, *, meets: bool) -> Alternative:
        event = self.problem.event
        one, two = (active_position(event, player) for player in players)
        if one == two:
            raise UsageError(f"{event.shown[one]!r} cannot meet themselves")
        names = pair_text(event.shown[one], event.shown[two])
        if frozenset((one, two)) in _meetings(self.result):
            rule: Constraint = ForbiddenPairs(((one, two),))
            return self.answer(f"without {names}", rule)
        said = "" if not meets else "they do not meet; "
        question, seats = f"{said}with {names}", self.problem.state.seats[[one, two]].tolist()
        if fact := why_apart(self.problem, *seats):
            return Alternative(question, "impossible", f"{question}: {fact}")
        return self.answer(question, ForcedPairs(((one, two),)), fact=met_in(self.problem, *seats))

    def about_bye(self, player: str) -> Alternative:
        event = self.problem.event
        position = active_position(event, player)
        name = event.shown[position]
        if frozenset((position,)) in _meetings(self.result):
            return self.answer(f"without the bye for {name}", ForbiddenBye((position,)))
        question = f"with the bye for {name}"
        if not self.problem.state.odd:
            said = f"{question}: nobody has it, as {len(self.problem)} players is an even number"
            return Alternative(question, "impossible", said)
        if fact := why_no_bye(self.problem, int(self.problem.state.seats[position])):
            return Alternative(question, "impossible", f"{question}: {name} {fact}")
        return self.answer(question, ForcedBye(position))

    def about_float(self, player: str) -> Alternative:
        """Why somebody meets a player with other points, or has the bye."""
        result, state = self.result, self.problem.state
        position = active_position(result.event, player)
        one = int(self.problem.state.seats[position])
        assert result.arcs is not None
        other, points = int(result.arcs.partners[one]), ranked_by(result.problem)
        name = _player(state, one)
        if other != BYE and points[one] == points[other]:
            question = f"why does {name} float"
            said = f"{name} does not float: {state.shown[other]} has the same points"
            return Alternative(question, "free", said)
        up = other != BYE and points[other] > points[one]
        barred = np.flatnonzero(points > points[one] if up else points < points[one])
        pairs = tuple((position, int(state.player[each])) for each in barred)
        rules: list[Constraint] = [ForbiddenPairs(pairs)] * bool(pairs)
        if not up:
            rules.append(ForbiddenBye((position,)))
        question = f"if {name} did not float {'up' if up else 'down'}"
        return self.answer(question, *rules, fact=why_out(self.problem, one))

    def answer(self, question: str, *rules: Constraint, fact: str = "") -> Alternative:
        """What the round would be under these rules; a `fact` that says why goes first."""
        result, other = self.result, self.paired(rules)
        known = f"{fact}; " * bool(fact)
        if other.status == "infeasible":
            because = fact or f"impossible: {'; '.join(other.conflicts)}"
            return Alternative(question, "impossible", f"{question}: {because}")
        if not (result.proven and other.proven):
            return Alternative(
                question, "unknown", f"{question}: {known}not known, as nothing is proven"
            )
        assert other.arcs is not None
        assert result.arcs is not None
        best = result.level_values, result.arcs
        first = deviation(
            self.problem, (other.level_values, other.arcs), best, result.engine, self.options
        )
        if first is None:
            said = f"{question}: {known}possible, at no cost (equally good)"
            return Alternative(question, "free", said)
        said = first.worse(self.problem, result.arcs)
        return Alternative(
            question, "worse", f"{question}: {known}{said}", first.index, first.best.value,
            first.level.value,
        )  # fmt: skip


def _meetings(result: Result) -> set[frozenset[int]]:
    """The matches and the bye of a result, as positions in the event."""
    assert result.arcs is not None
    player = [*result.problem.state.player.tolist(), None]  # BYE is the last one
    return {frozenset({player[one], player[two]} - {None}) for one, two in result.arcs.pairs}


def _floaters(result: Result) -> list[str]:
    """Who floats down, or has the bye, in a round that a system pairs by brackets."""
    if result.problem.system is None or result.arcs is None:
        return []
    points, arcs = ranked_by(result.problem), result.arcs
    meet = arcs.match
    one, two = arcs.first[meet], arcs.second[meet]
    upper = np.where(points[one] > points[two], one, two)[points[one] != points[two]]
    down = sorted([*upper.tolist(), *arcs.first[arcs.bye].tolist()], key=lambda p: -points[p])
    return [result.problem.state.names[p] for p in down]


def headline(result: Result) -> list[str]:
    """Every rematch, bye and float of a paired round, a sentence for each kind that there is.

    That rematches cannot be avoided is said where it is proven.
    """
    arcs, state = result.arcs, result.problem.state
    if arcs is None:
        return []
    points, byes, floats, again = ranked_by(result.problem), list[str](), list[str](), list[str]()
    for one, two in arcs.pairs:
        if two == BYE:
            byes.append(_player(state, one))
            continue
        if points[one] != points[two]:
            upper, lower = (one, two) if points[one] > points[two] else (two, one)
            floats.append(f"{_player(state, upper)} meets {_player(state, lower)}")
        if met := met_in(result.problem, one, two):
            again.append(f"{pair_text(state.shown[one], state.shown[two])} ({met})")
    kinds = (
        (again, "rematch", "rematches", " cannot be avoided" * _fewest_rematches(result)),
        (byes, "bye", "byes", ""),
        (floats, "float", "floats", ""),
    )
    return [
        f"{counted(len(some), one, several)}{whether}: {', '.join(some)}."
        for some, one, several, whether in kinds
        if some
    ]


def _fewest_rematches(result: Result) -> bool:
    """Whether it is proven that there cannot be fewer, whatever anybody asks of the round.

    Their level has to be the first and only one of them, with no second byes in it.
    """
    rules, levels = result.problem.constraints, result.decisive
    wishes = (ForcedPairs, ForbiddenPairs, ForcedBye, ForbiddenBye)
    asked = any(isinstance(rule, wishes) for rule in rules)
    of_byes = result.problem.state.odd and not any(r.kind == "no_repeat_bye" for r in rules)
    own = [level.criterion for level in levels].count("rematches")
    first = bool(levels) and levels[0].criterion == "rematches"
    return result.proven and not asked and not of_byes and first and own == 1


def _brackets(result: Result) -> tuple[str, ...]:
    system, arcs = result.problem.system, result.arcs
    if system is None or arcs is None:
        return ()
    return tuple(system.brackets(result.problem.state, arcs))


def explained(result: Result, known: Sequence[Reason] = ()) -> tuple[ExplainedMatch, ...]:
    """Each match of a result, in the order of its arcs, with its shares and a sentence."""
    problem, arcs = result.problem, result.arcs
    if arcs is None:
        return ()
    costs, names = problem.costs(arcs).tolist(), problem.state.names
    bye = {int(p) for p in arcs.first[arcs.bye]}
    made = []
    for k, (one, two) in enumerate(arcs.pairs):
        shares = tuple(
            LevelShare(level, value + (level.offset if two == BYE else 0))
            for level, value in zip(problem.levels, costs[k], strict=True)
            if value
        )
        single = Arcs(arcs.first[k : k + 1], arcs.second[k : k + 1])
        leaves = [
            reason.clause
            for reason in known
            if reason.odd and costs[k][reason.level] and len({one, two} & reason.players) == 1
        ]
        remarks = None
        if problem.system is not None:
            remarks = problem.system.remarks(problem.state, arcs, k)
        sentence = _sentence(problem, single, bye, result.status, leaves, remarks)
        other = None if two == BYE else names[two]
        made.append(ExplainedMatch(names[one], other, shares, sentence))
    return tuple(made)


def _sentence(
    problem: Problem,
    arc: Arcs,
    bye: set[int],
    status: Status,
    known: Sequence[str],
    remarks: list[str] | None,
) -> str:
    """A match in one plain sentence; `remarks` are what a system says of it."""
    state = problem.state
    one, two = int(arc.first[0]), int(arc.second[0])
    if two == BYE:
        return f"{_player(state, one)} has the bye: {_bye_reason(problem, one, status)}."
    said = [f"{_player(state, one)} meets {_player(state, two)}"]
    if met := int(state.meetings.met(arc)[0]):
        said.append(f"they have met {times(met)} before, and {_best(status)}")
    if remarks is not None:
        return "; ".join([*said, *remarks]) + "."
    if state.group[one] != state.group[two]:
        said.append(_float_reason(problem, one, two, bye, status, known))
    if state.sided:
        said += _side_remarks(state, one, two)
    return "; ".join(said) + "."


def _best(status: Status) -> str:
    if status == "heuristic":
        return "nothing is proven of it"
    return "no pairing is better" if status == "optimal" else "this is the best pairing found"


def _player(state: State, p: int) -> str:
    return f"{state.shown[p]} ({_points(state, p)})"


def _points(state: State, p: int) -> str:
    return points_text(Fraction(int(state.score[p]), state.scale))


def _bye_reason(problem: Problem, p: int, status: Status) -> str:
    state = problem.state
    everyone = np.arange(len(state))
    may = problem.legal(arcs_of(everyone, np.full(len(state), BYE)))
    again = f"a bye for the {int(state.byes[p]) + 1}. time; " if state.byes[p] else ""
    if int(state.score[p]) == int(state.score[may].min()):
        return f"{again}nobody who may have it has fewer points"
    return again + _best(status)


def _float_reason(
    problem: Problem, one: int, two: int, bye: set[int], status: Status, known: Sequence[str]
) -> str:
    """Why a match crosses score groups: only what is a fact of the round."""
    state = problem.state
    upper, lower = (one, two) if state.group[one] < state.group[two] else (two, one)
    apart = int(state.group[lower] - state.group[upper])
    groups = "one score group" if apart == 1 else f"{apart} score groups"
    said = f"{state.shown[lower]} plays up {groups}"
    for p in (upper, lower):
        points = _points(state, p)
        inside = set(np.flatnonzero(state.group == state.group[p]).tolist()) - bye
        if len(inside) % 2:
            return f"{said} because {points} has an odd number of players ({len(inside)})"
    for p in (upper, lower):
        points = _points(state, p)
        others = np.setdiff1d(np.flatnonzero(state.group == state.group[p]), [p])
        own = np.full(len(others), p)
        both = problem.legal(arcs_of(own, others)) | problem.legal(arcs_of(others, own))
        met = state.meetings.met(arcs_of(own, others)) > 0
        who = state.shown[p]
        if len(others) and met.all():
            return f"{said} because {who} has met everybody else with {points}"
        if len(others) and not both.any():
            return f"{said} because {who} may meet nobody else with {points}"
    return f"{said}, as {known[0]}" if known else f"{said}, and {_best(status)}"


def _side_remarks(state: State, one: int, two: int) -> list[str]:
    """Who plays a side again, and how uneven their sides become."""
    assert state.event.sides is not None
    said = []
    for p, side, turn in ((one, 0, 1), (two, 1, -1)):
        label = state.event.sides[side].capitalize()
        run = int(state.streak[p]) + 1
        after = abs(int(state.bias[p]) + turn)
        remarks = []
        if state.last_side[p] == side:
            remarks.append(f"plays {label} {run} times in a row")
        if after >= 2:
            remarks.append(f"has {after} games more on one side after it")
        if remarks:
            said.append(f"{state.shown[p]} {' and '.join(remarks)}")
    return said
