"""Metrics: what is measured of a tournament; `rounds` has those that every study has."""

from collections.abc import Mapping, Sequence
from math import inf
from numbers import Real
from typing import Any, Protocol

import numpy as np

from pairopt.errors import UsageError
from pairopt.lab.grid import RESERVED, Value
from pairopt.lab.identity import name_of, user_code_errors
from pairopt.lab.metrics.rounds import bounds_of
from pairopt.lab.simulating import Tournament
from pairopt.registry import ExtensionRegistry

Measured = Any
"""A number, a sequence of one a round, or None; of several columns a mapping to such."""


class Metric(Protocol):
    """Measures a tournament that was paired to its end: any function of it.

    It gives one number, in a column of its own name, or a sequence of one a round; an object with
    an attribute `columns` a mapping of these names to such. None and nan are no value. A number a
    tournament stands in the row of its last round. An attribute `ranges` says by column between
    what its values lie, see `bounds_of`: intervals are told within, also where no value varies.
    """

    def __call__(self, played: Tournament, /) -> Measured:
        """What is measured."""


def metric_columns(
    metrics: Sequence[Metric], taken: Sequence[str] = ()
) -> tuple[str, ...]:
    """The columns of all metrics. Raises UsageError for a name that is taken or none."""
    names: list[str] = []
    for metric in metrics:
        own = name_of(metric)
        for name in getattr(metric, "columns", (own,)):
            if not isinstance(name, str) or not name or not name.isprintable():
                raise UsageError("metric.column_unnamed", metric=own, column=repr(name))
            if name in (*names, *taken) or name.startswith(RESERVED):
                raise UsageError("metric.column_twice", metric=own, column=repr(name))
            names.append(name)
    return tuple(names)


def ranges_of(metrics: Sequence[Metric]) -> dict[str, tuple[float | str, ...]]:
    """The ranges that metrics declare, by column. Raises UsageError for what is none."""
    found: dict[str, tuple[float | str, ...]] = {}
    for metric in metrics:
        own = name_of(metric)
        for column, bounds in getattr(metric, "ranges", {}).items():
            with user_code_errors(f"metric {own}"):
                least, most = bounds_of(bounds, 2, 1)
            if column not in metric_columns([metric]) or not least < most:
                raise UsageError("metric.range_unfit", metric=own, column=repr(column))
            found[column] = tuple(bounds)
    return found


def measure_tournament(
    metrics: Sequence[Metric], played: Tournament
) -> list[dict[str, Value]]:
    """The values of all metrics, a row a round. Raises UsageError for what is no number."""
    rounds = played.event.round - 1
    rows: list[dict[str, Value]] = [{} for _ in range(rounds)]
    ranges = ranges_of(metrics)
    for metric in metrics:
        name = name_of(metric)
        with user_code_errors(f"metric {name}"):
            found = metric(played)
        own = getattr(metric, "columns", None)
        if own is not None and (not isinstance(found, Mapping) or {*found} - {*own}):
            raise UsageError("metric.no_mapping", metric=name, columns=own)
        for column in own or (name,):
            value: Any = found.get(column) if own else found
            several = isinstance(value, Sequence | np.ndarray) and not isinstance(
                value, str
            )
            values = list(value) if several else [None] * (rounds - 1) + [value]
            if (count := len(values)) != rounds:
                raise UsageError(
                    "metric.values_unfit", metric=name, count=count, rounds=rounds
                )
            least, most = bounds_of(
                ranges.get(column, (-inf, inf)), len(played.strength), rounds
            )
            for row, each in zip(rows, values, strict=True):
                row[column] = number = _number(name, each)
                if number is not None and (number < least or number > most):
                    raise UsageError(
                        "metric.outside", metric=name, column=column, found=number
                    )
    return rows


def _number(name: str, value: object) -> float | None:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or (isinstance(value, Real) and not np.isinf(float(value))):
        return (
            int(value)
            if isinstance(value, int)
            else None
            if value is None
            else float(value)
        )
    raise UsageError("metric.no_number", metric=name, found=repr(value))


METRICS: ExtensionRegistry[type[Metric]] = ExtensionRegistry(
    __name__, Metric, "pairopt.metrics"
)
