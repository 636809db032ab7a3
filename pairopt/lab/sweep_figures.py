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
from pairopt.lab.statistics.estimate import FEWEST_VARIED_VALUES, has_few_varied
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
    f"hollow points: fewer than {FEWEST_VARIED_VALUES} tournaments differ from the most frequent value,"
    " no interval drawn"
)


def list_settings(frame: pd.DataFrame) -> list[str]:
    """List the settings of the grid of a study's table, in the order of its columns.

    `frame` is the table. The settings are the names of its columns `world_...` without
    this prefix; empty for a table of one world.
    """
    return [
        frame_column.removeprefix(RESERVED)
        for frame_column in map(str, frame.columns)
        if frame_column.startswith(RESERVED)
    ]


def sweep_curve(
    frame: pd.DataFrame,
    metric: str,
    setting: str | None = None,
    baseline: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot a metric against a setting of the grid, one line per model with its band.

    `frame` is the table of rounds. The band has the 95 % confidence interval at each
    value of the setting, `setting`, by default the only one of the grid. If the grid
    has other settings too, each point is the mean over their values. With a `baseline`
    the lines are paired differences to this model. Models with identical results are
    one line. Draws into `ax`, or a new figure, and returns the axes. Raises UsageError
    for a table without a grid, an unknown setting or baseline, or one without another
    model than the baseline.
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
    curve_points = _tabulate_curves(frame, [metric], setting, baseline)
    _draw_curves(ax, curve_points, label_of_model)
    ax.set_title(_describe_marks([curve_points]), fontsize=8)
    ax.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1))
    return ax


def sweep_panels(
    frame: pd.DataFrame, setting: str, metrics: Sequence[str] | None = None
) -> Axes:
    """Plot several metrics against a setting of the grid, one panel per metric.

    `frame` is the table of rounds. By default these are the metrics of the heat map and
    further ones of the table. Metrics without values, and those that are equal for all
    models and worlds, are left out, and of the rest the first 12 (`MOST_PANELS`) are
    drawn. All panels share one new figure and its legend. Returns the axes of the first
    panel. Raises UsageError if no metric is left, or for an unknown setting.
    """
    setting = find_setting(frame, setting)
    if metrics is None:
        metrics = list_panel_metrics(frame)
    frame, label_of_model = _keep_one_per_design(frame)
    points_by_metric = {}
    all_curve_points = _tabulate_curves(frame, metrics, setting, None)
    for metric in metrics:
        curve_points = all_curve_points[all_curve_points["metric"] == metric]
        if len({*curve_points["mean"].dropna()}) > 1:
            points_by_metric[metric] = curve_points
    points_by_metric = dict([*points_by_metric.items()][:MOST_PANELS])
    if not points_by_metric:
        raise UsageError("figure.no_tournament")

    column_count = min(PANEL_COLUMNS, len(points_by_metric))
    row_count = math.ceil(len(points_by_metric) / column_count)
    legend_rows = math.ceil(len(label_of_model) / column_count)
    first_axes = new_axes(3.2 * column_count, 2.4 * row_count + 0.9 + 0.2 * legend_rows)
    figure = first_axes.get_figure(root=True)
    assert figure is not None
    figure.clear()
    panels: Any = figure.subplots(row_count, column_count, squeeze=False).ravel()
    for panel, (metric, curve_points) in zip(
        panels, points_by_metric.items(), strict=False
    ):
        _draw_curves(panel, curve_points, label_of_model)
        panel.set_title("\n".join(wrap(describe_metric(metric), 34)), fontsize=8)
        panel.tick_params(labelsize=7)
    for panel in panels[len(points_by_metric) :]:
        panel.set_axis_off()

    lowest_panels = panels[
        max(len(points_by_metric) - column_count, 0) : len(points_by_metric)
    ]
    for panel in lowest_panels:
        panel.set_xlabel(setting.replace("_", " "), fontsize=8)
    title_lines = [f"Means by {_describe_setting(frame, setting)}"]
    title_lines.append(_describe_marks([*points_by_metric.values()]))
    figure.suptitle("\n".join(title_lines), fontsize=9)
    legend_handles, legend_labels = panels[0].get_legend_handles_labels()
    figure.legend(
        legend_handles,
        legend_labels,
        loc="outside lower center",
        ncols=column_count,
        fontsize=7,
        frameon=False,
    )
    first_panel: Axes = panels[0]
    return first_panel


def draw_study_figures(
    frame: pd.DataFrame,
    folder: Path,
    suffixes: Sequence[str],
    metrics: Sequence[str] = (),
    kinds: Sequence[str] | None = None,
) -> tuple[dict[Path, bytes], list[str]]:
    """Draw the figures of a study's table: those of its only world, or of its grid.

    `frame` is the table of rounds. `kinds` are trade_off, tau_by_round, side_balance
    and heat_map (`FIGURES`), which each world has, and "sweep" (`SWEEP`), of which each
    setting of the grid has one. A figure "sweep" shows `metrics` first. By default a
    grid has `SWEEP` alone, and one world has all of `FIGURES`. Each figure has a file
    for each of the `suffixes`, such as ".png". Returns the contents of the files by
    path, below `folder`, without writing them, and a message for each figure that
    cannot be drawn.
    """
    settings = list_settings(frame)
    if kinds is None:
        kinds = (SWEEP,) if settings else tuple(figures.FIGURES)
    image_of_path, failure_messages = figures.draw_all_figures(
        frame, folder, suffixes, kinds
    )
    if SWEEP not in kinds:
        return image_of_path, failure_messages
    panel_metrics = list(dict.fromkeys([*metrics, *list_panel_metrics(frame)]))
    for setting in settings:
        file_name = f"{SWEEP}-{setting}"
        try:
            panel_axes = sweep_panels(frame, setting, panel_metrics)
        except UsageError as error:
            failure_messages.append(f"{file_name}: left out. {error}")
        else:
            image_of_path |= figures.images(panel_axes, folder / file_name, suffixes)
    return image_of_path, failure_messages


def list_panel_metrics(frame: pd.DataFrame) -> list[str]:
    """List the metrics that the panels of a sweep show by default.

    They are those of the heat map, then the further metrics of the table `frame`,
    whether they have values or not.
    """
    return [*HEAT_MAP, *list_further_metrics(map(str, frame.columns))]


def find_setting(frame: pd.DataFrame, setting: str | None) -> str:
    """Return a setting of the grid of the table `frame`, by default the only one.

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
    """Tabulate the points of all curves with 95 % intervals, value by value.

    `frame` is the table of rounds. The columns are metric, model, mean, low, high,
    value and has_few. Without a `baseline` a point is a model's mean, otherwise its
    difference to the baseline. A replicate's mean over the worlds with this value is
    one observation. `value` is that of `setting`, on the x axis. `has_few` marks points
    in which so few tournaments vary that the interval is mostly assumed.
    """
    setting_column = f"{RESERVED}{setting}"
    point_tables = []
    for setting_value in frame[setting_column].drop_duplicates():
        rows_of_value = frame[frame[setting_column] == setting_value]
        if baseline is None:
            value_points = means(rows_of_value, metrics, merge=True)
        else:
            value_points = differences(rows_of_value, baseline, metrics, merge=True)
            value_points = value_points.rename(columns={"difference": "mean"})
        few_varied_flags = [
            has_few_varied(int(varied_count), int(tournament_count))
            for varied_count, tournament_count in zip(
                value_points["varied"], value_points["n"], strict=True
            )
        ]
        value_points = value_points[["metric", "model", "mean", "low", "high"]]
        point_tables.append(
            value_points.assign(value=setting_value, has_few=few_varied_flags)
        )
    return pd.concat(point_tables, ignore_index=True)


def _draw_curves(
    ax: Axes, curves: pd.DataFrame, label_of_model: dict[str, str]
) -> None:
    """Draw one line per model with its band, or one row of points for text values.

    `ax` are the axes to draw into. `curves` are points with the columns metric, model,
    mean, low, high, value (x) and has_few, of one metric. `label_of_model` has the
    models to draw, in order, with their labels. Sets the ticks of the x axis. If there
    are more models than colours, the last ones are grey, and one entry of the legend
    stands for them. Points of few varied tournaments are hollow and have no interval.
    """
    setting_values = [*dict.fromkeys(curves["value"])]
    is_numeric = all(
        isinstance(setting_value, int | float | np.number)
        for setting_value in setting_values
    )
    # points of texts stand beside each other
    model_count = len(label_of_model)
    point_distance = 0.6 / max(model_count, 1)
    coloured_count = len(COLOURS)
    if model_count > len(COLOURS):
        coloured_count = len(COLOURS) - 1
    for model_position, (model, model_label) in enumerate(label_of_model.items()):
        is_coloured = model_position < coloured_count
        colour = COLOURS[model_position] if is_coloured else "0.75"
        if model_position == coloured_count:
            model_label = f"{model_count - model_position} other models"
        elif not is_coloured:
            model_label = "_"
        model_points = curves[curves["model"] == model]
        if is_numeric:
            model_points = model_points.sort_values("value", kind="stable")
            x_positions = model_points["value"].to_numpy(np.float64)
        else:
            x_positions = np.array(
                [
                    setting_values.index(setting_value)
                    for setting_value in model_points["value"]
                ]
            )
            x_positions = x_positions + point_distance * (
                model_position - (model_count - 1) / 2
            )
        mean_values, interval_low, interval_high = (
            model_points[["mean", "low", "high"]].to_numpy(np.float64).T
        )
        is_hollow = model_points["has_few"].to_numpy(np.bool_)
        is_interval_hidden = is_hollow | ~np.isfinite(
            [interval_low, interval_high]
        ).all(axis=0)
        interval_low, interval_high = np.where(
            is_interval_hidden, np.nan, [interval_low, interval_high]
        )
        zorder = 3 if is_coloured else 1
        line_style = "-" if is_numeric else "none"
        ax.plot(
            x_positions,
            mean_values,
            color=colour,
            linestyle=line_style,
            marker="o",
            ms=4,
            lw=1.2,
            label=model_label,
            zorder=zorder,
        )
        ax.plot(
            x_positions[is_hollow],
            mean_values[is_hollow],
            color=colour,
            linestyle="none",
            marker="o",
            ms=4,
            mfc="w",
            label="_",
            zorder=zorder + 1,
        )
        if is_coloured:
            ax.vlines(
                x_positions,
                interval_low,
                interval_high,
                color=colour,
                lw=0.8,
                zorder=zorder,
            )
        if is_coloured and is_numeric:
            # it has a gap where an interval is missing
            ax.fill_between(
                x_positions, interval_low, interval_high, color=colour, alpha=BAND, lw=0
            )
    if is_numeric:
        ax.set_xticks(
            sorted(setting_values),
            [f"{setting_value:g}" for setting_value in sorted(setting_values)],
        )
    else:
        ax.set_xticks(
            range(len(setting_values)),
            [escape_label(str(setting_value)) for setting_value in setting_values],
        )


def _keep_one_per_design(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Keep the first model of each group with identical results in all worlds.

    `frame` is the table of rounds. Returns the rows of these models, and the label of
    each by name, which also says how many other models are like it. Raises UsageError
    for more than 1000 (`MOST_ROWS`) groups.
    """
    models_by_leader = designs(frame)
    if len(models_by_leader) > MOST_ROWS:
        raise UsageError(
            "figure.many_models", count=len(models_by_leader), most=MOST_ROWS
        )
    label_of_model = {}
    for leader, models in models_by_leader.items():
        label_of_model[leader] = escape_label(leader)
        if len(models) > 1:
            label_of_model[leader] += f" (and {len(models) - 1} like it)"
    return frame[frame["model"].isin(models_by_leader)], label_of_model


def _describe_setting(frame: pd.DataFrame, setting: str) -> str:
    """Return the words for a setting on an axis, in lines of at most 90 characters.

    `frame` is the table of rounds. If the grid has other settings, they say that each
    point is a mean, and over which of their values.
    """
    setting_words = setting.replace("_", " ")
    other_settings = [
        other_setting
        for other_setting in list_settings(frame)
        if other_setting != setting
    ]
    if not other_settings:
        return setting_words
    averaged_setting_texts = []
    for other_setting in other_settings:
        averaged_values = frame[f"{RESERVED}{other_setting}"].drop_duplicates()
        value_texts = [
            f"{averaged_value:g}"
            if isinstance(averaged_value, float)
            else f"{averaged_value}"
            for averaged_value in averaged_values
        ]
        averaged_setting_texts.append(
            f"{other_setting.replace('_', ' ')} {', '.join(value_texts)}"
        )
    averaged_text = "; ".join(averaged_setting_texts)
    return "\n".join(
        wrap(f"{setting_words} (each is the mean over {averaged_text})", 90)
    )


def _describe_marks(tables: Sequence[pd.DataFrame]) -> str:
    """Return the sentence on what bands and hollow points mean in these curves.

    `tables` have the points of curves; their column `has_few` marks the hollow ones,
    which are only mentioned if there are any.
    """
    if any(curve_points["has_few"].any() for curve_points in tables):
        return "\n".join(wrap(f"{BANDS}; {HOLLOW}", 110))
    return BANDS
