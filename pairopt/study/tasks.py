"""Tasks: the independent parts of a study, each a few rows of its file.

A task is a value: it can be sent to another process, and its name says what is in it, so that
finished ones are known again after a stop.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from importlib.metadata import version
from typing import Protocol

import numpy as np

from pairopt.event.arcs import BYE, Arcs, arcs_of
from pairopt.event.event import REQUESTED, Event, Matches
from pairopt.problem.model import Model
from pairopt.problem.problem import Problem
from pairopt.round.options import Choose, prepare
from pairopt.round.result import Result
from pairopt.study.metrics import Value, levels_text, of_pairing, of_standings
from pairopt.study.play import paired, tournament
from pairopt.study.table import rows_text
from pairopt.study.world import Field, World
from pairopt.version import __version__

REPLICATES = 10
"""Tournaments in a task: small, as what is lost when a run is stopped; large, to send."""

PLAYED = "played"
"""The name under which the pairing that was really played is compared."""


class Task(Protocol):
    """A part of a study."""

    @property
    def settings(self) -> tuple[object, ...]:
        """All that its rows depend on."""

    def text(self) -> str:
        """Its rows."""


def task_name(task: Task) -> str:
    """A name that tells tasks apart by their settings and by the versions of what solves them."""
    packages = [__version__, *(version(name) for name in ("numpy", "ortools", "rustworkx"))]
    digest = hashlib.sha256(repr((task.settings, packages)).encode()).hexdigest()
    return f"{digest[:32]}.csv"


@dataclass(frozen=True)
class Simulated:
    """Replicates `start` to `stop` - 1 of a world under one model."""

    model: Model
    world: World
    seed: int
    start: int
    stop: int
    timings: bool = False
    choose: Choose = "any"

    @property
    def settings(self) -> tuple[object, ...]:
        return (self, self.model.last_round)

    def text(self) -> str:
        rows = (row for k in range(self.start, self.stop) for row in self._replicate(k))
        return rows_text(rows, self.timings)

    def _replicate(self, replicate: int) -> Iterator[dict[str, Value]]:
        field = Field(self.world, self.seed, replicate)
        event, number = field.opening(), 0
        for made, after in tournament(field, self.model, self.choose):
            number = event.round
            row = _row(self.model.name, replicate, number, made)
            if made.arcs is not None:
                row |= of_standings(event, after, field.strength)
            yield row
            event = after
        for missing in range(number + 1, self.world.rounds + 1):
            yield {"model": self.model.name, "replicate": replicate, "round": missing,
                   "status": "not played"}  # fmt: skip


@dataclass(frozen=True)
class Repaired:
    """Every round of a real event, paired again by a model; without one, as it was played."""

    model: Model | None
    name: str
    event: Event
    seed: int
    timings: bool = False
    choose: Choose = "any"

    @property
    def settings(self) -> tuple[object, ...]:
        last = None if self.model is None else self.model.last_round
        event = [_plain(getattr(self.event, f.name)) for f in fields(self.event)]
        return ("repaired", self.model, last, self.name, event, self.seed, self.timings,
                self.choose)  # fmt: skip

    def text(self) -> str:
        return rows_text(self._rounds(), self.timings)

    def _rounds(self) -> Iterator[dict[str, Value]]:
        for number in range(1, self.event.round):
            event, last = self.event.at_round(number), number == self.event.round - 1
            if self.model is not None:
                made = paired(event, self.model, self.seed, last, self.choose)
                yield _row(self.model.name, self.name, number, made)
                continue
            problem = prepare(event, "random")
            arcs = _played(problem, number)
            row: dict[str, Value] = {
                "model": PLAYED,
                "replicate": self.name,
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
        "levels": levels_text(made),
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
    turned, second_side = arcs.reversed(), rows.side == 1
    return arcs_of(
        np.where(second_side, turned.first, arcs.first),
        np.where(second_side, turned.second, arcs.second),
    )


def _plain(value: object) -> object:
    """A value whose repr shows all of it."""
    if isinstance(value, Matches):
        return [_plain(getattr(value, f.name)) for f in fields(value)]
    return value.tolist() if isinstance(value, np.ndarray) else value


def simulated(
    models: Sequence[Model],
    world: World,
    replicates: int,
    seed: int,
    timings: bool,
    choose: Choose = "any",
) -> list[Task]:
    """The tasks of a simulated study, in the order of its rows."""
    starts = range(0, replicates, REPLICATES)
    return [
        Simulated(model, world, seed, start, min(start + REPLICATES, replicates), timings, choose)
        for model in models
        for start in starts
    ]


def repaired(
    models: Sequence[Model],
    events: Sequence[tuple[str, Event]],
    seed: int,
    timings: bool,
    choose: Choose = "any",
) -> list[Task]:
    """The tasks of pairing real events again, in the order of the rows: as played first."""
    return [
        Repaired(model, name, event, seed, timings, choose)
        for model in (None, *models)
        for name, event in events
    ]
