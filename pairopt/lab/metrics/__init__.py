"""Metrics of tournaments, found by their `kind`; `rounds` has those that every study has."""

from collections.abc import Mapping, Sequence
from math import inf
from numbers import Real
from typing import Any, Protocol

import numpy as np

from pairopt.errors import UsageError
from pairopt.lab.grid import RESERVED, Value
from pairopt.lab.identity import name_of, user_code_errors
from pairopt.lab.metrics.rounds import resolve_bounds
from pairopt.lab.simulating import Tournament
from pairopt.registry import ExtensionRegistry

Measured = Any
"""A number, a sequence with one per round, or None; for several columns a mapping to these."""


class Metric(Protocol):
    """A metric: any function of a tournament that was paired to its end.

    It returns one number, in a column of the metric's name, or a sequence with one
    number per round. An object with an attribute `columns` returns a mapping from these
    names to such values. None and nan mean no value. One number per tournament stands
    in the row of its last round. The attribute `ranges` has the least and the largest
    possible value by column, each a number, or "players", "rounds", "tables" or "rules"
    for a number that depends on the tournament: confidence intervals stay inside, also
    if no value varies.
    """

    def __call__(self, played: Tournament, /) -> Measured:
        """Measure a tournament.

        Parameters
        ----------
        played
            The tournament, with the true strengths of its players.

        Returns
        -------
        Measured
            The values, see the class.
        """


def list_metric_columns(
    metrics: Sequence[Metric], reserved: Sequence[str] = ()
) -> tuple[str, ...]:
    """List the columns of all metrics, in their order.

    A metric without an attribute `columns` has one of its own name. Raises UsageError
    for a name that is not printable, is used twice, is in `reserved`, or begins with
    `world_` as the columns of a grid do.
    """
    all_columns: list[str] = []
    for metric in metrics:
        metric_name = name_of(metric)
        for metric_column in getattr(metric, "columns", (metric_name,)):
            if (
                not isinstance(metric_column, str)
                or not metric_column
                or not metric_column.isprintable()
            ):
                raise UsageError(
                    "metric.column_unnamed",
                    metric=metric_name,
                    column=repr(metric_column),
                )
            if metric_column in (*all_columns, *reserved) or metric_column.startswith(
                RESERVED
            ):
                raise UsageError(
                    "metric.column_twice",
                    metric=metric_name,
                    column=repr(metric_column),
                )
            all_columns.append(metric_column)
    return tuple(all_columns)


def collect_ranges(metrics: Sequence[Metric]) -> dict[str, tuple[float | str, ...]]:
    """Return the range that metrics declare for their columns, by column.

    A range is the pair of bounds as declared: each is a number, or a word such as
    "players" that stands for one; columns without a declared range are left out. Raises
    UsageError for a range of a column that the metric does not have, and for an empty
    or unreadable range.
    """
    range_of_column: dict[str, tuple[float | str, ...]] = {}
    for metric in metrics:
        metric_name = name_of(metric)
        for metric_column, column_bounds in getattr(metric, "ranges", {}).items():
            with user_code_errors(f"metric {metric_name}"):
                least_value, largest_value = resolve_bounds(column_bounds, 2, 1)
            metric_columns = list_metric_columns([metric])
            if metric_column not in metric_columns:
                raise UsageError(
                    "metric.range_of_no_column",
                    metric=metric_name,
                    column=repr(metric_column),
                    columns=metric_columns,
                )
            if not least_value < largest_value:
                raise UsageError(
                    "metric.range_unfit", metric=metric_name, column=repr(metric_column)
                )
            range_of_column[metric_column] = tuple(column_bounds)
    return range_of_column


def measure_tournament(
    metrics: Sequence[Metric], played: Tournament
) -> list[dict[str, Value]]:
    """Measure a tournament with all metrics, one row per round.

    `played` is a tournament that was paired to its end. A row maps columns to numbers,
    or to None for no value. A metric that gives a single number has it in the row of
    the last round, and None in the others. Raises UsageError for a metric that fails,
    or returns values that are no numbers, too many or too few, or outside their range.
    """
    round_count = played.event.round - 1
    round_rows: list[dict[str, Value]] = [{} for _ in range(round_count)]
    range_of_column = collect_ranges(metrics)
    for metric in metrics:
        metric_name = name_of(metric)
        with user_code_errors(f"metric {metric_name}"):
            measured_values = metric(played)

        metric_columns = getattr(metric, "columns", None)
        if metric_columns is not None:
            is_measured_mapping = isinstance(measured_values, Mapping)
            if not is_measured_mapping or {*measured_values} - {*metric_columns}:
                raise UsageError(
                    "metric.no_mapping", metric=metric_name, columns=metric_columns
                )

        for metric_column in metric_columns or (metric_name,):
            column_value: Any = (
                measured_values.get(metric_column)
                if metric_columns
                else measured_values
            )
            has_value_per_round = isinstance(column_value, Sequence | np.ndarray)
            if has_value_per_round and not isinstance(column_value, str):
                round_values = list(column_value)
            else:
                round_values = [None] * (round_count - 1) + [column_value]
            if len(round_values) != round_count:
                raise UsageError(
                    "metric.values_unfit",
                    metric=metric_name,
                    count=len(round_values),
                    rounds=round_count,
                )

            column_bounds = range_of_column.get(metric_column, (-inf, inf))
            least_value, largest_value = resolve_bounds(
                column_bounds, len(played.strength), round_count
            )
            for round_row, round_value in zip(round_rows, round_values, strict=True):
                converted_value = _convert_number(metric_name, round_value)
                round_row[metric_column] = converted_value
                if converted_value is not None and (
                    converted_value < least_value or converted_value > largest_value
                ):
                    raise UsageError(
                        "metric.outside",
                        metric=metric_name,
                        column=metric_column,
                        found=converted_value,
                    )
    return round_rows


def _convert_number(name: str, value: object) -> float | None:
    """Convert a value of the metric `name` to a number; None stays None.

    Raises UsageError for anything else, and for an infinite number.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None:
        return None
    if isinstance(value, Real) and not np.isinf(float(value)):
        return int(value) if isinstance(value, int) else float(value)
    raise UsageError("metric.no_number", metric=name, found=repr(value))


METRICS: ExtensionRegistry[type[Metric]] = ExtensionRegistry(
    __name__, Metric, "pairopt.metrics"
)
