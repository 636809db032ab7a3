"""Simulated tournaments, played round by round in memory, several at once."""

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
from pairopt.lab.contenders import Contender, pair_by_contender
from pairopt.lab.luck import pairing_seed
from pairopt.lab.world import (
    BEST_OF_THREE,
    Field,
    draw_best_of_three,
    draw_scores,
    score_best_of_three,
)
from pairopt.problem.build import prepare
from pairopt.problem.model import Model
from pairopt.problem.options import Choose
from pairopt.round.result import Result
from pairopt.round.solve import pair_all


def _concatenate_attributes(objects: Sequence[Any], *names: str) -> list[Any]:
    """Concatenate array attributes of several objects, attribute by attribute.

    Returns one array per name, in the order of `names`; in each the objects follow each
    other in their order.
    """
    arrays_by_name = {
        attribute_name: [
            getattr(source_object, attribute_name) for source_object in objects
        ]
        for attribute_name in names
    }
    return [np.concatenate(arrays) for arrays in arrays_by_name.values()]


def join_events(events: Sequence[Event]) -> Event:
    """Join events of the same size, before the same round, to one event.

    Players of each event are numbered after those of the event before, with the same
    names, so names are not unique; settings, sides and scale are those of the first
    event. Ratings and columns are not joined. A single event is returned as it is.
    """
    first_event = events[0]
    if len(events) == 1:
        return first_event

    field_size = len(first_event.players)
    matches_of_events = [event.matches for event in events]
    match_counts = [len(event_matches) for event_matches in matches_of_events]
    first_number_of_match = np.repeat(
        field_size * np.arange(len(matches_of_events)), match_counts
    )
    column_names = [*Matches.__dataclass_fields__]
    match_columns = dict(
        zip(
            column_names,
            _concatenate_attributes(matches_of_events, *column_names),
            strict=True,
        )
    )
    match_columns["first"] += first_number_of_match
    match_columns["second"] = offset_players(
        match_columns["second"], first_number_of_match
    )

    column_names = ["active", "brought", "byes_brought", "adjusted", "start_numbers"]
    player_columns = dict(
        zip(column_names, _concatenate_attributes(events, *column_names), strict=True)
    )
    return Event(
        players=first_event.players * len(events),
        matches=Matches(**match_columns),
        **player_columns,
        round=first_event.round,
        scale=first_event.scale,
        sides=first_event.sides,
        settings=first_event.settings,
    )


def join_states(event: Event, states: Sequence[State]) -> State:
    """Join the states of several tournaments of the same size to one state.

    `event` joins their events, in the same order. Players of each tournament are
    numbered after those of the one before. A single state is returned as it is.
    """
    if len(states) == 1:
        return states[0]
    field_size = len(event.players) // len(states)
    player_numbers = np.concatenate(
        [
            state.player + tournament_number * field_size
            for tournament_number, state in enumerate(states)
        ]
    )
    column_names = ("score", "bias", "streak", "last_side", "byes")
    score, bias, streak, last_side, byes = _concatenate_attributes(
        states, *column_names
    )
    return State(
        event, player_numbers, score, bias, streak, last_side, byes, states[0].win
    )


def join_arcs(pairings: Sequence[tuple[State, Arcs]]) -> tuple[Arcs, IntArray]:
    """Join the arcs of several tournaments to arcs between seats of one state.

    The state joins theirs, and a seat is a player's position in it. `pairings` has the
    state and the arcs of each tournament. Returns the arcs, and the position of each
    arc's tournament in `pairings`. Byes stay byes.
    """
    tournament_states = [state for state, _ in pairings]
    arcs_of_tournaments = [tournament_arcs for _, tournament_arcs in pairings]
    first_seat_of_tournament = np.array(
        [*accumulate(map(len, tournament_states), initial=0)], np.int64
    )
    tournament_of_arc = np.repeat(
        np.arange(len(pairings)), [*map(len, arcs_of_tournaments)]
    )
    seat_offset_of_arc = first_seat_of_tournament[tournament_of_arc]
    first_seats, second_seats = _concatenate_attributes(
        arcs_of_tournaments, "first", "second"
    )
    return Arcs(
        first_seats + seat_offset_of_arc,
        offset_players(second_seats, seat_offset_of_arc),
    ), tournament_of_arc


def offset_players(second: IntArray, by: IntArray) -> IntArray:
    """Add the offsets `by` to opponents' numbers, as for players of joined events.

    `by` has one offset for each element of `second`, or a single one. A negative number
    means the bye, and becomes BYE. Returns a new array.
    """
    return np.where(second < 0, BYE, second + by)


def paired(
    event: Event,
    model: Model | Contender,
    seed: int,
    last_round: bool = False,
    choose: Choose = "any",
) -> Result:
    """Pair an event's next round with a model or another contender.

    A model uses its own engine or the default one. `last_round` says whether the model
    applies its rules for the last round. If several pairings are optimal, `choose` says
    which one to take, "any" or "uniform" (drawn at random); other contenders ignore
    both. If there is no pairing, the result's `arcs` are None. `seed` is that of all
    random choices, for example among optimal pairings.
    """
    return pair_rounds([(event, seed)], model, last_round, choose)[0]


def pair_rounds(
    events: Iterable[tuple[Event, int]],
    model: Model | Contender,
    last_round: bool,
    choose: Choose,
) -> list[Result]:
    """Pair the next round of several events with their seeds in one batch.

    Returns a result for each event, in order; its `arcs` are None if there is no
    pairing. Each gets an equal share of the elapsed time as its `seconds`. `last_round`
    says whether a model applies its rules for the last round, and `choose` which of
    several optimal pairings to take; other contenders ignore both. Pairing systems
    number their tables in their own way; here they get the order of all other models.
    """
    start_time = time.perf_counter()
    if isinstance(model, Model):
        round_results = _solve_all(events, model, last_round, choose)
    else:
        round_results = [
            pair_by_contender(model, event, seed_of_event)
            for event, seed_of_event in events
        ]

    for event_position, round_result in enumerate(round_results):
        # pairing systems order their tables in another way than simulated games
        if round_result.arcs is not None and round_result.problem.system is not None:
            table_rows, arcs = assign_tables(
                round_result.problem.state, round_result.arcs
            )
            round_results[event_position] = replace(
                round_result, matches=table_rows, arcs=arcs
            )

    seconds_per_event = (time.perf_counter() - start_time) / max(len(round_results), 1)
    return [
        replace(round_result, seconds=seconds_per_event)
        for round_result in round_results
    ]


def _solve_all(
    events: Iterable[tuple[Event, int]], model: Model, last_round: bool, choose: Choose
) -> list[Result]:
    """Pair the next round of several events, with their seeds, with a model's engine.

    `last_round` says whether the model applies its rules for the last round, and
    `choose` which of several optimal pairings to take, "any" or "uniform" (at random).
    Returns the results in the order of the events. Each event keeps its own sides. If
    the engine is not exact, `choose` is ignored and any optimal pairing is taken.
    """
    problems_with_options = []
    for event, seed_of_event in events:
        # the event's own sides: those of the model would apply to its first round
        event_sides = event.sides or ()
        problem = prepare(
            event, model, last_round=last_round, seed=seed_of_event, sides=event_sides
        )
        engine_options = EngineOptions(
            problem.model.objective, budget=Budget(problem.seed)
        )
        problems_with_options.append((problem, engine_options))

    engine_name = model.engine or DEFAULT
    can_engine_choose = abilities_of(engine_name).exact
    return pair_all(
        problems_with_options, engine_name, choose if can_engine_choose else "any"
    )


@dataclass(frozen=True)
class Round:
    """A round of several tournaments; all mappings are by tournament number from 0.

    `made` has the results of pairing it, also of tournaments without a pairing.
    `events` are the events after the round of those that have one; `whole` joins these,
    None without any.
    """

    made: Mapping[int, Result]
    events: Mapping[int, Event]
    whole: Event | None


def play_rounds(
    fields: Sequence[Field], model: Model | Contender, choose: Choose = "any"
) -> Iterator[Round]:
    """Play tournaments of one world and seed together, and yield a `Round` per round.

    A tournament ends early with a round that has no pairing, or before a round with
    fewer than two players; a round that no tournament plays is not yielded. `choose`
    says which of several optimal pairings to take, "any" or "uniform" (at random).
    Tournaments are numbered by their position in `fields`.
    """
    current_events = {
        field_position: played_field.opening
        for field_position, played_field in enumerate(fields)
    }
    world_rounds = fields[0].world.rounds

    for round_number in range(1, world_rounds + 1):
        playing_field_positions = [
            field_position
            for field_position, event in current_events.items()
            if np.count_nonzero(event.active) >= 2
        ]
        seeded_events = []
        for field_position in playing_field_positions:
            round_seed = pairing_seed(
                fields[field_position].seed,
                fields[field_position].replicate,
                round_number,
            )
            seeded_events.append((current_events[field_position], round_seed))
        batch_results = pair_rounds(
            seeded_events, model, round_number == world_rounds, choose
        )
        result_of_field = dict(zip(playing_field_positions, batch_results, strict=True))

        paired_field_positions = [
            field_position
            for field_position, round_result in result_of_field.items()
            if round_result.arcs is not None
        ]
        current_events = {
            field_position: current_events[field_position]
            for field_position in paired_field_positions
        }
        joined_event = None
        if paired_field_positions:
            next_events = _play_round(
                [fields[field_position] for field_position in paired_field_positions],
                [*current_events.values()],
                [
                    result_of_field[field_position]
                    for field_position in paired_field_positions
                ],
            )
            joined_event = join_events(next_events)
            # the cached property, computed for all events at once
            turns_by_event = joined_event.turns.split(len(next_events))
            for event, event_turns in zip(next_events, turns_by_event, strict=True):
                vars(event)["turns"] = event_turns
            current_events = dict(zip(paired_field_positions, next_events, strict=True))
        if result_of_field:
            yield Round(result_of_field, current_events, joined_event)


def play_each_round(
    field: Field, model: Model | Contender, choose: Choose = "any"
) -> Iterator[tuple[Result, Event]]:
    """Play one tournament, and yield for each round its result and the event after it.

    `field` has the players before round 1, and `model` pairs each round. `choose` says
    which of several optimal pairings to take, "any" or "uniform" (at random). For a
    round without a pairing, which is the last one, the event is that before the round.
    A round with fewer than two players ends the tournament and is not yielded.
    """
    event = field.opening
    for played_round in play_rounds([field], model, choose):
        event = played_round.events.get(0, event)
        yield played_round.made[0], event


def _play_round(
    fields: Sequence[Field], events: Sequence[Event], results: Sequence[Result]
) -> list[Event]:
    """Simulate a round that is paired, and return the events after it.

    `fields` are the players of several tournaments of one world, `events` the
    tournaments before the round, and `results` their pairings; all lists are in the
    same order. The scores of games and the forfeits are drawn; byes get the points of a
    win. Who is active in the next round is drawn, too. The given events stay as they
    are.
    """
    world = fields[0].world
    round_number = events[0].round
    match_rows = rows_of(results, round_number)
    match_counts = [len(round_result.matches) for round_result in results]
    field_position_of_row = np.repeat(np.arange(len(fields)), match_counts)
    match_slices = [
        slice(match_end - match_count, match_end)
        for match_end, match_count in zip(
            accumulate(match_counts), match_counts, strict=True
        )
    ]

    # results of all matches; byes and forfeits replace them below
    is_match = match_rows.second != BYE
    first_number_of_row = world.players * field_position_of_row
    first_players = (match_rows.first + first_number_of_row)[is_match]
    second_players = (match_rows.second + first_number_of_row)[is_match]
    score1 = np.zeros(len(match_rows), np.int64)
    score2 = np.zeros(len(match_rows), np.int64)
    paired_events = [
        (event, match_rows.take(match_slice))
        for event, match_slice in zip(events, match_slices, strict=True)
    ]
    game_points = np.full((len(match_rows), 3), -1)
    if world.games == BEST_OF_THREE:
        game_points[is_match] = draw_best_of_three(
            fields, round_number, first_players, second_players, paired_events
        )
        score1[is_match], score2[is_match] = score_best_of_three(
            world, game_points[is_match]
        )
    else:
        score1[is_match], score2[is_match] = draw_scores(
            fields,
            round_number,
            first_players,
            second_players,
            events[0].sided,
            paired_events,
        )

    # 1 if the first player wins without a game, -1 if the second does, otherwise 0
    forfeits_by_field = [
        one_field.forfeited(
            round_number, match_rows.first[match_slice], match_rows.second[match_slice]
        )
        for one_field, match_slice in zip(fields, match_slices, strict=True)
    ]
    forfeit_of_match = np.where(is_match, np.concatenate(forfeits_by_field), 0)
    win_points = int(world.points.win * world.scale)
    match_rows = replace(
        match_rows,
        score1=np.where(
            is_match & (forfeit_of_match == 0),
            score1,
            win_points * (forfeit_of_match >= 0),
        ),
        score2=np.where(forfeit_of_match, win_points * (forfeit_of_match < 0), score2),
        status=np.where(forfeit_of_match, FORFEIT, match_rows.status),
        scored=np.ones(len(match_rows), np.bool_),
        games=np.where((forfeit_of_match == 0)[:, None], game_points, -1),
    )

    next_events = []
    for one_field, event, match_slice in zip(fields, events, match_slices, strict=True):
        matches = event.matches.concatenate(match_rows.take(match_slice))
        is_active = one_field.active(round_number + 1, matches)
        next_events.append(
            replace(event, matches=matches, round=round_number + 1, active=is_active)
        )
    return next_events


def rows_of(results: Sequence[Result], number: int) -> Matches:
    """Convert pairings of a round to match rows without results.

    `number` is the round. The rows of each pairing come after those of the one before.
    Players keep the numbers that they have in their own event. Results without a
    pairing have no rows. Raises ValueError if no result has a pairing.
    """
    first_players_by_result = []
    second_players_by_result = []
    for round_result in results:
        if round_result.arcs is not None:
            player_of_seat = round_result.problem.state.player
            arcs = round_result.arcs
            first_players_by_result.append(player_of_seat[arcs.first])
            second_players_by_result.append(
                np.where(arcs.bye, BYE, player_of_seat[arcs.second])
            )
    first_players = np.concatenate(first_players_by_result)
    second_players = np.concatenate(second_players_by_result)
    table_numbers = [
        paired_row["table"] or 0
        for round_result in results
        for paired_row in round_result.matches
    ]

    is_match = second_players != BYE
    zeros_per_row = np.zeros(len(first_players), np.int64)
    return Matches(
        round=zeros_per_row + number,
        first=first_players,
        second=second_players,
        score1=zeros_per_row,
        score2=zeros_per_row,
        table=np.array(table_numbers, np.int64),
        side=np.where(is_match & results[0].event.sided, 0, -1),
        status=np.where(is_match, PLAYED, BYE_ROW),
        scored=zeros_per_row > 0,
        row=zeros_per_row - 1,
    )
