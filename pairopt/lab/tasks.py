"""Tasks: the independent parts of a study, each a few rows of its tables.

They can be sent to other processes. A task's name is a digest of its settings, so finished tasks
are recognised when a study goes on after a stop.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Protocol

import numpy as np

from pairopt.event.arcs import Arcs, arcs_of
from pairopt.event.event import REQUESTED, Event
from pairopt.lab.contenders import Contender
from pairopt.lab.grid import Value
from pairopt.lab.identity import (
    PACKAGE,
    digest,
    find_published_place,
    list_hashed_fields,
    name_of,
)
from pairopt.lab.metrics import Metric, list_metric_columns, measure_tournament
from pairopt.lab.metrics.rounds import (
    format_level_values,
    measure_pairing,
    measure_pairings,
    measure_standings,
)
from pairopt.lab.play import Round, join_events, paired, play_rounds
from pairopt.lab.simulating import Tournament
from pairopt.lab.table import (
    Frames,
    build_table,
    games_columns,
    list_games,
    study_columns,
)
from pairopt.lab.world import Field, World
from pairopt.problem.build import prepare
from pairopt.problem.model import Model
from pairopt.problem.options import Choose
from pairopt.problem.problem import Problem
from pairopt.round.result import Result
from pairopt.version import __version__


def setting_to_json(value: Any) -> Any:
    """Convert a setting to JSON values, as registrations have them.

    Numbers, texts, booleans and None stay, and lists and tuples become lists. A
    fraction or decimal becomes its text under its type's name, a mapping a list of
    pairs under "table", a dataclass of pairopt its published class and fields, and
    anything else, such as the user's code, its name and a digest. Raises UsageError for
    code of the user that cannot be identified, because its source or its settings
    cannot be read.
    """
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, Fraction | Decimal):
        return {type(value).__name__.lower(): str(value)}
    if isinstance(value, list | tuple):
        return [setting_to_json(inner_value) for inner_value in value]
    if isinstance(value, Mapping):
        json_pairs = [
            [setting_to_json(mapping_key), setting_to_json(inner_value)]
            for mapping_key, inner_value in value.items()
        ]
        return {"table": json_pairs}

    setting_type = type(value)
    if is_dataclass(setting_type) and setting_type.__module__.split(".")[0] == PACKAGE:
        json_object = {"is": find_published_place(setting_type)}
        for hashed_field in list_hashed_fields(value):
            json_object[hashed_field.name] = setting_to_json(
                getattr(value, hashed_field.name)
            )
        return json_object
    return {"own": name_of(value), "digest": digest(value)}


REPLICATES = 10
"""Tournaments per task: few are lost when a run is stopped, many cost less to send."""
# how many pairs of players are evaluated together, in several small tournaments
PAIRS = 2**14
# the model name of the pairings that were really played
PLAYED = "played"
PACKAGES = ("numpy", "ortools", "rustworkx")


class Task(Protocol):
    """A part of a study that is played by itself, and whose tables can be cached.

    `frames` plays it and returns its tables, `name` says under which name they are
    cached, and `texts` which columns hold texts.
    """

    @property
    def name(self) -> str:
        """The name of the task's file in a cache: tasks with equal rows have equal names.

        It has a digest of the settings and of the versions that results depend on.
        """

    @property
    def texts(self) -> Sequence[str]:
        """Further columns that have texts, even if these look like numbers."""

    def frames(self) -> Frames:
        """Play the task, and return its tables by name, "rounds" and perhaps "games"."""


def versions() -> dict[str, str]:
    """Return the versions of pairopt and of the packages that results depend on.

    They are texts by the name of the package. The version of a package that is not
    installed is "none".
    """
    return {
        "pairopt": __version__,
        **{package_name: _version_of(package_name) for package_name in PACKAGES},
    }


def _version_of(package: str) -> str:
    """Return the version of an installed package; "none" if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def _digest(settings: object) -> str:
    """Return the hexadecimal digest of settings, together with all `versions`.

    Packages count by their versions alone, in order, without their names.
    """
    pairopt_version, *package_versions = versions().values()
    return digest((settings, pairopt_version, package_versions))


@dataclass(frozen=True)
class Study:
    """The settings of all replicates of one contender in one world.

    `metrics` are the further metrics. `timings` adds a column of seconds, `games`
    stores all games, and `choose` says which of several optimal pairings to take.
    `cells` are the columns that distinguish the world from others, with their values.
    `digest` identifies the settings, whatever the number of replicates.
    """

    contender: Model | Contender
    world: World
    seed: int
    metrics: tuple[Metric, ...] = ()
    timings: bool = False
    choose: Choose = "any"
    games: bool = False
    cells: tuple[tuple[str, Value], ...] = ()

    @cached_property
    def digest(self) -> str:
        """A digest of all settings and versions, without the number of replicates."""
        return _digest(self)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of the table of rounds, in order.

        Those of the grid, of further metrics and of seconds are among them if there are
        any.
        """
        metric_columns = list_metric_columns(self.metrics)
        return study_columns(
            self.timings,
            metric_columns,
            [setting_column for setting_column, _ in self.cells],
        )


@dataclass(frozen=True)
class SimulationTask:
    """The task of simulating the replicates from `start` to before `stop` of a study.

    All of them are of one contender in one world. `frames` returns the tables "rounds"
    and "games".
    """

    study: Study
    start: int
    stop: int

    @property
    def name(self) -> str:
        """The name of the task's file: digest of the study, `start` and `stop`."""
        return f"{self.study.digest}-{self.start}-{self.stop}.zip"

    @property
    def texts(self) -> Sequence[str]:
        """The columns of the grid that have texts, even if these look like numbers."""
        return [
            setting_column
            for setting_column, world_cell in self.study.cells
            if isinstance(world_cell, str)
        ]

    def frames(self) -> Frames:
        """Simulate the tournaments, and return the tables "rounds" and "games".

        There are "games" only if the study stores them. Several small tournaments are
        paired at once, unless the study measures times. Nothing is stored in files.
        """
        simulated_round_rows: list[dict[str, Value]] = []
        simulated_game_rows: list[dict[str, Value]] = []
        batch_size = 1
        if not self.study.timings:
            batch_size = max(PAIRS // self.study.world.players**2, 1)
        for batch_start in range(self.start, self.stop, batch_size):
            batch_stop = min(batch_start + batch_size, self.stop)
            self._play(
                range(batch_start, batch_stop),
                simulated_round_rows,
                simulated_game_rows,
            )

        world_cells = dict(self.study.cells)
        round_rows = [
            simulated_row | world_cells for simulated_row in simulated_round_rows
        ]
        frame_by_name = {"rounds": build_table(round_rows, self.study.columns)}
        if self.study.games:
            game_rows = [
                simulated_row | world_cells for simulated_row in simulated_game_rows
            ]
            frame_by_name["games"] = build_table(game_rows, games_columns(world_cells))
        return frame_by_name

    def _play(
        self,
        replicates: range,
        rows: list[dict[str, Value]],
        games: list[dict[str, Value]],
    ) -> None:
        """Simulate tournaments of some replicates, and append to `rows` and `games`.

        These are the rows of their rounds, also of rounds that were not played, and of
        their games if the study stores them. Further metrics are measured only if a
        tournament was paired to the end.
        """
        study = self.study
        model_name = name_of(study.contender)
        fields_to_play = [
            Field(study.world, study.seed, replicate) for replicate in replicates
        ]
        # all pairings first: metrics between them would make them slower
        played_rounds = [*play_rounds(fields_to_play, study.contender, study.choose)]
        measured_rounds = _measure_rounds(fields_to_play, played_rounds)

        for field_position, one_field in enumerate(fields_to_play):
            round_results = [
                simulated_round.made[field_position]
                for simulated_round in played_rounds
                if field_position in simulated_round.made
            ]
            field_events = [
                simulated_round.events[field_position]
                for simulated_round in played_rounds
                if field_position in simulated_round.events
            ]
            field_rows: list[dict[str, Value]] = []
            for round_number, round_result in enumerate(round_results, 1):
                metric_cells = measured_rounds[round_number - 1].get(field_position, {})
                field_rows.append(
                    _result_row(
                        model_name, one_field.replicate, round_number, round_result
                    )
                    | metric_cells
                )
            key_cells: dict[str, Value] = {
                "model": model_name,
                "replicate": one_field.replicate,
            }
            for round_number in range(len(round_results) + 1, study.world.rounds + 1):
                field_rows += [
                    key_cells | {"round": round_number, "status": "not played"}
                ]

            final_event = field_events[-1] if field_events else one_field.opening
            tournament = Tournament(one_field, final_event, tuple(round_results))
            if study.metrics and tournament.complete:
                metric_rows = measure_tournament(study.metrics, tournament)
                for round_row, metric_row in zip(field_rows, metric_rows, strict=True):
                    round_row |= metric_row
            rows += field_rows
            if study.games:
                games += list_games(model_name, one_field.replicate, tournament)


def _measure_rounds(
    fields: Sequence[Field], rounds: Sequence[Round]
) -> list[dict[int, dict[str, Value]]]:
    """Measure the pairings of each round, and the standings after it.

    `fields` are the players of several tournaments of one world, and `rounds` their
    rounds as played. Returns for each round the cells by position in `fields`, only for
    fields that were paired in it. The cells have the values of all pairing metrics and
    standings metrics, by column.
    """
    events_before: Mapping[int, Event] = {
        field_position: played_field.opening
        for field_position, played_field in enumerate(fields)
    }
    joined_event: Event | None = None
    cells_by_round = []
    for played_round in rounds:
        field_positions = [*played_round.events]
        field_cells: list[dict[str, Value]] = []
        if played_round.whole is not None:
            if joined_event is None or len(field_positions) < len(events_before):
                joined_event = join_events(
                    [
                        events_before[field_position]
                        for field_position in field_positions
                    ]
                )
            pairings = []
            for field_position in field_positions:
                round_result = played_round.made.get(field_position)
                if round_result is not None and round_result.arcs is not None:
                    pairings.append((round_result.problem.state, round_result.arcs))
            active_players = np.array(
                [
                    events_before[field_position].active
                    for field_position in field_positions
                ]
            )
            strengths = np.array(
                [fields[field_position].strength for field_position in field_positions]
            )

            pairing_cells = measure_pairings(joined_event, pairings)
            standing_cells = measure_standings(
                played_round.whole, active_players, strengths
            )
            field_cells = [
                pairing_values | standing_values
                for pairing_values, standing_values in zip(
                    pairing_cells, standing_cells, strict=True
                )
            ]
        cells_by_round.append(dict(zip(field_positions, field_cells, strict=True)))
        events_before = played_round.events
        joined_event = played_round.whole
    return cells_by_round


@dataclass(frozen=True)
class RepairTask:
    """The task of pairing every round of a real event again with a contender.

    If `contender` is None, it measures the pairings that were really played.
    `event_name` stands in the column replicate, and `seed` is that of all random
    choices. `timings` adds a column of seconds, and `choose` says which of several
    optimal pairings to take. `frames` returns the table "rounds".
    """

    contender: Model | Contender | None
    event_name: str
    event: Event
    seed: int
    timings: bool = False
    choose: Choose = "any"

    @property
    def name(self) -> str:
        """The name of the task's file: a digest of its settings, and of versions."""
        return f"{_digest(self)}.zip"

    @property
    def texts(self) -> Sequence[str]:
        """The only further column of texts: `replicate`, with the names of events."""
        return ["replicate"]

    def frames(self) -> Frames:
        """Pair all rounds of the event again, and return the table "rounds".

        Without a contender it measures the pairings that were played instead.
        """
        return {
            "rounds": build_table([*self._pair_rounds()], study_columns(self.timings))
        }

    def _pair_rounds(self) -> Iterator[dict[str, Value]]:
        """Yield the row of each round that the event has, in order, by column.

        Each round is paired from the rounds before it. Without a contender the row
        measures the pairing that was played. A round without a pairing has no metrics.
        """
        for round_number in range(1, self.event.round):
            event_before = self.event.at_round(round_number)
            if self.contender is None:
                yield self._historical_row(event_before, round_number)
                continue

            is_last_round = round_number == self.event.round - 1
            pairing_result = paired(
                event_before, self.contender, self.seed, is_last_round, self.choose
            )
            round_row = _result_row(
                name_of(self.contender), self.event_name, round_number, pairing_result
            )
            if pairing_result.arcs is not None:
                round_row |= measure_pairing(
                    pairing_result.problem.state, pairing_result.arcs
                )
            yield round_row

    def _historical_row(self, event: Event, number: int) -> dict[str, Value]:
        """Return the row of a round with the pairing that was really played.

        `event` is the event before that round. A round without matches has no metrics.
        `number` is the round.
        """
        problem = prepare(event, "random")
        arcs = _historical_arcs(problem, number)
        key_cells: dict[str, Value] = {
            "model": PLAYED,
            "replicate": self.event_name,
            "round": number,
            "players": len(problem),
            "status": PLAYED,
        }
        return (
            key_cells
            if arcs is None
            else key_cells | measure_pairing(problem.state, arcs)
        )


def _result_row(
    model: str, replicate: int | str, number: int, result: Result
) -> dict[str, Value]:
    """Return the row of a round without metrics, by column.

    It has the model, the replicate, the round, the number of players, the engine, the
    status, the levels and the seconds. `number` is the round, and `replicate` a number
    or the name of a real event.
    """
    return {
        "model": model,
        "replicate": replicate,
        "round": number,
        "players": len(result.problem),
        "engine": result.engine,
        "status": result.status,
        "levels": format_level_values(result),
        "seconds": result.seconds,
    }


def _historical_arcs(problem: Problem, number: int) -> Arcs | None:
    """Return the matches and allocated byes that were played in a round, as arcs.

    They are arcs between seats of `problem`, the problem before the round `number`.
    Byes that players requested are left out. None for a round without any.
    """
    round_matches = problem.state.event.matches
    round_matches = round_matches.take(
        (round_matches.round == number) & (round_matches.status != REQUESTED)
    )
    if not len(round_matches):
        return None
    # the last seat, of number -1, is that of the bye
    seat_of_player = problem.state.seats
    arcs = arcs_of(
        seat_of_player[round_matches.first], seat_of_player[round_matches.second]
    )
    return arcs.turned(arcs.match & (round_matches.side == 1))


def simulation_tasks(
    studies: Sequence[Study], replicates: int, finished: Container[str] = ()
) -> list[Task]:
    """List the tasks of a simulated study, in the order of its rows.

    `studies` have the settings of each contender in each world, and each plays the
    replicates from 0 to `replicates` - 1. A task has up to 10 (`REPLICATES`)
    tournaments, and ends at a multiple of that number or at `replicates`. `finished`
    are the names of finished tasks: if one of them ends earlier, because a run with
    fewer replicates ended there, it and the rest are two tasks.
    """
    planned_tasks: list[Task] = []
    for study in studies:
        task_start = 0
        while task_start < replicates:
            latest_task_stop = min(
                task_start - task_start % REPLICATES + REPLICATES, replicates
            )
            task_stop = (
                _find_finished_end(study, task_start, latest_task_stop, finished)
                if finished
                else latest_task_stop
            )
            planned_tasks.append(SimulationTask(study, task_start, task_stop))
            task_start = task_stop
    return planned_tasks


def _find_finished_end(
    study: Study, start: int, stop: int, finished: Container[str]
) -> int:
    """Return the end of the longest finished task of a study from replicate `start`.

    It is at most `stop`, and excluded as in a range. `finished` are the names of
    finished tasks. If no task from `start` is finished, it is `stop`.
    """
    for possible_end in range(stop, start, -1):
        if SimulationTask(study, start, possible_end).name in finished:
            return possible_end
    return stop


def repair_tasks(
    contenders: Sequence[Model | Contender],
    events: Sequence[tuple[str, Event]],
    seed: int,
    timings: bool = False,
    choose: Choose = "any",
) -> list[Task]:
    """List the tasks of pairing real events again, one per contender and event.

    `events` are pairs of a name and an event. The tasks are in the order of the rows:
    for all events the rounds as they were played, then each contender for all events.
    `seed` is that of all random choices, `timings` adds a column of seconds, and
    `choose` says which of several optimal pairings to take.
    """
    return [
        RepairTask(contender, event_name, event, seed, timings, choose)
        for contender in (None, *contenders)
        for event_name, event in events
    ]
