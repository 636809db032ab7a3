"""The figures that a study needs most, in one line each, for notebooks and scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from pairopt.errors import UsageError, require_extra
from pairopt.lab import figures, sweep_figures
from pairopt.lab.grid import RESERVED
from pairopt.lab.statistics.comparing import (
    KEYS,
    baseline_of,
    differences,
    require_results,
)
from pairopt.lab.statistics.estimate import FEWEST_VARIED_VALUES, has_few_varied

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_differences(
    frame: pd.DataFrame,
    metric: str = "kendall",
    baseline: str | None = None,
    *,
    margin: float | None = None,
    confidence: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Plot each model's paired difference to a baseline with its confidence interval.

    Parameters
    ----------
    frame
        The table of `compare_models`. With several worlds, each model has a row per world.
    metric
        The metric, a column of `per_tournament`.
    baseline
        The model to compare with, by default the first one of the table.
    margin
        An equivalence margin to draw beside each interval.
    confidence
        The confidence level of the intervals.
    ax
        The axes to draw into, by default those of a new pyplot figure.

    Returns
    -------
    Axes
        The axes with the plot.

    Raises
    ------
    UsageError
        For an unknown metric or baseline, for a margin that is not positive, for results
        without a tournament or without another model than the baseline, or if matplotlib is
        not installed.

    Examples
    --------
    >>> frame = compare_models(["standard", "monrad"], World(players=8, rounds=3))  # doctest: +SKIP
    >>> plot_differences(frame, "floats")  # doctest: +SKIP
    """
    _require_tournaments("plot_differences", frame)
    reference_model = baseline_of(frame, baseline)
    margin_of_metric = None if margin is None else {metric: margin}
    difference_table = differences(
        frame,
        reference_model,
        [metric],
        confidence=confidence,
        margins=margin_of_metric,
    )
    setting_names = sweep_figures.list_settings(difference_table)
    interval_rows = []
    for difference_row in difference_table.to_dict("records"):
        setting_texts = [
            f"{setting_name.replace('_', ' ')} {difference_row[RESERVED + setting_name]}"
            for setting_name in setting_names
        ]
        row_name = ", ".join(
            [str(difference_row["model"]), *setting_texts, f"{confidence:.0%}"]
        )
        if has_few_varied(difference_row["varied"], difference_row["n"]):
            row_name += f", fewer than {FEWEST_VARIED_VALUES} differ"
        interval_rows.append(
            (
                row_name,
                difference_row["difference"],
                difference_row["low"],
                difference_row["high"],
                margin or 0.0,
            )
        )
    if not interval_rows:
        raise UsageError("figure.only_baseline", baseline=reference_model)
    if ax is None:
        ax = _new_pyplot_axes(8, max(2.0, 1.2 + 0.3 * len(interval_rows)))
    figures.intervals(interval_rows, figures.describe_metric(metric), ax)
    ax.set_title(f"Paired differences to {figures.escape_label(reference_model)}")
    return ax


def plot_sweep(
    frame: pd.DataFrame,
    metric: str = "kendall",
    setting: str | None = None,
    baseline: str | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Plot a metric against a setting of a grid of worlds, one line per model.

    Each line has a band with its pointwise 95 % confidence intervals.

    Parameters
    ----------
    frame
        The table of `compare_models` with several worlds, see `pairopt.lab.grid`.
    metric
        The metric, a column of `per_tournament`.
    setting
        The setting on the x axis, by default the only one of the grid. If the grid has further
        settings, each point is the mean over their values.
    baseline
        Plot paired differences to this model instead of means.
    ax
        The axes to draw into, by default those of a new pyplot figure.

    Returns
    -------
    Axes
        The axes with the plot.

    Raises
    ------
    UsageError
        For an unknown metric, setting or baseline, for results without a tournament or without
        another model than the baseline, or if matplotlib is not installed.

    Examples
    --------
    >>> worlds = grid(World(players=8), rounds=[3, 5])  # doctest: +SKIP
    >>> plot_sweep(compare_models(["standard", "monrad"], worlds))  # doctest: +SKIP
    """
    _require_tournaments("plot_sweep", frame)
    sweep_figures.find_setting(frame, setting)
    ax = ax or _new_pyplot_axes(7, 4)
    return sweep_figures.sweep_curve(frame, metric, setting, baseline, ax)


def plot_trade_off(
    frame: pd.DataFrame,
    x: str = "floats",
    y: str = "kendall",
    *,
    ax: Axes | None = None,
) -> Axes:
    """Plot two metrics against each other, one point per model, with the Pareto front.

    Parameters
    ----------
    frame
        The table of `compare_models` with one world.
    x, y
        The metrics, columns of `per_tournament`.
    ax
        The axes to draw into, by default those of a new pyplot figure.

    Returns
    -------
    Axes
        The axes with the plot.

    Raises
    ------
    UsageError
        For a metric without values, or if matplotlib is not installed.

    Examples
    --------
    >>> frame = compare_models(["standard", "monrad"], World(players=8, rounds=3))  # doctest: +SKIP
    >>> plot_trade_off(frame)  # doctest: +SKIP
    """
    _require_tournaments("plot_trade_off", frame)
    return figures.trade_off(frame, x, y, ax or _new_pyplot_axes(8, 4.5))


def _require_tournaments(call: str, frame: pd.DataFrame) -> None:
    """Raise UsageError unless `frame` is a table of results that has at least one row.

    `call` names the function that has the argument `frame`.
    """
    require_results(call, frame, *KEYS)
    if frame.empty:
        raise UsageError("figure.no_tournament")


def _new_pyplot_axes(width: float, height: float) -> Axes:
    """Create a pyplot figure of this size in inches, and return its only axes.

    It becomes pyplot's current figure: a notebook shows it below the cell, a script
    with `plt.show()`. Raises UsageError if matplotlib is not installed.
    """
    pyplot = require_extra("matplotlib.pyplot", "plots need matplotlib", "study")
    _, axes = pyplot.subplots(figsize=(width, height), layout="constrained")
    typed_axes: Axes = axes
    return typed_axes
