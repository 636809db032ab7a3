"""How often intervals hold the truth: of real differences between near models, and of rare ones.

    python tests/benchmarks/intervals.py [--rounds FOLDER] [--draws N]

Writes results/coverage.csv and results/coverage-precision.csv; README.md. Tables of rounds that are
in the folder are not played again; that of orders.py has to be there.
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
from pairopt.lab import World, compare_models, orderings
from pairopt.lab.precision import planned
from pairopt.lab.statistics.comparing import METRICS, possible
from pairopt.lab.statistics.estimate import FEW, IMAGINED, SAME, Estimate, estimate
from pairopt.lab.statistics.tournaments import by_model, designs
from pairopt.lab.table import read_table

RESULTS = Path(__file__).parent / "results"
POPULATION = 2000
SIZES = (20, 50, 100, 500)
FLIPS = 999
NEAR = ("1-2-3-4-6-5-7", "1-2-3-5-4-6-7", "1-2-4-3-5-6-7", "1-2-5-3-4-6-7", "1-2-6-3-4-5-7")
WORLDS = {
    "coverage-even": World(players=32, rounds=8, first_side=35.0),
    "coverage-odd": World(players=19, rounds=5, first_side=35.0, drops=0.03, late=0.05),
}
STUDY, OTHERS = "orders-7", ("excalibur", "aesops", "random")
"""The table of orders.py, and of its models those that are far from each other."""
SEQUENTIAL = ("excalibur/1-2-3-5-4-6-7", "top-first")
LOOKED_AT = ("kendall", "top_hits", "floats")
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


def tables(folder: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """Names and rounds of the studies that populations are of."""
    orders = {
        model.name: model for model in orderings(load_model("excalibur"), ["3", "4", "5", "6"])
    }
    models = [orders["excalibur"], *(orders[f"excalibur/{name}"] for name in NEAR), "standard",
              "top-first"]  # fmt: skip
    for name, world in WORLDS.items():
        path = folder / f"{name}-rounds.csv"
        if not path.exists():
            compare_models(models, world, replicates=POPULATION, seed=7, output=path)
        yield name, read_table(path)
    study = read_table(folder / f"{STUDY}-rounds.csv")
    yield STUDY, study[study["model"].isin(OTHERS)]


def played(folder: Path) -> Iterator[Population]:
    """The differences of each design to Excalibur's own order."""
    for name, rows in tables(folder):
        frame = rows[rows["model"].isin(designs(rows))]
        players, rounds = int(frame["players"].max()), int(frame["round"].max())
        for metric, table in by_model(frame, METRICS).items():
            least, most = possible(metric, players, rounds)
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
        pairs = list(one.samples(n, draws))
        values = np.array([each for each, _ in pairs])
        error = _errors(values, np.array([compared for _, compared in pairs]), one.widest)
        away, student = values.mean(axis=1) - one.truth, values.std(axis=1, ddof=1) / n**0.5
        chance = np.random.default_rng(n)
        flipped = [
            _flip_test(v - one.truth, chance) > 0.05 for v in values[: draws // 10 * (n <= 50)]
        ]
        yield {
            "world": one.world, "model": one.model, "metric": one.metric, "n": n,
            "vary": float((one.first != one.second).mean()), "truth": one.truth,
            "coverage": np.mean(np.abs(away) <= quantile * error),
            "one_sided": max(np.mean(away > tail * error), np.mean(away < -tail * error)),
            "student": np.mean(np.abs(away) <= quantile * student),
            "sign_flip": np.mean(flipped) if flipped else np.nan,
            "half_width": np.median(quantile * error),
            "student_half_width": np.median(quantile * student),
        }  # fmt: skip


def _errors(values: Floats, compared: Floats, widest: float) -> Floats:
    """The errors of `estimate` for samples of shape (draws, n) at once; of ten by itself too."""
    n = values.shape[1]
    away = np.abs(values - values.mean(axis=1, keepdims=True))
    reach = away.max(axis=1)
    rare = _varied(values) < min(FEW, n - 1)
    seen = _varied(compared[rare]) >= FEW
    reach[rare] = np.maximum(reach[rare], np.where(seen, np.ptp(compared[rare], axis=1), widest))
    total, count = (away**2).sum(axis=1), n + IMAGINED
    imagined = (total + IMAGINED * reach**2) / (count * (count - 1))
    error = np.sqrt(np.maximum(imagined, total / (n * (n - 1))))
    for k in range(10):
        assert np.isclose(error[k], estimate(values[k], compared[k], widest).error)
    return error


def _varied(rows: Floats) -> NDArray[np.int64]:
    """How many values of each row are not its most frequent one."""
    ordered = np.sort(rows, axis=1)
    run, most = np.ones(len(rows), np.int64), np.ones(len(rows), np.int64)
    for same in (np.diff(ordered, axis=1) <= SAME).T:
        run = np.where(same, run + 1, 1)
        most = np.maximum(most, run)
    return rows.shape[1] - most


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
    parser.add_argument("--draws", type=int, default=1_000)
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
