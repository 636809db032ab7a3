"""What the studies found, in words and tables, from the committed results alone."""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from itertools import pairwise
from math import isfinite
from pathlib import Path

import pandas as pd
from places import ROOT

from pairopt.lab.statistics.estimate import estimate
from pairopt.lab.studies.run import read_tournament_table
from pairopt.messages.formatting import count_noun

RESULTS = ROOT / "tests" / "benchmarks" / "results"
STUDIES = ROOT / "studies"
MOST_TOLD, MOST_NAMED = 14, 4


RERUNS = Path(__file__).parent / "reruns.toml"
SENTENCE = re.compile(
    r"(?P<claim>.*): difference (?P<difference>\S+) "
    r"\((?P<level>\d+)% interval (?P<interval>.*?)\), "
    r"n = (?P<n>\d+)(, of which (?P<varied>\d+) vary)?, p (?P<p>(< )?[\d.]+)"
)
"""The parts of a sentence about a claim, as results.json has it."""
VERDICTS = {"shown": "supported", "not shown": "**not supported**"}


def study(name: str, metrics: str) -> str:
    """Return the figure, the tables of claims and the means of a published study.

    `metrics` are separated by commas; each has the mean and its 95 % interval, one row per model
    and world.
    """
    folder = STUDIES / name
    claims = json.loads((folder / "results.json").read_text(encoding="utf-8"))["claims"]
    parts = rerun_lines(name)
    if (folder / "figures" / "claims-1.svg").is_file():
        parts.append(figure(name, claims))

    hypotheses = [claim for claim in claims if claim["asked"] == "hypothesis"]
    if hypotheses:
        supported = sum(claim["verdict"] == "shown" for claim in hypotheses)
        parts.append(
            f"**The data of the study *{name}* support {supported} of {len(hypotheses)} "
            "preregistered hypotheses:**"
        )
        parts.append(_claims_table(hypotheses, name))

    exploratory = [claim for claim in claims if claim["asked"] == "exploratory"]
    if exploratory:
        parts.append(
            "**The next comparisons are exploratory: they were not preregistered, and their p-values are "
            "not adjusted.**"
        )
        parts.append(_claims_table(exploratory, name))

    parts.append("**The next table has means with their 95% confidence intervals:**")
    return "\n\n".join([*parts, means(name, metrics)])


@cache
def study_file(name: str) -> dict[str, object]:
    """Return the content of a published study.toml."""
    return tomllib.loads((STUDIES / name / "study.toml").read_text(encoding="utf-8"))


def previous_run(name: str) -> dict[str, object] | None:
    """Return the run that a study repeats; None if it says none."""
    registration = study_file(name).get("registration", {})
    assert isinstance(registration, dict)
    return registration.get("previous")


def rerun_lines(name: str) -> list[str]:
    """Return a line for each time that a study was played again, with what changed."""
    seed = study_file(name)["seed"]
    reruns = tomllib.loads(RERUNS.read_text(encoding="utf-8"))["rerun"]
    lines = [
        f"**We ran the study *{name}* again on {rerun['again']}.** The first run was on "
        f"{rerun['first']}, and both runs have the seed {seed}. The tables of this study show the "
        f"second run. {rerun['changed']}"
        for rerun in reruns
        if name in rerun["studies"]
    ]
    for path in sorted(STUDIES.glob("*/results.json")):
        later = path.parent.name
        previous = previous_run(later)
        if previous is None or name not in (later, previous["name"]):
            continue
        later_file = study_file(later)
        registration = later_file["registration"]
        assert isinstance(registration, dict)
        lines.append(
            f"**The study *{later}* of {registration['date']} repeats an earlier study.** The earlier "
            f"study is *{previous['name']}* of {previous['date']}. The new seed is {later_file['seed']}, "
            f"and the old seed was {previous['seed']}. These settings changed between the two studies: "
            f"{previous['changed']}."
        )
    return lines


def figure(name: str, claims: list[dict[str, str | float]]) -> str:
    """Return the figure of the hypotheses, and how to read it."""
    hypotheses = [claim for claim in claims if claim["asked"] == "hypothesis"]
    return (
        f"![Differences with confidence intervals](../../studies/{name}/figures/claims-1.svg)\n\n"
        f"*The figure of the study {name} shows the confidence intervals of "
        f"{count_noun(len(hypotheses), 'hypothesis', 'hypotheses')}. Each hypothesis has one line, and "
        "a short bar on this line marks the margin of the hypothesis.*"
    )


def _claims_table(claims: list[dict[str, str | float]], name: str) -> str:
    """Return a table of claims.

    Of many hypotheses it has all that are not supported, and of the others the one with the
    largest p-value.
    """
    listed = claims
    if len(claims) > MOST_TOLD:
        shown = [claim for claim in claims if claim["verdict"] == "shown"]
        least = max(shown, key=lambda claim: claim["p_holm"], default=None)
        listed = [
            claim for claim in claims if claim is least or claim["verdict"] != "shown"
        ]
    is_hypothesis = claims[0]["asked"] == "hypothesis"
    heads = ["hypothesis" if is_hypothesis else "comparison", "difference"]
    heads += ["confidence interval", "n", "p (Holm)" if is_hypothesis else "p"]
    has_control = any("control" in claim for claim in claims)
    if has_control:
        heads += ["negative control", "margin / control"]
    heads += ["result"] * is_hypothesis
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    lines += [claim_row(claim, has_control) for claim in listed]
    if len(listed) < len(claims):
        lines += [
            "",
            f"The data also support {len(claims) - len(listed)} further hypotheses. Their p-values are at "
            "most as large as the p-value of the supported hypothesis in the table. "
            f"The file `studies/{name}/sentences.md` lists all hypotheses.",
        ]
    return "\n".join(lines)


def claim_row(claim: dict[str, str | float], has_control: bool = False) -> str:
    """Return the row of a claim, with the numbers of its published sentence.

    With `has_control` the row has the effect of the negative control, too.
    """
    parts = SENTENCE.match(str(claim["sentence"]))
    if parts is None:
        cells = [str(claim["sentence"]).partition(":")[0], "", "", "0", ""]
    else:
        varied = "" if parts["varied"] is None else f" ({parts['varied']} vary)"
        interval = f"{parts['interval']} ({parts['level']}%)"
        cells = [parts["claim"], parts["difference"], interval]
        cells += [f"{parts['n']}{varied}", parts["p"]]
    if has_control:
        cells += _control_cells(claim)
    if claim["asked"] == "hypothesis":
        cells.append(VERDICTS[str(claim["verdict"])])
    return f"| {' | '.join(cells)} |"


def _control_cells(claim: dict[str, str | float]) -> list[str]:
    """Return the effect of the negative control, and the margin as a share of this effect."""
    if "control" not in claim:
        return ["", ""]
    effect = float(claim["control_difference"])
    low = float(claim["control_low"])
    high = float(claim["control_high"])
    share = abs(float(claim["margin"]) / effect)
    return [f"{effect:+.4g} ({low:+.4g} to {high:+.4g}, 90%)", f"{share:.0%}"]


def differences(name: str, named: str) -> str:
    """Return the differences of a model in one metric, by one or two settings of the grid.

    `named` has the model, the metric, the setting of the rows and perhaps that of the columns.
    """
    model, metric, *settings = named.split(", ")
    table = pd.read_csv(STUDIES / name / "differences.csv")
    table = table[(table["model"] == model) & (table["metric"] == metric)]
    row_setting = f"world_{settings[0]}"
    told = [
        f"{row.difference:+.4f} ({row.low:+.4f} to {row.high:+.4f})"
        for row in table.itertuples()
    ]
    table = table.assign(told=told)
    if len(settings) == 1:
        lines = [f"| {settings[0]} | difference (95%) | n |", "|---|---|---|"]
        lines += [
            f"| {row[row_setting]} | {row['told']} | {row['n']} |"
            for row in table.to_dict("records")
        ]
        return "\n".join(lines)
    column_setting = f"world_{settings[1]}"
    columns = [*dict.fromkeys(table[column_setting])]
    heads = [f"{settings[1]} {value}" for value in columns]
    lines = [
        f"| {settings[0]} | {' | '.join(heads)} |",
        "|---" * (len(heads) + 1) + "|",
    ]
    for value, own in table.groupby(row_setting, sort=False):
        by_column = own.set_index(column_setting)["told"]
        cells = [str(by_column[column]) for column in columns]
        lines.append(f"| {value} | {' | '.join(cells)} |")
    return "\n".join(lines)


def models_by_world(names: str, metric: str) -> str:
    """Return the differences of all models to the baseline in one metric, a column per world.

    `names` are studies with a space between them.
    """
    columns: dict[str, dict[str, str]] = {}
    for name in names.split():
        table = pd.read_csv(STUDIES / name / "differences.csv")
        table = table[table["metric"] == metric]
        for row in table.to_dict("records"):
            world = f"`{row['world_base']}`" if "world_base" in row else f"*{name}*"
            column = columns.setdefault(f"{world} (n = {row['n']})", {})
            column[f"`{row['model']}`"] = (
                f"{row['difference']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f})"
            )
    lines = [f"| model | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for model in dict.fromkeys(
        model for column in columns.values() for model in column
    ):
        cells = [column.get(model, "") for column in columns.values()]
        lines.append(f"| {model} | {' | '.join(cells)} |")
    return "\n".join(lines)


def orders_control_text() -> str:
    """Random pairing in the first study of orders, whose claims had no control, with its margin."""
    table = read_tournament_table(STUDIES / "orders")
    (margin,) = {
        claim["margin"]
        for claim in study_file("orders")["hypotheses"]  # type: ignore[attr-defined]
        if claim["claim"] == "near"
    }
    lines = [
        "| rounds | random pairing, difference to Excalibur (90%) | n | margin | margin / difference "
        "| random pairing passes the equivalence test |",
        "|---|---|---|---|---|---|",
    ]
    for rounds, own in table.groupby("world_rounds"):
        tau = own.pivot_table("kendall", "replicate", "model")
        differences = (tau["random"] - tau["excalibur"]).to_numpy()
        compared = tau[["random", "excalibur"]].to_numpy().ravel()
        found = estimate(differences, compared, 2.0)
        low, high = found.limits(0.9)
        is_within = -margin < low and high < margin
        cells = [
            f"{rounds}",
            f"{found.mean:+.4f} ({low:+.4f} to {high:+.4f})",
            f"{found.n}",
            f"{margin:g}",
            f"{margin / abs(found.mean):.0%}",
            "yes" if is_within else "no",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def margins_text() -> str:
    """The equivalence margins of studies without a control that also played random pairing."""
    lines = [
        "| study | world | metric | margin | random pairing (95%) | margin / random pairing |",
        "|---|---|---|---|---|---|",
    ]
    for path in sorted(STUDIES.glob("*/hypotheses.csv")):
        name = path.parent.name
        if "control" in study_file(name):
            continue
        claims = pd.read_csv(path)
        claims = claims[(claims["claim"] == "near") & (claims["asked"] == "hypothesis")]
        claims = claims[claims["than"] == _baseline(name)]
        table = pd.read_csv(path.parent / "differences.csv")
        table = table[(table["model"] == "random") & (_is_shipped_random(name))]
        for metric, own in claims.groupby("metric", sort=False):
            margin = float(own["margin"].max())
            for row in table[table["metric"] == metric].to_dict("records"):
                settings = [
                    f"{key.removeprefix('world_')} {value}"
                    for key, value in row.items()
                    if str(key).startswith("world_")
                ]
                effect = f"{row['difference']:+.4g} ({row['low']:+.4g} to {row['high']:+.4g})"
                share = f"{margin / abs(row['difference']):.0%}"
                cells = [name, ", ".join(settings), f"`{metric}`", f"{margin:g}"]
                lines.append(f"| {' | '.join([*cells, effect, share])} |")
    return "\n".join(lines)


def _baseline(name: str) -> str:
    """Return the baseline of a published study: its first model, without the file's ending."""
    models = study_file(name)["models"]
    assert isinstance(models, list)
    baseline = study_file(name).get("baseline", models[0])
    return str(baseline).removesuffix(".toml")


def _is_shipped_random(name: str) -> bool:
    """Return whether the study's model random is pairopt's random pairing, not a file."""
    models = study_file(name)["models"]
    assert isinstance(models, list)
    return "random" in models


def means(name: str, named: str) -> str:
    """The means of a study alone; models with the same numbers in one row."""
    metrics = named.split(", ")
    table = pd.read_csv(STUDIES / name / "means.csv", keep_default_na=False)
    worlds = [name for name in table if str(name).startswith("world_")]
    told = {
        (*keys, row.metric): f"{row.mean:.4g}{_interval(row.low, row.high)}"
        for row in table.itertuples()
        for keys in [
            (*(str(getattr(row, name)) or "unrated" for name in worlds), str(row.model))
        ]
    }
    rows: dict[tuple[str, ...], list[str]] = {}
    for key in dict.fromkeys(key[:-1] for key in told):
        cells = [told.get((*key, metric), "") for metric in metrics]
        same = (*key[:-1], *cells)
        rows.setdefault(same, []).append(f"`{key[-1]}`")
    heads = [
        *(name.removeprefix("world_") for name in worlds),
        "model",
        *(f"{metric} (95%)" for metric in metrics),
    ]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    cut = len(worlds)
    lines += [
        f"| {' | '.join([*same[:cut], _some(models), *same[cut:]])} |"
        for same, models in rows.items()
    ]
    return "\n".join(lines)


def _interval(low: float, high: float) -> str:
    """Return the interval in brackets; constant values of unknown range have none."""
    return f" ({low:.4g} to {high:.4g})" if isfinite(high - low) else " (constant)"


def _some(models: list[str]) -> str:
    few = models[:MOST_NAMED]
    return ", ".join(few) + (
        f" and {len(models) - len(few)} more" if models[len(few) :] else ""
    )


def coverage_text() -> str:
    """How often the intervals hold the truth, and how many tournaments they need."""
    table = pd.read_csv(RESULTS / "coverage.csv")
    made = table[table["world"] == "made up"]
    near = table[(table["world"] != "made up") & (table["of"] == "difference")]
    lines = [
        "| tournaments that differ | cases | Student's t, n = 20 | pairopt, n = 5 to 15 | n = 20 "
        "| n = 50 | n = 100 | n = 300 | width / Student's, n = 20 | n = 100 |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    kinds = {
        f"{low:.0%} to {high:.0%}": near[(near["vary"] > low) & (near["vary"] <= high)]
        for low, high in pairwise((0, 0.05, 0.2, 0.4, 0.8, 1))
    }
    always = made[made["model"] == "1 of tournaments"]
    kinds |= {
        f"all: {kind}": always[always["metric"] == kind]
        for kind in ("normal", "Laplace", "exponential")
    }
    for name, own in kinds.items():
        n = own["n"]
        cells = [f"{own.groupby(['world', 'model', 'metric']).ngroups}"]
        cells += [_range(own.loc[n == 20, "student"])]
        cells += [
            _range(own.loc[chosen, "coverage"])
            for chosen in (n < 20, n == 20, n == 50, n == 100, n == 300)
        ]
        for size in (20, 100):
            wide = own[(n == size) & (own["student_half_width"] > 0)]
            ratio = (wide["half_width"] / wide["student_half_width"]).median()
            cells.append(f"{ratio:.2f}" if len(wide) else "-")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    rare = made[(made["n"] >= 10) & (made["vary"] < 0.25)]
    easy = ~rare["metric"].isin(HARD)
    skewed = always[always["n"] == 20]
    intro = (
        "**The next table has the coverage of nominal 95% intervals.** Each cell has the lowest and "
        "the highest coverage of a group of simulations. In total, we made "
        f"{len(table):,} simulations. The first five rows of the table resample differences of the "
        "published studies. The column *cases* has the number of resampled differences. In the last "
        "three rows of the table, the differences have an artificial distribution, and both models "
        "differ in all tournaments."
    )
    rare_text = (
        "If two models differ in few tournaments, the coverage is above 95%. The reason is that the "
        "pseudo-observations allow for differences that did not occur. If artificial "
        "differences occur in 0.5% to 10% of the tournaments, the coverage is at least "
        f"{rare.loc[easy, 'coverage'].min():.3f} from "
        "n = 10 on. If rare artificial differences have heavy tails, the coverage falls to "
        f"{rare.loc[~easy, 'coverage'].min():.2f}. The reason is that large and rare "
        "differences often do not occur in a small sample."
    )
    skewed_lines = [
        "The next table has the coverage for skewed distributions of the differences. Each sample has "
        "20 tournaments, and the two models differ in all of them.",
        "",
        "| distribution | coverage, pairopt | Student's t |",
        "|---|---|---|",
        *(
            f"| {DISTRIBUTIONS.get(row['metric'], row['metric'])} | {row['coverage']:.3f} "
            f"| {row['student']:.3f} |"
            for row in skewed[skewed["metric"].isin(TOLD)].to_dict("records")
        ),
    ]
    parts = [intro, "\n".join(lines), rare_text, "\n".join(skewed_lines)]
    parts += _bootstrap_text()
    return "\n\n".join([*parts, *_until_text()])


def _bootstrap_text() -> list[str]:
    """How often the BCa bootstrap holds the truth, beside pairopt's and Student's intervals."""
    table = pd.read_csv(RESULTS / "coverage-bootstrap.csv")
    is_made = table["world"] == "made up"
    kinds = {
        "published studies, at least 40% differ": ~is_made & (table["vary"] >= 0.4),
        "published studies, fewer differ": ~is_made & (table["vary"] < 0.4),
    }
    for share, words in (
        ("1 of tournaments", "all differ"),
        ("0.1 of tournaments", "one in ten differs"),
    ):
        for name in ("normal", "exponential", "lognormal"):
            kinds[f"{name}, {words}"] = (
                is_made & (table["model"] == share) & (table["metric"] == name)
            )
    sizes = [*dict.fromkeys(table["n"])]
    methods = {"coverage": "pairopt", "student": "Student", "bca": "BCa"}
    heads = [f"{words}, n = {n}" for n in sizes for words in methods.values()]
    lines = [f"| differences | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for name, chosen in kinds.items():
        own = table[chosen]
        cells = [
            f"{own.loc[own['n'] == n, method].mean():.3f}"
            for n in sizes
            for method in methods
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    made = table[is_made & (table["n"] == sizes[0])]
    intro = (
        "**We compared the intervals with the BCa bootstrap.** The next table has the mean coverage "
        "of three nominal 95% intervals for the same samples: pairopt's, Student's and the BCa "
        "bootstrap's. The bootstrap is `scipy.stats.bootstrap` with 999 resamples (Efron, *Journal "
        "of the American Statistical Association* 82, 1987). If all values of a sample are equal, "
        "the BCa interval has no width."
    )
    lowest = made.sort_values("bca").iloc[0]
    share = float(str(lowest["model"]).split()[0])
    many = table[~is_made & (table["vary"] >= 0.4)]
    ratios = (many["half_width"] / many["bca_half_width"]).groupby(many["n"]).median()
    widths = ", ".join(f"{ratio:.2f} with n = {n}" for n, ratio in ratios.items())
    outro = (
        f"With {sizes[0]} tournaments and models that differ in {share:.0%} of them, the BCa bootstrap "
        f"has its lowest coverage: {lowest['bca']:.2f} for artificial differences. In the same "
        "samples, pairopt's confidence interval has a coverage of "
        f"{lowest['coverage']:.2f}. Intervals of pairopt are wider than those of the bootstrap. In published studies, we took the differences of "
        "which at least 40% are not 0. For these, the ratio of the half-widths is "
        f"{widths}."
    )
    return [intro, "\n".join(lines), outro]


def _range(values: pd.Series[float]) -> str:
    return (
        f"{values.min():.2f} to {values.max():.2f}"
        if len(values) > 1
        else f"{values.min():.3f}"
    )


def _until_text() -> list[str]:
    """How long the rule that stops plays and what it covers, with the previous rule's figures."""
    until = pd.read_csv(RESULTS / "coverage-precision.csv")
    until["times"] = until["tournaments"] / until["students"]
    kinds = {
        "published studies, at least 40% differ": (until["world"] != "made up")
        & (until["vary"] >= 0.4),
        "published studies, fewer differ": (until["world"] != "made up")
        & (until["vary"] < 0.4),
    }
    always = until["model"] == "1 of tournaments"
    kinds |= {
        f"{DISTRIBUTIONS.get(name, name)}, all differ": always
        & (until["metric"] == name)
        for name in ("normal", "Laplace", *TOLD)
    }
    rare = until["model"] == "0.1 of tournaments"
    kinds |= {
        f"{DISTRIBUTIONS.get(name, name)}, one in ten differs": rare
        & (until["metric"] == name)
        for name in ("one", "normal", "exponential")
    }
    lines = [
        "| differences | tournaments / Student's, previous rule | now | coverage, previous rule "
        "| now |",
        "|---|---|---|---|---|",
    ]
    for name, chosen in kinds.items():
        rules = [until[chosen & (until["rule"] == rule)] for rule in ("before", "here")]
        cells = [f"{own['times'].mean():.2f}" for own in rules]
        cells += [
            f"{own['coverage'].mean():.3f} (lowest {own['coverage'].min():.2f})"
            for own in rules
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    intro = (
        "**The next table has the coverage with `--precision`.** The column *tournaments / Student's* "
        "is a ratio: the number of tournaments that the stopping rule needs, divided by the number "
        "after which Student's interval has the same half-width. The column *previous rule* is for "
        "the stopping rule of an earlier version of pairopt. The column *now* is for the "
        "stopping rule of this version of pairopt."
    )
    return [intro, "\n".join(lines)]


HARD = (
    "lognormal",
    "one in ten four times the others",
    "one in ten eleven times the others",
)
"""Made-up differences whose large ones a small sample does not show."""
TOLD = ("exponential", "chi-squared with 3", "geometric", "lognormal")
"""Skewed ones."""
DISTRIBUTIONS = {
    "chi-squared with 3": "chi-squared, 3 degrees of freedom",
    "one": "constant",
}
"""Names of distributions on the page, if they differ from those in the results."""


def luck_text() -> str:
    """How much the variance changes with other uses of the same random numbers."""
    table = pd.read_csv(RESULTS / "pairing-of-luck.csv")
    columns = {
        "correlation": "correlation",
        "by_pair": "one result per pair",
        "unpaired": "variance: independent",
        "variance_by_pair": "one result per pair",
        "variance_antithetic": "antithetic",
        "variance_strengths": "control: strengths",
        "variance_third_model": "control: third model",
    }
    lines = [f"| metric | models | {' | '.join(columns.values())} |", "|---" * 9 + "|"]
    for row in table.to_dict("records"):
        cells = " | ".join(
            "-" if row[name] != row[name] else f"{row[name]:.2f}" for name in columns
        )
        lines.append(f"| {row['metric']} | {row['models']} | {cells} |")
    parts = [name for name in columns if name.startswith("variance")]
    halved = int((table[parts] <= 0.5).any(axis=1).sum())
    intro = (
        "In the next table, the first two columns of numbers have the correlation between the values "
        "of the two models. The other columns have the variance of the mean difference, divided by "
        "the variance with common random numbers. We simulated "
        f"{table['n'].iloc[0]} tournaments of 32 players and 7 rounds. In the column "
        "*independent*, the models have no common random numbers. A variance below 1 means that the "
        "alternative is better than common random numbers."
    )
    result = (
        f"With an alternative, {halved} of {len(table)} differences have half the variance or less. "
        f"The lowest ratio of variances is {table[parts].min().min():.2f}."
    )
    return "\n\n".join([intro, "\n".join(lines), result])
