"""Explain: each match in a sentence, and what another pairing would have cost.

A cause is named only where it is a fact of the round (an odd score group, nobody left in it);
for all else the proof is the reason: no pairing is better.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from pairopt.engines.base import Options
from pairopt.errors import UsageError
from pairopt.event.arcs import BYE, Arcs, arcs_of
from pairopt.event.event import Event
from pairopt.event.state import State
from pairopt.problem.problem import Level, Problem
from pairopt.round.levels import first_difference
from pairopt.round.options import (
    ModelLike,
    Pair,
    RoundOptions,
    active_position,
    options_of,
    problem_for,
)
from pairopt.round.proof.reasons import Reason, reasons_of
from pairopt.round.result import Result
from pairopt.round.solve import engine_of, pair
from pairopt.rules.base import Constraint
from pairopt.rules.constraints.forbidden_bye import ForbiddenBye
from pairopt.rules.constraints.forbidden_pairs import ForbiddenPairs
from pairopt.rules.constraints.forced_bye import ForcedBye
from pairopt.rules.constraints.forced_pairs import ForcedPairs
from pairopt.wording import difference_text, pair_text, points_text, times

Kind = Literal["impossible", "free", "worse", "unknown"]


@dataclass(frozen=True, slots=True)
class Share:
    """What a match adds to a level: the value is over the level's scale."""

    level: Level
    value: int


@dataclass(frozen=True, slots=True)
class ExplainedMatch:
    """A match (player2 None for a bye) with its shares of the levels and a sentence."""

    player1: str
    player2: str | None
    shares: tuple[Share, ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class Answer:
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
    """A paired round, its matches explained, the answers to questions, and reasons of levels."""

    result: Result
    matches: tuple[ExplainedMatch, ...]
    answers: tuple[Answer, ...]
    reasons: tuple[Reason, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        names = self.result.problem.state.names
        return {
            "round": self.result.round,
            "model": self.result.model,
            "status": self.result.status,
            "matches": [
                {
                    "player1": match.player1,
                    "player2": match.player2,
                    "shares": [
                        {"criterion": s.level.criterion, "level": s.level.label,
                         "value": s.value, "scale": s.level.scale}
                        for s in match.shares
                    ],
                    "sentence": match.sentence,
                }
                for match in self.matches
            ],
            "answers": [
                {"question": a.question, "kind": a.kind, "level": a.level, "optimum": a.optimum,
                 "value": a.value, "sentence": a.sentence}
                for a in self.answers
            ],
            "reasons": [
                {"level": reason.level, "players": sorted(names[p] for p in reason.players),
                 "clause": reason.clause}
                for reason in self.reasons
            ],
            "conflicts": list(self.result.conflicts),
        }  # fmt: skip


def explain(
    event: Event,
    model: ModelLike | None = None,
    *,
    why: Sequence[Pair] = (),
    why_not: Sequence[Pair] = (),
    why_bye: Sequence[str] = (),
    **options: Any,
) -> Explanation:
    """Pair the round, explain each match, and answer what another pairing would cost.

    Args:
        event: players and rounds so far.
        model: name, path or `Model`; by default the event's own, else "standard".
        why: pairs that may ask why they meet: what would it cost if they did not?
        why_not: pairs that may ask why they do not meet.
        why_bye: players who may ask why they have the bye, or do not.
        options: the fields of `RoundOptions`; the time limit is one for all pairings together.

    Raises:
        UsageError: for players who are not in the round.
    """
    chosen = options_of(RoundOptions, options, "explain")
    budget = chosen.budget(time.monotonic())
    problem = problem_for(event, model, chosen)
    how = Options(problem.model.objective, budget=budget)
    ask = _Asker(problem, engine_of(problem, chosen), how)
    result = ask.paired(())
    if not result.matches:
        return Explanation(result, (), ())
    answers = [ask.about_pair(result, each, meets=True) for each in why]
    answers += [ask.about_pair(result, each, meets=False) for each in why_not]
    answers += [ask.about_bye(result, player) for player in why_bye]
    known = reasons_of(result, budget)
    return Explanation(result, explained(result, known), tuple(answers), known)


@dataclass(frozen=True)
class _Asker:
    """Pairs the round again under one more constraint."""

    problem: Problem
    engine: str
    options: Options

    def paired(self, more: Sequence[Constraint]) -> Result:
        problem = replace(self.problem, constraints=(*self.problem.constraints, *more))
        return pair(problem, self.engine, self.options)

    def about_pair(self, result: Result, players: Pair, *, meets: bool) -> Answer:
        event = self.problem.state.event
        one, two = (active_position(event, player) for player in players)
        if one == two:
            raise UsageError(f"{event.shown[one]!r} cannot meet themselves")
        names = pair_text(event.shown[one], event.shown[two])
        if frozenset((one, two)) in _meetings(result):
            rule: Constraint = ForbiddenPairs(((one, two),))
            return self.answer(result, f"without {names}", rule)
        said = "" if not meets else "they do not meet; "
        return self.answer(result, f"{said}with {names}", ForcedPairs(((one, two),)))

    def about_bye(self, result: Result, player: str) -> Answer:
        event = self.problem.state.event
        position = active_position(event, player)
        name = event.shown[position]
        if frozenset((position,)) in _meetings(result):
            return self.answer(result, f"without the bye for {name}", ForbiddenBye((position,)))
        return self.answer(result, f"with the bye for {name}", ForcedBye(position))

    def answer(self, result: Result, question: str, rule: Constraint) -> Answer:
        other = self.paired([rule])
        if other.status == "infeasible":
            because = "; ".join(other.conflicts)
            return Answer(question, "impossible", f"{question}: impossible: {because}")
        if not (result.proven and other.proven):
            return Answer(question, "unknown", f"{question}: not known, as nothing is proven")
        worse = first_difference(other.decisive, result.decisive)
        if worse is None:
            return Answer(question, "free", f"{question}: possible, at no cost (equally good)")
        now, best = worse
        assert best.value is not None
        assert now.value is not None
        said = difference_text(best.words, now.value, best.value, best.scale)
        return Answer(
            question, "worse", f"{question}: worse in {said}", result.level_values.index(best),
            best.value, now.value,
        )  # fmt: skip


def _meetings(result: Result) -> set[frozenset[int]]:
    """The matches and the bye of a result, as positions in the event."""
    assert result.arcs is not None
    player = [*result.problem.state.player.tolist(), None]  # BYE is the last one
    both = zip(result.arcs.first.tolist(), result.arcs.second.tolist(), strict=True)
    return {frozenset({player[one], player[two]} - {None}) for one, two in both}


def explained(result: Result, known: Sequence[Reason] = ()) -> tuple[ExplainedMatch, ...]:
    """Each match of a result, in the order of its arcs, with its shares and a sentence."""
    problem, arcs = result.problem, result.arcs
    if arcs is None:
        return ()
    costs, names = problem.costs(arcs).tolist(), problem.state.names
    bye = {int(p) for p in arcs.first[arcs.bye]}
    made = []
    for k, (one, two) in enumerate(zip(arcs.first.tolist(), arcs.second.tolist(), strict=True)):
        shares = tuple(
            Share(level, value + (level.offset if two == BYE else 0))
            for level, value in zip(problem.levels, costs[k], strict=True)
            if value
        )
        single = Arcs(arcs.first[k : k + 1], arcs.second[k : k + 1])
        leaves = [
            reason.clause
            for reason in known
            if reason.odd and costs[k][reason.level] and len({one, two} & reason.players) == 1
        ]
        sentence = _sentence(problem, single, bye, result.proven, leaves)
        other = None if two == BYE else names[two]
        made.append(ExplainedMatch(names[one], other, shares, sentence))
    return tuple(made)


def _sentence(
    problem: Problem, arc: Arcs, bye: set[int], proven: bool, known: Sequence[str]
) -> str:
    """A match in one plain sentence."""
    state = problem.state
    one, two = int(arc.first[0]), int(arc.second[0])
    if two == BYE:
        return f"{_player(state, one)} has the bye: {_bye_reason(problem, one, proven)}."
    said = [f"{_player(state, one)} meets {_player(state, two)}"]
    if met := int(state.meetings.met(arc)[0]):
        said.append(f"they have met {times(met)} before, and {_best(proven)}")
    if state.group[one] != state.group[two]:
        said.append(_float_reason(problem, one, two, bye, proven, known))
    if state.sided:
        said += _side_remarks(state, one, two)
    return "; ".join(said) + "."


def _best(proven: bool) -> str:
    return "no pairing is better" if proven else "this is the best pairing found"


def _player(state: State, p: int) -> str:
    return f"{_name(state, p)} ({_points(state, p)})"


def _name(state: State, p: int) -> str:
    return state.shown[p]


def _points(state: State, p: int) -> str:
    return points_text(Fraction(int(state.score[p]), state.scale))


def _bye_reason(problem: Problem, p: int, proven: bool) -> str:
    state = problem.state
    everyone = np.arange(len(state))
    may = problem.legal(arcs_of(everyone, np.full(len(state), BYE)))
    again = f"a bye for the {int(state.byes[p]) + 1}. time; " if state.byes[p] else ""
    if int(state.score[p]) == int(state.score[may].min()):
        return f"{again}nobody who may have it has fewer points"
    return again + _best(proven)


def _float_reason(
    problem: Problem, one: int, two: int, bye: set[int], proven: bool, known: Sequence[str]
) -> str:
    """Why a match crosses score groups: only what is a fact of the round."""
    state = problem.state
    upper, lower = (one, two) if state.group[one] < state.group[two] else (two, one)
    apart = int(state.group[lower] - state.group[upper])
    groups = "one score group" if apart == 1 else f"{apart} score groups"
    name = _name(state, lower)
    said = f"{name} plays up {groups}"
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
        who = _name(state, p)
        if len(others) and met.all():
            return f"{said} because {who} has met everybody else with {points}"
        if len(others) and not both.any():
            return f"{said} because {who} may meet nobody else with {points}"
    return f"{said}, as {known[0]}" if known else f"{said}, and {_best(proven)}"


def _side_remarks(state: State, one: int, two: int) -> list[str]:
    """Who plays a side again, and how uneven their sides become."""
    assert state.event.sides is not None
    said = []
    for p, side, turn in ((one, 0, 1), (two, 1, -1)):
        name = _name(state, p)
        label = state.event.sides[side].capitalize()
        run = int(state.streak[p]) + 1
        after = abs(int(state.bias[p]) + turn)
        remarks = []
        if state.last_side[p] == side:
            remarks.append(f"plays {label} {run} times in a row")
        if after >= 2:
            remarks.append(f"has {after} games more on one side after it")
        if remarks:
            said.append(f"{name} {' and '.join(remarks)}")
    return said
