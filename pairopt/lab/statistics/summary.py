"""Summary: means and differences of a study as one table for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pairopt.lab.grid import by_world
from pairopt.lab.statistics.comparing import baseline_of, differences, means

if TYPE_CHECKING:
    import pandas as pd


def summary(frame: pd.DataFrame, baseline: str | None = None) -> pd.DataFrame:
    """The rows of `means` and `differences`, for each world of a grid.

    `statistic` is "mean", or "difference" to the model `baseline`; `value` is what it is.
    """
    import pandas as pd

    parts = []
    for cells, rows in by_world(frame):
        first = baseline_of(rows, baseline)
        own = means(rows).rename(columns={"mean": "value"}).assign(statistic="mean")
        against = differences(rows, first).rename(columns={"difference": "value"})
        against = against.assign(statistic="difference", baseline=first)
        parts += [own.assign(**cells), against.assign(**cells)]
        front = [*cells, "statistic", "model", "baseline", "metric", "value"]
    table = pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)
    return table.reindex(columns=[*front, *(name for name in table if name not in front)])


def summary_csv(frame: pd.DataFrame, baseline: str | None = None) -> str:
    """The same as CSV; numbers have so many digits that they are read as they were."""
    return summary(frame, baseline).to_csv(index=False, lineterminator="\n")
