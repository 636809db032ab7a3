"""What the studies found, in words and tables, from the committed results alone."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
from places import ROOT

RESULTS = ROOT / "tests" / "benchmarks" / "results"
LEVEL = 0.05


def orders_text() -> str:
    """The orders of Excalibur's criteria with 7 rounds, beside other systems, and with 8."""
    return "\n\n".join(_orders(rounds) for rounds in (7, 8))


def _orders(rounds: int) -> str:
    table = _read(RESULTS / f"orders-{rounds}.csv")
    tau = table.loc["kendall"]
    ours = [model for model in tau.index if model.startswith("excalibur")]
    others = [model for model in tau.index if model not in ours]
    count = len(ours) + sum(same.count(";") + 1 for same in tau.loc[ours, "same"] if same)
    near = tau.loc[ours[1:]]
    shown = near[near["p_equivalent"] < LEVEL]
    floats, unbalanced = (
        table.loc[metric].loc[ours, "mean"] for metric in ("floats", "unbalanced")
    )
    told = [
        f"**{rounds} rounds.** The {count} orders of Excalibur's criteria 3 to 6 are {len(ours)} "
        f"designs: the others have the same numbers as one of these in every round of all "
        f"{int(tau['n'].max())} tournaments.",
        f"Kendall's tau is {_from_to(tau.loc[ours, 'mean'], 3)}, and the smallest p-value of a "
        f"difference to Excalibur's own order, corrected for {len(tau) - 1} comparisons, is "
        f"{_p(near['p_holm'].min())}.",
        _equivalence(near, len(shown)),
        f"Matches across score groups in a tournament are {_from_to(floats, 1)} "
        f"({floats.iloc[0]:.1f} in the own order), players who end with a side difference of 2 or "
        f"more {_from_to(unbalanced, 1)} ({unbalanced.iloc[0]:.1f}).",
        *([_apart(tau.loc[others])] if others else []),
    ]
    heads = ["design", "orders", "tau", "difference (95 %)", "p", "within 0.01", "floats",
             "unbalanced"]  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for model, row in tau.iterrows():
        apart = "" if pd.isna(row["difference"]) else _apart_text(row)
        tests = ["" if pd.isna(row[p]) else _p(row[p]) for p in ("p_holm", "p_equivalent")]
        alike = 1 + (row["same"].count(";") + 1 if row["same"] else 0)
        cells = [f"`{model}`", str(alike), f"{row['mean']:.4f}", apart, *tests,
                 f"{table.loc[('floats', model), 'mean']:.1f}",
                 f"{table.loc[('unbalanced', model), 'mean']:.1f}"]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*told, "", *lines])


def _equivalence(near: pd.DataFrame, shown: int) -> str:
    worst = near["p_equivalent"].max()
    if shown == len(near):
        return f"None of the designs differs from it by 0.01 or more (TOST, p up to {_p(worst)})."
    return (
        f"For {shown} of the other {len(near)} designs it is shown that they differ from it by "
        f"less than 0.01 (TOST, p < {LEVEL}); that all do is not (p up to {_p(worst)})."
    )


def _apart(others: pd.DataFrame) -> str:
    """Which systems rank measurably better or worse."""
    found = others[others["p_holm"] < LEVEL]
    if found.empty:
        return f"None of {len(others)} other designs ranks measurably better or worse."
    said = "; ".join(
        f"`{model}` {row['difference']:+.3f} ({row['low_difference']:+.3f} to "
        f"{row['high_difference']:+.3f}, p {_p(row['p_holm'])})"
        for model, row in found.iterrows()
    )
    return f"Of {len(others)} other designs these rank measurably better or worse: {said}."


def styles_text() -> str:
    """The styles of pairing inside score groups, with true ratings and with none: a study's folder
    in its own sentences."""
    folder = ROOT / "studies" / "styles"
    found = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    asked = [each for each in found["claims"] if each["asked"] == "hypothesis"]
    shown = sum(each["verdict"] == "shown" for each in asked)
    count = max(found["tournaments"].values())
    head = (
        f"Does the style inside score groups matter? `studies/styles` asks it of {count} "
        "tournaments with ratings that are the true strengths, and of as many in which nobody is "
        f"rated; {shown} of its {len(asked)} hypotheses are shown:"
    )
    return "\n".join([head, "", *(f"- {each['sentence']}" for each in asked)])


def coverage_text() -> str:
    """How often the intervals hold the truth."""
    table = pd.read_csv(RESULTS / "coverage.csv")
    real, made = table[table["world"] != "made up"], table[table["world"] == "made up"]
    near = real[real["of"] == "difference"]
    hard = made["metric"].isin(HARD)
    until = pd.read_csv(RESULTS / "coverage-precision.csv")
    lines = [
        "| metric | Student's t, n = 20 | sign flips, n = 20 | here, n = 5 to 8 | n = 10 | n = 20 "
        "| any n from 10 |",
        "|---|---|---|---|---|---|---|",
    ]
    for metric, own in near.groupby("metric", sort=False):
        n, held = own["n"], own["coverage"]
        cells = [f"{own.loc[n == 20, name].min():.2f}" for name in ("student", "sign_flip")]
        cells += [f"{held[chosen].min():.3f}" for chosen in (n < 10, n == 10, n == 20, n >= 10)]
        lines.append(f"| {metric} | {' | '.join(cells)} |")
    means = real[(real["of"] == "mean") & (real["n"] >= 10)]["coverage"].min()
    easy = made[~hard & (made["n"] >= 10)]["coverage"].min()
    said = [
        f"The least coverage of a nominal 95 % in {len(table):,} simulations: differences between "
        f"`excalibur` and near models in {int(table['n'].min())} to {int(table['n'].max())} "
        f"tournaments drawn from 500 to 1,000. Means are covered at least {means:.3f} of the time "
        "from 10 tournaments on. So are, of made-up differences in 0.5 to 100 % of the "
        "tournaments, those of one, of one to either side, exponential, geometric and chi-squared "
        f"(3 degrees of freedom) ones, and parts of 0.02 to 0.5, {easy:.3f} or more. Heavier tails "
        f"are not: {_hard(made)}; nothing in a small sample tells of them.",
        f"With `--precision` it is {_least(until[until['world'] != 'made up'])} or more for real "
        f"differences, {_least(until[until['world'] == 'made up'])} for these made-up ones, and "
        f"{until.loc[until['metric'].isin(HARD), 'coverage'].min():.3f} with heavier tails.",
    ]
    return "\n".join([*lines, "", *said])


HARD = ("lognormal", "one in ten four times the others", "one in ten eleven times the others")
"""Made-up differences whose large ones a small sample does not show."""


def _least(rows: pd.DataFrame) -> str:
    return f"{rows.loc[~rows['metric'].isin(HARD), 'coverage'].min():.3f}"


def _hard(made: pd.DataFrame) -> str:
    least = made[made["n"] >= 10].groupby("metric")["coverage"].min()
    return ", ".join(f"{name} {least[name]:.2f}" for name in HARD)


def _read(path: Path) -> pd.DataFrame:
    table = pd.read_csv(path, dtype={"same": str})
    table["same"] = table["same"].astype(object).where(table["same"].notna(), "")
    return table.set_index(["metric", "model"])


def _from_to(values: pd.Series[float], places: int) -> str:
    low, high = f"{values.min():.{places}f}", f"{values.max():.{places}f}"
    return low if low == high else f"{low} to {high}"


def _apart_text(row: pd.Series[float]) -> str:
    low, high = row["low_difference"], row["high_difference"]
    return f"{row['difference']:+.4f} ({low:+.4f} to {high:+.4f})"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
