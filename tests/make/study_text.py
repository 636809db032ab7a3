"""What the studies found, in words and tables, from the committed results alone."""

from __future__ import annotations

import json
from math import isfinite

import pandas as pd
from places import ROOT

RESULTS = ROOT / "tests" / "benchmarks" / "results"
STUDIES = ROOT / "studies"
MOST_TOLD, MOST_NAMED = 14, 4


def study(name: str, metrics: str) -> str:
    """A published study: what was asked and found, in its own sentences, then means.

    `metrics` are named with commas; each has the mean and its 95 % interval, a row a model and
    world.
    """
    folder = STUDIES / name
    claims = json.loads((folder / "results.json").read_text(encoding="utf-8"))["claims"]
    parts = []
    for asked, heading in (("hypothesis", "Hypotheses"), ("exploratory", "Looked at besides")):
        told = [each for each in claims if each["asked"] == asked]
        if told:
            shown = sum(each["verdict"] == "shown" for each in told)
            count = f": {shown} of {len(told)} are shown" if asked == "hypothesis" else ""
            parts.append(f"**{heading}{count}.**\n\n{_told(told, name)}")
    return "\n\n".join([*parts, means(name, metrics)])


def _told(claims: list[dict[str, str | float]], name: str) -> str:
    """The sentences; of many that are shown only the one that is least sure."""
    lines = [f"- {each['sentence']}" for each in claims]
    if len(claims) > MOST_TOLD:
        shown = [each for each in claims if each["verdict"] == "shown"]
        least = max(shown, key=lambda each: each["p_holm"], default=None)
        lines = [line for line, each in zip(lines, claims, strict=True)
                 if each is least or each not in shown]  # fmt: skip
        lines.append(f"- ... and the others, each in `studies/{name}/sentences.md`")
    return "\n".join(lines)


def means(name: str, named: str) -> str:
    """The means of a study alone; models with the same numbers in one row."""
    metrics = named.split(", ")
    table = pd.read_csv(STUDIES / name / "means.csv", keep_default_na=False)
    worlds = [name for name in table if str(name).startswith("world_")]
    told = {
        (*keys, row.metric): f"{row.mean:.4g}{_interval(row.low, row.high)}"
        for row in table.itertuples()
        for keys in [(*(str(getattr(row, name)) or "unrated" for name in worlds), str(row.model))]
    }
    rows: dict[tuple[str, ...], list[str]] = {}
    for key in dict.fromkeys(key[:-1] for key in told):
        cells = [told.get((*key, metric), "") for metric in metrics]
        same = (*key[:-1], *cells)
        rows.setdefault(same, []).append(f"`{key[-1]}`")
    heads = [*(name.removeprefix("world_") for name in worlds), "model",
             *(f"{metric} (95 %)" for metric in metrics)]  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    cut = len(worlds)
    lines += [f"| {' | '.join([*same[:cut], _some(models), *same[cut:]])} |"
              for same, models in rows.items()]  # fmt: skip
    return "\n".join(lines)


def _interval(low: float, high: float) -> str:
    """In brackets; where nothing varies and no range is known there is none."""
    return f" ({low:.4g} to {high:.4g})" if isfinite(high - low) else ", always"


def _some(models: list[str]) -> str:
    few = models[:MOST_NAMED]
    return ", ".join(few) + (f" and {len(models) - len(few)} more" if models[len(few) :] else "")


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
