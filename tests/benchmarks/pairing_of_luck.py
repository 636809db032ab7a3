"""What less noise could be had of the same luck: of keys, antithetic luck and control variates.

    python tests/benchmarks/pairing_of_luck.py [--replicates N]

Writes results/pairing-of-luck.csv; README.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pairopt.lab import World, compare_models, luck
from pairopt.lab.statistics.comparing import tabulate_by_model
from pairopt.lab.world import Field

RESULT = Path(__file__).parent / "results" / "pairing-of-luck.csv"
WORLD, SEED = World(players=32, rounds=7, first_side=35.0), 11
MODELS = ("aesops", "excalibur", "random")
METRICS = (
    "kendall",
    "spearman",
    "top_hits",
    "sos_spread",
    "floats",
    "rematches",
    "unbalanced",
)
FOLDS = 10
Floats = NDArray[np.float64]


def of_pair(*key: Any, **more: Any) -> Floats:
    """A match's luck by its players alone: a pair has one result in whatever round it meets."""
    seed, replicate, _, first, second, *game = key
    return luck.match_luck(seed, replicate, 0, first, second, *game, **more)


def antithetic(*key: Any, **more: Any) -> Floats:
    return 1 - 2.0**-53 - luck.match_luck(*key, **more)


def played(replicates: int, drawn: Callable[..., Floats]) -> dict[str, pd.DataFrame]:
    """Tables of replicates by models, by metric."""
    with patch("pairopt.lab.world.match_luck", drawn):
        frame = compare_models(MODELS, WORLD, replicates=replicates, seed=SEED)
    return tabulate_by_model(frame, METRICS)


def known_before(replicates: int) -> Floats:
    """What is known of the true strengths, shape (replicates, 8): moments, gaps, and the first."""
    rows = []
    for replicate in range(replicates):
        strength = np.sort(Field(WORLD, SEED, replicate).strength)[::-1]
        gaps, apart = -np.diff(strength), strength - strength.mean()
        rows.append(
            [
                strength.std(),
                (apart**3).mean(),
                (apart**4).mean(),
                gaps[:4].mean(),
                gaps[0],
                np.log(gaps).mean(),
                gaps[3] - gaps[:3].mean(),
                np.abs(strength[:, None] - strength).mean(),
            ]
        )
    found = np.array(rows)
    return np.asarray((found - found.mean(axis=0)) / found.std(axis=0), np.float64)


def left(values: Floats, known: Floats) -> float:
    """The part of the variance that a regression on what is known leaves, of values that it has
    not seen: a tenth at a time."""
    fold, residual = np.arange(len(values)) % FOLDS, np.empty(len(values))
    design = np.column_stack([np.ones(len(values)), known])
    for k in range(FOLDS):
        own, *_ = np.linalg.lstsq(design[fold != k], values[fold != k], rcond=None)
        residual[fold == k] = values[fold == k] - design[fold == k] @ own
    return float((residual**2).mean() / values.var())


def rows(replicates: int) -> Iterator[dict[str, object]]:
    now = played(replicates, luck.match_luck)
    keyed, turned = played(replicates, of_pair), played(replicates, antithetic)
    known = known_before(replicates)
    for metric in METRICS:
        for model in MODELS[1:]:
            one, pair, other = (
                table[metric][[MODELS[0], model]].to_numpy(np.float64)
                for table in (now, keyed, turned)
            )
            apart, by_pair, flipped = (
                np.diff(each, axis=1)[:, 0] for each in (one, pair, other)
            )
            if not apart.any():
                continue
            third = next(name for name in MODELS if name not in (MODELS[0], model))
            control = now[metric][[third]].to_numpy(np.float64)
            yield {
                "metric": metric,
                "models": f"{model} - {MODELS[0]}",
                "n": replicates,
                "difference": apart.mean(),
                "by_pair_difference": by_pair.mean(),
                "correlation": np.corrcoef(one.T)[0, 1],
                "by_pair": np.corrcoef(pair.T)[0, 1],
                "unpaired": one.var(axis=0).sum() / apart.var(),
                "variance_by_pair": by_pair.var() / apart.var(),
                "variance_antithetic": (apart + flipped).var() / 2 / apart.var(),
                "variance_strengths": left(apart, known),
                "variance_third_model": left(apart, control),
                "variance_mean_strengths": left(one[:, 1], known),
            }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--replicates", type=int, default=200)
    made = pd.DataFrame(rows(parser.parse_args().replicates))
    made.round(4).to_csv(RESULT, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
