"""Intervals: what a study says with confidence, from its table alone.

A tournament is one observation; its rounds are not independent. Models are compared on the same
replicates, so differences are paired.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from pairopt.errors import UsageError
from pairopt.study.metrics import HISTOGRAMS, PAIRING, RANKING

if TYPE_CHECKING:
    import pandas as pd

Method = Literal["t", "bootstrap"]

SUMMED: Final = tuple(
    name for name in PAIRING if name not in ("bye_points", "bye_groups", "group_distance",
                                             *HISTOGRAMS)
)  # fmt: skip
AVERAGED: Final = ("bye_points", "bye_groups", "group_distance")
METRICS: Final = ("kendall", "spearman", "top_hits", "sos_spread", "rematches", "floats",
                  "group_distance", "violations", "unbalanced", "bye_groups")  # fmt: skip
"""What is compared unless other columns are named."""


def per_tournament(frame: pd.DataFrame) -> pd.DataFrame:
    """One row a model and replicate: a study's table summed up over the rounds.

    Standings and side histograms are those after the last round, counts of matches are summed
    over the rounds, distances and byes averaged. `unbalanced` is the number of players whose
    side difference is 2 or more at the end. A tournament that was not paired to the end has no
    values: what its rounds were like is no fair comparison.
    """
    import pandas as pd

    keys = ["model", "replicate"]
    groups = frame.sort_values("round", kind="stable").groupby(keys, sort=False)
    last = groups.tail(1).set_index(keys)[[*RANKING, *HISTOGRAMS]]
    table = pd.concat(
        [last, groups[list(SUMMED)].sum(min_count=1), groups[list(AVERAGED)].mean()], axis=1
    )
    table["unbalanced"] = table[[f"side_difference_{k}" for k in (2, 3, 4)]].sum(
        axis=1, min_count=1
    )
    whole = groups["players"].count() == groups["round"].count()
    if "status" in frame:
        bad = frame["status"].isin(["infeasible", "unknown", "not played"])
        whole &= ~bad.groupby([frame[key] for key in keys], sort=False).any()
    return table.where(whole.reindex(table.index)).reset_index()


def means(
    frame: pd.DataFrame,
    metrics: Sequence[str] = METRICS,
    *,
    confidence: float = 0.95,
    method: Method = "t",
) -> pd.DataFrame:
    """The mean over tournaments of each model and metric, with its confidence interval.

    Columns: model, metric, mean, low, high, n (tournaments paired to the end).
    """
    wide = _wide(frame, metrics)
    rows = (
        {"model": model, "metric": metric, **_interval(table[model], confidence, method, "mean")}
        for metric, table in wide.items()
        for model in map(str, table)
    )
    return _frame("mean", rows)


def differences(
    frame: pd.DataFrame,
    baseline: str | None = None,
    metrics: Sequence[str] = METRICS,
    *,
    confidence: float = 0.95,
    method: Method = "t",
) -> pd.DataFrame:
    """Each model's paired difference to a baseline, by default the first model of the table.

    Columns: model, metric, difference, low, high, n. Only replicates that both models paired to
    the end count, n of them. Intervals hold each for itself, not all at once. `method` is "t"
    (scipy.stats.ttest_1samp) or "bootstrap" (scipy.stats.bootstrap, BCa, 9,999 resamples of a
    fixed seed).

    Raises UsageError for a baseline that is not there.
    """
    wide = _wide(frame, metrics)
    models = list(dict.fromkeys(frame["model"]))
    chosen = models[0] if baseline is None else baseline
    if chosen not in models:
        raise UsageError(f"no model {chosen!r} in the results; models: {', '.join(models)}")
    rows = (
        {
            "model": model,
            "metric": metric,
            **_interval(table[model] - table[chosen], confidence, method, "difference"),
        }
        for metric, table in wide.items()
        for model in models
        if model != chosen
    )
    return _frame("difference", rows)


def scipy_stats() -> Any:
    """scipy.stats. Raises UsageError where scipy is not installed."""
    try:
        from scipy import stats
    except ImportError:
        raise UsageError('intervals need scipy: pip install "pairopt[study]"') from None
    return stats


def _wide(frame: pd.DataFrame, metrics: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Per metric that has values, a table of replicates by models."""
    table = per_tournament(frame)
    if strange := [metric for metric in metrics if metric not in table]:
        known = ", ".join(map(str, table.columns[2:]))
        raise UsageError(f"no metric {strange[0]!r}; metrics: {known}")
    models = list(dict.fromkeys(table["model"]))
    return {
        metric: table.pivot_table(metric, "replicate", "model", dropna=False)[models]
        for metric in metrics
        if table[metric].notna().any()
    }


def _frame(value: str, rows: Iterable[Mapping[str, object]]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(list(rows), columns=["model", "metric", value, "low", "high", "n"])


def _interval(
    values: pd.Series[float], confidence: float, method: Method, name: str
) -> dict[str, float]:
    """Mean and interval of the values that are there; no interval for fewer than two."""
    found = np.asarray(values.dropna(), np.float64)
    mean = float(found.mean()) if len(found) else np.nan
    low, high = (np.nan, np.nan) if len(found) < 2 else _limits(found, confidence, method)
    return {name: mean, "low": low, "high": high, "n": len(found)}


def _limits(values: NDArray[np.float64], confidence: float, method: Method) -> tuple[float, float]:
    stats = scipy_stats()
    if np.ptp(values) == 0:
        return float(values[0]), float(values[0])
    if method == "t":
        found = stats.ttest_1samp(values, 0).confidence_interval(confidence)
    else:
        found = stats.bootstrap(
            (values,), np.mean, confidence_level=confidence, rng=np.random.default_rng(0)
        ).confidence_interval
    return float(found.low), float(found.high)
