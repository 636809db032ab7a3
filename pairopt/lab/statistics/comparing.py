"""Comparing: means of models and paired differences between them, as tables."""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, Final

import numpy as np
import pandas as pd

from pairopt.common.holm import Values, correct_by_holm
from pairopt.errors import UsageError
from pairopt.event.arcs import IntArray
from pairopt.lab.arguments import (
    require,
    require_confidence,
    require_list,
    require_numbers,
)
from pairopt.lab.metrics.rounds import HISTOGRAMS, PAIRING, RANKING, about, bounds_of
from pairopt.lab.statistics.estimate import Estimate, estimate
from pairopt.lab.table import by_world, further

AVERAGED: Final = ("bye_points", "bye_groups", "group_distance")
SUMMED: Final = tuple(name for name in PAIRING if name not in (*AVERAGED, *HISTOGRAMS))
COLUMNS: Final = (*RANKING, *SUMMED, *AVERAGED, *HISTOGRAMS, "unbalanced")
"""What `per_tournament` has of each."""
ROUNDED: Final = 5e-6
"""How far two averages that are equal may lie apart: each round has 6 decimals, the average has
6 digits, and the difference of two models has the errors of both."""
AS_WRITTEN: Final = "averages_as_written"
"""The attribute of a table whose averages are compared as they are written: a study of pairopt 1.0,
which counted equal averages with different rounding errors as different."""
UNPAIRED: Final = ("infeasible", "unknown", "not played")
"""What a round without a pairing has as its status."""
KEYS: Final = ("model", "replicate", "round", "players")
"""Columns that each table of results has."""
OWN: Final = ("model", "engine", "status", "levels", "seconds")
"""Columns that models of one design may differ in."""


def per_tournament(frame: pd.DataFrame) -> pd.DataFrame:
    """One row a model and replicate: a study's table summed up over the rounds.

    Standings, side histograms and further metrics are those after the last round, counts of
    matches are summed over the rounds, distances and byes averaged. `unbalanced` is the number of
    players whose side difference is 2 or more at the end. A tournament that was not paired to the
    end has no values. Of several worlds the columns `world_...` are in front.
    """
    require_results(
        "per_tournament", frame, *KEYS, *RANKING, *HISTOGRAMS, *SUMMED, *AVERAGED
    )
    return _each_world(frame, _per_tournament)


def require_results(call: str, frame: object, *columns: str) -> None:
    """Raise UsageError unless the argument `frame` is a table of results with these columns."""
    example = 'frame=compare_models(["standard", "monrad"])'
    expected = f"a table as compare_models returns it, for example {example}"
    require(isinstance(frame, pd.DataFrame), call, "frame", frame, expected)
    assert isinstance(frame, pd.DataFrame)

    missing = [column for column in columns if column not in frame]
    if missing:
        raise UsageError(
            "lab.no_column", call=call, column=missing[0], expected=expected
        )


def _each_world(
    frame: pd.DataFrame, told: Callable[[pd.DataFrame], pd.DataFrame]
) -> pd.DataFrame:
    """What is told of the rows of each world, with the columns of the world in front."""
    parts = []
    for cells, rows in by_world(frame):
        part = told(rows)
        for place, (name, value) in enumerate(cells.items()):
            part.insert(place, name, value)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _per_tournament(frame: pd.DataFrame) -> pd.DataFrame:
    keys, last = (
        ["model", "replicate"],
        [*RANKING, *HISTOGRAMS, *further(map(str, frame.columns))],
    )
    ordered = frame.sort_values("round", kind="stable")
    groups = ordered.groupby(keys, sort=False)
    latest = groups.tail(1).set_index(keys)[last]
    sums = groups[list(SUMMED)].sum(min_count=1)
    numbers = np.asarray(groups.ngroup(), np.int64)
    averages = _averages(ordered, numbers, sums.index)
    table = pd.concat([latest, sums, averages], axis=1)
    uneven = [f"side_difference_{k}" for k in (2, 3, 4)]
    table["unbalanced"] = table[uneven].sum(axis=1, min_count=1)
    short = table.index.isin(pd.MultiIndex.from_frame(_ended_early(frame)[keys]))
    return table.where(pd.Series(~short, table.index)).reset_index()


def _averages(frame: pd.DataFrame, groups: IntArray, index: pd.Index) -> pd.DataFrame:
    """Average the columns `AVERAGED` by group, without missing values.

    pandas adds the same numbers in one way in a table of one tournament, and in another way in a
    longer table. The averages then differ in their last digit, and so may what is written of them.
    Here each group is added by itself, with Kahan's compensation.
    """
    columns = {}
    for name in AVERAGED:
        values = frame[name].to_numpy(np.float64, na_value=np.nan)
        is_known = ~np.isnan(values)
        columns[name] = mean_by_group(values[is_known], groups[is_known], len(index))
    return pd.DataFrame(columns, index)


def mean_by_group(values: Values, groups: IntArray, count: int) -> Values:
    """Average the values of each group by Kahan's summation, in their order; nan without values.

    Each pass adds the next value of every group.
    """
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups, minlength=count)
    starts = np.cumsum(sizes) - sizes
    sums = np.zeros(count)
    lost = np.zeros(count)
    for turn in range(int(sizes.max(initial=0))):
        here = np.flatnonzero(sizes > turn)
        added = values[order[starts[here] + turn]] - lost[here]
        total = sums[here] + added
        lost[here] = (total - sums[here]) - added
        sums[here] = total
    averages: Values = np.divide(
        sums, sizes, out=np.full(count, np.nan), where=sizes > 0
    )
    return averages


def ended_early(frame: pd.DataFrame) -> pd.DataFrame:
    """The tournaments that were not paired to the end: model, replicate, first round without."""
    require_results("ended_early", frame, *KEYS)
    return _each_world(frame, _ended_early)


def _ended_early(frame: pd.DataFrame) -> pd.DataFrame:
    unpaired = frame["players"].isna()
    if "status" in frame:
        unpaired |= frame["status"].isin(UNPAIRED)
    rounds = frame[unpaired].sort_values("round", kind="stable")
    first = rounds.drop_duplicates(["model", "replicate"])[
        ["model", "replicate", "round"]
    ]
    return first.sort_index().reset_index(drop=True)


def by_model(frame: pd.DataFrame, metrics: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Per metric that has values, a table of replicates by models: their mean over several worlds,
    which share their luck, if each has a value. Raises UsageError for an unknown metric.
    """
    table = per_tournament(frame)
    if strange := [metric for metric in metrics if metric not in table]:
        names = [*map(str, table.columns)]
        known = names[names.index("replicate") + 1 :]
        raise UsageError("metric.unknown", found=repr(strange[0]), metrics=known)
    models, worlds = list(dict.fromkeys(table["model"])), len(by_world(frame))
    both = (
        table.groupby(["model", "replicate"])[list(metrics)].sum(min_count=worlds)
        / worlds
    )
    known = [metric for metric in metrics if both[metric].notna().any()]
    return {
        metric: both.pivot_table(metric, "replicate", "model", dropna=False)[models]
        for metric in known
    }


def designs(frame: pd.DataFrame) -> dict[str, list[str]]:
    """Group models with identical results in every round of each tournament.

    The key of a group is its first model.
    """
    require_results("designs", frame, "model")
    compared = frame.drop(columns=[name for name in OWN if name in frame])
    row = pd.util.hash_pandas_object(compared, index=False)
    found: dict[bytes, list[str]] = {}
    for model, rows in row.groupby(frame["model"], sort=False):
        found.setdefault(rows.sort_values().to_numpy().tobytes(), []).append(str(model))
    return {names[0]: names for names in found.values()}


METRICS: Final = (
    "kendall",
    "spearman",
    "top_hits",
    "sos_spread",
    "rematches",
    "floats",
    "group_distance",
    "violations",
    "unbalanced",
    "bye_groups",
)
"""What is compared unless other columns are named; and all metrics of one's own."""
MetricRange = tuple[float, float]
NOTHING: Final = (np.empty(0), np.empty(0), 0.0)
Sample = tuple["Values", "Values", float]
"""Values or differences, all that is compared for them, and the width of the metric."""
Than = str | float  # what a model is compared with: another model, or a number


def means(
    frame: pd.DataFrame,
    metrics: Sequence[str] | None = None,
    *,
    confidence: float = 0.95,
    merge: bool = False,
) -> pd.DataFrame:
    """The mean over tournaments of each model and metric, with its confidence interval.

    Columns: model, metric, mean, low, high, n (tournaments paired to the end) and varied, how
    many of them have not the most frequent value. Each world of a grid has rows of its own, with
    its columns in front; with `merge` a replicate's mean over all is one observation.
    """
    require_results("means", frame, *KEYS)
    require_confidence("means", confidence)
    rows = []
    for cells, own in by_world(frame, merge):
        for metric, found in estimates(
            own, _selected_metrics(own, metrics, "means")
        ).items():
            inside = _range(own, metric)
            rows += [
                [*cells.values(), model, metric, *_told(one, confidence, inside)]
                for model, one in found.items()
            ]
    names = ["model", "metric", "mean", "low", "high", "n", "varied"]
    return pd.DataFrame(rows, columns=[*cells, *names])


def differences(
    frame: pd.DataFrame,
    baseline: str | None = None,
    metrics: Sequence[str] | None = None,
    *,
    confidence: float = 0.95,
    margins: Mapping[str, float] | None = None,
    merge: bool = False,
) -> pd.DataFrame:
    """Each model's paired difference to a baseline, by default the first model of the table.

    Columns: model, metric, difference, low, high, n, varied, p, p_holm. Only replicates that
    both models paired to the end count, n of them; `varied` do not have the most frequent
    difference. `p_holm` is for all models that are compared in a metric at once, those of equal
    pairings being one (see `designs`, `holm`). Worlds, and `merge`, are as in `means`.

    With `margins`, by metric, there are the columns margin and p_equivalent too: small where
    the difference is shown to be nearer to 0 than the margin. That all of several models are is
    shown at the level of the largest, without a correction (Berger, Technometrics 24, 1982).
    Raises UsageError for a baseline or a metric that is not there, or a margin of 0 or less.
    """
    require_results("differences", frame, *KEYS)
    require_confidence("differences", confidence)
    require_numbers("differences", "margins", margins, '{"kendall": 0.01}')
    chosen = baseline_of(frame, baseline)
    given = dict(margins or {})
    if wrong := [metric for metric, margin in given.items() if not 0 < margin < inf]:
        raise UsageError("study.margin_unfit", metric=wrong[0])
    wanted = list(
        dict.fromkeys([*_selected_metrics(frame, metrics, "differences"), *given])
    )
    rows = []
    for cells, own in by_world(frame, merge):
        design = {
            name: first for first, names in designs(own).items() for name in names
        }
        for metric, found in estimates(own, wanted, chosen).items():
            corrected = _holm_p_values(found, design, chosen)
            for model, one in found.items():
                told, margin = (
                    _told(one, confidence, apart(own, metric)),
                    given.get(metric, np.nan),
                )
                row = [*cells.values(), model, metric, *told, one.p, corrected[model]]
                rows.append([*row, margin, one.p_within(margin)] if given else row)
    names = [
        "model",
        "metric",
        "difference",
        "low",
        "high",
        "n",
        "varied",
        "p",
        "p_holm",
    ]
    names += ["margin", "p_equivalent"] if given else []
    return pd.DataFrame(rows, columns=[*cells, *names])


def _selected_metrics(
    frame: pd.DataFrame, metrics: Sequence[str] | None, call: str
) -> Sequence[str]:
    if metrics is None:
        return (*METRICS, *further(map(str, frame.columns)))
    require_list(call, "metrics", metrics, '["kendall", "floats"]')
    return metrics


def baseline_of(frame: pd.DataFrame, baseline: str | None = None) -> str:
    """The model to compare with, the first unless named. Raises UsageError for one not there."""
    models = list(dict.fromkeys(map(str, frame["model"])))
    if baseline is not None and baseline not in models:
        raise UsageError("study.baseline_unknown", model=repr(baseline), models=models)
    return models[0] if baseline is None else baseline


def estimates(
    frame: pd.DataFrame, metrics: Sequence[str], baseline: Than | None = None
) -> dict[str, dict[str, Estimate]]:
    """By metric that has values, and model: its mean, or its paired difference to a baseline."""
    return {
        metric: {model: estimate(*seen) for model, seen in found.items()}
        for metric, found in samples(frame, metrics, baseline).items()
    }


def samples(
    frame: pd.DataFrame, metrics: Sequence[str], baseline: Than | None = None
) -> dict[str, dict[str, Sample]]:
    """What each of `estimates` is made of."""
    found: dict[str, dict[str, Sample]] = {}

    for metric, table in by_model(frame, metrics).items():
        width = apart(frame, metric)[1]
        is_rounded = metric in AVERAGED and not frame.attrs.get(AS_WRITTEN, False)
        found[metric] = {}

        for model in map(str, table):
            if model == baseline:
                continue
            values, compared = _paired_values(table, model, baseline)
            if is_rounded:
                values, compared = join_equal(values), join_equal(compared)
            found[metric][model] = values, compared, width

    return found


def join_equal(values: Values) -> Values:
    """Give averages that differ by their rounding alone one value, their mean.

    The averages are fractions with small denominators, so different ones lie farther apart than
    `ROUNDED`.
    """
    if not len(values):
        return values

    order = np.argsort(values, kind="stable")
    begins = np.diff(values[order], prepend=values[order[0]]) > ROUNDED
    group = np.cumsum(begins)
    means = np.bincount(group, values[order]) / np.bincount(group)

    joined = np.empty_like(values)
    joined[order] = means[group]
    return joined


def _paired_values(
    table: pd.DataFrame, model: str, baseline: Than | None
) -> tuple[Values, Values]:
    """What is observed of a model, or of its difference, and all that is compared for that."""
    if not isinstance(baseline, str):
        own = table[model].dropna().to_numpy(np.float64)
        return own - (baseline or 0.0), own
    both = table[[baseline, model]].dropna().to_numpy(np.float64)
    return both[:, 1] - both[:, 0], both.ravel()


def _holm_p_values(
    found: Mapping[str, Estimate], design: Mapping[str, str], baseline: str
) -> dict[str, float]:
    """Holm's p-values by model, each design counted once."""
    one = {
        design[m]: e.p
        for m, e in found.items()
        if e.n and design[m] != design[baseline]
    }
    adjusted = dict(
        zip(one, correct_by_holm(np.array([*one.values()])).tolist(), strict=True)
    )
    return {model: adjusted.get(design[model], own.p) for model, own in found.items()}


def _told(found: Estimate, confidence: float, inside: MetricRange) -> list[Any]:
    return [found.mean, *found.limits(confidence, inside), found.n, found.varied]


def apart(frame: pd.DataFrame, metric: str) -> MetricRange:
    """The range of a difference in a metric."""
    least, most = _range(frame, metric)
    return least - most, most - least


def _range(frame: pd.DataFrame, metric: str) -> MetricRange:
    """What is `possible` in the largest tournament of a table whose metrics declare `ranges`."""
    own = frame.attrs.get("ranges", {}).get(metric)
    return possible(metric, int(frame["players"].max()), int(frame["round"].max()), own)


def possible(
    metric: str,
    players: int,
    rounds: int,
    declared: Sequence[float | str] | None = None,
) -> MetricRange:
    """The range of a metric in tournaments of so many players and rounds; infinite if unknown."""
    ranked = metric.startswith("kendall_")  # the tau of a ranking
    known = about("kendall" if ranked else metric).get("range", (-inf, inf))
    return bounds_of(declared or known, players, rounds)
