"""Compare the pairings of a round under several models, each measured by all of them."""

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
"""A level by its system, None without one, its criterion and its label."""


@dataclass(frozen=True, slots=True)
class MeasuredLevel:
    """A level of a model or its system, and its value in the pairing of every model.

    `criterion` and `level` name it, and `words` describe it for people. `amounts` are
    the values in units of 1/`scale`, in the order of the models, None for a model
    without a pairing. `of_system` says whether it is a level of a system.
    """

    criterion: str
    level: Label
    words: str
    scale: int
    amounts: tuple[int | None, ...]
    of_system: bool = False


@dataclass(frozen=True)
class Comparison:
    """The pairings of one round under several models, with one result for each model.

    Attributes
    ----------
    round : int
        The number of the round, from 1.
    models : tuple of str
        The names of the models.
    results : tuple of Result
        The pairing of each model.
    measured : tuple of MeasuredLevel
        All levels of all models, with their values in each pairing. A criterion of
        several models is listed once.
    changed : tuple of tuple of matches
        For each model, the matches of its pairing that the first model's pairing does
        not have.
    """

    round: int
    models: tuple[str, ...]
    results: tuple[Result, ...]
    measured: tuple[MeasuredLevel, ...]
    changed: tuple[tuple[Match, ...], ...]

    @property
    def notable(self) -> list[MeasuredLevel]:
        """The measured levels, except levels of a system that are 0 in all pairings.

        A value that is None, because a model has no pairing, counts as 0 here.
        """
        return [
            measured_level
            for measured_level in self.measured
            if not measured_level.of_system or any(measured_level.amounts)
        ]

    def table(self) -> tuple[list[str], list[list[object]]]:
        """Return column names, and one row for each level with a column for each model.

        The first two columns are criterion and level. Values are in points or matches,
        not in units of 1/scale; None if the model has no pairing.
        """
        table_rows: list[list[object]] = [
            [
                measured_level.criterion,
                measured_level.level,
                *(
                    None if level_value is None else level_value / measured_level.scale
                    for level_value in measured_level.amounts
                ),
            ]
            for measured_level in self.measured
        ]
        return ["criterion", "level", *self.models], table_rows

    @property
    def levels(self) -> "pd.DataFrame":
        """The `table` as a DataFrame: a row for each level, a column for each model."""
        # pandas takes a third of a second to import, and only tables need it.
        import pandas as pd

        column_names, table_rows = self.table()
        return pd.DataFrame(table_rows, columns=column_names)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison for JSON: `round`, `levels`, `results` and `changed`.

        A level has its `criterion`, label (`level`) and `scale`, and its `values` in
        units of 1/scale, one for each model, None without a pairing. `results`, and
        `changed`, the matches that the first model's pairing does not have, are in the
        order of the models.
        """
        level_records = [
            {
                **to_record(measured_level, "criterion", "level", "scale"),
                "values": json_value(measured_level.amounts),
            }
            for measured_level in self.measured
        ]
        return {
            "round": self.round,
            "levels": level_records,
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
    """Pair the event's round under each model, and measure each pairing by all models.

    Parameters
    ----------
    event : Event
        The event with the rounds that have been played.
    models : sequence of str, Path or Model
        Names of models, paths of TOML files, or `Model`.
    swap : bool
        Whether to add variants of the first model, each with two neighbouring criteria
        exchanged.
    **options
        Options of the round, see `CompareOptions`. The option `engine` is used only for
        models that name no engine.

    Returns
    -------
    Comparison
        The pairing of each model, and the value of each level in each pairing.

    Raises
    ------
    UsageError
        If an option does not fit the event or a model, or there is only one model.

    Examples
    --------
    >>> compare(event, ["standard", "monrad"]).levels  # doctest: +SKIP
    """
    loaded_models = [load_model(compared_model) for compared_model in models]
    if swap:
        loaded_models[1:1] = swap_neighbours(loaded_models[0])
    if len(loaded_models) < 2:
        raise UsageError("compared.one_model")
    compare_options = parse_options(event, CompareOptions, options, "compare")
    # the event's own model is not meant
    event = replace(event, settings=replace(event.settings, model=None))
    solve_options = {
        option_field.name: getattr(compare_options, option_field.name)
        for option_field in fields(compare_options)
    }
    model_results = []
    for compared_model in loaded_models:
        model_options = solve_options
        if compared_model.engine is not None:
            model_options = {**solve_options, "engine": None}
        model_results.append(
            solve_round(event, compared_model, SolveOptions(**model_options))
        )

    match_sets_by_model = []
    for model_result in model_results:
        player_pairs = model_result.pairs
        if not model_result.problem.state.sided:
            player_pairs = tuple(
                tuple(sorted(player_pair)) for player_pair in player_pairs
            )
        match_sets_by_model.append({*player_pairs})
    return Comparison(
        model_results[0].round,
        tuple(compared_model.name for compared_model in loaded_models),
        tuple(model_results),
        measured=_measure_results(model_results, _build_yardsticks(loaded_models)),
        changed=tuple(
            tuple(sorted(player_pairs - match_sets_by_model[0]))
            for player_pairs in match_sets_by_model
        ),
    )


def _build_yardsticks(models: Sequence[Model]) -> list[Model]:
    """Return the models that measure: one with all criteria, and one for each system.

    The first has each criterion once, in the order in which the models first have it.
    The others have no criteria. None of them has constraints, weights or a lookahead.
    """
    distinct_criteria = tuple(
        dict.fromkeys(
            criterion
            for compared_model in models
            for criterion in compared_model.criteria
        )
    )
    criteria_yardstick = replace(
        models[0],
        constraints=(),
        criteria=distinct_criteria,
        weights=None,
        objective="lexicographic",
        engine=None,
        lookahead=0,
        last_round=None,
        system=None,
    )
    compared_systems = dict.fromkeys(
        compared_model.system
        for compared_model in models
        if compared_model.system is not None
    )
    return [
        criteria_yardstick,
        *(
            replace(criteria_yardstick, criteria=(), system=compared_system)
            for compared_system in compared_systems
        ),
    ]


def _measure_results(
    results: Sequence[Result], yardsticks: list[Model]
) -> tuple[MeasuredLevel, ...]:
    """Return the levels of the yardsticks, with their values in each result's pairing.

    The value is None for a result without a pairing.
    """
    level_values_by_result: list[dict[_Key, int]] = []
    level_by_key: dict[_Key, Level] = {}
    for model_result in results:
        value_by_level: dict[_Key, int] = {}
        if model_result.arcs is not None:
            for yardstick_model in yardsticks:
                measured_problem = problem_of(
                    model_result.event, yardstick_model, (), model_result.seed
                )
                level_keys = [
                    _make_key(measured_problem, level)
                    for level in measured_problem.levels
                ]
                level_by_key |= dict(
                    zip(level_keys, measured_problem.levels, strict=True)
                )
                pairing_verdict = verify_pairing(measured_problem, model_result.arcs)
                value_by_level |= dict(
                    zip(level_keys, pairing_verdict.values, strict=True)
                )
        level_values_by_result.append(value_by_level)
    return tuple(
        MeasuredLevel(
            level.criterion,
            level.label,
            level.words,
            level.scale,
            tuple(
                value_by_level.get(level_key)
                for value_by_level in level_values_by_result
            ),
            level_key[0] is not None,
        )
        for level_key, level in level_by_key.items()
    )


def _make_key(problem: Problem, level: Level) -> _Key:
    """Return a key that is equal for equal levels of different models.

    It is the kind of the problem's system, or None, then the criterion and the level's
    label. The criterion is a `Criterion` with its parameters, but for a system a name.
    """
    if problem.system is not None:
        return problem.system.kind, level.criterion, level.label
    return None, problem.criteria[level.place], level.label
