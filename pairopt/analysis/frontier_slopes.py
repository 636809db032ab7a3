"""Prices: frontiers of many rounds as one table, and what a little more of one criterion buys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from pairopt.analysis.frontier import Frontier
from pairopt.errors import UsageError
from pairopt.lab.figures import new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = ("event", "round", "model", "players", "status", "point", "own")
"""Columns of the table of frontiers; after them one an axis."""


def table_of(found: Iterable[Frontier]) -> pd.DataFrame:
    """One row a compromise, numbered from 1 in its round, with its totals in points or matches.

    `own` is 1 in the row of what the model's own pairings have; where that is no compromise it is
    a row without a number. A round without any is a row without totals.
    """
    rounds = list(found)
    axes = [axis.name for axis in rounds[0].axes] if rounds else []
    rows = [row for one in rounds for row in frontier_rows(one)]
    return pd.DataFrame(rows, columns=[*COLUMNS, *axes]).astype({"point": "Int64"})


def frontier_rows(one: Frontier) -> Iterator[list[object]]:
    head = [one.event, one.round, one.model, one.players, one.status]
    for number, point in enumerate(one.points, 1):
        yield [*head, number, int(point.totals == one.own), *one.amounts(point.totals)]
    if one.own is not None and all(point.totals != one.own for point in one.points):
        yield [*head, None, 1, *one.amounts(one.own)]
    elif not one.points:
        yield [*head, None, 0, *[None] * len(one.axes)]


def prices(table: pd.DataFrame, axes: Sequence[str] | None = None) -> pd.DataFrame:
    """What more of the first axis than is needed saves of the second, over all complete rounds.

    One row for each amount `more`: `least`, what the second axis then has at least, in the mean of
    the `rounds`; `saved`, how much that is below what it has with no more than is needed;
    `helped`, in how many rounds. Raises UsageError for three axes, of which two are to be named.
    """
    found = criteria_of(table, axes)
    points = table[table["point"].notna() & (table["status"] == "optimal")]
    each = []
    for _, rows in points.groupby(["event", "model", "round"]):
        # the least of one axis, by how much more of the other there is than its least
        own = rows.groupby(found[0])[found[1]].min().cummin()
        each.append(own.set_axis(own.index - own.index[0]))
    least = pd.DataFrame(each).sort_index(axis=1).ffill(axis=1)
    saved = -least.sub(least.iloc[:, 0], axis=0) if each else least
    return pd.DataFrame(
        {
            "more": least.columns,
            "rounds": len(each),
            "least": least.mean().to_numpy(),
            "saved": saved.mean().to_numpy(),
            "helped": (saved > 0).sum().to_numpy(),
        }
    )


def criteria_of(table: pd.DataFrame, axes: Sequence[str] | None = None) -> list[str]:
    """The two criteria of a table of frontiers. Raises UsageError where there are not two."""
    found = (
        list(axes)
        if axes is not None
        else [*table.columns.drop([*COLUMNS], errors="ignore")]
    )
    if len(found) != 2:
        raise UsageError("frontier.prices_of_two", count=len(found))
    return found


def price_curve(
    table: pd.DataFrame,
    axes: Sequence[str] | None = None,
    label: str = "",
    ax: Axes | None = None,
) -> Axes:
    """What more of one criterion saves of another, the mean of all rounds of a table of frontiers.
    Raises UsageError where there are no two criteria or no round is complete.
    """
    one, two = criteria_of(table, axes)
    found = prices(table, [one, two])
    if found.empty:
        raise UsageError("frontier.incomplete")
    ax = ax or new_axes()
    ax.step(
        found["more"],
        found["least"],
        where="post",
        marker="o",
        ms=4,
        label=label or None,
    )
    rounds = int(found["rounds"].iloc[0])
    title = (
        "A frontier" if rounds == 1 else f"What more saves, the mean of {rounds} rounds"
    )
    ax.set(xlabel=f"{one}, more than is needed", ylabel=f"{two}, at least", title=title)
    return ax
