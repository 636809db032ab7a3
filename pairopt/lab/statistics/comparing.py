"""Means of models and paired differences between them, as tables."""

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
from pairopt.lab.metrics.rounds import (
    HISTOGRAMS,
    PAIRING,
    RANKING,
    look_up_metric,
    resolve_bounds,
)
from pairopt.lab.statistics.estimate import Estimate, estimate
from pairopt.lab.table import by_world, list_further_metrics

AVERAGED: Final = ("bye_points", "bye_groups", "group_distance")
SUMMED: Final = tuple(name for name in PAIRING if name not in (*AVERAGED, *HISTOGRAMS))
COLUMNS: Final = (*RANKING, *SUMMED, *AVERAGED, *HISTOGRAMS, "unbalanced")
"""The metrics of `per_tournament`."""
ROUNDED: Final = 5e-6
"""How far two averages that are equal may lie apart: each round has 6 decimals, the average has
6 digits, and the difference of two models has the errors of both."""
AS_WRITTEN: Final = "averages_as_written"
"""The attribute of a table whose averages are compared as they are written: a study of pairopt 1.0,
which counted equal averages with different rounding errors as different."""
UNPAIRED: Final = ("infeasible", "unknown", "not played")
"""The values of `status` of a round without a pairing."""
KEYS: Final = ("model", "replicate", "round", "players")
"""Columns that each table of results has."""
PROGRAM_COLUMNS: Final = ("model", "engine", "status", "levels", "seconds")
"""Columns that models of one design may differ in."""


def per_tournament(frame: pd.DataFrame) -> pd.DataFrame:
    """Summarise the table of a study: one row per model and simulated tournament.

    Metrics of the standings have the value after the last round. Histograms of sides
    and your own metrics also have the value after the last round. `per_tournament` adds
    up counts of matches over all rounds. For distances and byes, `per_tournament` takes
    the mean over all rounds. The column `unbalanced` counts the players who have a side
    difference of 2 or more at the end.

    Parameters
    ----------
    frame
        The table of `compare_models`.

    Returns
    -------
    DataFrame
        One row per tournament. If a tournament was not paired to the end, its row has
        no values. If the study has several simulation scenarios, the columns whose
        names begin with `world_` come first.

    Raises
    ------
    UsageError
        If the table is not one that `compare_models` returns.

    Examples
    --------
    >>> from pairopt.lab import World, compare_models
    >>> frame = compare_models(["standard"], World(players=8, rounds=3), replicates=2)
    >>> len(per_tournament(frame))
    2
    """
    require_results(
        "per_tournament", frame, *KEYS, *RANKING, *HISTOGRAMS, *SUMMED, *AVERAGED
    )
    return _each_world(frame, _summarize_tournaments)


def require_results(call: str, frame: object, *columns: str) -> None:
    """Raise UsageError unless the argument `frame` is a table with these columns.

    `call` is the function that has the argument `frame`; the message names it, and the
    first column that is missing.
    """
    example_text = 'frame=compare_models(["standard", "monrad"])'
    expected_text = f"a table as compare_models returns it, for example {example_text}"
    require(isinstance(frame, pd.DataFrame), call, "frame", frame, expected_text)
    assert isinstance(frame, pd.DataFrame)

    missing_columns = [
        required_column for required_column in columns if required_column not in frame
    ]
    if missing_columns:
        raise UsageError(
            "lab.no_column",
            call=call,
            column=missing_columns[0],
            expected=expected_text,
        )


def _each_world(
    frame: pd.DataFrame, summarize: Callable[[pd.DataFrame], pd.DataFrame]
) -> pd.DataFrame:
    """Call `summarize` for the rows of each world, and join its tables to one.

    `frame` is the table of rounds. The columns that distinguish the worlds are inserted
    in front, in place, into each table that `summarize` returns.
    """
    world_summaries = []
    for world_cells, world_rows in by_world(frame):
        world_summary = summarize(world_rows)
        for column_position, (setting_column, setting_value) in enumerate(
            world_cells.items()
        ):
            world_summary.insert(column_position, setting_column, setting_value)
        world_summaries.append(world_summary)
    return pd.concat(world_summaries, ignore_index=True)


def _summarize_tournaments(frame: pd.DataFrame) -> pd.DataFrame:
    """Summarise the rows of one world to one row per model and replicate.

    `frame` has the rows of rounds. Standings metrics, histograms of sides and further
    metrics have the value after the last round. Counts of matches are added up, and
    bye_points, bye_groups and group_distance averaged over all rounds. `unbalanced`
    counts players with a side difference of 2 or more at the end. If a tournament was
    not paired to the end, its row has no values.
    """
    key_columns = ["model", "replicate"]
    final_columns = [
        *RANKING,
        *HISTOGRAMS,
        *list_further_metrics(map(str, frame.columns)),
    ]
    rows_by_round = frame.sort_values("round", kind="stable")
    tournament_groups = rows_by_round.groupby(key_columns, sort=False)
    final_values = tournament_groups.tail(1).set_index(key_columns)[final_columns]
    column_sums = tournament_groups[list(SUMMED)].sum(min_count=1)
    group_numbers = np.asarray(tournament_groups.ngroup(), np.int64)
    average_columns = _average_by_group(rows_by_round, group_numbers, column_sums.index)
    # a copy joins the columns: pandas warns of a table with many separate ones
    tournament_table = pd.concat(
        [final_values, column_sums, average_columns], axis=1
    ).copy()
    unbalanced_columns = [
        f"side_difference_{side_difference}" for side_difference in (2, 3, 4)
    ]
    tournament_table["unbalanced"] = tournament_table[unbalanced_columns].sum(
        axis=1, min_count=1
    )

    early_keys = pd.MultiIndex.from_frame(_ended_early(frame)[key_columns])
    is_paired_to_end = pd.Series(
        ~tournament_table.index.isin(early_keys), tournament_table.index
    )
    return tournament_table.where(is_paired_to_end).reset_index()


def _average_by_group(
    frame: pd.DataFrame, groups: IntArray, index: pd.Index
) -> pd.DataFrame:
    """Average the columns of byes and distances by group of rows.

    `groups` has the group of each row, from 0, and `index` a label for each group,
    which the rows of the result have. `frame` has the rows. The columns are bye_points,
    bye_groups and group_distance. Missing values do not count; a group without values
    has nan. pandas sums numbers in an order that depends on the length of the table, so
    its averages can differ in the last digit. Here each group is summed by itself, with
    Kahan's compensation.
    """
    averages_by_column = {}
    for averaged_column in AVERAGED:
        column_values = frame[averaged_column].to_numpy(np.float64, na_value=np.nan)
        is_known = ~np.isnan(column_values)
        averages_by_column[averaged_column] = mean_by_group(
            column_values[is_known], groups[is_known], len(index)
        )
    return pd.DataFrame(averages_by_column, index)


def mean_by_group(values: Values, groups: IntArray, count: int) -> Values:
    """Average the values of each group by Kahan's summation, in their order.

    `groups` has the group of each value, from 0, and `count` is the number of groups.
    The result has shape (count,), nan for a group without values. Values have to be
    finite.
    """
    value_positions_by_group = np.argsort(groups, kind="stable")
    group_sizes = np.bincount(groups, minlength=count)
    group_starts = np.cumsum(group_sizes) - group_sizes
    group_sums = np.zeros(count)
    compensations = np.zeros(count)
    for value_number in range(int(group_sizes.max(initial=0))):
        active_groups = np.flatnonzero(group_sizes > value_number)
        next_values = (
            values[value_positions_by_group[group_starts[active_groups] + value_number]]
            - compensations[active_groups]
        )
        new_sums = group_sums[active_groups] + next_values
        compensations[active_groups] = (
            new_sums - group_sums[active_groups]
        ) - next_values
        group_sums[active_groups] = new_sums
    group_averages: Values = np.divide(
        group_sums, group_sizes, out=np.full(count, np.nan), where=group_sizes > 0
    )
    return group_averages


def ended_early(frame: pd.DataFrame) -> pd.DataFrame:
    """List the tournaments of a study in which a round had no pairing.

    Parameters
    ----------
    frame
        The table of `compare_models`.

    Returns
    -------
    DataFrame
        One row per tournament that ended early: the model, the replicate, and the first
        round without a pairing.

    Raises
    ------
    UsageError
        If the table is not one that `compare_models` returns.

    Examples
    --------
    >>> from pairopt.lab import World, compare_models
    >>> frame = compare_models(["standard"], World(players=8, rounds=3), replicates=2)
    >>> ended_early(frame).empty
    True
    """
    require_results("ended_early", frame, *KEYS)
    return _each_world(frame, _ended_early)


def _ended_early(frame: pd.DataFrame) -> pd.DataFrame:
    """List the tournaments of one world that were not paired to the end.

    `frame` has the rows of rounds. A row of the result has the model, the replicate,
    and the first round without a pairing. Rows are in the order of the table.
    """
    is_unpaired = frame["players"].isna()
    if "status" in frame:
        is_unpaired |= frame["status"].isin(UNPAIRED)
    unpaired_rounds = frame[is_unpaired].sort_values("round", kind="stable")
    first_unpaired = unpaired_rounds.drop_duplicates(["model", "replicate"])
    key_cells = first_unpaired[["model", "replicate", "round"]]
    return key_cells.sort_index().reset_index(drop=True)


def tabulate_by_model(
    frame: pd.DataFrame, metrics: Sequence[str]
) -> dict[str, pd.DataFrame]:
    """Return for each metric with values a table of replicates by models.

    `frame` is the table of rounds. The rows are replicates, the columns models in their
    order in `frame`. With several worlds, which share their random numbers, a cell is
    the mean over the worlds, missing if one of them has no value. Metrics without any
    value are left out. Raises UsageError for an unknown metric.
    """
    tournament_table = per_tournament(frame)
    unknown_metrics = [metric for metric in metrics if metric not in tournament_table]
    if unknown_metrics:
        column_names = [*map(str, tournament_table.columns)]
        known_metrics = column_names[column_names.index("replicate") + 1 :]
        raise UsageError(
            "metric.unknown", found=repr(unknown_metrics[0]), metrics=known_metrics
        )

    models = list(dict.fromkeys(tournament_table["model"]))
    world_count = len(by_world(frame))
    replicate_groups = tournament_table.groupby(["model", "replicate"])[list(metrics)]
    averages = replicate_groups.sum(min_count=world_count) / world_count

    table_of_metric = {}
    for metric in metrics:
        if averages[metric].notna().any():
            replicate_table = averages.pivot_table(
                metric, "replicate", "model", dropna=False
            )
            table_of_metric[metric] = replicate_table[models]
    return table_of_metric


def designs(frame: pd.DataFrame) -> dict[str, list[str]]:
    """Group models with identical results in every round of each tournament.

    Parameters
    ----------
    frame
        The table of `compare_models`.

    Returns
    -------
    dict
        The first model of each group, with the list of all models of the group.

    Raises
    ------
    UsageError
        If the table has no models.

    Examples
    --------
    >>> from pairopt.lab import World, compare_models
    >>> frame = compare_models(["standard", "monrad"], World(players=8, rounds=1), replicates=1)
    >>> list(designs(frame))[0]
    'standard'
    """
    require_results("designs", frame, "model")
    result_cells = frame.drop(
        columns=[column_name for column_name in PROGRAM_COLUMNS if column_name in frame]
    )
    row_hashes = pd.util.hash_pandas_object(result_cells, index=False)

    models_by_results: dict[bytes, list[str]] = {}
    for model, model_hashes in row_hashes.groupby(frame["model"], sort=False):
        results_key = model_hashes.sort_values().to_numpy().tobytes()
        models_by_results.setdefault(results_key, []).append(str(model))
    return {models[0]: models for models in models_by_results.values()}


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
"""The metrics that are compared by default, besides all further metrics of the table."""
MetricRange = tuple[float, float]
NOTHING: Final = (np.empty(0), np.empty(0), 0.0)
Sample = tuple["Values", "Values", float]
"""Values or differences, the values that they come from, and the width of the metric's range."""
Than = str | float
"""What a model is compared with: another model, or a number."""


def means(
    frame: pd.DataFrame,
    metrics: Sequence[str] | None = None,
    *,
    confidence: float = 0.95,
    merge: bool = False,
) -> pd.DataFrame:
    """Estimate the mean over tournaments of each model and metric, with its confidence interval.

    Parameters
    ----------
    frame
        The table of `compare_models`.
    metrics
        The metrics, by default `METRICS` and all further ones of the table.
    confidence
        The confidence level of the intervals.
    merge
        Whether the mean of a replicate over all worlds counts as one observation.
        Otherwise each world has its own rows, which begin with the settings of the
        world.

    Returns
    -------
    DataFrame
        The columns model, metric, mean, low, high, n and varied. The column `n` counts
        the tournaments that were paired to the end. The column `varied` counts the
        tournaments whose value differs from the most frequent value.

    Raises
    ------
    UsageError
        If a metric is unknown.

    Examples
    --------
    >>> from pairopt.lab import World, compare_models
    >>> frame = compare_models(["standard"], World(players=8, rounds=3), replicates=3)
    >>> means(frame, ["rematches"])["mean"].tolist()
    [0.0]
    """
    require_results("means", frame, *KEYS)
    require_confidence("means", confidence)
    mean_rows = []
    for world_cells, world_frame in by_world(frame, merge):
        selected_metrics = _resolve_metric_names(world_frame, metrics, "means")
        for metric, mean_of_model in estimates(world_frame, selected_metrics).items():
            metric_bounds = _find_range(world_frame, metric)
            for model, model_mean in mean_of_model.items():
                estimate_cells = _estimate_cells(model_mean, confidence, metric_bounds)
                mean_rows.append(
                    [*world_cells.values(), model, metric, *estimate_cells]
                )
    result_columns = ["model", "metric", "mean", "low", "high", "n", "varied"]
    return pd.DataFrame(mean_rows, columns=[*world_cells, *result_columns])


def differences(
    frame: pd.DataFrame,
    baseline: str | None = None,
    metrics: Sequence[str] | None = None,
    *,
    confidence: float = 0.95,
    margins: Mapping[str, float] | None = None,
    merge: bool = False,
) -> pd.DataFrame:
    """Estimate each model's paired difference to a baseline, with its interval and p-values.

    Parameters
    ----------
    frame
        The table of `compare_models`.
    baseline
        The model to compare with, by default the first one of the table.
    metrics
        The metrics, by default `METRICS` and all further ones of the table.
    confidence
        The confidence level of the intervals.
    margins
        Equivalence margins by metric, for the columns margin and p_equivalent.
    merge
        Whether the mean of a replicate over all worlds is one observation, as in `means`.

    Returns
    -------
    DataFrame
        The columns model, metric, difference, low, high, n, varied, p and p_holm. The
        column `n` counts the tournaments that both models paired to the end. The column
        `varied` counts the tournaments whose difference is not the most frequent one.
        The p-values in the column `p_holm` are adjusted by Holm's method for all models
        that are compared in a metric. Models with equal pairings in all tournaments
        (see `designs`) count as one model in this adjustment. A small value in the
        column `p_equivalent` is evidence that the difference lies within the margin
        (TOST). To claim that several models are all equivalent, use the largest
        `p_equivalent` of these models as the p-value. This p-value needs no adjustment
        (Berger, Technometrics 24, 1982).

    Raises
    ------
    UsageError
        If the baseline or a metric is unknown, or a margin is 0 or less.

    Examples
    --------
    >>> from pairopt.lab import World, compare_models
    >>> frame = compare_models(["standard", "monrad"], World(players=8, rounds=3), replicates=3)
    >>> differences(frame, metrics=["floats"])["model"].tolist()
    ['monrad']
    """
    require_results("differences", frame, *KEYS)
    require_confidence("differences", confidence)
    require_numbers("differences", "margins", margins, '{"kendall": 0.01}')
    reference_model = baseline_of(frame, baseline)
    margin_of_metric = dict(margins or {})
    for metric, margin in margin_of_metric.items():
        if not 0 < margin < inf:
            raise UsageError("study.margin_unfit", metric=metric)
    selected_metrics = _resolve_metric_names(frame, metrics, "differences")
    compared_metrics = list(dict.fromkeys([*selected_metrics, *margin_of_metric]))

    difference_rows = []
    for world_cells, world_frame in by_world(frame, merge):
        design_of_model: dict[str, str] = {}
        for leader, design_models in designs(world_frame).items():
            design_of_model |= dict.fromkeys(design_models, leader)

        for metric, difference_of_model in estimates(
            world_frame, compared_metrics, reference_model
        ).items():
            difference_bounds = possible_difference_range(world_frame, metric)
            holm_p_values = _holm_p_values(
                difference_of_model, design_of_model, reference_model
            )
            for model, difference_estimate in difference_of_model.items():
                estimate_cells = _estimate_cells(
                    difference_estimate, confidence, difference_bounds
                )
                difference_row = [*world_cells.values(), model, metric, *estimate_cells]
                difference_row += [difference_estimate.p, holm_p_values[model]]
                if margin_of_metric:
                    margin = margin_of_metric.get(metric, np.nan)
                    difference_row += [margin, difference_estimate.p_within(margin)]
                difference_rows.append(difference_row)

    result_columns = [
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
    if margin_of_metric:
        result_columns += ["margin", "p_equivalent"]
    return pd.DataFrame(difference_rows, columns=[*world_cells, *result_columns])


def _resolve_metric_names(
    frame: pd.DataFrame, metrics: Sequence[str] | None, call: str
) -> Sequence[str]:
    """Return the metrics of a call, for None the ten usual ones and all further ones.

    `frame` is the table of rounds, which names the further metrics. `call` names the
    function with the argument. Raises UsageError if `metrics` is no list; whether the
    metrics exist is not checked.
    """
    if metrics is None:
        return (*METRICS, *list_further_metrics(map(str, frame.columns)))
    require_list(call, "metrics", metrics, '["kendall", "floats"]')
    return metrics


def baseline_of(frame: pd.DataFrame, baseline: str | None = None) -> str:
    """Return the name of the model to compare with, by default the first of the table.

    `baseline` is the wanted model, None for the first in `frame`. Raises UsageError for
    a model that is not in the table.
    """
    models = list(dict.fromkeys(map(str, frame["model"])))
    if baseline is not None and baseline not in models:
        raise UsageError("study.baseline_unknown", model=repr(baseline), models=models)
    return models[0] if baseline is None else baseline


def estimates(
    frame: pd.DataFrame, metrics: Sequence[str], baseline: Than | None = None
) -> dict[str, dict[str, Estimate]]:
    """Estimate each model's mean, or its paired difference to a baseline.

    `frame` is the table of rounds; with several worlds, a replicate's mean over the
    worlds is one observation. The baseline is a model, a number, or None for the mean.
    Returns the estimates by metric and by model, without metrics that have no values,
    and without the baseline itself. Raises UsageError for an unknown metric.
    """
    estimates_by_metric: dict[str, dict[str, Estimate]] = {}
    for metric, sample_of_model in samples(frame, metrics, baseline).items():
        estimates_by_metric[metric] = {
            model: estimate(observations, underlying_values, range_width)
            for model, (
                observations,
                underlying_values,
                range_width,
            ) in sample_of_model.items()
        }
    return estimates_by_metric


def samples(
    frame: pd.DataFrame, metrics: Sequence[str], baseline: Than | None = None
) -> dict[str, dict[str, Sample]]:
    """Return each model's values, or differences to a baseline, by metric and model.

    `frame` is the table of rounds; with several worlds, a replicate's mean over the
    worlds is one value. The baseline is a model, a number, or None. An item has the
    values or differences, the values that they come from, and the largest possible
    difference. The baseline itself, and metrics without values, are left out. Averages
    that differ by their rounding alone count as equal, except in a study of pairopt
    1.0. Raises UsageError for an unknown metric.
    """
    samples_by_metric: dict[str, dict[str, Sample]] = {}

    for metric, values_by_model in tabulate_by_model(frame, metrics).items():
        range_width = possible_difference_range(frame, metric)[1]
        is_rounded = metric in AVERAGED and not frame.attrs.get(AS_WRITTEN, False)
        samples_by_metric[metric] = {}

        for model in map(str, values_by_model):
            if model == baseline:
                continue
            observations, underlying_values = _difference_values(
                values_by_model, model, baseline
            )
            if is_rounded:
                observations, underlying_values = (
                    join_equal(observations),
                    join_equal(underlying_values),
                )
            samples_by_metric[metric][model] = (
                observations,
                underlying_values,
                range_width,
            )

    return samples_by_metric


def metric_differences(
    frame: pd.DataFrame, metric: str, other_metric: str
) -> dict[str, Sample]:
    """Return each model's differences of two metrics in the same tournaments.

    `frame` is the table of rounds. The differences are `metric` minus `other_metric`.
    An item has, by model, the differences, all values that they come from, and the
    largest possible difference of `metric`. Tournaments that lack one of the two are
    left out. The result is empty if one metric has no values at all. Raises UsageError
    for an unknown metric.
    """
    table_of_metric = tabulate_by_model(frame, [metric, other_metric])
    if len(table_of_metric) < 2:
        return {}
    sample_of_model = {}
    range_width = possible_difference_range(frame, metric)[1]
    for model in map(str, table_of_metric[metric]):
        metric_tables = [
            table_of_metric[metric_name][model]
            for metric_name in (other_metric, metric)
        ]
        value_pairs = pd.concat(metric_tables, axis=1).dropna().to_numpy(np.float64)
        value_differences = value_pairs[:, 1] - value_pairs[:, 0]
        sample_of_model[model] = value_differences, value_pairs.ravel(), range_width
    return sample_of_model


def join_equal(values: Values) -> Values:
    """Replace averages that differ by their rounding alone by their mean.

    Values in ascending order form a group if each is at most 5e-6 (`ROUNDED`) above the
    one before. The averages are fractions with small denominators, so different ones
    lie farther apart. Returns a new array in the order of `values`, of the same shape.
    """
    if not len(values):
        return values

    value_positions_ascending = np.argsort(values, kind="stable")
    is_new_group = (
        np.diff(
            values[value_positions_ascending],
            prepend=values[value_positions_ascending[0]],
        )
        > ROUNDED
    )
    group_of_sorted = np.cumsum(is_new_group)
    group_means = np.bincount(
        group_of_sorted, values[value_positions_ascending]
    ) / np.bincount(group_of_sorted)

    joined_values = np.empty_like(values)
    joined_values[value_positions_ascending] = group_means[group_of_sorted]
    return joined_values


def _difference_values(
    table: pd.DataFrame, model: str, baseline: Than | None
) -> tuple[Values, Values]:
    """Return a model's differences to a baseline, and all values that they come from.

    `table` has a row per replicate and a column per model. The baseline is another
    model, a number, or None for 0. Only replicates that have a value for the model, and
    for the other one, count.
    """
    if not isinstance(baseline, str):
        model_values = table[model].dropna().to_numpy(np.float64)
        return model_values - (baseline or 0.0), model_values
    value_pairs = table[[baseline, model]].dropna().to_numpy(np.float64)
    return value_pairs[:, 1] - value_pairs[:, 0], value_pairs.ravel()


def _holm_p_values(
    by_model: Mapping[str, Estimate], design_of: Mapping[str, str], baseline: str
) -> dict[str, float]:
    """Return each model's p-value, corrected by Holm's method for several comparisons.

    `by_model` has the differences to the baseline. Models of one design, which have
    identical results, count as one comparison. `design_of` has the design of each
    model, also of the baseline. A model without observations, or of the design of
    `baseline`, keeps its own p-value.
    """
    p_value_of_design = {}
    for model, difference_estimate in by_model.items():
        design_leader = design_of[model]
        if difference_estimate.n and design_leader != design_of[baseline]:
            p_value_of_design[design_leader] = difference_estimate.p

    corrected_p_values = correct_by_holm(
        np.array([*p_value_of_design.values()])
    ).tolist()
    adjusted_p_values = dict(zip(p_value_of_design, corrected_p_values, strict=True))
    return {
        model: adjusted_p_values.get(design_of[model], difference_estimate.p)
        for model, difference_estimate in by_model.items()
    }


def _estimate_cells(
    estimated: Estimate, confidence: float, inside: MetricRange
) -> list[Any]:
    """Return the cells of an estimate: mean, low, high, n and varied.

    The interval from low to high is clipped to the range `inside`. `estimated` is the
    estimate. `confidence` is its level, for example 0.95. `n` counts the observations,
    and `varied` those that differ from the most frequent one.
    """
    interval_low, interval_high = estimated.limits(confidence, inside)
    return [estimated.mean, interval_low, interval_high, estimated.n, estimated.varied]


def possible_difference_range(frame: pd.DataFrame, metric: str) -> MetricRange:
    """Return the least and largest difference that two values of a metric can have.

    It follows from the metric's own range in the largest tournament of the table of
    rounds `frame`. It is infinite if that range is unknown.
    """
    least_value, largest_value = _find_range(frame, metric)
    return least_value - largest_value, largest_value - least_value


def _find_range(frame: pd.DataFrame, metric: str) -> MetricRange:
    """Return the least and largest value of a metric in a table of rounds.

    It is the range in the largest tournament of the table, infinite if it is unknown.
    `frame` is the table. A range that the user's metric declares comes before the
    published one.
    """
    declared_range = frame.attrs.get("ranges", {}).get(metric)
    largest_player_count = int(frame["players"].max())
    largest_round = int(frame["round"].max())
    return metric_range(metric, largest_player_count, largest_round, declared_range)


def metric_range(
    metric: str,
    players: int,
    rounds: int,
    declared: Sequence[float | str] | None = None,
) -> MetricRange:
    """Return a metric's least and largest value in tournaments of this size.

    `players` and `rounds` are the size of the largest tournament. `declared` is the
    range that the metric itself declares, if any: two ends, each a number or the text
    "players", "rounds", "tables" or "rules", which stands for that number in such a
    tournament. Without it the published range is taken; that of any `kendall_...` is
    that of `kendall`. Both ends are infinite if it is unknown.
    """
    is_ranking_tau = metric.startswith("kendall_")
    metric_facts = look_up_metric("kendall" if is_ranking_tau else metric)
    range_bounds = declared or metric_facts.get("range", (-inf, inf))
    return resolve_bounds(range_bounds, players, rounds)
