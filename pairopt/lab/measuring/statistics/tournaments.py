"""Tournaments: a study's table with one row a tournament, and which rows tell the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import pandas as pd

from pairopt.errors import UsageError
from pairopt.lab.measuring.metrics.rounds import HISTOGRAMS, PAIRING, RANKING
from pairopt.lab.measuring.table import by_world, further

AVERAGED: Final = ("bye_points", "bye_groups", "group_distance")
SUMMED: Final = tuple(name for name in PAIRING if name not in (*AVERAGED, *HISTOGRAMS))
COLUMNS: Final = (*RANKING, *SUMMED, *AVERAGED, *HISTOGRAMS, "unbalanced")
"""What `per_tournament` has of each."""
UNPAIRED: Final = ("infeasible", "unknown", "not played")
"""What a round without a pairing has as its status."""
OWN: Final = ("model", "engine", "status", "levels", "seconds")
"""Columns that models of one design may differ in."""


def per_tournament(frame: pd.DataFrame) -> pd.DataFrame:
    """One row a model and replicate: a study's table summed up over the rounds.

    Standings and side histograms are those after the last round, counts of matches are summed
    over the rounds, distances and byes averaged. `unbalanced` is the number of players whose
    side difference is 2 or more at the end. Of further metrics the value in the last round counts.
    A tournament that was not paired to the end has no values: what its rounds were like is no fair
    comparison; see `ended_early`. Of several worlds each has its rows, with the columns
    `world_...` in front.
    """
    return _each_world(frame, _per_tournament)


def _each_world(frame: pd.DataFrame, told: Callable[[pd.DataFrame], pd.DataFrame]) -> pd.DataFrame:
    """What is told of the rows of each world, with the columns of the world in front."""
    parts = []
    for cells, rows in by_world(frame):
        part = told(rows)
        for place, (name, value) in enumerate(cells.items()):
            part.insert(place, name, value)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _per_tournament(frame: pd.DataFrame) -> pd.DataFrame:
    keys = ["model", "replicate"]
    groups = frame.sort_values("round", kind="stable").groupby(keys, sort=False)
    last = groups.tail(1).set_index(keys)[
        [*RANKING, *HISTOGRAMS, *further(map(str, frame.columns))]
    ]
    table = pd.concat(
        [last, groups[list(SUMMED)].sum(min_count=1), groups[list(AVERAGED)].mean()], axis=1
    )
    table["unbalanced"] = table[[f"side_difference_{k}" for k in (2, 3, 4)]].sum(
        axis=1, min_count=1
    )
    short = table.index.isin(pd.MultiIndex.from_frame(_ended_early(frame)[keys]))
    return table.where(pd.Series(~short, table.index)).reset_index()


def ended_early(frame: pd.DataFrame) -> pd.DataFrame:
    """The tournaments that were not paired to the end: model, replicate, first round without.

    Of several worlds each has its own, with the columns `world_...` in front.
    """
    return _each_world(frame, _ended_early)


def _ended_early(frame: pd.DataFrame) -> pd.DataFrame:
    unpaired = frame["players"].isna()
    if "status" in frame:
        unpaired |= frame["status"].isin(UNPAIRED)
    rounds = frame[unpaired].sort_values("round", kind="stable")
    first = rounds.drop_duplicates(["model", "replicate"])[["model", "replicate", "round"]]
    return first.sort_index().reset_index(drop=True)


def by_model(frame: pd.DataFrame, metrics: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Per metric that has values, a table of replicates by models.

    Of several worlds it has a replicate's mean over them, if there is a value in each: they share
    their luck, and so a replicate is one observation. Raises UsageError for a metric that is not
    there.
    """
    table = per_tournament(frame)
    if strange := [metric for metric in metrics if metric not in table]:
        names = list(map(str, table.columns))
        known = ", ".join(names[names.index("replicate") + 1 :])
        raise UsageError(f"no metric {strange[0]!r}; metrics: {known}")
    models, worlds = list(dict.fromkeys(table["model"])), len(by_world(frame))
    both = table.groupby(["model", "replicate"])[list(metrics)].sum(min_count=worlds) / worlds
    return {
        metric: both.pivot_table(metric, "replicate", "model", dropna=False)[models]
        for metric in metrics
        if both[metric].notna().any()
    }


def designs(frame: pd.DataFrame) -> dict[str, list[str]]:
    """Models by the first one that has the same numbers as they, in every round of each tournament.

    Two orders of criteria may well be one design: no pairing is worth more to one of them.
    """
    compared = frame.drop(columns=[name for name in OWN if name in frame])
    row = pd.util.hash_pandas_object(compared, index=False)
    found: dict[bytes, list[str]] = {}
    for model, rows in row.groupby(frame["model"], sort=False):
        found.setdefault(rows.sort_values().to_numpy().tobytes(), []).append(str(model))
    return {names[0]: names for names in found.values()}
