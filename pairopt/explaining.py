"""Explain: each match in a sentence, and what another pairing would have cost.

A cause is named only where it is a fact of the round (an odd score group, nobody left in it);
for all else the proof is the reason: no pairing is better.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np

from pairopt.arcs import BYE, Arcs, arcs_of
from pairopt.constraints import Constraint
from pairopt.constraints.forbidden_bye import ForbiddenBye
from pairopt.constraints.forbidden_pairs import ForbiddenPairs
from pairopt.constraints.forced_bye import ForcedBye
from pairopt.constraints.forced_pairs import ForcedPairs
from pairopt.criteria.rematches import times
from pairopt.engines.base import Options
from pairopt.errors import UsageError
from pairopt.event import Event
from pairopt.model import Model
from pairopt.pairing import decimal_text
from pairopt.problem import Level, Problem
from pairopt.result import Result
from pairopt.solving import Pair, pair, prepare
from pairopt.state import State

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
    """A paired round, its matches explained, and the answers to questions."""

    result: Result
    matches: tuple[ExplainedMatch, ...]
    answers: tuple[Answer, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
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
            "conflicts": list(self.result.conflicts),
        }  # fmt: skip


def explain(
    event: Event,
    model: str | Path | Model = "standard",
    *,
    why: Iterable[Pair] = (),
    why_not: Iterable[Pair] = (),
    why_bye: Iterable[str] = (),
    engine: str = "cpsat",
    time_limit: float | None = None,
    workers: int = 1,
    **options: Any,
) -> Explanation:
    """Pair the round, explain each match, and answer what another pairing would cost.

    Args:
        event: players and rounds so far.
        model: name, path or `Model`.
        why: pairs that may ask why they meet: what would it cost if they did not?
        why_not: pairs that may ask why they do not meet.
        why_bye: players who may ask why they have the bye, or do not.
        time_limit: seconds for each pairing.
        options: those of `solve`.

    Raises:
        UsageError: for players who are not in the round.
    """
    problem = prepare(event, model, **options)
    ask = _Asker(problem, engine, workers, time_limit)
    result = ask.paired(())
    if not result.matches:
        return Explanation(result, (), ())
    answers = [ask.about_pair(result, each, meets=True) for each in why]
    answers += [ask.about_pair(result, each, meets=False) for each in why_not]
    answers += [ask.about_bye(result, player) for player in why_bye]
    return Explanation(result, explained(problem, result), tuple(answers))


@dataclass(frozen=True)
class _Asker:
    """Pairs the round again under one more constraint."""

    problem: Problem
    engine: str
    workers: int
    time_limit: float | None

    def paired(self, more: Sequence[Constraint]) -> Result:
        problem = replace(self.problem, constraints=(*self.problem.constraints, *more))
        limit = None if self.time_limit is None else time.monotonic() + self.time_limit
        how = Options(
            problem.model.objective, seed=problem.seed, workers=self.workers, deadline=limit
        )
        return pair(problem, self.engine, how)

    def about_pair(self, result: Result, players: Pair, *, meets: bool) -> Answer:
        event = self.problem.state.event
        one, two = (_active(self.problem, player) for player in players)
        if one == two:
            raise UsageError(f"{players[0]!r} cannot meet themselves")
        names = f"{event.players[one]} - {event.players[two]}"
        met = any({m["player1"], m["player2"]} == set(players) for m in result.matches)
        if met:
            rule: Constraint = ForbiddenPairs(((one, two),))
            return self.answer(result, f"without {names}", rule)
        said = "" if not meets else "they do not meet; "
        return self.answer(result, f"{said}with {names}", ForcedPairs(((one, two),)))

    def about_bye(self, result: Result, player: str) -> Answer:
        position = _active(self.problem, player)
        has = any(m["player1"] == player and m["status"] == "bye" for m in result.matches)
        if has:
            return self.answer(result, f"without the bye for {player}", ForbiddenBye((position,)))
        return self.answer(result, f"with the bye for {player}", ForcedBye(position))

    def answer(self, result: Result, question: str, rule: Constraint) -> Answer:
        other = self.paired([rule])
        if other.status == "infeasible":
            because = "; ".join(other.conflicts)
            return Answer(question, "impossible", f"{question}: impossible: {because}")
        if not (result.proven and other.proven):
            return Answer(question, "unknown", f"{question}: not known, as nothing is proven")
        both = list(zip(result.level_values, other.level_values, strict=True))
        worse = [k for k, (best, now) in enumerate(both) if best.value != now.value]
        if not worse:
            return Answer(question, "free", f"{question}: possible, at no cost (equally good)")
        best, now = both[worse[0]]
        assert best.value is not None
        assert now.value is not None
        sentence = (
            f"{question}: worse in {best.words}: {decimal_text(Fraction(now.value, best.scale))} "
            f"instead of {decimal_text(Fraction(best.value, best.scale))}"
        )
        return Answer(question, "worse", sentence, worse[0], best.value, now.value)


def _active(problem: Problem, player: str) -> int:
    position = problem.state.event.position(player)
    if position not in problem.state.player:
        raise UsageError(f"{player!r} is not active in this round")
    return position


def explained(problem: Problem, result: Result) -> tuple[ExplainedMatch, ...]:
    """Each match of a result with its shares of the levels and a sentence."""
    state = problem.state
    position: dict[object, int] = {name: k for k, name in enumerate(state.names)}
    rows = [row for row in result.matches if row["status"] != "requested"]
    arcs = arcs_of(
        np.array([position[row["player1"]] for row in rows], np.int64),
        np.array([position.get(row["player2"], BYE) for row in rows], np.int64),
    )
    costs = problem.costs(arcs)
    bye = {int(p) for p in arcs.first[arcs.bye]}
    made = []
    for k, row in enumerate(rows):
        level_shares = zip(problem.levels, costs[k].tolist(), strict=True)
        shares = tuple(
            Share(level, value + (level.offset if row["player2"] is None else 0))
            for level, value in level_shares
            if value
        )
        one = Arcs(arcs.first[k : k + 1], arcs.second[k : k + 1])
        two = row["player2"]
        sentence = _sentence(problem, one, bye, result.proven)
        made.append(
            ExplainedMatch(str(row["player1"]), None if two is None else str(two), shares, sentence)
        )
    return tuple(made)


def _sentence(problem: Problem, arc: Arcs, bye: set[int], proven: bool) -> str:
    """A match in one plain sentence."""
    state = problem.state
    one, two = int(arc.first[0]), int(arc.second[0])
    if two == BYE:
        return f"{_player(state, one)} has the bye: {_bye_reason(problem, one, proven)}."
    said = [f"{_player(state, one)} meets {_player(state, two)}"]
    if met := int(state.meetings.met(arc)[0]):
        said.append(f"they have met {times(met)} before, and {_best(proven)}")
    if state.group[one] != state.group[two]:
        said.append(_float_reason(problem, one, two, bye, proven))
    if state.sided:
        said += _side_remarks(state, one, two)
    return "; ".join(said) + "."


def _best(proven: bool) -> str:
    return "no pairing is better" if proven else "this is the best pairing found"


def _player(state: State, p: int) -> str:
    points = decimal_text(Fraction(int(state.score[p]), state.scale))
    return f"{state.event.names[state.player[p]] or state.names[p]} ({_points(points)})"


def _points(points: str) -> str:
    return "1 point" if points == "1" else f"{points} points"


def _bye_reason(problem: Problem, p: int, proven: bool) -> str:
    state = problem.state
    everyone = np.arange(len(state))
    may = problem.legal(arcs_of(everyone, np.full(len(state), BYE)))
    again = f"a bye for the {int(state.byes[p]) + 1}. time; " if state.byes[p] else ""
    if int(state.score[p]) == int(state.score[may].min()):
        return f"{again}nobody who may have it has fewer points"
    return again + _best(proven)


def _float_reason(problem: Problem, one: int, two: int, bye: set[int], proven: bool) -> str:
    """Why a match crosses score groups: only what is a fact of the round."""
    state = problem.state
    upper, lower = (one, two) if state.group[one] < state.group[two] else (two, one)
    apart = int(state.group[lower] - state.group[upper])
    groups = "one score group" if apart == 1 else f"{apart} score groups"
    name = state.event.names[state.player[lower]] or state.names[lower]
    said = f"{name} plays up {groups}"
    for p in (upper, lower):
        points = _points(decimal_text(Fraction(int(state.score[p]), state.scale)))
        inside = set(np.flatnonzero(state.group == state.group[p]).tolist()) - bye
        if len(inside) % 2:
            return f"{said} because {points} has an odd number of players ({len(inside)})"
    for p in (upper, lower):
        points = _points(decimal_text(Fraction(int(state.score[p]), state.scale)))
        others = np.setdiff1d(np.flatnonzero(state.group == state.group[p]), [p])
        own = np.full(len(others), p)
        both = problem.legal(arcs_of(own, others)) | problem.legal(arcs_of(others, own))
        met = state.meetings.met(arcs_of(own, others)) > 0
        who = state.event.names[state.player[p]] or state.names[p]
        if len(others) and met.all():
            return f"{said} because {who} has met everybody else with {points}"
        if len(others) and not both.any():
            return f"{said} because {who} may meet nobody else with {points}"
    return f"{said}, and {_best(proven)}"


def _side_remarks(state: State, one: int, two: int) -> list[str]:
    """Who plays a side again, and how uneven their sides become."""
    assert state.event.sides is not None
    said = []
    for p, side, turn in ((one, 0, 1), (two, 1, -1)):
        name = state.event.names[state.player[p]] or state.names[p]
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


def differences(free: Result, now: Result) -> tuple[str, ...]:
    """The levels in which a pairing differs from the one that was free to choose, in words."""
    values = {(v.criterion, v.level): v for v in free.level_values}
    said = []
    for level in now.level_values:
        before = values.get((level.criterion, level.level))
        old = 0 if before is None else before.value
        if old is not None and level.value is not None and level.value != old:
            new, was = (decimal_text(Fraction(v, level.scale)) for v in (level.value, old))
            said.append(f"{level.words}: {new} instead of {was}")
    return tuple(said)
