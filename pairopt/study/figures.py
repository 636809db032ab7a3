"""Figures: one function each, drawn from a study's table alone, into `ax` or a new figure.

Files are the same bytes for the same table: `save` leaves out dates and random names.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from pairopt.errors import UsageError
from pairopt.io.write import write_all
from pairopt.study.metrics import HISTOGRAMS, MOST_SIDES
from pairopt.study.statistics.comparing import means
from pairopt.study.statistics.estimate import scipy_stats
from pairopt.study.statistics.tournaments import per_tournament
from pairopt.wording import plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

HEAT_MAP: Final = ("kendall", "top_hits", "sos_spread", "rematches", "floats", "group_distance",
                   "violations", "unbalanced", "bye_groups")  # fmt: skip
HIGHER_IS_BETTER: Final = ("kendall", "spearman", "top_hits")
MOST_ROWS: Final = 1000


def trade_off(
    frame: pd.DataFrame, x: str = "unbalanced", y: str = "kendall", ax: Axes | None = None
) -> Axes:
    """Two metrics against each other with 95 % intervals, and the Pareto front of the models."""
    ax = ax or _axes()
    table = means(frame, [x, y]).set_index("model")
    if not {x, y} <= set(table["metric"]):
        raise UsageError(f"the results have no values of {x} and {y}")
    across, up = table[table["metric"] == x], table[table["metric"] == y]
    ax.errorbar(
        across["mean"], up["mean"], _arms(up), _arms(across), fmt="none", ecolor="0.75", zorder=1
    )
    ax.scatter(across["mean"], up["mean"], s=18, zorder=2)
    front = pareto(
        np.column_stack([across["mean"] * _sign(x), up["mean"] * _sign(y)]).astype(np.float64)
    )
    ordered = sorted(front, key=lambda k: (across["mean"].iloc[k], up["mean"].iloc[k]))
    ax.plot(across["mean"].iloc[ordered], up["mean"].iloc[ordered], lw=1, color="C1", zorder=1)
    for k in ordered:
        ax.annotate(
            _label(across.index[k]), (across["mean"].iloc[k], up["mean"].iloc[k]), fontsize=7,
            xytext=(4, 4), textcoords="offset points",
        )  # fmt: skip
    ax.set(xlabel=_words(x), ylabel=_words(y), title="What is bought, and what it costs")
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
    """Kendall's tau of the standings after each round, with 95 % intervals."""
    ax = ax or _axes()
    if frame["kendall"].isna().all():
        raise UsageError("the results have no true strengths, so no kendall")
    for model, rows in frame.groupby("model", sort=False):
        each = rows.groupby("round")["kendall"]
        count, mean = each.count(), each.mean()
        arm = scipy_stats().t.ppf(0.975, (count - 1).clip(lower=1)) * each.std() / np.sqrt(count)
        ax.errorbar(mean.index, mean, arm.fillna(0), label=_label(model), capsize=2, lw=1)
    ax.set(xlabel="round", ylabel=_words("kendall"), title="How soon the standings are right")
    ax.legend(fontsize=7)
    return ax


def side_balance(frame: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """The part of the players with each side difference at the end of the tournaments."""
    ax = ax or _axes()
    names = [name for name in HISTOGRAMS if name.startswith("side_difference")]
    counts = per_tournament(frame).groupby("model", sort=False)[names].sum(min_count=1).dropna()
    if counts.empty:
        raise UsageError("the results have no sides")
    parts = counts.div(counts.sum(axis=1), axis=0)
    width = 0.8 / len(parts)
    for k, (model, part) in enumerate(parts.iterrows()):
        place = np.arange(len(names)) + (k - (len(parts) - 1) / 2) * width
        ax.bar(place, part.to_numpy(np.float64), width, label=_label(model))
    labels = [*(str(k) for k in range(MOST_SIDES)), f"{MOST_SIDES}+"]
    ax.set_xticks(np.arange(len(names)), labels)
    ax.set(xlabel="side difference at the end", ylabel="part of the players",
           title="Side balance")  # fmt: skip
    ax.legend(fontsize=7)
    return ax


def heat_map(
    frame: pd.DataFrame, metrics: Sequence[str] = HEAT_MAP, ax: Axes | None = None
) -> Axes:
    """Models by metrics: means as numbers, coloured from the worst of a column to the best."""
    table = means(frame, metrics).pivot_table("mean", "model", "metric", sort=False)
    if table.empty:
        raise UsageError("the results have no tournament that was paired to the end")
    if len(table) > MOST_ROWS:
        raise UsageError(f"{len(table)} models are too many for one figure, {MOST_ROWS} at most")
    ax = ax or _axes(height=max(3.0, 1.2 + 0.28 * len(table)))
    values = table.to_numpy(np.float64) * np.array([_sign(str(name)) for name in table])
    low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    shade = np.where(high > low, (values - low) / np.where(high > low, high - low, 1), 0.5)
    ax.imshow(shade, aspect="auto", cmap="RdYlGn", vmin=-0.3, vmax=1.3)
    for (row, column), value in np.ndenumerate(table.to_numpy(np.float64)):
        ax.text(column, row, f"{value:.3g}", ha="center", va="center", fontsize=7)
    ax.set_xticks(range(len(table.columns)), table.columns, rotation=30, ha="right", fontsize=7)
    ax.set_yticks(range(len(table)), [_label(model) for model in table.index], fontsize=7)
    ax.set_title("Green is better in each column")
    return ax


FIGURES: Final[dict[str, Callable[[pd.DataFrame], Axes]]] = {
    "trade_off": trade_off,
    "tau_by_round": tau_by_round,
    "side_balance": side_balance,
    "heat_map": heat_map,
}


def save(ax: Axes, path: Path) -> None:
    """Write the figure of `ax` as <path>.png and <path>.svg, the same bytes every time."""
    write_all(images(ax, path))


def images(ax: Axes, path: Path) -> dict[Path, bytes]:
    """What `save` writes."""
    import matplotlib as mpl

    figure = ax.get_figure(root=True)
    assert figure is not None
    drawn = {}
    with mpl.rc_context({"svg.hashsalt": "pairopt"}):
        for suffix, metadata in ((".png", {"Software": None}), (".svg", {"Date": None})):
            out = io.BytesIO()
            figure.savefig(out, format=suffix[1:], dpi=150, metadata=metadata)
            drawn[path.with_name(path.name + suffix)] = out.getvalue()
    return drawn


def _axes(height: float = 4.5) -> Axes:
    """The axes of a new figure that no window system knows."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError('plots need matplotlib: pip install "pairopt[study]"') from None
    return Figure(figsize=(7, height), layout="constrained").subplots()


def _arms(table: pd.DataFrame) -> NDArray[np.float64]:
    """Lengths of the error bars below and above, shape (2, n)."""
    arms = np.array([table["mean"] - table["low"], table["high"] - table["mean"]], np.float64)
    return np.nan_to_num(np.maximum(arms, 0))


def _sign(metric: str) -> int:
    return 1 if metric in HIGHER_IS_BETTER else -1


def _label(model: object) -> str:
    """A model's name as matplotlib shows it: no formula, and not left out of legends."""
    name = plain(model).replace("$", r"\$")
    return f"\N{ZERO WIDTH SPACE}{name}" if name.startswith("_") else name


def _words(metric: str) -> str:
    return {
        "kendall": "Kendall's tau with true strength",
        "unbalanced": "players with a side difference of 2 or more",
        "floats": "matches across score groups in a tournament",
    }.get(metric, metric.replace("_", " "))
