"""Figures: one function each, drawn from a study's table alone, into `ax` or a new figure. Files
are the same bytes for the same table. In SVG and PDF text is text.
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
from pairopt.lab.metrics.rounds import HISTOGRAMS, MOST_SIDES, about
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
LINE: Final = 0.17  # height of a name in inches
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
"""Okabe and Ito, Color Universal Design (2008); pale yellow last. More models are mostly grey."""
METADATA: Final[Mapping[str, dict[str, None]]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"Creator": None, "Producer": None, "CreationDate": None},
}
"""What files do not say of when and by what they were drawn."""
TURN: Final = np.pi * (
    3 - 5**0.5
)  # golden angle: neighbouring numbers go to different sides


def trade_off(
    frame: pd.DataFrame,
    x: str = "unbalanced",
    y: str = "kendall",
    ax: Axes | None = None,
) -> Axes:
    """Two metrics against each other with 95 % intervals, and the Pareto front of the models."""
    frame, names = _one_a_design(frame)
    ax = ax or new_axes(9, max(4.5, 1 + LINE * len(names)))
    table = means(frame, [x, y]).set_index("model")
    if not {x, y} <= set(table["metric"]):
        raise UsageError("figure.no_values", x=x, y=y)
    across, up = table[table["metric"] == x], table[table["metric"] == y]
    ax.errorbar(
        across["mean"],
        up["mean"],
        _arms(up),
        _arms(across),
        fmt="none",
        ecolor="0.85",
        zorder=1,
    )
    points = np.column_stack([across["mean"], up["mean"]]).astype(np.float64)
    front = sorted(
        pareto(points * [_sign(x), _sign(y)]), key=lambda k: tuple(points[k])
    )
    ax.plot(*points[front].T, lw=1, color=COLOURS[1], zorder=1)
    for k, (model, point) in enumerate(zip(across.index, points, strict=True)):
        at, colour = (point[0], point[1]), COLOURS[k in front]
        ax.scatter(*at, 14, colour, zorder=2, label=f"{k + 1}  {names[str(model)]}")
        away = (
            9 * np.cos(TURN * k),
            9 * np.sin(TURN * k),
        )  # points may lie on each other
        ax.annotate(
            str(k + 1),
            at,
            fontsize=6,
            xytext=away,
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
        xlabel=words_of(x),
        ylabel=words_of(y),
        title=_with_world_title("What is bought, and what it costs", frame),
    )
    return ax


def pareto(points: NDArray[np.float64]) -> list[int]:
    """The rows of `points`, shape (n, k), that no other is at least as good as: higher is better.
    Of equal rows all are kept.
    """
    return [
        k
        for k, point in enumerate(points)
        if not ((points >= point).all(axis=1) & (points > point).any(axis=1)).any()
    ]


def tau_by_round(frame: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Kendall's tau of the standings after each round, with 95 % intervals. Of many models the
    first, the best and the worst at the end have a colour and a name.
    """
    frame, names = _one_a_design(frame)
    ax = ax or new_axes()
    if frame["kendall"].isna().all():
        raise UsageError("figure.no_strengths")
    mean = frame.pivot_table("kendall", "round", "model", sort=False).sort_index()
    rounds = mean.index.to_numpy(np.int64)
    ranked = mean.iloc[-1].dropna().sort_values(kind="stable").index
    few = len(names) <= len(COLOURS)
    ends: list[tuple[NDArray[np.float64], str, str]] = []
    coloured = {*names} if few else {*mean.columns[:1], *ranked[:2], *ranked[-2:]}
    for model in mean:
        own = mean[model].to_numpy(np.float64)
        if model not in coloured:
            ax.plot(rounds, own, lw=0.8, color="0.8", zorder=1)
            continue
        colour = COLOURS[len(ends) % len(COLOURS)]
        values = (
            frame[frame["model"] == model]
            .dropna(subset="kendall")
            .groupby("round")["kendall"]
        )
        taus = ((number, np.asarray(found, np.float64)) for number, found in values)
        own_limits = {
            number: estimate(tau, tau, 2).limits(inside=(-1, 1)) for number, tau in taus
        }
        low, high = np.array(
            [own_limits.get(k, (np.nan, np.nan)) for k in rounds.tolist()]
        ).T
        arms = np.nan_to_num([own - low, high - own])
        ax.errorbar(
            rounds, own, arms, label=names[str(model)], color=colour, capsize=2, lw=1
        )
        ends.append((own[np.isfinite(own)][-1:], names[str(model)], colour))
    ax.set(
        xlabel="round",
        ylabel=words_of("kendall"),
        title=_with_world_title("How soon the standings are right", frame),
    )
    ax.locator_params("x", integer=True)
    _name_ends(
        ax, float(rounds[-1]), [(float(y[0]), name, c) for y, name, c in ends if len(y)]
    )
    return ax


def _name_ends(ax: Axes, x: float, ends: Sequence[tuple[float, str, str]]) -> None:
    """Names of lines beside their ends, no two on each other."""
    bottom, top = ax.get_ylim()
    ax.set_ylim(bottom, top)
    apart = (top - bottom) * LINE / 3  # the axes are some 3 inches high, or more
    heights = np.array([y for y, _, _ in ends])
    order = np.argsort(heights, kind="stable")
    # never below the one before, then about the middle of all
    placed = np.maximum.accumulate(heights[order] - apart * np.arange(len(ends)))
    placed += apart * np.arange(len(ends))
    placed += np.mean(heights[order] - placed) if len(ends) else 0
    ax.set_xlim(right=x)
    beside = (
        ax.get_yaxis_transform()
    )  # across in parts of the axes, up as the lines are
    for y, number in zip(placed.tolist(), order.tolist(), strict=True):
        end, name, colour = ends[number]
        ax.plot(
            (1, 1.03), (end, y), color=colour, lw=0.6, transform=beside, clip_on=False
        )
        ax.text(1.035, y, name, color=colour, fontsize=7, va="center", transform=beside)


def side_balance(frame: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """The part of the players with each side difference at the end, a bar a model."""
    frame, names = _one_a_design(frame)
    ax = ax or new_axes(7, max(3.0, 1.4 + LINE * len(names)))
    columns = [name for name in HISTOGRAMS if name.startswith("side_difference")]
    counts = (
        per_tournament(frame)
        .groupby("model", sort=False)[columns]
        .sum(min_count=1)
        .dropna()
    )
    if counts.empty:
        raise UsageError("figure.no_sides")
    parts = counts.div(counts.sum(axis=1), axis=0).to_numpy(np.float64)
    rows = np.arange(len(counts))
    for k, label in enumerate([*(str(k) for k in range(MOST_SIDES)), f"{MOST_SIDES}+"]):
        colour = str(0.92 - 0.19 * k)
        bars = ax.barh(
            rows, parts[:, k], left=parts[:, :k].sum(axis=1), label=label, color=colour
        )
        named = [label if part > LINE / 4 else "" for part in parts[:, k].tolist()]
        ax.bar_label(
            bars,
            named,
            label_type="center",
            fontsize=7,
            color="black" if k < 3 else "w",
        )
    ax.set_yticks(rows, [names[str(model)] for model in counts.index], fontsize=7)
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
    """Models by metrics: means as numbers, the darker the better in its column."""
    frame, names = _one_a_design(frame)
    table = means(frame, metrics).pivot_table("mean", "model", "metric", sort=False)
    if table.empty:
        raise UsageError("figure.no_tournament")
    ax = ax or new_axes(7, max(3.0, 1.2 + 0.28 * len(table)))
    values = table.to_numpy(np.float64) * np.array([_sign(str(name)) for name in table])
    low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    shade = np.where(
        high > low, (values - low) / np.where(high > low, high - low, 1), 0.5
    )
    ax.imshow(shade, aspect="auto", cmap="Blues", vmin=-0.1, vmax=1.8)
    for (row, column), value in np.ndenumerate(table.to_numpy(np.float64)):
        ax.text(column, row, f"{value:.3g}", ha="center", va="center", fontsize=7)
    heads = ["\n".join(wrap(words_of(str(name)), 20)) for name in table.columns]
    ax.set_xticks(range(len(table.columns)), heads, rotation=40, ha="right", fontsize=7)
    ax.set_yticks(
        range(len(table)), [names[str(model)] for model in table.index], fontsize=7
    )
    ax.set_title(_with_world_title("Darker is better in each column", frame))
    return ax


def intervals(
    named: Sequence[tuple[str, float, float, float, float]],
    words: str,
    ax: Axes | None = None,
) -> Axes:
    """Differences with their intervals, one row each: name, difference, low, high and margin. The
    name states the level of the row's interval.
    """
    ax = ax or new_axes(9, max(2.0, 1.2 + 0.3 * len(named)))
    for row, (_, mean, low, high, margin) in enumerate(named):
        ax.plot([low, high], [row, row], color=COLOURS[0], lw=1.5)
        ax.plot([mean], [row], "o", color=COLOURS[0], ms=4)
        for side in (-margin, margin) if margin else ():
            ax.plot([side, side], [row - 0.3, row + 0.3], color=COLOURS[1], lw=1)
    ax.axvline(0, color="0.6", lw=0.8, zorder=0)
    ax.set_yticks(range(len(named)), [_label(name) for name, *_ in named], fontsize=7)
    ax.set_ylim(len(named) - 0.5, -0.5)
    explained = (
        "lines: confidence intervals, level in the row's name; short bars: margins"
    )
    ax.set(xlabel=f"difference in {words}\n{explained}")
    return ax


FIGURES: Final[dict[str, Callable[[pd.DataFrame], Axes]]] = {
    each.__name__: each for each in (trade_off, tau_by_round, side_balance, heat_map)
}


def draw_all_figures(
    frame: pd.DataFrame, folder: Path, suffixes: Sequence[str] = (".png", ".svg")
) -> tuple[dict[Path, bytes], list[str]]:
    """The files of all figures of a table, numbered by world; and what is left out, and why."""
    drawn, left_out, worlds = dict[Path, bytes](), list[str](), by_world(frame)
    for number, (_, rows) in enumerate(worlds, 1):
        for figure, draw in FIGURES.items():
            name = f"{figure}-{number}" if len(worlds) > 1 else figure
            try:
                drawn |= images(draw(rows), folder / name, suffixes)
            except UsageError as error:
                left_out.append(f"{name}: left out, {error}")
    return drawn, left_out


def images(
    ax: Axes, path: Path, suffixes: Sequence[str] = (".png", ".svg")
) -> dict[Path, bytes]:
    """The files of a figure, the same bytes every time; `suffixes` are some of `METADATA`."""
    # matplotlib takes a second to import, and only pictures need it.
    import matplotlib as mpl

    figure = ax.get_figure(root=True)
    assert figure is not None
    drawn = {}
    style: Any = {"svg.hashsalt": "pairopt", "svg.fonttype": "none", "pdf.fonttype": 42}
    with mpl.rc_context(style):
        for suffix in suffixes:
            out = io.BytesIO()
            figure.savefig(out, format=suffix[1:], dpi=150, metadata=METADATA[suffix])
            drawn[path.with_name(path.name + suffix)] = out.getvalue()
    return drawn


def new_axes(width: float = 7, height: float = 4.5) -> Axes:
    """The axes of a new figure that no window system knows."""
    drawing = require_extra("matplotlib.figure", "plots need matplotlib", "study")
    axes: Axes = drawing.Figure(
        figsize=(width, height), layout="constrained"
    ).subplots()
    return axes


def _arms(table: pd.DataFrame) -> NDArray[np.float64]:
    """Lengths of the error bars below and above, shape (2, n); none where nothing is known."""
    arms = np.array(
        [table["mean"] - table["low"], table["high"] - table["mean"]], np.float64
    )
    return np.where(np.isfinite(arms), np.maximum(arms, 0), 0)


def _one_a_design(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """The rows of one model of each design, and their labels. Raises UsageError for too many."""
    if (worlds := len(by_world(frame))) > 1:
        raise UsageError("figure.many_worlds", worlds=worlds)
    found = designs(frame)
    if len(found) > MOST_ROWS:
        raise UsageError("figure.many_models", count=len(found), most=MOST_ROWS)
    labels = {
        leader: _label(leader) + f" (and {len(names) - 1} like it)" * (len(names) > 1)
        for leader, names in found.items()
    }
    return frame[frame["model"].isin(found)], labels


def _with_world_title(title: str, frame: pd.DataFrame) -> str:
    """The title, with what tells the world of a grid apart."""
    cells, _ = by_world(frame)[0]
    world = [
        f"{words_of(name.removeprefix(RESERVED))}: {cell}"
        for name, cell in cells.items()
    ]
    return "\n".join([title, *([_label(", ".join(world))] if world else [])])


def _sign(metric: str) -> int:
    return 1 if about(metric).get("higher") else -1


def _label(model: object) -> str:
    """A model's name as matplotlib shows it: no formula, and not left out of legends."""
    name = escape_hidden(model).replace("$", r"\$")
    return f"\N{ZERO WIDTH SPACE}{name}" if name.startswith("_") else name


def words_of(metric: str) -> str:
    """The metric in words, as axes have it."""
    told = about(metric)
    named = told.get("axis") or told.get("named") or told.get("counted")
    return str(named or metric.replace("_", " "))
