"""Figures of a sweep: metrics against a setting of the world, one line per model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from pairopt.errors import UsageError
from pairopt.lab import figures
from pairopt.lab.figures import (
    COLOURS,
    HEAT_MAP,
    MOST_ROWS,
    describe_metric,
    escape_label,
    new_axes,
)
from pairopt.lab.grid import RESERVED
from pairopt.lab.statistics.comparing import baseline_of, designs, differences, means
from pairopt.lab.statistics.estimate import FEW, has_few_varied
from pairopt.lab.table import list_further_metrics

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SWEEP: Final = "sweep"
"""The kind of the figures of a grid."""
MOST_PANELS: Final = 12
"""The most metrics in one figure."""
PANEL_COLUMNS: Final = 3
BAND: Final = 0.15
"""The opacity of the band of a line."""
BANDS: Final = "Bands and bars: pointwise 95 % confidence intervals"
HOLLOW: Final = (
    f"hollow points: fewer than {FEW} tournaments differ from the most frequent value,"
    " no interval drawn"
)


def list_settings(frame: pd.DataFrame) -> list[str]:
    """List the settings of the grid of a study's table: its columns `world_...`."""
    return [
        column.removeprefix(RESERVED)
        for column in map(str, frame.columns)
        if column.startswith(RESERVED)
    ]


def sweep_curve(
    frame: pd.DataFrame,
    metric: str,
    setting: str | None = None,
    baseline: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot a metric against a setting of the grid, one line per model with its band.

    The band has the 95 % confidence interval at each value of the setting. If the grid
    has other settings too, each point is the mean over their values. With a `baseline`
    the lines are paired differences to this model. Models with identical results are
    one line. Raises UsageError for a table without a grid, or an unknown setting.
    """
    setting = find_setting(frame, setting)
    axis_label = describe_metric(metric)
    if baseline is not None:
        baseline_of(frame, baseline)
        axis_label = f"{axis_label}: difference to {escape_label(baseline)}"
        for leader, models in designs(frame).items():
            if baseline in models:
                baseline = leader
    frame, label_of_model = _keep_one_per_design(frame)
    if baseline is not None:
        del label_of_model[baseline]
        if not label_of_model:
            raise UsageError("figure.only_baseline", baseline=baseline)
    ax = ax or new_axes()
    if baseline is not None:
        ax.axhline(0, color="0.6", lw=0.8, zorder=0)

    ax.set(
        xlabel=_describe_setting(frame, setting),
        ylabel="\n".join(wrap(axis_label, 40)),
    )
    curves = _tabulate_curves(frame, [metric], setting, baseline)
    _draw_curves(ax, curves, label_of_model)
    ax.set_title(_describe_marks([curves]), fontsize=8)
    ax.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1))
    return ax


def sweep_panels(
    frame: pd.DataFrame, setting: str, metrics: Sequence[str] | None = None
) -> Axes:
    """Plot several metrics against a setting of the grid, one panel per metric.

    By default these are the metrics of the heat map and further ones of the table.
    Metrics without values, and those that are equal for all models and worlds, are left
    out. At most `MOST_PANELS` metrics are drawn. Returns the axes of the first panel.
    Raises UsageError if no metric is left.
    """
    setting = find_setting(frame, setting)
    if metrics is None:
        metrics = list_panel_metrics(frame)
    frame, label_of_model = _keep_one_per_design(frame)
    tables = {}
    all_curves = _tabulate_curves(frame, metrics, setting, None)
    for metric in metrics:
        curves = all_curves[all_curves["metric"] == metric]
        if len({*curves["mean"].dropna()}) > 1:
            tables[metric] = curves
    tables = dict([*tables.items()][:MOST_PANELS])
    if not tables:
        raise UsageError("figure.no_tournament")

    columns = min(PANEL_COLUMNS, len(tables))
    rows = math.ceil(len(tables) / columns)
    legend_rows = math.ceil(len(label_of_model) / columns)
    first_axes = new_axes(3.2 * columns, 2.4 * rows + 0.9 + 0.2 * legend_rows)
    figure = first_axes.get_figure(root=True)
    assert figure is not None
    figure.clear()
    panels: Any = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel, (metric, curves) in zip(panels, tables.items(), strict=False):
        _draw_curves(panel, curves, label_of_model)
        panel.set_title("\n".join(wrap(describe_metric(metric), 34)), fontsize=8)
        panel.tick_params(labelsize=7)
    for panel in panels[len(tables) :]:
        panel.set_axis_off()

    lowest_panels = panels[max(len(tables) - columns, 0) : len(tables)]
    for panel in lowest_panels:
        panel.set_xlabel(setting.replace("_", " "), fontsize=8)
    notes = [f"Means by {_describe_setting(frame, setting)}"]
    notes.append(_describe_marks([*tables.values()]))
    figure.suptitle("\n".join(notes), fontsize=9)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=columns,
        fontsize=7,
        frameon=False,
    )
    axes: Axes = panels[0]
    return axes


def draw_study_figures(
    frame: pd.DataFrame,
    folder: Path,
    suffixes: Sequence[str],
    metrics: Sequence[str] = (),
    kinds: Sequence[str] | None = None,
) -> tuple[dict[Path, bytes], list[str]]:
    """Draw the figures of a study's table: those of its only world, or of its grid.

    `kinds` are names in `FIGURES`, which each world has, and `SWEEP`, of which each
    setting of the grid has one. It shows `metrics` first. By default a grid has
    `SWEEP` alone, and one world has all of `FIGURES`. Returns the files by path, and a
    message for each figure that cannot be drawn.
    """
    settings = list_settings(frame)
    if kinds is None:
        kinds = (SWEEP,) if settings else tuple(figures.FIGURES)
    files, failures = figures.draw_all_figures(frame, folder, suffixes, kinds)
    if SWEEP not in kinds:
        return files, failures
    panel_metrics = list(dict.fromkeys([*metrics, *list_panel_metrics(frame)]))
    for setting in settings:
        file_name = f"{SWEEP}-{setting}"
        try:
            ax = sweep_panels(frame, setting, panel_metrics)
        except UsageError as error:
            failures.append(f"{file_name}: left out. {error}")
        else:
            files |= figures.images(ax, folder / file_name, suffixes)
    return files, failures


def list_panel_metrics(frame: pd.DataFrame) -> list[str]:
    """List the metrics that `sweep_panels` draws by default."""
    return [*HEAT_MAP, *list_further_metrics(map(str, frame.columns))]


def find_setting(frame: pd.DataFrame, setting: str | None) -> str:
    """Return a setting of the grid of a study's table, by default the only one.

    Raises UsageError for a table without a grid, with several settings of which none is
    named, or without this setting.
    """
    settings = list_settings(frame)
    if setting is None and len(settings) == 1:
        return settings[0]
    if not settings:
        raise UsageError("figure.no_grid")
    if setting not in settings:
        raise UsageError("figure.no_setting", setting=repr(setting), settings=settings)
    return setting


def _tabulate_curves(
    frame: pd.DataFrame, metrics: Sequence[str], setting: str, baseline: str | None
) -> pd.DataFrame:
    """Return the points of all curves: metric, model, value, mean, low, high and has_few.

    The values of the setting are in the order of the table. Each is one call of `means`
    or `differences`, in which a replicate's mean over the worlds with this value is one
    observation. An interval of few tournaments that vary depends mostly on the range of
    the metric.
    """
    column = f"{RESERVED}{setting}"
    point_tables = []
    for value in frame[column].drop_duplicates():
        rows = frame[frame[column] == value]
        if baseline is None:
            points = means(rows, metrics, merge=True)
        else:
            points = differences(rows, baseline, metrics, merge=True)
            points = points.rename(columns={"difference": "mean"})
        has_few = [
            has_few_varied(int(varied), int(n))
            for varied, n in zip(points["varied"], points["n"], strict=True)
        ]
        points = points[["metric", "model", "mean", "low", "high"]]
        point_tables.append(points.assign(value=value, has_few=has_few))
    return pd.concat(point_tables, ignore_index=True)


def _draw_curves(
    ax: Axes, curves: pd.DataFrame, label_of_model: dict[str, str]
) -> None:
    """Draw one line per model with its band, or for texts one row of points.

    If there are more models than colours, the last ones are grey, and one entry of the
    legend stands for them.
    """
    values = [*dict.fromkeys(curves["value"])]
    is_numeric = all(isinstance(value, int | float | np.number) for value in values)
    # points of texts stand beside each other
    model_count = len(label_of_model)
    shift = 0.6 / max(model_count, 1)
    coloured_count = len(COLOURS)
    if model_count > len(COLOURS):
        coloured_count = len(COLOURS) - 1
    for k, (model, label) in enumerate(label_of_model.items()):
        is_coloured = k < coloured_count
        colour = COLOURS[k] if is_coloured else "0.75"
        if k == coloured_count:
            label = f"{model_count - k} other models"
        elif not is_coloured:
            label = "_"
        points = curves[curves["model"] == model]
        if is_numeric:
            points = points.sort_values("value", kind="stable")
            x = points["value"].to_numpy(np.float64)
        else:
            x = np.array([values.index(value) for value in points["value"]])
            x = x + shift * (k - (model_count - 1) / 2)
        mean, low, high = points[["mean", "low", "high"]].to_numpy(np.float64).T
        has_few = points["has_few"].to_numpy(np.bool_)
        is_hidden = has_few | ~np.isfinite([low, high]).all(axis=0)
        low, high = np.where(is_hidden, np.nan, [low, high])
        zorder = 3 if is_coloured else 1
        line_style = "-" if is_numeric else "none"
        ax.plot(
            x,
            mean,
            color=colour,
            linestyle=line_style,
            marker="o",
            ms=4,
            lw=1.2,
            label=label,
            zorder=zorder,
        )
        ax.plot(
            x[has_few],
            mean[has_few],
            color=colour,
            linestyle="none",
            marker="o",
            ms=4,
            mfc="w",
            label="_",
            zorder=zorder + 1,
        )
        if is_coloured:
            ax.vlines(x, low, high, color=colour, lw=0.8, zorder=zorder)
        if is_coloured and is_numeric:
            # it has a gap where an interval is missing
            ax.fill_between(x, low, high, color=colour, alpha=BAND, lw=0)
    if is_numeric:
        ax.set_xticks(sorted(values), [f"{value:g}" for value in sorted(values)])
    else:
        ax.set_xticks(
            range(len(values)), [escape_label(str(value)) for value in values]
        )


def _keep_one_per_design(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Keep the first model of each group with identical results in all worlds.

    Returns their rows, and the label of each, which has the number of the others.
    Raises UsageError for too many models.
    """
    models_by_leader = designs(frame)
    if len(models_by_leader) > MOST_ROWS:
        raise UsageError(
            "figure.many_models", count=len(models_by_leader), most=MOST_ROWS
        )
    labels = {}
    for leader, models in models_by_leader.items():
        labels[leader] = escape_label(leader)
        if len(models) > 1:
            labels[leader] += f" (and {len(models) - 1} like it)"
    return frame[frame["model"].isin(models_by_leader)], labels


def _describe_setting(frame: pd.DataFrame, setting: str) -> str:
    """Return the words for a setting on an axis, with the values it is averaged over."""
    words = setting.replace("_", " ")
    others = [name for name in list_settings(frame) if name != setting]
    if not others:
        return words
    averaged = []
    for name in others:
        values = frame[f"{RESERVED}{name}"].drop_duplicates()
        texts = [
            f"{value:g}" if isinstance(value, float) else f"{value}" for value in values
        ]
        averaged.append(f"{name.replace('_', ' ')} {', '.join(texts)}")
    note = "; ".join(averaged)
    return "\n".join(wrap(f"{words} (each is the mean over {note})", 90))


def _describe_marks(tables: Sequence[pd.DataFrame]) -> str:
    """Return the sentence on what bands and hollow points mean in these curves."""
    if any(curves["has_few"].any() for curves in tables):
        return "\n".join(wrap(f"{BANDS}; {HOLLOW}", 110))
    return BANDS
