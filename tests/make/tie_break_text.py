"""The table and the figure of the page on tie-breaks, from the published studies alone.

python tests/make/tie_break_text.py

draws docs/studies/tie-breaks.svg; the tables go into the page with make_tables.py.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import numpy as np
import pandas as pd
from places import ROOT
from scipy.stats import t

from pairopt.files.write import write_all
from pairopt.lab.figures import images
from pairopt.lab.studies.run import read_tournament_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STUDIES = {
    "opens": ("tie-breaks-opens", "world_base"),
    "netrunner": ("tie-breaks-netrunner", "world_rounds"),
    "best-of-three": ("tie-breaks-best-of-three", "world_rounds"),
}
WORDS = {
    "points": "points alone (a random draw)",
    "BH": "Buchholz",
    "BH/C1": "Buchholz Cut 1",
    "BH/M1": "Buchholz Median",
    "AOB": "average of opponents' Buchholz",
    "FB": "Fore Buchholz",
    "SB": "Sonneborn-Berger",
    "KS": "Koya",
    "PS": "progressive scores",
    "PS/C1": "progressive scores Cut 1",
    "WIN": "number of wins",
    "BPG": "games with Black",
    "DE": "direct encounter",
    "ARO": "average rating of opponents",
    "ARO/C1": "average rating of opponents, Cut 1",
    "TPR": "performance rating",
    "PTP": "perfect performance",
    "APRO": "average performance of opponents",
    "APPO": "average perfect performance of opponents",
    "BH/C1+BH+SB+DE+WIN": "All India Chess Federation, since 2020",
    "ARO/C1+BH/C1+BH+DE": "World Championship Swisses, 2019",
    "sos": "strength of schedule",
    "esos": "extended strength of schedule",
    "sos+esos": "Netrunner's order",
    "opponents_match_win": "opponents' match-win percentage",
    "game_win": "game-win percentage",
    "opponents_game_win": "opponents' game-win percentage",
    "match_win": "match-win percentage",
    "opponents_match_win+game_win+opponents_game_win": "Magic's order",
}
"""What each order is called in the tables."""
MEASURES = ("tied_right", "tau", "top_8", "winner", "moved")
SHORT = {
    "opponents_match_win+game_win+opponents_game_win": "OMW%+GW%+OGW%",
    "opponents_match_win": "OMW%",
    "opponents_game_win": "OGW%",
    "game_win": "GW%",
    "match_win": "MW%",
    "sos": "SoS",
    "esos": "ESoS",
    "sos+esos": "SoS+ESoS",
}
"""Shorter names than pairopt's own."""
SERIES = {
    "open-2026-2400": "level 2400",
    "open-2026-1900": "level 1900",
    "open-2026-1500": "level 1500",
    5: "5 rounds",
    7: "7 rounds",
}
TITLES = {
    "opens": "Chess opens",
    "netrunner": "Netrunner",
    "best-of-three": "Best of three",
}


def order_means(game: str) -> pd.DataFrame:
    """Return the means of a study by order, world and measure, with their intervals."""
    folder, world_column = STUDIES[game]
    table = pd.read_csv(ROOT / "studies" / folder / "means.csv")
    parts = table["metric"].str.extract(f"^({'|'.join(MEASURES)})_(.*)$")
    table = table.assign(measure=parts[0], order=parts[1], world=table[world_column])
    return table.dropna(subset=["measure"])


def sorted_orders(table: pd.DataFrame) -> list[str]:
    """Return the orders by their mean share of right pairs, the best one first."""
    right = table[table["measure"] == "tied_right"]
    means = right.groupby("order")["mean"].mean()
    return [*map(str, means.sort_values(ascending=False, kind="stable").index)]


def order_table(game: str) -> str:
    """Return the table of a game: a row per order, a column per world and measure.

    The other columns are means over the worlds, of which each tournament is one
    observation: gains over points alone, and the number of players who move.
    """
    table = order_means(game)
    worlds = [*dict.fromkeys(table["world"])]
    cells = {
        (row.order, row.world, row.measure): row
        for row in table.itertuples(index=False)
    }
    heads = ["order", "what it is"]
    heads += [f"stronger player first, {SERIES[world]}" for world in worlds]
    heads += ["gain in Kendall's tau", "gain in the first 8", "gain of the strongest"]
    heads += ["players who move"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for order in sorted_orders(table):
        shares = []
        for world in worlds:
            row = cells[order, world, "tied_right"]
            interval = f" ({row.low:.1%} to {row.high:.1%})" if row.varied else ""
            shares.append(f"{row.mean:.1%}{interval}")
        rest = [
            plus_minus(gains(game, "tau", order), "+.4f", ".4f"),
            plus_minus(100 * gains(game, "top_8", order), "+.1f", ".1f"),
            plus_minus(100 * gains(game, "winner", order), "+.1f", ".1f"),
            plus_minus(gains(game, "moved", order), ".1f", ".1f"),
        ]
        line = [f"`{short(order)}`", WORDS[order], *shares, *rest]
        lines.append(f"| {' | '.join(line)} |")
    return "\n".join(lines)


@cache
def tournaments(game: str) -> pd.DataFrame:
    """Return the tournaments of a study: the mean over its worlds per replicate."""
    table = read_tournament_table(ROOT / "studies" / STUDIES[game][0])
    return table.select_dtypes("number").groupby(table["replicate"]).mean()


def gains(game: str, measure: str, order: str) -> pd.Series:
    """Return what an order gains over points alone in each replicate."""
    table = tournaments(game)
    return table[f"{measure}_{order}"] - table[f"{measure}_points"]


def plus_minus(values: pd.Series, digits: str, error_digits: str) -> str:
    """Return a mean and the half-width of its 95 % interval."""
    if (values == values.iloc[0]).all():
        return f"{values.iloc[0]:{digits.lstrip('+')}}"
    half_width = t.ppf(0.975, len(values) - 1) * values.std() / np.sqrt(len(values))
    return f"{values.mean():{digits}} ± {half_width:{error_digits}}"


def short(order: str) -> str:
    """Return the short name of an order."""
    return SHORT.get(order, order)


def figure() -> Axes:
    """Draw the share of right pairs by order with its interval, one panel per game."""
    from matplotlib.figure import Figure

    counts = [len(sorted_orders(order_means(game))) for game in STUDIES]
    drawing = Figure(figsize=(7.5, 0.24 * sum(counts) + 2.2), layout="constrained")
    panels = drawing.subplots(len(STUDIES), 1, height_ratios=counts, sharex=True)
    for ax, game in zip(panels, STUDIES, strict=True):
        table = order_means(game)
        right = table[table["measure"] == "tied_right"]
        orders = sorted_orders(table)[::-1]
        worlds = [*dict.fromkeys(right["world"])]
        for number, (world, marker) in enumerate(zip(worlds, "osD", strict=False)):
            rows = right[right["world"] == world].set_index("order").loc[orders]
            # a share that is always one half has no interval
            low = rows["low"].where(rows["varied"] > 0, rows["mean"])
            high = rows["high"].where(rows["varied"] > 0, rows["mean"])
            height = np.arange(len(orders)) + 0.2 * (number - (len(worlds) - 1) / 2)
            ax.errorbar(
                100 * rows["mean"],
                height,
                xerr=100 * np.array([rows["mean"] - low, high - rows["mean"]]),
                fmt=marker,
                markersize=3.5,
                linewidth=1,
                color=("#0072b2", "#d55e00", "#009e73")[number],
                label=SERIES[world],
            )
        ax.axvline(50, color="0.4", linewidth=0.8)
        ax.set_yticks(
            range(len(orders)), [WORDS[order] for order in orders], fontsize=7
        )
        ax.set_ylim(-0.7, len(orders) - 0.3)
        ax.grid(axis="y", color="0.92")
        ax.set_axisbelow(True)
        ax.set_title(TITLES[game], fontsize=9, loc="left")
        ax.legend(fontsize=7, frameon=False, loc="lower right")
    panels[-1].set_xlabel(
        "stronger of two players with equal points is first (%); 50 is a random draw"
    )
    return panels[0]


if __name__ == "__main__":
    write_all(images(figure(), ROOT / "docs" / "studies" / "tie-breaks", (".svg",)))
