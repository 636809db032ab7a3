"""How often intervals hold the truth: of real differences between near models, and of rare ones.

    python tests/benchmarks/intervals.py [--rounds FOLDER] [--draws N]

Writes results/coverage.csv and results/coverage-precision.csv; README.md. Tables of rounds that are
in the folder are not played again.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from pairopt import load_model
from pairopt.study import World, compare_models, orderings
from pairopt.study.precision import planned
from pairopt.study.statistics.comparing import METRICS
from pairopt.study.statistics.estimate import Estimate, estimate
from pairopt.study.statistics.ranges import possible
from pairopt.study.statistics.tournaments import by_model, designs
from pairopt.study.table import read_table

RESULTS = Path(__file__).parent / "results"
SIZES = (20, 50, 100, 500)
FLIPS = 999
NEAR = ("1-2-3-4-6-5-7", "1-2-3-5-4-6-7", "1-2-4-3-5-6-7", "1-2-5-3-4-6-7", "1-2-6-3-4-5-7")
WORLDS = {
    "even": (2000, World(players=32, rounds=8, first_side=35.0)),
    "odd": (2000, World(players=19, rounds=5, first_side=35.0, drops=0.03, late=0.05)),
    "small": (500, World(players=8, rounds=7)),  # the one with rematches
}
"""Tournaments of each population, and what they are drawn from."""
SEQUENTIAL = ("excalibur/1-2-3-5-4-6-7", "top-first")
LOOKED_AT = ("kendall", "top_hits", "floats", "unbalanced", "violations")
WIDEST = 100.0
"""The range that is given for the made-up populations, whose baseline is 0 throughout."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Population:
    """Values of a baseline and of another model in many tournaments, arrays of shape (n,)."""

    world: str
    model: str
    metric: str
    first: Floats
    second: Floats
    widest: float

    @property
    def truth(self) -> float:
        """The mean difference."""
        return float((self.second - self.first).mean())

    def samples(self, n: int, draws: int) -> Iterator[tuple[Floats, Floats]]:
        """Differences of n tournaments by lot, and the values that were compared."""
        chance = np.random.default_rng(
            [n, crc32(f"{self.world} {self.model} {self.metric}".encode())]
        )
        for _ in range(draws):
            chosen = chance.integers(0, len(self.first), n)
            first, second = self.first[chosen], self.second[chosen]
            yield second - first, np.concatenate([first, second])


def played(folder: Path) -> Iterator[Population]:
    """The differences of near orders of Excalibur's criteria, and of two other models."""
    orders = {
        model.name: model for model in orderings(load_model("excalibur"), ["3", "4", "5", "6"])
    }
    models = [orders["excalibur"], *(orders[f"excalibur/{name}"] for name in NEAR), "standard",
              "top-first"]  # fmt: skip
    for name, (count, world) in WORLDS.items():
        path = folder / f"coverage-{name}-rounds.csv"
        if not path.exists():
            compare_models(models, world, replicates=count, seed=7, output=path)
        frame = read_table(path)
        frame = frame[frame["model"].isin(designs(frame))]
        for metric, table in by_model(frame, METRICS).items():
            least, most = possible(metric, world.players, world.rounds)
            for model in table.columns[1:]:
                both = table[["excalibur", model]].dropna().to_numpy(np.float64)
                if (both[:, 0] != both[:, 1]).any():
                    yield Population(name, str(model), metric, *both.T, most - least)


def made_up() -> Iterator[Population]:
    """Differences that are rare, and mostly to one side."""
    chance, many = np.random.default_rng(3), 100_000
    sizes = {
        "one": np.ones(many),
        "one to either side": chance.choice([-1.0, 1.0], many),
        "exponential": chance.exponential(1, many),
        "geometric": chance.geometric(0.4, many).astype(np.float64),
        "one in ten eleven times the others": np.where(chance.random(many) < 0.1, 5.5, 0.5),
    }
    for share in (0.005, 0.02, 0.05, 0.1, 0.3, 1.0):
        for name, size in sizes.items():
            second = np.where(chance.random(many) < share, size, 0.0)
            yield Population("made up", f"{share:g} of tournaments", name, np.zeros(many), second,
                             WIDEST)  # fmt: skip


def coverage(one: Population, draws: int) -> Iterator[dict[str, object]]:
    """How often each method's 95 % interval holds the truth, by the number of tournaments."""
    for n in SIZES:
        quantile, tail = stats.t.ppf([0.975, 0.95], n - 1)
        held, students, flipped, widths, wide, above, below = [], [], [], [], [], 0, 0
        chance = np.random.default_rng(n)
        for k, (values, compared) in enumerate(one.samples(n, draws)):
            found = estimate(values, compared, one.widest)
            away = found.mean - one.truth
            held.append(abs(away) <= quantile * found.error)
            above += away > tail * found.error
            below += away < -tail * found.error
            student = float(values.std(ddof=1)) / n**0.5
            students.append(abs(away) <= quantile * student)
            widths.append(quantile * found.error)
            wide.append(quantile * student)
            if n <= 50 and k < draws // 8:
                flipped.append(_flip_test(values - one.truth, chance) > 0.05)
        yield {
            "world": one.world, "model": one.model, "metric": one.metric, "n": n,
            "vary": float((one.first != one.second).mean()), "truth": one.truth,
            "coverage": np.mean(held), "one_sided": max(above, below) / draws,
            "student": np.mean(students), "sign_flip": np.mean(flipped) if flipped else np.nan,
            "half_width": np.median(widths), "student_half_width": np.median(wide),
        }  # fmt: skip


def _flip_test(values: Floats, chance: np.random.Generator) -> float:
    """The p-value of the mean being 0 if signs were by lot: the test that an interval inverts."""
    signs = chance.choice([-1.0, 1.0], (FLIPS, len(values)))
    extreme = np.abs(signs @ values) >= abs(values.sum()) - 1e-9
    return float((1 + extreme.sum()) / (1 + FLIPS))


def sequential(one: Population, draws: int) -> Iterator[dict[str, object]]:
    """How often the interval holds the truth that --precision ends with, looking as planned."""
    typical = np.median([_arm(estimate(*each, one.widest)) for each in one.samples(100, 50)])
    for part in (1.5, 1.0, 0.5):
        wanted, held, ends = float(typical * part), 0, []
        for values, compared in one.samples(2_000, draws):
            for n in planned(20, 2_000):
                seen = np.concatenate([compared[:n], compared[2_000 : 2_000 + n]])
                found = estimate(values[:n], seen, one.widest)
                if _arm(found) <= wanted:
                    break
            held += abs(found.mean - one.truth) <= _arm(found)
            ends.append(n)
        yield {
            "world": one.world, "model": one.model, "metric": one.metric, "half_width": wanted,
            "tournaments": np.median(ends), "coverage": held / draws,
        }  # fmt: skip


def _arm(found: Estimate) -> float:
    return QUANTILES[found.n] * found.error


QUANTILES = {n: float(stats.t.ppf(0.975, n - 1)) for n in {100, *planned(20, 2_000)}}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=Path, default=RESULTS)
    parser.add_argument("--draws", type=int, default=2_000)
    given = parser.parse_args()
    real = list(played(given.rounds))
    rows = [row for one in (*real, *made_up()) for row in coverage(one, given.draws)]
    _write(rows, RESULTS / "coverage.csv")
    chosen = [one for one in real if one.model in SEQUENTIAL and one.metric in LOOKED_AT]
    rows = [row for one in chosen for row in sequential(one, given.draws // 4)]
    _write(rows, RESULTS / "coverage-precision.csv")


def _write(rows: list[dict[str, object]], path: Path) -> None:
    pd.DataFrame(rows).round(5).to_csv(path, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
