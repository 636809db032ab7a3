"""Precision: as many tournaments as it takes for intervals of a wanted width.

How many are played depends on widths alone, looked at when planned numbers have been played, never
on which model is ahead: an interval with such an end holds its level as the wanted width gets
smaller (Chow and Robbins, Annals of Mathematical Statistics 36, 1965). A width that was reached by
luck, before a rare large value was seen, is looked at once more: it ends with the second look in a
row at which all are narrow enough. How nearly the level is held: tests/benchmarks/intervals.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf
from typing import Final

import pandas as pd

from pairopt.errors import UsageError
from pairopt.lab.measuring.statistics.comparing import baseline_of, estimates
from pairopt.lab.measuring.table import by_world
from pairopt.lab.running.tasks import REPLICATES

LEAST: Final = 20
"""Tournaments a model before the first look: with fewer a width says little of itself."""


def planned(first: int, most: int) -> Iterator[int]:
    """The numbers of tournaments after which widths are looked at: each a quarter more, at most
    `most`; whole tasks, so that none is played twice.
    """
    count = first
    while count < most:
        yield count
        count = -(-(count + -(-count // 4)) // REPLICATES) * REPLICATES
    yield most


def half_widths(
    frame: pd.DataFrame, metrics: Mapping[str, float], baseline: str | None
) -> dict[str, float]:
    """The largest half-width of a 95 % interval in each of these metrics, in any world.

    Of the differences to the baseline, or of the mean where there is one model.
    """
    names = list(metrics)
    first = baseline_of(frame, baseline) if len(set(frame["model"])) > 1 else None
    worlds = [estimates(rows, names, first) for _, rows in by_world(frame)]
    if empty := [name for name in names for found in worlds if name not in found]:
        raise UsageError(f"precision of {empty[0]}: the results have no values of it")
    return {
        name: max(one.arm() for found in worlds for one in found[name].values()) for name in names
    }


def require_widths(wanted: Mapping[str, float], first: int, most: int) -> None:
    """Raises UsageError for widths or numbers of tournaments that cannot be."""
    if wrong := [name for name, width in wanted.items() if not 0 < width < inf]:
        raise UsageError(f"precision of {wrong[0]}: expected a half-width above 0")
    if not LEAST <= first <= most:
        raise UsageError(
            f"precision: expected {LEAST} replicates or more, and at most {most}, found {first}"
        )
