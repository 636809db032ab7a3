"""Figures of a study's table, one function each, drawn into `ax` or a new figure.

Equal tables give files with equal bytes. In SVG and PDF files, text is text.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pairopt.errors import UsageError, require_extra
from pairopt.lab.grid import RESERVED
from pairopt.lab.metrics.rounds import HISTOGRAMS, MOST_SIDES, look_up_metric
from pairopt.lab.statistics.comparing import designs, means, per_tournament
from pairopt.lab.statistics.estimate import estimate
from pairopt.lab.table import by_world
from pairopt.messages.formatting import escape_hidden

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEAT_MAP: Final = (
    "kendall",
    "top_hits",
    "sos_spread",
    "rematches",
    "floats",
    "group_distance",
    "violations",
    "unbalanced",
    "bye_groups",
)
MOST_ROWS: Final = 1000
# height of a line of text in inches
LINE: Final = 0.17
COLOURS: Final = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
    "#F0E442",
)
"""The palette of Okabe and Ito, Color Universal Design (2008), pale yellow last.

If there are more models, most are grey.
"""
METADATA: Final[Mapping[str, dict[str, None]]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"Creator": None, "Producer": None, "CreationDate": None},
}
"""Metadata that is left out of files, so that equal figures have equal bytes."""
# the golden angle: consecutive numbers are annotated on different sides of their points
TURN: Final = np.pi * (3 - 5**0.5)


def trade_off(
    frame: pd.DataFrame,
    x: str = "unbalanced",
    y: str = "kendall",
    ax: Axes | None = None,
) -> Axes:
    """Plot two metrics against each other, one point per model, and return the axes.

    `frame` is the table of rounds. `x` and `y` name the metrics. `ax` are the axes to
    draw into, by default those of a new figure. The figure has 95 % intervals, and a
    line through the Pareto front. Models with identical results are one point. Points
    have numbers, which the legend explains. Raises UsageError if a metric has no
    values, and for a table of several worlds.
    """
    frame, label_of_model = _keep_one_per_design(frame)
    ax = ax or new_axes(9, max(4.5, 1 + LINE * len(label_of_model)))
    mean_table = means(frame, [x, y]).set_index("model")
    if not {x, y} <= set(mean_table["metric"]):
        raise UsageError("figure.no_values", x=x, y=y)
    x_means = mean_table[mean_table["metric"] == x]
    y_means = mean_table[mean_table["metric"] == y]
    ax.errorbar(
        x_means["mean"],
        y_means["mean"],
        _bar_lengths(y_means),
        _bar_lengths(x_means),
        fmt="none",
        ecolor="0.85",
        zorder=1,
    )

    mean_points = np.column_stack([x_means["mean"], y_means["mean"]]).astype(np.float64)
    points_higher_better = mean_points * [_find_direction(x), _find_direction(y)]
    front_model_positions = sorted(
        pareto(points_higher_better),
        key=lambda model_position: tuple(mean_points[model_position]),
    )
    front_points = mean_points[front_model_positions]
    ax.plot(front_points[:, 0], front_points[:, 1], lw=1, color=COLOURS[1], zorder=1)

    for model_position, (model, model_point) in enumerate(
        zip(x_means.index, mean_points, strict=True)
    ):
        colour = COLOURS[1] if model_position in front_model_positions else COLOURS[0]
        model_label = f"{model_position + 1}  {label_of_model[str(model)]}"
        ax.scatter(
            model_point[0], model_point[1], 14, colour, zorder=2, label=model_label
        )
        # in different directions, because points may lie on each other
        label_offset = (
            9 * np.cos(TURN * model_position),
            9 * np.sin(TURN * model_position),
        )
        ax.annotate(
            str(model_position + 1),
            (model_point[0], model_point[1]),
            fontsize=6,
            xytext=label_offset,
            textcoords="offset points",
            ha="center",
            va="center",
        )
    ax.legend(
        loc="upper left",
        bbox_to_anchor=(1.01, 1),
        fontsize=6,
        frameon=False,
        labelspacing=0.4,
    )
    ax.set(
        xlabel=describe_metric(x),
        ylabel=describe_metric(y),
        title=_with_world_title("What is bought, and what it costs", frame),
    )
    return ax


def pareto(points: NDArray[np.float64]) -> list[int]:
    """List the positions of the points that no other point dominates, ascending.

    `points` has shape (n, k), one row per point; higher is better in each column. Equal
    points do not dominate each other, so all of them are listed.
    """
    front_point_positions = []
    for point_position, compared_point in enumerate(points):
        is_at_least_as_good = (points >= compared_point).all(axis=1)
        is_better = (points > compared_point).any(axis=1)
        if not (is_at_least_as_good & is_better).any():
            front_point_positions.append(point_position)
    return front_point_positions


def tau_by_round(frame: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Plot Kendall's tau of the standings after each round, with 95 % intervals.

    `frame` is the table of rounds. There is one line per model. With more models than
    colours only the first one, and the two best and worst ones at the end, have a
    colour and a name. Draws into `ax`, or a new figure, and returns the axes. Raises
    UsageError for a table without true strengths, or of several worlds.
    """
    frame, label_of_model = _keep_one_per_design(frame)
    ax = ax or new_axes()
    if frame["kendall"].isna().all():
        raise UsageError("figure.no_strengths")
    mean_tau = frame.pivot_table("kendall", "round", "model", sort=False).sort_index()
    round_numbers = mean_tau.index.to_numpy(np.int64)
    models_by_tau = mean_tau.iloc[-1].dropna().sort_values(kind="stable").index
    if len(label_of_model) <= len(COLOURS):
        coloured_models = {*label_of_model}
    else:
        coloured_models = {
            *mean_tau.columns[:1],
            *models_by_tau[:2],
            *models_by_tau[-2:],
        }

    # the last value, name and colour of each coloured line; no value if all are missing
    line_ends: list[tuple[NDArray[np.float64], str, str]] = []
    for model in mean_tau:
        tau_of_round = mean_tau[model].to_numpy(np.float64)
        if model not in coloured_models:
            ax.plot(round_numbers, tau_of_round, lw=0.8, color="0.8", zorder=1)
            continue

        colour = COLOURS[len(line_ends) % len(COLOURS)]
        model_label = label_of_model[str(model)]
        limits_by_round = _tau_limits(frame[frame["model"] == model])
        unknown_limits = (np.nan, np.nan)
        low_limits, high_limits = np.array(
            [
                limits_by_round.get(round_number, unknown_limits)
                for round_number in round_numbers.tolist()
            ]
        ).T
        error_lengths = np.nan_to_num(
            [tau_of_round - low_limits, high_limits - tau_of_round]
        )
        ax.errorbar(
            round_numbers,
            tau_of_round,
            error_lengths,
            label=model_label,
            color=colour,
            capsize=2,
            lw=1,
        )
        final_tau = tau_of_round[np.isfinite(tau_of_round)][-1:]
        line_ends.append((final_tau, model_label, colour))

    ax.set(
        xlabel="round",
        ylabel=describe_metric("kendall"),
        title=_with_world_title("How soon the standings are right", frame),
    )
    ax.locator_params("x", integer=True)
    known_line_ends = [
        (float(end_taus[0]), line_label, colour)
        for end_taus, line_label, colour in line_ends
        if len(end_taus)
    ]
    _name_ends(ax, float(round_numbers[-1]), known_line_ends)
    return ax


def _tau_limits(rows: pd.DataFrame) -> dict[Any, tuple[float, float]]:
    """Return the 95 % interval of one model's mean tau, low and high, by round.

    Rounds without a value are left out. `rows` are those of the model in one world.
    """
    rows_with_tau = rows.dropna(subset="kendall")
    limits_by_round: dict[Any, tuple[float, float]] = {}
    for round_number, round_taus in rows_with_tau.groupby("round")["kendall"]:
        tau_values = np.asarray(round_taus, np.float64)
        limits_by_round[round_number] = estimate(tau_values, tau_values, 2).limits(
            inside=(-1, 1)
        )
    return limits_by_round


def _name_ends(ax: Axes, x: float, ends: Sequence[tuple[float, str, str]]) -> None:
    """Write the names of lines, which end at `x`, beside their ends without overlap.

    `ax` are the axes. `x` is in data units. `ends` has the height in data units, the
    name and the colour of each line. Sets the vertical limits of the axes to their
    present values, and the right one to `x`.
    """
    lower_limit, upper_limit = ax.get_ylim()
    ax.set_ylim(lower_limit, upper_limit)
    # the axes are at least about 3 inches high
    least_name_distance = (upper_limit - lower_limit) * LINE / 3
    line_heights = np.array([name_height for name_height, _, _ in ends])
    end_positions_by_height = np.argsort(line_heights, kind="stable")

    # each name above the name below it, then all of them centred
    height_offsets = least_name_distance * np.arange(len(ends))
    name_heights = np.maximum.accumulate(
        line_heights[end_positions_by_height] - height_offsets
    )
    name_heights += height_offsets
    if len(ends):
        name_heights += np.mean(line_heights[end_positions_by_height] - name_heights)

    ax.set_xlim(right=x)
    # x is a fraction of the width of the axes, y is in data units
    axes_transform = ax.get_yaxis_transform()
    for name_height, end_position in zip(
        name_heights.tolist(), end_positions_by_height.tolist(), strict=True
    ):
        line_height, line_name, colour = ends[end_position]
        ax.plot(
            (1, 1.03),
            (line_height, name_height),
            color=colour,
            lw=0.6,
            transform=axes_transform,
            clip_on=False,
        )
        ax.text(
            1.035,
            name_height,
            line_name,
            color=colour,
            fontsize=7,
            va="center",
            transform=axes_transform,
        )


def side_balance(frame: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Plot one bar per model: the shares of players with each final side difference.

    `frame` is the table of rounds. A player's side difference is the number of matches
    with one side minus those with the other, without a sign. Draws into `ax`, or a new
    figure, and returns the axes. Raises UsageError for games without sides, and for a
    table of several worlds.
    """
    frame, label_of_model = _keep_one_per_design(frame)
    ax = ax or new_axes(7, max(3.0, 1.4 + LINE * len(label_of_model)))
    difference_columns = [
        difference_column
        for difference_column in HISTOGRAMS
        if difference_column.startswith("side_difference")
    ]
    tournaments_by_model = per_tournament(frame).groupby("model", sort=False)[
        difference_columns
    ]
    player_counts = tournaments_by_model.sum(min_count=1).dropna()
    if player_counts.empty:
        raise UsageError("figure.no_sides")

    # shape (models, side differences)
    player_shares = player_counts.div(player_counts.sum(axis=1), axis=0).to_numpy(
        np.float64
    )
    bar_positions = np.arange(len(player_counts))
    difference_labels = [*map(str, range(MOST_SIDES)), f"{MOST_SIDES}+"]
    for side_difference, difference_label in enumerate(difference_labels):
        bar_lengths = player_shares[:, side_difference]
        bar_starts = player_shares[:, :side_difference].sum(axis=1)
        colour = str(0.92 - 0.19 * side_difference)
        drawn_bars = ax.barh(
            bar_positions,
            bar_lengths,
            left=bar_starts,
            label=difference_label,
            color=colour,
        )
        # only bars that have room for their label
        bar_texts = [
            difference_label if player_share > LINE / 4 else ""
            for player_share in bar_lengths.tolist()
        ]
        text_colour = "black" if side_difference < 3 else "w"
        ax.bar_label(
            drawn_bars, bar_texts, label_type="center", fontsize=7, color=text_colour
        )
    ax.set_yticks(
        bar_positions,
        [label_of_model[str(model)] for model in player_counts.index],
        fontsize=7,
    )
    ax.invert_yaxis()
    ax.set(
        xlabel="part of the players",
        title=_with_world_title("Side difference at the end", frame),
        xlim=(0, 1),
    )
    ax.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    return ax


def heat_map(
    frame: pd.DataFrame, metrics: Sequence[str] = HEAT_MAP, ax: Axes | None = None
) -> Axes:
    """Plot a table of models by metrics: the mean of each, darker if it is better.

    `frame` is the table of rounds. `metrics` are names of metrics. The shade compares
    the models within a column. Draws into `ax`, or a new figure, and returns the axes.
    Metrics without values have no column. Raises UsageError if no tournament was paired
    to the end, and for a table of several worlds.
    """
    frame, label_of_model = _keep_one_per_design(frame)
    mean_table = means(frame, metrics).pivot_table(
        "mean", "model", "metric", sort=False
    )
    if mean_table.empty:
        raise UsageError("figure.no_tournament")
    ax = ax or new_axes(7, max(3.0, 1.2 + 0.28 * len(mean_table)))
    metric_directions = np.array(
        [_find_direction(str(metric)) for metric in mean_table]
    )
    signed_means = mean_table.to_numpy(np.float64) * metric_directions
    lowest_means = np.nanmin(signed_means, axis=0)
    highest_means = np.nanmax(signed_means, axis=0)
    is_metric_varied = highest_means > lowest_means
    mean_range = np.where(is_metric_varied, highest_means - lowest_means, 1)
    shades = np.where(is_metric_varied, (signed_means - lowest_means) / mean_range, 0.5)
    ax.imshow(shades, aspect="auto", cmap="Blues", vmin=-0.1, vmax=1.8)
    for (model_position, metric_position), mean_value in np.ndenumerate(
        mean_table.to_numpy(np.float64)
    ):
        ax.text(
            metric_position,
            model_position,
            f"{mean_value:.3g}",
            ha="center",
            va="center",
            fontsize=7,
        )

    metric_labels = [
        "\n".join(wrap(describe_metric(str(metric)), 20))
        for metric in mean_table.columns
    ]
    ax.set_xticks(
        range(len(mean_table.columns)),
        metric_labels,
        rotation=40,
        ha="right",
        fontsize=7,
    )
    model_labels = [label_of_model[str(model)] for model in mean_table.index]
    ax.set_yticks(range(len(mean_table)), model_labels, fontsize=7)
    ax.set_title(_with_world_title("Darker is better in each column", frame))
    return ax


def intervals(
    rows: Sequence[tuple[str, float, float, float, float]],
    words: str,
    ax: Axes | None = None,
) -> Axes:
    """Plot differences with their confidence intervals and margins, one row each.

    A row has a name, which states the level of its interval, the difference, the
    interval's low and high end, and the margin, 0 for none. `words` describe the metric
    on the axis. Draws into `ax`, or a new figure, and returns the axes.
    """
    ax = ax or new_axes(9, max(2.0, 1.2 + 0.3 * len(rows)))
    for row_position, (
        _,
        mean_difference,
        interval_low,
        interval_high,
        margin,
    ) in enumerate(rows):
        ax.plot(
            [interval_low, interval_high],
            [row_position, row_position],
            color=COLOURS[0],
            lw=1.5,
        )
        ax.plot([mean_difference], [row_position], "o", color=COLOURS[0], ms=4)
        if margin:
            for margin_end in (-margin, margin):
                ax.plot(
                    [margin_end, margin_end],
                    [row_position - 0.3, row_position + 0.3],
                    color=COLOURS[1],
                    lw=1,
                )
    ax.axvline(0, color="0.6", lw=0.8, zorder=0)

    row_labels = [escape_label(row_name) for row_name, *_ in rows]
    ax.set_yticks(range(len(rows)), row_labels, fontsize=7)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    legend_text = (
        "lines: confidence intervals, level in the row's name; short bars: margins"
    )
    ax.set(xlabel=f"difference in {words}\n{legend_text}")
    return ax


FIGURES: Final[dict[str, Callable[[pd.DataFrame], Axes]]] = {
    draw.__name__: draw for draw in (trade_off, tau_by_round, side_balance, heat_map)
}


def draw_all_figures(
    frame: pd.DataFrame,
    folder: Path,
    suffixes: Sequence[str] = (".png", ".svg"),
    kinds: Sequence[str] | None = None,
) -> tuple[dict[Path, bytes], list[str]]:
    """Draw all figures of a table, or only some kinds, once per world.

    `frame` is the table of rounds. `kinds` are some of trade_off, tau_by_round,
    side_balance and heat_map, None for all. The file names are `folder`, the kind, the
    number of the world from 1 if there are several, and each of the `suffixes`. Returns
    the content of the files by path, without writing them, and a message for each
    figure that cannot be drawn.
    """
    image_of_path: dict[Path, bytes] = {}
    failure_messages: list[str] = []
    worlds_with_rows = by_world(frame)
    for world_number, (_, world_rows) in enumerate(worlds_with_rows, 1):
        for figure_name, draw_figure in FIGURES.items():
            if kinds is not None and figure_name not in kinds:
                continue
            file_name = (
                f"{figure_name}-{world_number}"
                if len(worlds_with_rows) > 1
                else figure_name
            )
            try:
                image_of_path |= images(
                    draw_figure(world_rows), folder / file_name, suffixes
                )
            except UsageError as error:
                failure_messages.append(f"{file_name}: left out. {error}")
    return image_of_path, failure_messages


def images(
    ax: Axes, path: Path, suffixes: Sequence[str] = (".png", ".svg")
) -> dict[Path, bytes]:
    """Render a figure, and return the bytes of an image for each suffix, by path.

    The figure is that of `ax`. `suffixes` are some of ".png", ".svg" and ".pdf", and
    each is added to `path`. Nothing is written. Equal figures give equal bytes, if they
    are drawn to the same suffixes in the same order: each drawing moves the axes a
    little, because the constrained layout begins where the last one ended.
    """
    # matplotlib takes a second to import, and only pictures need it.
    import matplotlib as mpl

    parent_figure = ax.get_figure(root=True)
    assert parent_figure is not None
    image_of_path = {}
    render_settings: Any = {
        "svg.hashsalt": "pairopt",
        "svg.fonttype": "none",
        "pdf.fonttype": 42,
    }
    with mpl.rc_context(render_settings):
        for file_suffix in suffixes:
            image_buffer = io.BytesIO()
            parent_figure.savefig(
                image_buffer,
                format=file_suffix[1:],
                dpi=150,
                metadata=METADATA[file_suffix],
            )
            image_of_path[path.with_name(path.name + file_suffix)] = (
                image_buffer.getvalue()
            )
    return image_of_path


def new_axes(width: float = 7, height: float = 4.5) -> Axes:
    """Create a matplotlib figure, and return its only axes.

    `width` and `height` are in inches. The figure has no window, and pyplot does not
    know it. Raises UsageError if matplotlib is not installed.
    """
    matplotlib_figure = require_extra(
        "matplotlib.figure", "plots need matplotlib", "study"
    )
    new_figure = matplotlib_figure.Figure(figsize=(width, height), layout="constrained")
    axes: Axes = new_figure.subplots()
    return axes


def _bar_lengths(table: pd.DataFrame) -> NDArray[np.float64]:
    """Return the lengths of error bars below and above each mean, shape (2, n).

    The table has the columns mean, low and high. A length that is unknown or infinite
    is 0.
    """
    lengths_below = table["mean"] - table["low"]
    lengths_above = table["high"] - table["mean"]
    bar_lengths = np.array([lengths_below, lengths_above], np.float64)
    return np.where(np.isfinite(bar_lengths), np.maximum(bar_lengths, 0), 0)


def _keep_one_per_design(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Keep the first model of each group of models with identical results.

    `frame` is the table of rounds. Returns the rows of these models, and the label of
    each by its name. A label says how many other models have the same results. Raises
    UsageError for more than 1000 (`MOST_ROWS`) groups, or for several worlds.
    """
    world_count = len(by_world(frame))
    if world_count > 1:
        raise UsageError("figure.many_worlds", worlds=world_count)
    models_by_leader = designs(frame)
    if len(models_by_leader) > MOST_ROWS:
        raise UsageError(
            "figure.many_models", count=len(models_by_leader), most=MOST_ROWS
        )

    label_of_model = {}
    for leader, models in models_by_leader.items():
        model_label = escape_label(leader)
        if len(models) > 1:
            model_label += f" (and {len(models) - 1} like it)"
        label_of_model[leader] = model_label
    return frame[frame["model"].isin(models_by_leader)], label_of_model


def _with_world_title(title: str, frame: pd.DataFrame) -> str:
    """Add the settings of the table's world as a second line to a title.

    They are in the columns `world_...` of `frame`; without such columns the title is
    returned unchanged.
    """
    value_of_column, _ = by_world(frame)[0]
    setting_texts = [
        f"{describe_metric(world_column.removeprefix(RESERVED))}: {setting_value}"
        for world_column, setting_value in value_of_column.items()
    ]
    if not setting_texts:
        return title
    return f"{title}\n{escape_label(', '.join(setting_texts))}"


def _find_direction(metric: str) -> int:
    """Return 1 for a metric whose higher values are better, otherwise -1.

    Metrics that pairopt does not know count as better if lower.
    """
    return 1 if look_up_metric(metric).get("higher") else -1


def escape_label(model: object) -> str:
    """Return a text for matplotlib, which shows it as it is.

    A dollar sign would begin a formula, and a leading underscore would hide it in a
    legend.
    """
    escaped_name = escape_hidden(model).replace("$", r"\$")
    return (
        f"\N{ZERO WIDTH SPACE}{escaped_name}"
        if escaped_name.startswith("_")
        else escaped_name
    )


def describe_metric(metric: str) -> str:
    """Return the words for a metric on an axis.

    They come from metrics.toml; for a metric that is not there it is the name, with
    spaces for underscores.
    """
    metric_facts = look_up_metric(metric)
    axis_words = (
        metric_facts.get("axis")
        or metric_facts.get("named")
        or metric_facts.get("counted")
    )
    return str(axis_words or metric.replace("_", " "))
