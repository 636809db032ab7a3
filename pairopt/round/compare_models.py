"""Compare: one round of an event under several models, each pairing measured by all of them."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from pairopt.common.serialization import json_value, to_record
from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.problem.keywords import CompareKeywords
from pairopt.problem.model import Model, load_model, swap_neighbours
from pairopt.problem.options import (
    CompareOptions,
    SolveOptions,
    parse_options,
    show_keywords,
)
from pairopt.problem.problem import Problem, problem_of
from pairopt.problem.system import Level
from pairopt.problem.verifier import verify_pairing
from pairopt.round.result import Match, Result
from pairopt.round.solve import solve_round
from pairopt.rules.base import Criterion, Label

if TYPE_CHECKING:
    import pandas as pd

_Key = tuple[str | None, Criterion | str, Label]
"""A level by its system, if it is one's, its criterion and its label."""


@dataclass(frozen=True, slots=True)
class MeasuredLevel:
    """A level of some model, or of its system, and what the pairing of every model has of it."""

    criterion: str
    level: Label
    words: str
    scale: int
    amounts: tuple[int | None, ...]
    of_system: bool = False


@dataclass(frozen=True)
class Comparison:
    """The pairings of one round under several models, a result each. `measured` has all levels,
    each criterion once, as the first model with it; `changed` what the first pairing has not.
    """

    round: int
    models: tuple[str, ...]
    results: tuple[Result, ...]
    measured: tuple[MeasuredLevel, ...]
    changed: tuple[tuple[Match, ...], ...]

    @property
    def notable(self) -> list[MeasuredLevel]:
        """The measured levels, of a system's those that are not 0 in every pairing."""
        return [m for m in self.measured if not m.of_system or any(m.amounts)]

    def table(self) -> tuple[list[str], list[list[object]]]:
        """One row a level, one column a model after the first two; values in points or matches."""
        rows: list[list[object]] = [
            [
                m.criterion,
                m.level,
                *(None if v is None else v / m.scale for v in m.amounts),
            ]
            for m in self.measured
        ]
        return ["criterion", "level", *self.models], rows

    @property
    def levels(self) -> "pd.DataFrame":
        """The `table` as a DataFrame."""
        # pandas takes a third of a second to import, and only tables need it.
        import pandas as pd

        columns, rows = self.table()
        return pd.DataFrame(rows, columns=columns)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: values in units of 1/scale, a list has one a model."""
        levels = [
            {
                **to_record(m, "criterion", "level", "scale"),
                "values": json_value(m.amounts),
            }
            for m in self.measured
        ]
        return {
            "round": self.round,
            "levels": levels,
            "results": [result.to_dict() for result in self.results],
            "changed": json_value(self.changed),
        }


@show_keywords(CompareOptions)
def compare(
    event: Event,
    models: Sequence[str | Path | Model],
    *,
    swap: bool = False,
    **options: Unpack[CompareKeywords],
) -> Comparison:
    """Pair the event's round under each model, and measure each pairing by all of them.

    Models are names, paths of TOML files, or `Model`; with `swap` also the first one with each
    neighbouring pair of its criteria exchanged. Options are those of `CompareOptions`; the engine
    is for models that name none. Raises UsageError for what does not fit the event or a model.
    """
    chosen = [load_model(model) for model in models]
    if swap:
        chosen[1:1] = swap_neighbours(chosen[0])
    if len(chosen) < 2:
        raise UsageError("compared.one_model")
    given = parse_options(event, CompareOptions, options, "compare")
    event = replace(
        event, settings=replace(event.settings, model=None)
    )  # it is not meant
    named = {each.name: getattr(given, each.name) for each in fields(given)}
    of_model = [
        named if model.engine is None else {**named, "engine": None} for model in chosen
    ]
    results = tuple(
        solve_round(event, model, SolveOptions(**options))
        for model, options in zip(chosen, of_model, strict=True)
    )
    matches = [
        {
            pair if result.problem.state.sided else tuple(sorted(pair))
            for pair in result.pairs
        }
        for result in results
    ]
    return Comparison(
        results[0].round,
        tuple(model.name for model in chosen),
        results,
        measured=_measure_results(results, _yardsticks(chosen)),
        changed=tuple(tuple(sorted(own - matches[0])) for own in matches),
    )


def _yardsticks(models: Sequence[Model]) -> list[Model]:
    """A model with every criterion of these once, in the order they appear; one a system."""
    criteria = tuple(dict.fromkeys(rule for model in models for rule in model.criteria))
    plain = replace(
        models[0],
        constraints=(),
        criteria=criteria,
        weights=None,
        objective="lexicographic",
        engine=None,
        lookahead=0,
        last_round=None,
        system=None,
    )
    systems = dict.fromkeys(
        model.system for model in models if model.system is not None
    )
    return [plain, *(replace(plain, criteria=(), system=system) for system in systems)]


def _measure_results(
    results: Sequence[Result], yardsticks: list[Model]
) -> tuple[MeasuredLevel, ...]:
    """The levels of the yardsticks, and what each result's pairing has of them."""
    found: list[dict[_Key, int]] = []
    levels: dict[_Key, Level] = {}
    for result in results:
        values: dict[_Key, int] = {}
        for yardstick in yardsticks if result.arcs is not None else []:
            assert result.arcs is not None
            problem = problem_of(result.event, yardstick, (), result.seed)
            keys = [_key(problem, level) for level in problem.levels]
            levels |= dict(zip(keys, problem.levels, strict=True))
            values |= dict(
                zip(keys, verify_pairing(problem, result.arcs).values, strict=True)
            )
        found.append(values)
    return tuple(
        MeasuredLevel(
            level.criterion,
            level.label,
            level.words,
            level.scale,
            tuple(values.get(key) for values in found),
            key[0] is not None,
        )
        for key, level in levels.items()
    )


def _key(problem: Problem, level: Level) -> _Key:
    if problem.system is not None:
        return problem.system.kind, level.criterion, level.label
    return None, problem.criteria[level.place], level.label
