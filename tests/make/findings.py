"""What the instruments found, in tables, sentences and figures, from the committed results.

    python tests/make/findings.py

draws docs/floats and docs/temptation; the words go into docs/instruments.md with make_tables.py.
"""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import fill

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray
from places import ROOT
from scipy.stats import t as student

from pairopt.lab.figures import new_axes, save
from pairopt.lab.frontier.prices import price_curve, prices
from pairopt.lab.statistics.estimate import Estimate, estimate
from pairopt.lots.holm import holm

RESULTS = ROOT / "tests" / "benchmarks" / "results"
FLOATS, SIDES = "score_groups", "side_difference:2"
MOST_MORE = 6
BASELINE = "excalibur"
ALPHA = 0.05
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
    rates, missed, rows = [], [], []
    for players in sizes():
        table = compromises(players)
        even = table[table["round"] % 2 == 0]
        choice = with_a_choice(table)
        rounds = choice.index.get_level_values("round")
        assert not choice[rounds % 2 == 1].any()
        rate, low, high = exchange(table)
        own = table[table["own"] == 1]
        cost = prices(even).set_index("more")["least"]
        rates.append(f"{rate:.2f} with {players} players")
        missed.append(f"{own['point'].isna().mean():.0%}")
        cells = [players, table["event"].nunique(), f"{choice[rounds % 2 == 0].mean():.0%}"]
        cells += [f"{cost[k]:.2f}" for k in range(MOST_MORE + 1)]
        rows.append([*cells, f"{rate:.2f} ({low:.2f} to {high:.2f})"])
    heads = ["players", "tournaments", "even rounds with a choice", "no more"]
    heads += [f"{k} more" for k in range(1, MOST_MORE + 1)]
    said = (
        "Tournaments of 7 rounds under Excalibur's order, unrated players, equal luck. In every "
        "round all compromises between matches across score groups (floats) and players whose side "
        "difference becomes 2 were listed; rematches, side differences and streaks of 3 are held. "
        "In rounds 1, 3, 5 and 7 there is never a choice: after an odd number of games nobody has "
        "a difference of 2. In even rounds one float more spares "
        f"{' and '.join(rates)}, from one end of the frontiers to the other. In "
        f"{' and '.join(missed)} of all rounds the model's own pairing is no compromise in these "
        "sums, as it counts floats by distance, the far ones first. The columns with floats more "
        "than a round needs are the players with a side difference of 2 at least, in the mean of "
        "all even rounds."
    )
    return f"{wrapped(said)}\n\n{markdown([*heads, 'spared a float (95 %)'], rows)}"


def price_curves() -> Axes:
    """What more floats save, a line for each size of tournaments."""
    ax = new_axes()
    for players in sizes():
        table = compromises(players)
        price_curve(table[table["round"] % 2 == 0], label=f"{players} players", ax=ax)
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
    groups = ["players", "model", "replicate"]
    sums = rows.groupby(groups, sort=False)[verdicts].sum()
    made: pd.DataFrame = sums.div(sums.sum(axis=1), axis=0)
    made["opponents"] = rows.groupby(groups, sort=False)["opponents"].mean()
    return made


def of_model(own: pd.DataFrame, model: str) -> Values:
    """The part that is certain in each tournament."""
    return own.xs(model, level="model")["certainly"].to_numpy(np.float64)


def against_baseline(own: pd.DataFrame) -> tuple[dict[str, Estimate], dict[str, float]]:
    """For each other model the difference of what is certain, and its p-value after Holm."""
    base = of_model(own, BASELINE)
    found = {
        model: estimate(values - base, np.concatenate([values, base]), 1.0)
        for model in own.index.get_level_values("model").unique()
        if model != BASELINE
        for values in [of_model(own, model)]
    }
    corrected = holm(np.array([each.p for each in found.values()]))
    return found, dict(zip(found, corrected.tolist(), strict=True))


def temptation_words() -> str:
    """How often losing helps, by model: sentences, and a table for each size."""
    parts = []
    for players, own in shares().groupby("players"):
        mean = own.groupby("model").mean().sort_values(["certainly", "never"])
        against, p = against_baseline(own)
        rows: list[list[object]] = []
        for model, row in mean.iterrows():
            difference = "" if model == BASELINE else _range(against[model], -1, p[model])
            values = of_model(own, str(model))
            rows.append([
                f"`{model}`", _part(row["certainly"]), _range(estimate(values, values, 1.0), 0),
                difference, _part(row["possibly"]), _part(row["never"]), f"{row['opponents']:.1f}",
            ])  # fmt: skip
        fewer, more = ([m for m in mean.index if m != BASELINE and p[m] < ALPHA
                        and (against[m].mean < 0) == low] for low in (True, False))  # fmt: skip
        count = own.index.get_level_values("replicate").nunique()
        sure, never = (_part(mean[verdict][BASELINE]) for verdict in ("certainly", "never"))
        said = (
            f"{players} players, {count} tournaments a model. Under `{BASELINE}` losing instead of "
            f"winning certainly makes for a weaker next opponent in {sure} of all cases, and never "
            f"in {never}. Certain in fewer cases: {_names(fewer)}; in more: {_names(more)} (Holm's "
            f"correction, {ALPHA:.0%}). Whether the others differ so few tournaments do not tell: "
            f"their intervals reach {_farthest(against, p)}."
        )
        heads = ["model", "certainly", "95 %", f"less `{BASELINE}` (95 %)", "possibly", "never",
                 "opponents"]  # fmt: skip
        parts.append(f"{wrapped(said)}\n\n{markdown(heads, rows)}")
    return "\n\n".join(parts)


def _part(value: float) -> str:
    return f"{100 * value:.1f} %"


def _range(found: Estimate, least: float, p: float = 1.0) -> str:
    """A 95 % interval of a part of all results, in percent, bold where it differs from 0."""
    low, high = (min(max(limit, least), 1) for limit in found.limits())
    text = f"{100 * low:.1f} to {100 * high:.1f}"
    return f"**{text}**" if p < ALPHA else text


def _farthest(against: dict[str, Estimate], p: dict[str, float]) -> str:
    """From where to where the intervals of the differences reach that are not shown."""
    unsure = [one.limits() for model, one in against.items() if p[model] >= ALPHA]
    limits = [limit for both in unsure for limit in both]
    low, high = 100 * max(min(limits), -1), 100 * min(max(limits), 1)
    return f"from {low:.1f} to {high:.1f} percentage points"


def _names(models: list[str]) -> str:
    return ", ".join(f"`{model}`" for model in models) or "none"


def tempted() -> Axes:
    """For each model the parts of the results that a loss helps, in the largest tournaments."""
    every = shares()
    largest = every.index.get_level_values("players").max()
    mean = every.xs(largest, level="players").groupby("model").mean()
    mean = mean.sort_values(["certainly", "never"], ascending=[False, True])
    ax = new_axes(height=1.4 + 0.28 * len(mean))
    left = np.zeros(len(mean))
    for verdict, colour in (("certainly", "C3"), ("possibly", "0.8"), ("never", "C0")):
        ax.barh(list(mean.index), mean[verdict], left=left, color=colour, label=verdict)
        left += mean[verdict].to_numpy(np.float64)
    ax.set(xlabel="part of all results", xlim=(0, 1),
           title=f"Does losing make for a weaker next opponent? {largest} players")  # fmt: skip
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3, fontsize=8)
    return ax


def wrapped(said: str) -> str:
    """Sentences in lines as long as the page's, names whole."""
    return fill(said, 104, break_on_hyphens=False)


def markdown(heads: list[str], rows: list[list[object]]) -> str:
    """A table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


if __name__ == "__main__":
    save(price_curves(), ROOT / "docs" / "floats")
    save(tempted(), ROOT / "docs" / "temptation")
