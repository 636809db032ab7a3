"""Play: tournaments, round by round, in memory."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines import DEFAULT, abilities_of
from pairopt.engines.base import EngineOptions
from pairopt.event.arcs import BYE, Arcs, IntArray
from pairopt.event.event import BYE_ROW, FORFEIT, PLAYED, Event, Matches
from pairopt.event.state import State
from pairopt.event.table_assignment import assign_tables
from pairopt.lab.contenders import Contender, paired_by
from pairopt.lab.luck import pairing_seed
from pairopt.lab.world import Field, scores
from pairopt.problem.build import prepare
from pairopt.problem.model import Model
from pairopt.problem.options import Choose
from pairopt.round.result import Result
from pairopt.round.solve import pair_all


def _columns(things: Sequence[Any], *names: str) -> list[Any]:
    return [np.concatenate([getattr(each, name) for each in things]) for name in names]


def join_events(events: Sequence[Event]) -> Event:
    """The players and matches of several events, at least one, before the same round."""
    first, size = events[0], len(events[0].players)
    if len(events) == 1:
        return first
    rows = [event.matches for event in events]
    start = np.repeat(size * np.arange(len(rows)), [len(own) for own in rows])
    names = [*Matches.__dataclass_fields__]
    columns = dict(zip(names, _columns(rows, *names), strict=True))
    columns["first"] += start
    columns["second"] = offset_players(columns["second"], start)
    names = ["active", "brought", "byes_brought", "adjusted", "start_numbers"]
    of_players = dict(zip(names, _columns(events, *names), strict=True))
    return Event(
        players=first.players * len(events),
        matches=Matches(**columns),
        **of_players,
        round=first.round,
        scale=first.scale,
        sides=first.sides,
        settings=first.settings,
    )


def joined_states(event: Event, states: Sequence[State]) -> State:
    """The states of these players, of whom `event` is the `joined` one."""
    if len(states) == 1:
        return states[0]
    size = len(event.players) // len(states)
    player = np.concatenate([state.player + k * size for k, state in enumerate(states)])
    names = ("score", "bias", "streak", "last_side", "byes")
    score, bias, streak, last, byes = _columns(states, *names)
    return State(event, player, score, bias, streak, last, byes, states[0].win)


def joined_arcs(made: Sequence[tuple[State, Arcs]]) -> tuple[Arcs, IntArray]:
    """The arcs between the players of each state as those of all, and the number of their state."""
    starts = accumulate((len(state) for state, _ in made), initial=0)
    own = np.repeat(np.arange(len(made)), [len(arcs) for _, arcs in made])
    start = np.array([*starts], np.int64)[own]
    first, second = _columns([arcs for _, arcs in made], "first", "second")
    return Arcs(first + start, offset_players(second, start)), own


def offset_players(second: IntArray, by: IntArray) -> IntArray:
    """Opponents under other numbers; nobody stays nobody."""
    return np.where(second < 0, BYE, second + by)


def paired(
    event: Event,
    model: Model | Contender,
    seed: int,
    last_round: bool = False,
    choose: Choose = "any",
) -> Result:
    """Pair a round, by the model's engine or the default one, or by another contender. A procedure
    has a lot of its own.
    """
    return all_paired([(event, seed)], model, last_round, choose)[0]


def all_paired(
    events: Iterable[tuple[Event, int]],
    model: Model | Contender,
    last_round: bool,
    choose: Choose,
) -> list[Result]:
    """The same of several events with their seeds, each in its part of the time."""
    start = time.perf_counter()
    if isinstance(model, Model):
        # sides are the event's own: a model's would be taken for its first round
        problems = (
            prepare(
                event, model, last_round=last_round, seed=seed, sides=event.sides or ()
            )
            for event, seed in events
        )
        prepared = [
            (p, EngineOptions(p.model.objective, budget=Budget(p.seed)))
            for p in problems
        ]
        engine = model.engine or DEFAULT
        made = pair_all(
            prepared, engine, choose if abilities_of(engine).exact else "any"
        )
    else:
        made = [paired_by(model, event, seed) for event, seed in events]
    for k, each in enumerate(made):
        if each.arcs is not None and each.problem.system is not None:
            rows, arcs = assign_tables(
                each.problem.state, each.arcs
            )  # games have an order of their own
            made[k] = replace(each, matches=rows, arcs=arcs)
    seconds = (time.perf_counter() - start) / max(len(made), 1)
    return [replace(each, seconds=seconds) for each in made]


@dataclass(frozen=True)
class Round:
    """A round of several tournaments, by their numbers: the pairings that were made. `events` are
    those that have one, after the round, `whole` all of them `joined`, if any.
    """

    made: Mapping[int, Result]
    events: Mapping[int, Event]
    whole: Event | None


def side_by_side(
    fields: Sequence[Field], model: Model | Contender, choose: Choose = "any"
) -> Iterator[Round]:
    """Each round of tournaments of one world and seed, as far as any can be paired. One ends early
    with a round that has no pairing, or with fewer than two players.
    """
    events, rounds = (
        {k: field.opening for k, field in enumerate(fields)},
        fields[0].world.rounds,
    )
    for number in range(1, rounds + 1):
        here = [k for k, event in events.items() if np.count_nonzero(event.active) >= 2]
        seeds = (
            pairing_seed(fields[k].seed, fields[k].replicate, number) for k in here
        )
        seeded = zip(map(events.__getitem__, here), seeds, strict=True)
        made = dict(
            zip(here, all_paired(seeded, model, number == rounds, choose), strict=True)
        )
        going = [k for k, each in made.items() if each.arcs is not None]
        events, whole = {k: events[k] for k in going}, None
        if going:
            of = [fields[k] for k in going]
            after = _after(of, [*events.values()], [made[k] for k in going])
            whole = join_events(after)
            for event, turns in zip(after, whole.turns.split(len(after)), strict=True):
                vars(event)["turns"] = turns  # as it would work them out by itself
            events = dict(zip(going, after, strict=True))
        if made:
            yield Round(made, events, whole)


def tournament(
    field: Field, model: Model | Contender, choose: Choose = "any"
) -> Iterator[tuple[Result, Event]]:
    """Each round of one that can be paired: its pairing, and the event after it."""
    event = field.opening
    for each in side_by_side([field], model, choose):
        event = each.events.get(0, event)
        yield each.made[0], event


def _after(
    fields: Sequence[Field], events: Sequence[Event], made: Sequence[Result]
) -> list[Event]:
    world, number = fields[0].world, events[0].round
    rows, many = rows_of(made, number), [len(each.matches) for each in made]
    of, met = np.repeat(np.arange(len(fields)), many), rows.second != BYE
    own = [
        slice(end - size, end) for end, size in zip(accumulate(many), many, strict=True)
    ]
    score1, score2 = np.zeros((2, len(met)), np.int64)
    first, second = (
        (ends + world.players * of)[met] for ends in (rows.first, rows.second)
    )
    score1[met], score2[met] = scores(fields, number, first, second, events[0].sided)
    lots = [
        field.forfeited(number, rows.first[each], rows.second[each])
        for field, each in zip(fields, own, strict=True)
    ]
    forfeited, win = (
        np.where(met, np.concatenate(lots), 0),
        int(world.points.win * world.scale),
    )
    rows = replace(
        rows,
        score1=np.where(met & (forfeited == 0), score1, win * (forfeited >= 0)),
        score2=np.where(forfeited, win * (forfeited < 0), score2),
        status=np.where(forfeited, FORFEIT, rows.status),
        scored=np.ones(len(rows), np.bool_),
    )
    after = []
    for field, event, each in zip(fields, events, own, strict=True):
        matches = event.matches.concatenate(rows.take(each))
        active = field.active(number + 1, matches)
        after.append(replace(event, matches=matches, round=number + 1, active=active))
    return after


def rows_of(made: Sequence[Result], number: int) -> Matches:
    """The rows of pairings of one event each, or several, before there are results."""
    ends = [
        (each.problem.state.player, each.arcs) for each in made if each.arcs is not None
    ]
    first = np.concatenate([player[arcs.first] for player, arcs in ends])
    second = np.concatenate(
        [np.where(arcs.bye, BYE, player[arcs.second]) for player, arcs in ends]
    )
    met, none = second != BYE, np.zeros(len(first), np.int64)
    return Matches(
        round=none + number,
        first=first,
        second=second,
        score1=none,
        score2=none,
        table=np.array(
            [row["table"] or 0 for each in made for row in each.matches], np.int64
        ),
        side=np.where(met & made[0].event.sided, 0, -1),
        status=np.where(met, PLAYED, BYE_ROW),
        scored=none > 0,
        row=none - 1,
    )
