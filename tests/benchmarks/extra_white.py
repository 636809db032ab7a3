"""What a game more with White is worth in real opens, by regression, as Csató and Krumer ask it.

    python tests/benchmarks/extra_white.py FOLDER

FOLDER has the opens, `trf/*/*_r09.trf`, with the results of eight rounds. After an odd number of
rounds, 3, 5 and 7, a player who has played all of them has White once more or once less. Their
points are regressed on that, on their rating and on the event (`points`); and so are their points
less those that Elo's curve expects of their games by both ratings, without colours (`excess`).
Intervals are 95 % ones with standard errors that hold whatever the variance (HC3, MacKinnon and
White, Journal of Econometrics 29, 1985). Beside them stands what White scores in all games of
these rounds beyond what ratings expect, doubled: that is a game with White instead of Black
(`games`). Writes results/extra-white.csv; needs SciPy.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from worlds import RESULTS, Games, games_of_opens, opens

ROUNDS = (3, 5, 7)
POWER = 0.8
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Slope:
    """A coefficient, its 95 % interval, and what it would be found with: the difference that a test
    at 5 % finds with a probability of 80 %."""

    value: float
    low: float
    high: float
    found: float


def slope(wanted: Floats, others: Floats, points: Floats) -> Slope:
    """The coefficient of `wanted`, shape (n,), in a linear regression of points on it and others,
    shape (n, k); these have a constant."""
    known = np.column_stack([wanted, others])
    inverse = np.linalg.inv(known.T @ known)
    found = inverse @ known.T @ points
    leverage = np.einsum("ij,jk,ik->i", known, inverse, known)
    left = (points - known @ found) / (1 - leverage)
    error = float(np.sqrt((inverse @ (known.T * left**2) @ known @ inverse)[0, 0]))
    free = len(points) - known.shape[1]
    half = float(stats.t.ppf(0.975, free)) * error
    least = float(stats.t.ppf(0.975, free) + stats.t.ppf(POWER, free)) * error
    value = float(found[0])
    return Slope(value, value - half, value + half, least)


@dataclass(frozen=True)
class Scores:
    """Who has played all of so many rounds: arrays of shape (n,). `extra` is 1 for a game more with
    White, 0 for one less."""

    extra: Floats
    points: Floats
    expected: Floats
    rating: Floats
    event: NDArray[np.int64]


def scores_of(games: Games, rounds: int) -> Scores:
    """The scores after so many rounds, an odd number, of those with one game more or less."""
    now, n = games.take(games.round <= rounds), len(games.rating)
    white = 1 - now.result / 2
    expected = 1 / (1 + 10 ** (-now.gap / 400))
    points = np.bincount(now.first, white, n) + np.bincount(now.second, 1 - white, n)
    hoped = np.bincount(now.first, expected, n) + np.bincount(
        now.second, 1 - expected, n
    )
    whites, blacks = (
        np.bincount(now.first, minlength=n),
        np.bincount(now.second, minlength=n),
    )
    here = (whites + blacks == rounds) & (np.abs(whites - blacks) == 1)
    return Scores(
        (whites > blacks)[here].astype(np.float64),
        points[here],
        hoped[here],
        games.rating[here],
        games.event[here],
    )


def rows_of(games: Games, rounds: int) -> Iterator[tuple[str, int, int, Slope]]:
    """What is worth how much: what it was found in, players or games, and those with White more."""
    of = scores_of(games, rounds)
    events = np.unique(of.event)
    known = [of.event == event for event in events]
    rated = [np.where(own, of.rating - of.rating[own].mean(), 0) for own in known]
    others = np.column_stack([*known, *rated]).astype(np.float64)
    many = int(of.extra.sum())
    yield "points", len(of.extra), many, slope(of.extra, others, of.points)
    yield (
        "excess",
        len(of.extra),
        many,
        slope(of.extra, others, of.points - of.expected),
    )
    now = games.take(games.round <= rounds)
    ahead = 2 * (1 - now.result / 2 - 1 / (1 + 10 ** (-now.gap / 400)))
    value, error = float(ahead.mean()), float(ahead.std(ddof=1) / np.sqrt(len(ahead)))
    half = float(stats.t.ppf(0.975, len(ahead) - 1)) * error
    least = float(stats.norm.ppf(0.975) + stats.norm.ppf(POWER)) * error
    yield (
        "games",
        len(ahead),
        len(ahead),
        Slope(value, value - half, value + half, least),
    )


def table_of(events: dict[str, Games]) -> pd.DataFrame:
    """A row for each event, number of rounds and way to ask."""
    return pd.DataFrame(
        [
            {
                "event": event,
                "rounds": rounds,
                "asked": asked,
                "count": count,
                "with_more": more,
                "value": round(found.value, 4),
                "low": round(found.low, 4),
                "high": round(found.high, 4),
                "found_with_power_80": round(found.found, 4),
            }
            for event, games in events.items()
            for rounds in ROUNDS
            for asked, count, more, found in rows_of(games, rounds)
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    found = opens(parser.parse_args().folder)
    events = {"all": games_of_opens([*found.values()])}
    events |= {level: games_of_opens([event]) for level, event in found.items()}
    table_of(events).to_csv(RESULTS / "extra-white.csv", index=False)


if __name__ == "__main__":
    main()
