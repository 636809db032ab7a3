"""Tasks: the independent parts of a study, each a few rows of its file.

A task is a value: it can be sent to another process, and its name says what is in it, so that
finished ones are known again after a stop.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any, Protocol

import numpy as np

from pairopt.event.arcs import BYE, Arcs, arcs_of
from pairopt.event.event import REQUESTED, Event
from pairopt.lab.contenders import Contender
from pairopt.lab.metrics import Metric, Value, measured, metric_columns
from pairopt.lab.metrics.rounds import of_pairing, of_standings, values_text
from pairopt.lab.own import digest, name_of
from pairopt.lab.play import paired, tournament
from pairopt.lab.settings import told
from pairopt.lab.simulating import Tournament
from pairopt.lab.table import Frames, games_columns, games_of, part_frame, study_columns
from pairopt.lab.world import Field, World
from pairopt.problem.model import Model
from pairopt.problem.options import Choose
from pairopt.problem.problem import Problem
from pairopt.problem.ready import prepare
from pairopt.round.result import Result
from pairopt.version import __version__

REPLICATES = 10
"""Tournaments in a task: small, as what is lost when a run is stopped; large, to send."""

PLAYED = "played"
"""The name under which the pairing that was really played is compared."""


PACKAGES = ("numpy", "ortools", "rustworkx")


class Task(Protocol):
    """A part of a study."""

    @property
    def name(self) -> str:
        """Equal for tasks with the same rows: it tells settings apart, and versions of solvers."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What it is done with, as JSON: `study`, which others share, and what is its own."""

    def frames(self) -> Frames:
        """Its tables."""


def versions() -> dict[str, str]:
    """What rows depend on besides the settings."""
    return {"pairopt": __version__, **{name: version(name) for name in PACKAGES}}


def _digest(settings: object) -> str:
    own, *others = versions().values()
    return digest((settings, own, others))


@dataclass(frozen=True)
class Study:
    """What all replicates of one contender in one world have in common.

    `cells` are the columns that tell the worlds of a grid apart.
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
        """Of everything but the number of replicates."""
        return _digest(self)

    @cached_property
    def told(self) -> Any:
        """All of it as JSON."""
        return told(self)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Those of its rows."""
        metrics = metric_columns(self.metrics)
        return study_columns(self.timings, metrics, [name for name, _ in self.cells])


@dataclass(frozen=True)
class Simulated:
    """Replicates `start` to `stop` - 1 of a study."""

    study: Study
    start: int
    stop: int

    @property
    def name(self) -> str:
        return f"{self.study.digest}-{self.start}-{self.stop}.zip"

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"study": self.study.told, "start": self.start, "stop": self.stop}

    def frames(self) -> Frames:
        rows: list[dict[str, Value]] = []
        games: list[dict[str, Value]] = []
        for replicate in range(self.start, self.stop):
            self._play(replicate, rows, games)
        cells = dict(self.study.cells)
        found = {"rounds": part_frame([row | cells for row in rows], self.study.columns)}
        if self.study.games:
            found["games"] = part_frame([row | cells for row in games], games_columns(cells))
        return found

    def _play(
        self, replicate: int, rows: list[dict[str, Value]], games: list[dict[str, Value]]
    ) -> None:
        """Add the rows of one replicate, and those of its games."""
        study, first = self.study, len(rows)
        field, name = Field(study.world, study.seed, replicate), name_of(study.contender)
        # first the pairings: what is measured between them would make them slower
        paired_rounds = self._rounds(field)
        event = field.opening()
        for made, after in paired_rounds:
            row = _row(name, replicate, event.round, made)
            if made.arcs is not None:
                row |= of_standings(event, after, field.strength)
            rows.append(row)
            event = after
        rows += [
            {"model": name, "replicate": replicate, "round": missing, "status": "not played"}
            for missing in range(len(paired_rounds) + 1, study.world.rounds + 1)
        ]
        played = Tournament(field, event, tuple(made for made, _ in paired_rounds))
        if study.metrics and played.complete:
            for row, more in zip(rows[first:], measured(study.metrics, played), strict=True):
                row |= more
        if study.games:
            games += games_of(name, replicate, played)

    def _rounds(self, field: Field) -> list[tuple[Result, Event]]:
        """Each round's pairing, and the event after it."""
        return [*tournament(field, self.study.contender, self.study.choose)]


@dataclass(frozen=True)
class Repaired:
    """Every round of a real event, paired again by a contender; without one, as it was played."""

    contender: Model | Contender | None
    event_name: str
    event: Event
    seed: int
    timings: bool = False
    choose: Choose = "any"

    @property
    def name(self) -> str:
        return f"{_digest(self)}.zip"

    @property
    def settings(self) -> Mapping[str, Any]:
        shared = {"contender": told(self.contender), "seed": self.seed, "choose": self.choose}
        return {"study": shared, "event": self.event_name, "digest": digest(self.event)}

    def frames(self) -> Frames:
        return {"rounds": part_frame([*self._rounds()], study_columns(self.timings))}

    def _rounds(self) -> Iterator[dict[str, Value]]:
        for number in range(1, self.event.round):
            event, last = self.event.at_round(number), number == self.event.round - 1
            if self.contender is not None:
                made = paired(event, self.contender, self.seed, last, self.choose)
                yield _row(name_of(self.contender), self.event_name, number, made)
                continue
            problem = prepare(event, "random")
            arcs = _played(problem, number)
            row: dict[str, Value] = {
                "model": PLAYED,
                "replicate": self.event_name,
                "round": number,
                "players": len(problem),
                "status": PLAYED,
            }
            yield row if arcs is None else row | of_pairing(problem.state, arcs)


def _row(model: str, replicate: int | str, number: int, made: Result) -> dict[str, Value]:
    row: dict[str, Value] = {
        "model": model,
        "replicate": replicate,
        "round": number,
        "players": len(made.problem),
        "engine": made.engine,
        "status": made.status,
        "levels": values_text(made),
        "seconds": made.seconds,
    }
    return row if made.arcs is None else row | of_pairing(made.problem.state, made.arcs)


def _played(problem: Problem, number: int) -> Arcs | None:
    """The matches and allocated byes that were really played in a round; None without any."""
    rows = problem.state.event.matches
    rows = rows.take((rows.round == number) & (rows.status != REQUESTED))
    if not len(rows):
        return None
    position = np.full(len(problem.state.event.players) + 1, BYE)
    position[problem.state.player] = np.arange(len(problem))
    arcs = arcs_of(position[rows.first], position[rows.second])
    return arcs.turned(arcs.match & (rows.side == 1))


def simulated(studies: Sequence[Study], replicates: int, kept: Container[str] = ()) -> list[Task]:
    """The tasks of a simulated study, in the order of its rows.

    Of a task that is kept in part, as another number of replicates ended in it, the rest is done.
    """
    tasks: list[Task] = []
    for study in studies:
        start = 0
        while start < replicates:
            stop = min(start - start % REPLICATES + REPLICATES, replicates)
            ends = range(stop - 1, start, -1) if kept else ()
            known = (end for end in ends if Simulated(study, start, end).name in kept)
            whole = kept and Simulated(study, start, stop).name in kept
            end = stop if whole else next(known, stop)
            tasks.append(Simulated(study, start, end))
            start = end
    return tasks


def repair_tasks(
    contenders: Sequence[Model | Contender],
    events: Sequence[tuple[str, Event]],
    seed: int,
    timings: bool,
    choose: Choose = "any",
) -> list[Task]:
    """The tasks of pairing real events again, in the order of the rows: as played first."""
    return [
        Repaired(contender, name, event, seed, timings, choose)
        for contender in (None, *contenders)
        for name, event in events
    ]
