"""Play: one tournament, round by round, in memory."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pairopt.budget import Budget
from pairopt.engines import DEFAULT
from pairopt.engines.base import Options
from pairopt.event.arcs import BYE, Arcs
from pairopt.event.event import BYE_ROW, FORFEIT, PLAYED, Event, Matches
from pairopt.lab.contenders import Contender, paired_by
from pairopt.lab.luck import pairing_seed
from pairopt.lab.world import Field
from pairopt.problem.model import Model
from pairopt.problem.options import Choose
from pairopt.problem.ready import prepare
from pairopt.round.result import Result
from pairopt.round.solve import pair


def paired(
    event: Event,
    model: Model | Contender,
    seed: int,
    last_round: bool = False,
    choose: Choose = "any",
) -> Result:
    """Pair a round, by the model's engine or the default one, or by another contender.

    See `CompareOptions` for `choose`, which is for models.
    """
    start = time.perf_counter()
    if not isinstance(model, Model):
        return replace(paired_by(model, event, seed), seconds=time.perf_counter() - start)
    sides = event.sides or ()  # the event's own: a model's would be taken for its first round
    problem = prepare(event, model, last_round=last_round, seed=seed, sides=sides)
    options = Options(problem.model.objective, budget=Budget(seed))
    result = pair(problem, model.engine or DEFAULT, options, choose)
    return replace(result, seconds=time.perf_counter() - start)


def tournament(
    field: Field, model: Model | Contender, choose: Choose = "any"
) -> Iterator[tuple[Result, Event]]:
    """Each round that can be paired: its pairing, and the event after it.

    It ends early with a round that has no pairing, or with fewer than two players.
    """
    event, rounds = field.opening(), field.world.rounds
    while event.round <= rounds and event.active.sum() >= 2:
        seed = pairing_seed(field.seed, field.replicate, event.round)
        made = paired(event, model, seed, event.round == rounds, choose)
        if made.arcs is not None:
            event = _after(field, event, made.arcs, made)
        yield made, event
        if made.arcs is None:
            return


def _after(field: Field, event: Event, arcs: Arcs, made: Result) -> Event:
    """The event after the round is played."""
    rows = rows_of(made, arcs, event.round)
    bye = rows.second == BYE
    score1, score2 = field.scores(event.round, rows.first, rows.second, event.sided)
    win = int(field.world.points.win * field.world.scale)
    forfeited = np.where(bye, 0, field.forfeited(event.round, rows.first, rows.second))
    score1, score2 = (
        np.where(forfeited, win * (forfeited == sign), score)
        for sign, score in ((1, score1), (-1, score2))
    )
    matches = replace(
        rows,
        score1=np.where(bye, win, score1),
        score2=np.where(bye, 0, score2),
        status=np.where(forfeited, FORFEIT, rows.status),
        scored=np.ones(len(rows), np.bool_),
    )
    after = replace(event, matches=event.matches.joined(matches), round=event.round + 1)
    return replace(after, active=field.active(after.round, after))


def rows_of(made: Result, arcs: Arcs, number: int) -> Matches:
    """The rows of a round's pairing, without scores."""
    player, bye = made.problem.state.player, arcs.bye
    none = np.zeros(len(arcs), np.int64)
    return Matches(
        round=none + number,
        table=np.array([row["table"] or 0 for row in made.matches], np.int64),
        first=player[arcs.first],
        second=np.where(bye, BYE, player[arcs.second]),
        side=np.where(bye | (not made.problem.state.event.sided), -1, 0),
        score1=none,
        score2=none,
        status=np.where(bye, BYE_ROW, PLAYED),
        scored=none > 0,
        row=none - 1,
    )
