"""What the instruments found, in tables, sentences and figures, from the committed results.

    python tests/make/findings.py

draws docs/floats and docs/temptation; the words go into docs/instruments.md with make_tables.py.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from places import ROOT
from scipy.stats import t as student

from pairopt.instruments.prices import prices
from pairopt.study.figures import save

RESULTS = ROOT / "tests" / "benchmarks" / "results"
FLOATS, SIDES = "score_groups", "side_difference:2"
MOST_MORE = 6
SAMPLE = ["model", "players"]
Values = NDArray[np.float64]


# ------------------------------------------------------------------ floats and side balance


def compromises(players: int) -> pd.DataFrame:
    """The compromises of all rounds of tournaments of so many players."""
    table = pd.read_csv(RESULTS / "floats.csv")
    assert table["status"].eq("optimal").all()
    own: pd.DataFrame = table[table["event"].str.startswith(f"{players}/")]
    return own


def sizes() -> list[int]:
    """How many players the tournaments have."""
    events = pd.read_csv(RESULTS / "floats.csv", usecols=["event"])["event"]
    return sorted({int(event.split("/")[0]) for event in events.unique()})


def with_a_choice(table: pd.DataFrame) -> pd.Series[bool]:
    """For each round of each tournament, whether it has more than one compromise."""
    return table.groupby(["event", "round"])["point"].max() > 1


def exchange(table: pd.DataFrame) -> tuple[float, float, float]:
    """Unbalanced players spared a float more, from one end of the frontiers to the other.

    A ratio of sums over tournaments, with its 95 % interval by linearisation (Cochran, Sampling
    Techniques, 1977, chapter 6): each tournament is one observation.
    """
    ends = table[table["point"].notna()].groupby(["event", "round"])[[FLOATS, SIDES]]
    each = (ends.max() - ends.min()).groupby("event").sum()
    more, spared = (each[name].to_numpy(np.float64) for name in (FLOATS, SIDES))
    rate = spared.sum() / more.sum()
    error = (spared - rate * more).std(ddof=1) / more.mean() / np.sqrt(len(each))
    arm = student.ppf(0.975, len(each) - 1) * error
    return rate, rate - arm, rate + arm


def floats_words() -> str:
    """The price of side balance in floats: sentences, and a table."""
    said, rows = [], []
    for players in sizes():
        table = compromises(players)
        choice = with_a_choice(table)
        even = table[table["round"] % 2 == 0]
        assert not choice[choice.index.get_level_values("round") % 2 == 1].any()
        rate, low, high = exchange(table)
        tournaments = table["event"].nunique()
        own = table[table["own"] == 1]
        cost = prices(even).set_index("more")["least"]
        columns = [f"{cost[k]:.2f}" for k in range(MOST_MORE + 1)]
        part = choice[choice.index.get_level_values("round") % 2 == 0].mean()
        rows.append(
            f"| {players} | {tournaments} | {part:.0%} | {' | '.join(columns)} | "
            f"{rate:.2f} ({low:.2f} to {high:.2f}) |"
        )
        said.append((players, rate, own["point"].isna().mean()))
    heads = " | ".join(["no more", *(f"{k} more" for k in range(1, MOST_MORE + 1))])
    rates = " and ".join(f"{rate:.2f} with {players} players" for players, rate, _ in said)
    missed = " and ".join(f"{part:.0%}" for *_, part in said)
    return f"""Tournaments of 7 rounds under Excalibur's order, unrated players, equal luck. In every round all
compromises between matches across score groups (floats) and players whose side difference becomes 2
were listed; rematches, the bye, side differences and streaks of 3 are held. In rounds 1, 3, 5 and 7
there is never a choice: after an odd number of games nobody has an even difference, and one
pairing is best in both. In even rounds one float more spares {rates}, from one end of the frontiers to
the other. In {missed} of all rounds the model's own pairing is no compromise in these sums: it counts
floats by distance, the far ones first.

| players | tournaments | even rounds with a choice | {heads} | spared a float (95 %) |
|{"---|" * (MOST_MORE + 5)}
{chr(10).join(rows)}

The columns in the middle: players with a side difference of 2 at least, in the mean of all even rounds,
with so many floats more than the round needs."""


def price_curves() -> Axes:
    """What more floats save, a line for each size of tournaments."""
    ax = axes()
    for players in sizes():
        table = compromises(players)
        found = prices(table[table["round"] % 2 == 0])
        ax.plot(found["more"], found["least"], marker="o", ms=4, label=f"{players} players")
    ax.set(
        xlabel="matches across score groups more than the round needs",
        ylabel="players with a side difference of 2, at least",
        title="The price of side balance: the mean of all even rounds",
    )
    ax.legend()
    return ax


# ------------------------------------------------------------------ temptation


def shares() -> pd.DataFrame:
    """For each tournament the parts of the results that losing instead of winning helps."""
    rows = pd.read_csv(RESULTS / "temptation.csv")
    rows = rows[(rows["better"] == "win") & (rows["worse"] == "loss")]
    assert not rows["unknown"].any()
    verdicts = ["certainly", "possibly", "never"]
    sums = rows.groupby([*SAMPLE, "replicate"], sort=False)[verdicts].sum()
    made: pd.DataFrame = sums.div(sums.sum(axis=1), axis=0)
    made["opponents"] = rows.groupby([*SAMPLE, "replicate"], sort=False)["opponents"].mean()
    return made


def interval(values: Values) -> tuple[float, float]:
    """The 95 % t interval of a mean; a tournament is one observation."""
    arm = student.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return float(values.mean() - arm), float(values.mean() + arm)


def temptation_words() -> str:
    """How often losing helps, by model: sentences, and a table for each size."""
    every = shares()
    tables = []
    for players, own in every.groupby("players"):
        mean = own.groupby("model").mean().sort_values(["certainly", "never"])
        lines = [
            "| model | certainly (95 %) | possibly | never | opponents |",
            "|---|---|---|---|---|",
        ]
        for model, row in mean.iterrows():
            each = own.xs(model, level="model")["certainly"].to_numpy(np.float64)
            low, high = interval(each)
            lines.append(
                f"| `{model}` | {row['certainly']:.1%} ({max(low, 0):.1%} to {min(high, 1):.1%}) | "
                f"{row['possibly']:.1%} | {row['never']:.1%} | {row['opponents']:.1f} |"
            )
        count = own.index.get_level_values("replicate").nunique()
        tables.append("\n".join([f"{players} players, {count} tournaments a model:", "", *lines]))
    return "\n\n".join(tables)


def tempted() -> Axes:
    """For each model the parts of the results that a loss helps, in the largest tournaments."""
    every = shares()
    largest = every.index.get_level_values("players").max()
    mean = every.xs(largest, level="players").groupby("model").mean()
    mean = mean.sort_values(["certainly", "never"], ascending=[False, True])
    ax = axes(height=1.2 + 0.28 * len(mean))
    left = np.zeros(len(mean))
    for verdict, colour in (("certainly", "C3"), ("possibly", "0.8"), ("never", "C0")):
        ax.barh(list(mean.index), mean[verdict], left=left, color=colour, label=verdict)
        left += mean[verdict].to_numpy(np.float64)
    ax.set(xlabel="part of all results", xlim=(0, 1),
           title=f"Does losing make for a weaker next opponent? {largest} players")  # fmt: skip
    ax.legend(loc="lower right", fontsize=8)
    return ax


def axes(height: float = 4.5) -> Axes:
    """The axes of a new figure."""
    return Figure(figsize=(7, height), layout="constrained").subplots()


if __name__ == "__main__":
    save(price_curves(), ROOT / "docs" / "floats")
    save(tempted(), ROOT / "docs" / "temptation")
