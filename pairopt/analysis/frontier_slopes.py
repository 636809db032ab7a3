"""Tabulate frontiers of many rounds, and what one criterion saves of another."""

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
"""The first columns of the table of frontiers; one column per axis follows."""


def table_of(found: Iterable[Frontier]) -> pd.DataFrame:
    """Return a table of frontiers with one row per trade-off.

    `found` are the frontiers, of one round each. The column `point` numbers the
    trade-offs of each round from 1. The columns of the criteria contain the totals of
    each trade-off, in points or matches. The column `own` is 1 in the row that has the
    totals of the model's optimal pairings. The model's own pairings may have totals
    that are not Pareto-optimal. Such totals have a row of their own, without a number
    in `point`. If a round has no trade-off, its row has no totals. All frontiers in the
    table must have the same two or three criteria (axes).
    """
    frontiers = list(found)
    axis_names = (
        [frontier_axis.name for frontier_axis in frontiers[0].axes] if frontiers else []
    )
    table_rows = [
        frontier_row
        for frontier in frontiers
        for frontier_row in frontier_rows(frontier)
    ]
    return pd.DataFrame(table_rows, columns=[*COLUMNS, *axis_names]).astype(
        {"point": "Int64"}
    )


def frontier_rows(frontier: Frontier) -> Iterator[list[object]]:
    """Yield the rows of one round in the table of frontiers, as lists of cells.

    The cells are event, round, model, players, status, point and own (`COLUMNS`), then
    the axes' amounts. Each compromise is a row, numbered from 1; then comes a row
    without a number if the model's own totals are no compromise. A round without
    compromises has one row without totals.
    """
    round_cells = [
        frontier.event,
        frontier.round,
        frontier.model,
        frontier.players,
        frontier.status,
    ]
    for point_number, frontier_point in enumerate(frontier.points, 1):
        axis_amounts = frontier.amounts(frontier_point.totals)
        yield [
            *round_cells,
            point_number,
            int(frontier_point.totals == frontier.own),
            *axis_amounts,
        ]

    own_totals = frontier.own
    if own_totals is not None and all(
        frontier_point.totals != own_totals for frontier_point in frontier.points
    ):
        yield [*round_cells, None, 1, *frontier.amounts(own_totals)]
    elif not frontier.points:
        yield [*round_cells, None, 0, *[None] * len(frontier.axes)]


def prices(table: pd.DataFrame, axes: Sequence[str] | None = None) -> pd.DataFrame:
    """Compute how much one criterion improves if another one gets worse.

    The argument `table` is a table of frontiers. The axes (the two criteria to compare)
    are the first two criteria of the table. `prices` skips a round whose list of
    trade-offs is incomplete. If the table has three axes, `axes` must name two of them.
    If `axes` does not, `prices` raises UsageError.

    In the result, the first criterion may exceed its minimum by the amount `more`. The
    result has one row for each value of `more`. The column `least` has the smallest
    value of the second criterion under this limit. This value is the mean over `rounds`
    rounds. The column `saved` is the difference between `least` in the row with `more`
    = 0 and `least` in this row. The column `helped` counts the rounds in which the
    second criterion improves.
    """
    first_axis, second_axis = criteria_of(table, axes)
    complete_points = table[table["point"].notna() & (table["status"] == "optimal")]
    least_value_curves = []
    for _, round_points in complete_points.groupby(["event", "model", "round"]):
        # The minimum of the second axis, by how far the first is above its minimum.
        least_by_allowance = (
            round_points.groupby(first_axis)[second_axis].min().cummin()
        )
        least_value_curves.append(
            least_by_allowance.set_axis(
                least_by_allowance.index - least_by_allowance.index[0]
            )
        )

    least_values = pd.DataFrame(least_value_curves).sort_index(axis=1).ffill(axis=1)
    saved_amounts = (
        -least_values.sub(least_values.iloc[:, 0], axis=0)
        if least_value_curves
        else least_values
    )
    helped_counts = (saved_amounts > 0).sum()
    return pd.DataFrame(
        {
            "more": least_values.columns,
            "rounds": len(least_value_curves),
            "least": least_values.mean().to_numpy(),
            "saved": saved_amounts.mean().to_numpy(),
            "helped": helped_counts.to_numpy(),
        }
    )


def criteria_of(table: pd.DataFrame, axes: Sequence[str] | None = None) -> list[str]:
    """Return the two axes to compare: `axes`, or by default all axes of the table.

    `table` is a table of frontiers, whose axes are all columns but the first seven,
    `COLUMNS`. Raise UsageError unless there are exactly two; whether the table has them
    is not checked.
    """
    if axes is None:
        criterion_names = [*table.columns.drop([*COLUMNS], errors="ignore")]
    else:
        criterion_names = list(axes)
    if len(criterion_names) != 2:
        raise UsageError("frontier.prices_of_two", count=len(criterion_names))
    return criterion_names


def price_curve(
    table: pd.DataFrame,
    axes: Sequence[str] | None = None,
    label: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Plot what more of one criterion saves of another, the mean of all rounds.

    `table` is a table of frontiers, and `axes` are two of its criteria, by default all
    of them. The curve shows the least value of the second criterion for each allowance
    of the first one. It is drawn on `ax`, by default on new axes. `label` is its name
    in a legend that the caller may add. Return the axes. Raise UsageError if there are
    not two criteria, or if no round is complete.
    """
    first_axis, second_axis = criteria_of(table, axes)
    price_table = prices(table, [first_axis, second_axis])
    if price_table.empty:
        raise UsageError("frontier.incomplete")

    ax = ax or new_axes()
    ax.step(
        price_table["more"],
        price_table["least"],
        where="post",
        marker="o",
        ms=4,
        label=label or None,
    )
    round_count = int(price_table["rounds"].iloc[0])
    chart_title = "A frontier"
    if round_count != 1:
        chart_title = f"What more saves, the mean of {round_count} rounds"
    ax.set(
        xlabel=f"{first_axis}, more than is needed",
        ylabel=f"{second_axis}, at least",
        title=chart_title,
    )
    return ax
