"""Figures: what frontiers look like, one function each, into `ax` or a new figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pairopt.errors import UsageError
from pairopt.lab.figures import new_axes
from pairopt.lab.frontier.prices import criteria_of, prices

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def price_curve(
    table: pd.DataFrame, axes: Sequence[str] | None = None, label: str = "", ax: Axes | None = None
) -> Axes:
    """What more of one criterion saves of another, the mean of all rounds of a table of frontiers.

    Of a single round it is that round's frontier. Raises UsageError where there are no two
    criteria or no round is complete.
    """
    one, two = criteria_of(table, axes)
    found = prices(table, [one, two])
    if found.empty:
        raise UsageError("no round has a complete frontier")
    ax = ax or new_axes()
    ax.step(found["more"], found["least"], where="post", marker="o", ms=4, label=label or None)
    rounds = int(found["rounds"].iloc[0])
    ax.set(
        xlabel=f"{one}, more than is needed",
        ylabel=f"{two}, at least",
        title="A frontier" if rounds == 1 else f"What more saves, the mean of {rounds} rounds",
    )
    return ax
