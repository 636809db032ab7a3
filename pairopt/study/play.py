"""Play: one tournament, round by round, in memory."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pairopt.arcs import BYE, Arcs
from pairopt.engines.base import Options
from pairopt.errors import UsageError
from pairopt.event import BYE_ROW, PLAYED, Event, Matches
from pairopt.model import Model
from pairopt.pairing import MatchRow
from pairopt.problem import Problem
from pairopt.result import Result
from pairopt.solving import pair, prepare
from pairopt.study.luck import pairing_seed
from pairopt.study.world import Field


@dataclass(frozen=True)
class Paired:
    """A round as a model pairs it.

    `arcs` are its matches by position in the problem's state, None where there is no pairing;
    `seconds` is the time from the event to the checked pairing.
    """

    problem: Problem
    result: Result
    arcs: Arcs | None
    seconds: float


def paired(event: Event, model: Model, seed: int, last_round: bool = False) -> Paired:
    """Pair a round: by matching where the model allows, else by CP-SAT; procedures as they are."""
    start = time.perf_counter()
    sides = event.sides or ()  # the event's own: a model's would be taken for its first round
    problem = prepare(event, model, last_round=last_round, seed=seed, sides=sides)
    options = Options(objective=problem.model.objective, seed=seed)
    try:
        result = pair(problem, "cpsat" if problem.lookahead else "matching", options)
    except UsageError:  # levels that do not fit in the integers of the matching
        result = pair(problem, "cpsat", options)
    seconds = time.perf_counter() - start
    return Paired(problem, result, arcs_in(problem, result.matches), seconds)


def arcs_in(problem: Problem, rows: Sequence[MatchRow]) -> Arcs | None:
    """The arcs of a round's rows by position in the problem's state; None without rows."""
    rows = [row for row in rows if row["status"] != "requested"]
    if not rows:
        return None
    event = problem.state.event
    position = np.full(len(event.players) + 1, BYE)
    position[problem.state.player] = np.arange(len(problem))
    first, second = (
        np.array([BYE if row[seat] is None else event.index[str(row[seat])] for row in rows])
        for seat in ("player1", "player2")
    )
    return Arcs(position[first], position[second])


def tournament(field: Field, model: Model) -> Iterator[tuple[Paired, Event]]:
    """Each round that can be paired: its pairing, and the event after it.

    It ends early with a round that has no pairing, or with fewer than two players.
    """
    event, rounds = field.opening(), field.world.rounds
    while event.round <= rounds and event.active.sum() >= 2:
        seed = pairing_seed(field.seed, field.replicate, event.round)
        made = paired(event, model, seed, last_round=event.round == rounds)
        if made.arcs is not None:
            event = _after(field, event, made.arcs, made)
        yield made, event
        if made.arcs is None:
            return


def _after(field: Field, event: Event, arcs: Arcs, made: Paired) -> Event:
    """The event after the round is played."""
    player, count = made.problem.state.player, len(arcs)
    bye = arcs.bye
    first, second = player[arcs.first], np.where(bye, BYE, player[arcs.second])
    score1, score2 = field.scores(event.round, first, second, event.sided)
    win = int(field.world.win * field.world.scale)
    none = np.zeros(count, np.int64)
    matches = Matches(
        round=none + event.round,
        table=np.array([row["table"] or 0 for row in made.result.matches], np.int64),
        first=first,
        second=second,
        side=np.where(bye | (not event.sided), -1, 0),
        score1=np.where(bye, win, score1),
        score2=np.where(bye, 0, score2),
        status=np.where(bye, BYE_ROW, PLAYED),
        scored=np.ones(count, np.bool_),
        row=none,
    )
    return replace(
        event,
        matches=event.matches.joined(matches),
        round=event.round + 1,
        active=field.active(event.round + 1),
    )
