"""The tables and the figure of the page on gambits, from the published studies alone.

python tests/make/gambit_text.py

draws docs/studies/gambit.svg; the tables go into the page with make_tables.py.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import numpy as np
import pandas as pd
from places import ROOT

from pairopt.files.write import write_all
from pairopt.lab.figures import images

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STRATEGIES = {
    "draw": "draw instead of a win in round 1",
    "two": "draws instead of wins in rounds 1 and 2",
    "loss": "loss on purpose in round 1",
    "exact": "draw when the exact next round recommends it",
}


def read_means(study: str) -> pd.DataFrame:
    """Return the means of a published study."""
    return pd.read_csv(ROOT / "studies" / study / "means.csv")


def gambit_means() -> dict[tuple[str, str], pd.Series]:
    """Return the rows of the study of gambits by model and metric."""
    table = read_means("gambit")
    return {(str(row["model"]), str(row["metric"])): row for _, row in table.iterrows()}


def models() -> list[str]:
    """Return the pairing methods of the study, in its order."""
    return [*dict.fromkeys(map(str, read_means("gambit")["model"]))]


def share(row: pd.Series) -> str:
    """Return a share in percent with its interval."""
    return f"{row['mean']:.0%} ({row['low']:.0%} to {row['high']:.0%})"


def gambit_table() -> str:
    """Return the table of gambits: how often each pays, and the ranks that it gains."""
    rows = gambit_means()
    heads = ["strategy", "pairing", "gambits", "pays", "costs", "ranks gained"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for strategy, words in STRATEGIES.items():
        for model in models():
            pays, costs, ranks = (
                rows[model, f"{strategy}_{what}"] for what in ("pays", "costs", "ranks")
            )
            interval = f"({ranks['low']:+.1f} to {ranks['high']:+.1f})"
            cells = [
                words,
                f"`{model}`",
                f"{int(pays['n'])}",
                share(pays),
                share(costs),
            ]
            cells.append(f"{ranks['mean']:+.1f} {interval}")
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def agreed_table() -> str:
    """Return the table of agreed draws into the first eight."""
    table = read_means("agreed-draws")
    rows = {
        (row["world_rounds"], row["model"], row["metric"]): row
        for _, row in table.iterrows()
    }
    heads = ["rounds", "pairing", "agreed tables", "both in anyway", "one would miss"]
    heads += ["players replaced", "strength of the first 8"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for rounds, model in dict.fromkeys((key[0], key[1]) for key in rows):
        cells = [f"{rounds}", f"`{model}`"]
        for metric in ("agreed_tables", "both_in", "one_out", "replaced", "strength"):
            row = rows[rounds, model, metric]
            if metric in ("both_in", "one_out"):
                cells.append(
                    f"{row['mean']:.1%} ({row['low']:.1%} to {row['high']:.1%})"
                )
            else:
                sign = "+" if metric == "strength" else ""
                low, high = f"{row['low']:{sign}.2f}", f"{row['high']:{sign}.2f}"
                cells.append(f"{row['mean']:{sign}.2f} ({low} to {high})")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def figure() -> Axes:
    """Draw how often each gambit pays, and the ranks that it gains, with intervals."""
    from matplotlib.figure import Figure

    rows = gambit_means()
    drawing = Figure(figsize=(7.5, 4.2), layout="constrained")
    panels = drawing.subplots(1, 2, sharey=True)
    measures = {
        "pays": ("share of gambits that pay (%)", 100),
        "ranks": ("final ranks gained", 1),
    }
    colors = ("#0072b2", "#56b4e9", "#d55e00", "#009e73")
    for ax, (measure, (words, factor)) in zip(panels, measures.items(), strict=True):
        for number, (model, marker) in enumerate(zip(models(), "osD^", strict=True)):
            found = [rows[model, f"{name}_{measure}"] for name in STRATEGIES]
            means = np.array([row["mean"] for row in found])
            low = means - np.array([row["low"] for row in found])
            high = np.array([row["high"] for row in found]) - means
            height = -np.arange(len(found)) - 0.18 * (number - 1.5)
            ax.errorbar(
                factor * means,
                height,
                xerr=factor * np.array([low, high]),
                fmt=marker,
                markersize=4,
                linewidth=1.2,
                color=colors[number],
                label=model,
            )
        ax.axvline(50 if measure == "pays" else 0, color="0.4", linewidth=0.8)
        ax.grid(axis="x", color="0.92")
        ax.set_axisbelow(True)
        ax.set_xlabel(words, fontsize=9)
    words_of_rows = [
        text.replace(" in round", "\nin round")
        .replace(" when the", "\nwhen the")
        .replace(" recommends", "\nrecommends")
        for text in STRATEGIES.values()
    ]
    panels[0].set_yticks(-np.arange(len(words_of_rows)), words_of_rows, fontsize=8)
    panels[0].set_xlim(0, 100)
    panels[0].legend(fontsize=7, frameon=False, loc="upper right")
    return panels[0]


if __name__ == "__main__":
    write_all(images(figure(), ROOT / "docs" / "studies" / "gambit", (".svg",)))
