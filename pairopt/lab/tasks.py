"""Tasks: the independent parts of a study, each a few rows of its file. They can be sent to other
processes; their names say what is in them: so finished ones are known again after a stop.
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
from pairopt.lab.identity import PACKAGE, digest, meant_fields, name_of, place_of
from pairopt.lab.metrics import Metric, measure_tournament, metric_columns
from pairopt.lab.metrics.rounds import (
    measure_pairing,
    of_pairings,
    of_standings,
    values_text,
)
from pairopt.lab.play import Round, join_events, paired, side_by_side
from pairopt.lab.simulating import Tournament
from pairopt.lab.table import Frames, games_columns, games_of, part_frame, study_columns
from pairopt.lab.world import Field, World
from pairopt.problem.build import prepare
from pairopt.problem.model import Model
from pairopt.problem.options import Choose
from pairopt.problem.problem import Problem
from pairopt.round.result import Result
from pairopt.version import __version__


def setting_to_json(value: Any) -> Any:
    """A setting as JSON has it. Raises UsageError for own code that cannot be told apart."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, Fraction | Decimal):
        return {type(value).__name__.lower(): str(value)}
    if isinstance(value, list | tuple):
        return [setting_to_json(each) for each in value]
    if isinstance(value, Mapping):
        return {
            "table": [
                [setting_to_json(key), setting_to_json(each)]
                for key, each in value.items()
            ]
        }
    kind = type(value)
    if is_dataclass(kind) and kind.__module__.split(".")[0] == PACKAGE:
        held = {
            each.name: setting_to_json(getattr(value, each.name))
            for each in meant_fields(value)
        }
        return {"is": place_of(kind), **held}
    return {"own": name_of(value), "digest": digest(value)}


REPLICATES = 10
"""Tournaments in a task: small, as what is lost when a run is stopped; large, to send."""
PAIRS = (
    2**14
)  # so many pairs of players are looked at together, those of several small tournaments
PLAYED = "played"  # the name under which the pairing that was really played is compared
PACKAGES = ("numpy", "ortools", "rustworkx")


class Task(Protocol):
    """A part of a study."""

    @property
    def name(self) -> str:
        """Equal for tasks with the same rows: it tells settings apart, and versions of solvers."""

    @property
    def texts(self) -> Sequence[str]:
        """Columns that hold texts, whatever they look like, besides those that always do."""

    def frames(self) -> Frames:
        """Its tables."""


def versions() -> dict[str, str]:
    """What rows depend on besides the settings."""
    return {"pairopt": __version__, **{name: _version_of(name) for name in PACKAGES}}


def _version_of(package: str) -> str:
    """The version of a package, "none" where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def _digest(settings: object) -> str:
    own, *others = versions().values()
    return digest((settings, own, others))


@dataclass(frozen=True)
class Study:
    """What all replicates of one contender in a world have in common; `cells` tell that apart."""

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
    def columns(self) -> tuple[str, ...]:
        metrics = metric_columns(self.metrics)
        return study_columns(self.timings, metrics, [name for name, _ in self.cells])


@dataclass(frozen=True)
class SimulationTask:
    """Replicates `start` to `stop` - 1 of a study."""

    study: Study
    start: int
    stop: int

    @property
    def name(self) -> str:
        return f"{self.study.digest}-{self.start}-{self.stop}.zip"

    @property
    def texts(self) -> Sequence[str]:
        return [name for name, value in self.study.cells if isinstance(value, str)]

    def frames(self) -> Frames:
        rows: list[dict[str, Value]] = []
        games: list[dict[str, Value]] = []
        together = (
            1 if self.study.timings else max(PAIRS // self.study.world.players**2, 1)
        )
        for start in range(self.start, self.stop, together):
            self._play(range(start, min(start + together, self.stop)), rows, games)
        cells = dict(self.study.cells)
        found = {
            "rounds": part_frame([row | cells for row in rows], self.study.columns)
        }
        if self.study.games:
            found["games"] = part_frame(
                [row | cells for row in games], games_columns(cells)
            )
        return found

    def _play(
        self,
        replicates: range,
        rows: list[dict[str, Value]],
        games: list[dict[str, Value]],
    ) -> None:
        """Add the rows of some replicates, and those of their games."""
        study, name = self.study, name_of(self.study.contender)
        fields = [Field(study.world, study.seed, replicate) for replicate in replicates]
        # first the pairings: what is measured between them would make them slower
        rounds = [*side_by_side(fields, study.contender, study.choose)]
        found = _of_rounds(fields, rounds)
        for k, field in enumerate(fields):
            made = [each.made[k] for each in rounds if k in each.made]
            after = [each.events[k] for each in rounds if k in each.events]
            own = [
                _row(name, field.replicate, number, result) | cells.get(k, {})
                for number, (result, cells) in enumerate(
                    zip(made, found, strict=False), 1
                )
            ]
            missing = range(len(made) + 1, study.world.rounds + 1)
            own += [
                {
                    "model": name,
                    "replicate": field.replicate,
                    "round": number,
                    "status": "not played",
                }
                for number in missing
            ]
            played = Tournament(
                field, after[-1] if after else field.opening, tuple(made)
            )
            if study.metrics and played.complete:
                for row, more in zip(
                    own, measure_tournament(study.metrics, played), strict=True
                ):
                    row |= more
            rows += own
            if study.games:
                games += games_of(name, field.replicate, played)


def _of_rounds(
    fields: Sequence[Field], rounds: Sequence[Round]
) -> list[dict[int, dict[str, Value]]]:
    """What each round's pairings and the standings after it are like, by number of the field."""
    before: Mapping[int, Event] = {k: field.opening for k, field in enumerate(fields)}
    whole: Event | None = None
    found = []
    for each in rounds:
        who, cells = [*each.events], list[dict[str, Value]]()
        if each.whole is not None:
            if whole is None or len(who) < len(before):
                whole = join_events([before[k] for k in who])
            pairings = [
                (made.problem.state, made.arcs)
                for made in map(each.made.get, who)
                if made is not None and made.arcs is not None
            ]
            active = np.array([before[k].active for k in who])
            strength = np.array([fields[k].strength for k in who])
            both = (
                of_pairings(whole, pairings),
                of_standings(each.whole, active, strength),
            )
            cells = [pairing | order for pairing, order in zip(*both, strict=True)]
        found.append(dict(zip(who, cells, strict=True)))
        before, whole = each.events, each.whole
    return found


@dataclass(frozen=True)
class RepairTask:
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
    def texts(self) -> Sequence[str]:
        return ["replicate"]

    def frames(self) -> Frames:
        return {"rounds": part_frame([*self._rounds()], study_columns(self.timings))}

    def _rounds(self) -> Iterator[dict[str, Value]]:
        for number in range(1, self.event.round):
            event, last = self.event.at_round(number), number == self.event.round - 1
            if self.contender is not None:
                made = paired(event, self.contender, self.seed, last, self.choose)
                own = _row(name_of(self.contender), self.event_name, number, made)
                yield own | (
                    {}
                    if made.arcs is None
                    else measure_pairing(made.problem.state, made.arcs)
                )
                continue
            problem = prepare(event, "random")
            arcs = _historical_arcs(problem, number)
            row: dict[str, Value] = {
                "model": PLAYED,
                "replicate": self.event_name,
                "round": number,
                "players": len(problem),
                "status": PLAYED,
            }
            yield row if arcs is None else row | measure_pairing(problem.state, arcs)


def _row(
    model: str, replicate: int | str, number: int, made: Result
) -> dict[str, Value]:
    return {
        "model": model,
        "replicate": replicate,
        "round": number,
        "players": len(made.problem),
        "engine": made.engine,
        "status": made.status,
        "levels": values_text(made),
        "seconds": made.seconds,
    }


def _historical_arcs(problem: Problem, number: int) -> Arcs | None:
    """The matches and allocated byes that were really played in a round; None without any."""
    rows = problem.state.event.matches
    rows = rows.take((rows.round == number) & (rows.status != REQUESTED))
    if not len(rows):
        return None
    seats = problem.state.seats  # nobody's is that of the bye
    arcs = arcs_of(seats[rows.first], seats[rows.second])
    return arcs.turned(arcs.match & (rows.side == 1))


def simulation_tasks(
    studies: Sequence[Study], replicates: int, kept: Container[str] = ()
) -> list[Task]:
    """The tasks of a simulated study, in the order of its rows. Of a task that is kept in part, as
    another number of replicates ended in it, the rest is done.
    """
    tasks: list[Task] = []
    for study in studies:
        start = 0
        while start < replicates:
            stop = min(start - start % REPLICATES + REPLICATES, replicates)
            ends = range(stop - 1, start, -1) if kept else ()
            known = (
                end for end in ends if SimulationTask(study, start, end).name in kept
            )
            whole = kept and SimulationTask(study, start, stop).name in kept
            end = stop if whole else next(known, stop)
            tasks.append(SimulationTask(study, start, end))
            start = end
    return tasks


def repair_tasks(
    contenders: Sequence[Model | Contender],
    events: Sequence[tuple[str, Event]],
    seed: int,
    timings: bool = False,
    choose: Choose = "any",
) -> list[Task]:
    """The tasks of pairing real events again, in the order of the rows: as played first."""
    return [
        RepairTask(contender, name, event, seed, timings, choose)
        for contender in (None, *contenders)
        for name, event in events
    ]
