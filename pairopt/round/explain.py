"""Explain: each match in a sentence, and what another pairing would have cost.

A cause is named only where it is a fact of the round (an odd score group, nobody left in it);
for all else the proof is the reason: no pairing is better.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, Unpack

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.common.serialization import json_value, to_record
from pairopt.engines import engine_of
from pairopt.engines.base import EngineOptions, Status
from pairopt.errors import UsageError
from pairopt.event.arcs import BYE, Arcs, arcs_of
from pairopt.event.event import Event
from pairopt.event.state import State
from pairopt.messages import (
    AND,
    BECAUSE,
    FULL,
    REASON,
    SEMICOLON,
    SPOKEN,
    Message,
    Note,
    Passage,
    Value,
    as_note,
    message,
    pair_value,
    player_value,
    with_heading,
)
from pairopt.messages.formatting import amount_text
from pairopt.problem.build import active_position, build_problem_with_budget
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.options import (
    ModelLike,
    Pair,
    RoundOptions,
    show_keywords,
)
from pairopt.problem.problem import Problem
from pairopt.problem.system import Level
from pairopt.proof.proving import build_proof, require_provable
from pairopt.round.level_reasons import MOST_REASONS, LevelReason, reasons
from pairopt.round.pairing_facts import (
    may_meet,
    meeting_fact,
    ranked_by,
    why_apart,
    why_no_bye,
    why_out,
)
from pairopt.round.result import Result, deviation
from pairopt.round.solve import pair
from pairopt.rules.base import Constraint
from pairopt.rules.constraints.requested import (
    ForbiddenBye,
    ForbiddenPairs,
    ForcedBye,
    ForcedPairs,
)

Kind = Literal["impossible", "free", "worse", "unknown"]


@dataclass(frozen=True, slots=True)
class LevelShare:
    """What a match adds to a level: the value is over the level's scale."""

    level: Level
    value: int


@dataclass(frozen=True, slots=True)
class ExplainedMatch:
    """A match (player2 None for a bye) with its shares of the levels, and what is said of it."""

    player1: str
    player2: str | None
    shares: tuple[LevelShare, ...]
    said: Passage

    @property
    def sentence(self) -> str:
        return str(self.said)


@dataclass(frozen=True, slots=True)
class Alternative:
    """What the round would be otherwise: impossible, free (equally good) or worse, as `kind` says;
    then `level` is the index of the first that is, `optimum` and `value` are over its scale.
    """

    said: Passage
    kind: Kind
    level: int | None = None
    optimum: int | None = None
    value: int | None = None

    @property
    def question(self) -> str:
        return str(self.said.messages[0])

    @property
    def sentence(self) -> str:
        return str(self.said)


@dataclass(frozen=True)
class Explanation:
    """A paired round, its matches explained, the answers to questions, and reasons of levels.
    `brackets` has a sentence for each bracket of a system that pairs by them.
    """

    result: Result
    matches: tuple[ExplainedMatch, ...]
    answers: tuple[Alternative, ...]
    brackets: tuple[str | Note, ...] = ()
    reasons: tuple[LevelReason, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        names = self.result.problem.state.names
        asked = ("question", "kind", "level", "optimum", "value", "sentence")
        return {
            **to_record(self.result, "round", "model", "status"),
            "matches": [
                {
                    **to_record(match, "player1", "player2"),
                    "shares": [
                        {
                            "criterion": s.level.criterion,
                            "level": s.level.label,
                            "value": json_value(s.value),
                            "scale": s.level.scale,
                        }
                        for s in match.shares
                    ],
                    "sentence": match.sentence,
                    "said": match.said.to_dict(),
                }
                for match in self.matches
            ],
            "answers": [
                {
                    **to_record(each, *asked),
                    "said": each.said.to_dict(),
                    "spoken": SPOKEN.format_message(each.said),
                    "full": FULL.format_message(each.said),
                }
                for each in self.answers
            ],
            "brackets": [str(line) for line in self.brackets],
            "reasons": [
                {
                    **reason.said.to_dict(),
                    "level": reason.level,
                    "clause": str(reason.said),
                    "players": sorted(names[p] for p in reason.players),
                }
                for reason in self.reasons
            ],
            "conflicts": [str(line) for line in self.result.conflicts],
        }


@show_keywords(RoundOptions)
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

    Pairs may ask `why` they meet (what would it cost if they did not?), or `why_not`; players
    `why_bye`, whether they have it or not, and `why_float`, that is meet somebody with other
    points: where a system pairs by brackets, all who float down by default. The time limit is one
    for all pairings together. Raises UsageError for players who are not in the round.
    """
    problem, budget = build_problem_with_budget(
        event, model, RoundOptions, options, "explain"
    )
    how = EngineOptions(problem.model.objective, budget=budget)
    result = pair(problem, engine_of(problem, problem.asked), how)
    return explanation(result, how, why, why_not, why_bye, why_float)


def explanation(
    result: Result,
    how: EngineOptions,
    why: Sequence[Pair] = (),
    why_not: Sequence[Pair] = (),
    why_bye: Sequence[str] = (),
    why_float: Sequence[str] | None = None,
) -> Explanation:
    """The same of a round that is paired."""
    if not result.matches:
        return Explanation(result, (), ())
    ask = CounterfactualSolver(result, how)
    answers = [ask.about_pair(each, meets=True) for each in why]
    answers += [ask.about_pair(each, meets=False) for each in why_not]
    answers += [ask.about_bye(player) for player in why_bye]
    if why_float is None:
        why_float = [] if answers else _floaters(result)
    answers += [ask.about_float(player) for player in why_float]
    known = reasons_of(result, how.budget)
    system, arcs, state = result.problem.system, result.arcs, result.problem.state
    told = () if system is None or arcs is None else tuple(system.brackets(state, arcs))
    return Explanation(
        result, explain_matches(result, known), tuple(answers), told, known
    )


@dataclass(frozen=True)
class CounterfactualSolver:
    """Pairs a round again under one more constraint, to say what another pairing would cost."""

    result: Result
    options: EngineOptions

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
            raise UsageError("question.themselves", name=event.shown[one])
        pair = pair_value(event.shown[one], event.shown[two])
        if frozenset((one, two)) in _meetings(self.result):
            rule: Constraint = ForbiddenPairs(((one, two),))
            return self.answer(message("question.without", pair=pair), rule)
        asked = message(
            "question.together_instead" if meets else "question.together", pair=pair
        )
        seats = self.problem.state.seats[[one, two]].tolist()
        if fact := why_apart(self.problem, *seats):
            return _alternative_from_fact(asked, "impossible", fact)
        return self.answer(
            asked, ForcedPairs(((one, two),)), fact=meeting_fact(self.problem, *seats)
        )

    def about_bye(self, player: str) -> Alternative:
        event = self.problem.event
        position = active_position(event, player)
        name = event.shown[position]
        if frozenset((position,)) in _meetings(self.result):
            return self.answer(
                message("question.without_bye", name=name), ForbiddenBye((position,))
            )
        asked, state = message("question.with_bye", name=name), self.problem.state
        even = message("fact.even_field", players=len(self.problem))
        fact = (
            why_no_bye(self.problem, int(state.seats[position])) if state.odd else even
        )
        if fact:
            return _alternative_from_fact(asked, "impossible", fact)
        return self.answer(asked, ForcedBye(position))

    def about_float(self, player: str) -> Alternative:
        """Why somebody meets a player with other points, or has the bye."""
        result, state = self.result, self.problem.state
        position = active_position(result.event, player)
        one = int(self.problem.state.seats[position])
        assert result.arcs is not None
        other, points = int(result.arcs.partners[one]), ranked_by(result.problem)
        name = _player(state, one)
        if other != BYE and points[one] == points[other]:
            asked = message("question.float", name=name)
            answer = message("question.no_float", name=name, other=state.shown[other])
            return Alternative(with_heading(asked, answer, name=answer.kind), "free")
        up = other != BYE and points[other] > points[one]
        barred = np.flatnonzero(points > points[one] if up else points < points[one])
        pairs = tuple((position, int(state.player[each])) for each in barred)
        rules: list[Constraint] = []
        if pairs:
            rules.append(ForbiddenPairs(pairs))
        if not up:
            rules.append(ForbiddenBye((position,)))
        asked = message(
            "question.if_not_up" if up else "question.if_not_down", name=name
        )
        return self.answer(asked, *rules, fact=why_out(self.problem, one))

    def answer(
        self, question: Message, *rules: Constraint, fact: Note | None = None
    ) -> Alternative:
        """What the round would be under these rules; a `fact` that says why goes first."""
        result, other = self.result, self.paired(rules)
        if other.status == "infeasible" and fact:
            return _alternative_from_fact(question, "impossible", fact)
        if other.status == "infeasible":
            heading = message("question.impossible_so")
            why = (
                with_heading(heading, *map(as_note, other.conflicts))
                if other.conflicts
                else heading
            )
            return Alternative(
                with_heading(question, why, name="question.impossible"), "impossible"
            )

        def told(answer: Note, alone: str, besides: str) -> Passage:
            if fact is None:
                return with_heading(question, answer, name=alone)
            return with_heading(question, fact, answer, name=besides)

        if not (result.proven and other.proven):
            unknown = message("question.unknown")
            return Alternative(
                told(unknown, unknown.kind, "question.unknown_besides"), "unknown"
            )
        assert other.arcs is not None
        assert result.arcs is not None
        mine, best = (
            (other.level_values, other.arcs),
            (result.level_values, result.arcs),
        )
        first = deviation(self.problem, mine, best, result.engine, self.options)
        if first is None:
            free = message("question.free")
            return Alternative(told(free, free.kind, "question.free_besides"), "free")
        worse = first.worse(self.problem, result.arcs)
        said = told(worse, "question.worse", "question.worse_besides")
        return Alternative(
            said, "worse", first.index, first.best.value, first.level.value
        )


def _alternative_from_fact(question: Message, kind: Kind, fact: Note) -> Alternative:
    return Alternative(with_heading(question, fact, name="question.known"), kind)


def reasons_of(result: Result, budget: Budget = Budget()) -> tuple[LevelReason, ...]:
    """What is shown of a result by its proof; nothing where it has none, or not in time."""
    try:
        require_provable(result.problem, result.engine)
        if not result.proven:
            return ()
        proof = build_proof(result.problem, result.arcs, result.further, budget)
    except (TimeUpError, UsageError):
        return ()
    return () if proof is None else reasons(result.problem, proof)


def describe_reasons(result: Result, known: Sequence[LevelReason]) -> list[Note]:
    clauses: dict[int, list[Message]] = {}
    for reason in known:
        clauses.setdefault(reason.level, []).append(reason.said)
    return [
        with_heading(
            message(
                "reason.level",
                words=level.words,
                value=amount_text(level.value, level.scale),
            ),
            *each[:MOST_REASONS],
        )
        for level, each in (
            (result.level_values[k], each) for k, each in clauses.items()
        )
    ]


def _meetings(result: Result) -> set[frozenset[int]]:
    """The matches and the bye of a result, as positions in the event."""
    assert result.arcs is not None
    player = [*result.problem.state.player.tolist(), None]  # BYE is the last one
    return {
        frozenset({player[one], player[two]} - {None}) for one, two in result.arcs.pairs
    }


def _floaters(result: Result) -> list[str]:
    """Who floats down, or has the bye, in a round that a system pairs by brackets."""
    if result.problem.system is None or result.arcs is None:
        return []
    points, arcs = ranked_by(result.problem), result.arcs
    one, two = arcs.first[arcs.match], arcs.second[arcs.match]
    upper = np.where(points[one] > points[two], one, two)[points[one] != points[two]]
    down = sorted(
        [*upper.tolist(), *arcs.first[arcs.bye].tolist()], key=lambda p: -points[p]
    )
    return [result.problem.state.names[p] for p in down]


def headline(result: Result) -> list[Note]:
    """Every rematch, bye and float of a paired round, a sentence for each kind that there is. That
    rematches cannot be avoided is said where it is proven.
    """
    arcs, state = result.arcs, result.problem.state
    if arcs is None:
        return []
    points = ranked_by(result.problem)
    byes, floats, again = list[Value](), list[Message](), list[Message]()
    for one, two in arcs.pairs:
        if two == BYE:
            byes.append(_player(state, one))
            continue
        if points[one] != points[two]:
            upper, lower = (one, two) if points[one] > points[two] else (two, one)
            floats.append(
                message(
                    "match.meets", one=_player(state, upper), two=_player(state, lower)
                )
            )
        if rounds := meeting_fact(result.problem, one, two):
            players = {"one": state.shown[one], "two": state.shown[two]}
            again.append(Message("headline.rematch", {**rounds.fields, **players}))

    rematches = (
        "headline.fewest_rematches"
        if _fewest_rematches(result)
        else "headline.rematches"
    )
    notes: list[Note] = []
    if again:
        notes.append(with_heading(message(rematches, many=len(again)), *again, end="."))
    if byes:
        notes.append(message("headline.byes", many=len(byes), who=byes))
    if floats:
        notes.append(
            with_heading(message("headline.floats", many=len(floats)), *floats, end=".")
        )
    return notes


def _fewest_rematches(result: Result) -> bool:
    """Whether it is proven that there cannot be fewer: theirs is the first level, and alone."""
    rules, levels = result.problem.constraints, result.decisive
    wishes = (ForcedPairs, ForbiddenPairs, ForcedBye, ForbiddenBye)
    asked = any(isinstance(rule, wishes) for rule in rules)
    of_byes = result.problem.state.odd and not any(
        r.kind == "no_repeat_bye" for r in rules
    )
    own = [level.criterion for level in levels].count("rematches")
    first = bool(levels) and levels[0].criterion == "rematches"
    return result.proven and not asked and not of_byes and first and own == 1


def explain_matches(
    result: Result, known: Sequence[LevelReason] = ()
) -> tuple[ExplainedMatch, ...]:
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
            reason.said
            for reason in known
            if reason.odd
            and costs[k][reason.level]
            and len({one, two} & reason.players) == 1
        ]
        system = problem.system
        remarks = None if system is None else system.remarks(problem.state, arcs, k)
        said = _describe_match(problem, single, bye, result.status, leaves, remarks)
        made.append(
            ExplainedMatch(names[one], None if two == BYE else names[two], shares, said)
        )
    return tuple(made)


def _describe_match(
    problem: Problem,
    arc: Arcs,
    bye: set[int],
    status: Status,
    known: Sequence[Message],
    remarks: Sequence[str | Note] | None,
) -> Passage:
    """A match in one plain sentence; `remarks` are what a system says of it."""
    state = problem.state
    one, two = int(arc.first[0]), int(arc.second[0])
    if two == BYE:
        heading = message("match.bye", player=_player(state, one))
        return with_heading(heading, *_bye_reason(problem, one, status), end=".")
    said: list[Note] = [
        message("match.meets", one=_player(state, one), two=_player(state, two))
    ]
    if met := int(state.meetings.met(arc)[0]):
        kinds = {1: "match.again_once", 2: "match.again_twice"}
        again = message(kinds.get(met, "match.again_often"), times=met)
        said.append(with_heading(again, _certainty_message(status), mark=AND))
    if remarks is not None:
        return _told_together([*said, *map(as_note, remarks)])
    if state.group[one] != state.group[two]:
        said += _float_reason(problem, one, two, bye, status, known)
    if state.sided:
        said += _side_remarks(state, one, two)
    return _told_together(said)


def _told_together(notes: Sequence[Note]) -> Passage:
    first, *others = notes
    return with_heading(first, *others, mark=SEMICOLON, name="match.told", end=".")


def _certainty_message(status: Status) -> Message:
    kinds = {"heuristic": "match.unproven", "optimal": "match.best"}
    return message(kinds.get(status, "match.best_found"))


def _player(state: State, p: int) -> Value:
    return player_value(state.shown[p], _points(state, p))


def _points(state: State, p: int) -> Fraction:
    return Fraction(int(state.score[p]), state.scale)


def _bye_reason(problem: Problem, p: int, status: Status) -> list[Message]:
    state = problem.state
    may = problem.legal(arcs_of(np.arange(len(state)), np.full(len(state), BYE)))
    said = []
    if state.byes[p]:
        said.append(message("match.bye_again", times=int(state.byes[p]) + 1))

    # In a round changed by hand, the bye may be one that the rules forbid. If it is
    # also pinned, nobody at all may have it.
    if may[p] and state.score[p] == state.score[may].min():
        return [*said, message("match.bye_fewest")]
    return [*said, _certainty_message(status)]


def _float_reason(
    problem: Problem,
    one: int,
    two: int,
    bye: set[int],
    status: Status,
    known: Sequence[Message],
) -> list[Note]:
    """Why a match crosses score groups: only what is a fact of the round."""
    state = problem.state
    upper, lower = (one, two) if state.group[one] < state.group[two] else (two, one)
    apart = int(state.group[lower] - state.group[upper])
    name = state.shown[lower]
    up = message("match.up_one", name=name)
    if apart > 1:
        up = message("match.up_many", name=name, groups=apart)
    for p in (upper, lower):
        inside = set(np.flatnonzero(state.group == state.group[p]).tolist()) - bye
        if len(inside) % 2:
            odd = message("match.up_odd", points=_points(state, p), players=len(inside))
            return [with_heading(up, odd, mark=BECAUSE)]
    for p in (upper, lower):
        others = np.setdiff1d(np.flatnonzero(state.group == state.group[p]), [p])
        met = state.meetings.met(arcs_of(np.full(len(others), p), others)) > 0
        name, points = state.shown[p], _points(state, p)
        if len(others) and met.all():
            met_all = message("match.up_met", name=name, points=points)
            return [with_heading(up, met_all, mark=BECAUSE)]
        if len(others) and not may_meet(problem, p, others).any():
            nobody_else = message("match.up_apart", name=name, points=points)
            return [with_heading(up, nobody_else, mark=BECAUSE)]
    if known:
        return [with_heading(up, known[0], mark=REASON)]
    return [with_heading(up, _certainty_message(status), mark=AND)]


def _side_remarks(state: State, one: int, two: int) -> list[Message]:
    assert state.event.sides is not None
    said = []
    for p, side, turn in ((one, 0, 1), (two, 1, -1)):
        after = abs(int(state.bias[p]) + turn)
        again, uneven = int(state.last_side[p]) == side, after >= 2
        if again or uneven:
            kind = "match.side_both" if again and uneven else "match.side_uneven"
            kind = kind if uneven else "match.side_again"
            name, named_side = state.shown[p], state.event.sides[side].capitalize()
            times = int(state.streak[p]) + 1
            said.append(
                message(kind, name=name, side=named_side, times=times, more=after)
            )
    return said
