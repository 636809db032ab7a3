"""How often intervals hold the truth: of models' means, of differences between near ones, made up.

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
from pairopt.lab import World, compare_models, orderings
from pairopt.lab.measuring.statistics.comparing import METRICS, by_model, designs, possible
from pairopt.lab.measuring.statistics.estimate import IMAGINED, SAME, STRETCH, UNKNOWN, estimate
from pairopt.lab.measuring.table import read_table
from pairopt.lab.running.comparison import planned

RESULTS = Path(__file__).parent / "results"
POPULATION = 1000
SIZES = (5, 6, 8, 10, 15, 20, 50, 100, 500)
FLIPS, FLIPPED, FLIPPED_DRAWS = 999, 20, 100
NEAR = ("1-2-3-4-6-5-7", "1-2-3-5-4-6-7", "1-2-4-3-5-6-7", "1-2-5-3-4-6-7", "1-2-6-3-4-5-7")
WORLDS = {
    "coverage-even": World(players=32, rounds=8, first_side=35.0),
    "coverage-odd": World(players=19, rounds=5, first_side=35.0, drops=0.03, late=0.05),
}
FAR, OTHERS = "orders-7", ("excalibur", "aesops", "random")
FAR_WORLD, FAR_SEED, FAR_POPULATION = World(players=32, rounds=7, first_side=35.0), 1, 500
"""Models that are far from each other; samples are drawn by the name."""
SEQUENTIAL = ("excalibur/1-2-3-5-4-6-7", "top-first")
LOOKED_AT = ("kendall", "top_hits", "floats")
MANY = 100_000
"""Values of a made-up population."""
SKEWED, MOST = ("0.1 of tournaments", "0.3 of tournaments", "1 of tournaments"), 2_000
WIDEST = 100.0
"""The range that is given for the made-up populations, whose baseline is 0 throughout."""
Floats = NDArray[np.float64]
NONE: Floats = np.zeros(0)


@dataclass(frozen=True)
class Population:
    """Values of a baseline and of another model in many tournaments, arrays of shape (n,).

    Without a baseline, an empty one, it is of a mean.
    """

    world: str
    model: str
    metric: str
    first: Floats
    second: Floats
    widest: float

    @property
    def of(self) -> str:
        """What is estimated."""
        return "difference" if len(self.first) else "mean"

    @property
    def estimated(self) -> Floats:
        """What is estimated, by tournament."""
        return self.second - self.first if len(self.first) else self.second

    @property
    def truth(self) -> float:
        """Its mean."""
        return float(self.estimated.mean())

    def samples(self, n: int, draws: int) -> tuple[Floats, Floats]:
        """Differences of n tournaments by lot, shape (draws, n), and both values of each."""
        chance = np.random.default_rng(
            [n, crc32(f"{self.of} {self.world} {self.model} {self.metric}".encode())]
        )
        chosen = chance.integers(0, len(self.second), (draws, n))
        both = [each[chosen] for each in (self.first, self.second) if len(each)]
        return self.estimated[chosen], np.stack(both, axis=2)


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
    path = folder / f"{FAR}-rounds.csv"
    if not path.exists():
        compare_models(OTHERS, FAR_WORLD, replicates=FAR_POPULATION, seed=FAR_SEED, output=path)
    yield FAR, read_table(path)


def played(folder: Path) -> Iterator[Population]:
    """The differences of each design to Excalibur's own order, and the means of OTHERS."""
    for name, rows in tables(folder):
        frame = rows[rows["model"].isin(designs(rows))]
        players, rounds = int(frame["players"].max()), int(frame["round"].max())
        for metric, table in by_model(frame, METRICS).items():
            least, most = possible(metric, players, rounds)
            for model in table.columns[1:]:
                both = table[["excalibur", model]].dropna().to_numpy(np.float64)
                if (both[:, 0] != both[:, 1]).any():
                    yield Population(name, str(model), metric, *both.T, most - least)
            for model in table.columns.intersection(OTHERS):
                own = table[model].dropna().to_numpy(np.float64)
                if np.ptp(own):
                    yield Population(name, str(model), metric, NONE, own, most - least)


def made_up() -> Iterator[Population]:
    """Differences that are rare, and mostly to one side; and means of parts."""
    chance = np.random.default_rng(3)
    sizes = {
        "one": np.ones(MANY),
        "one to either side": chance.choice([-1.0, 1.0], MANY),
        "exponential": chance.exponential(1, MANY),
        "chi-squared with 3": chance.chisquare(3, MANY),
        "geometric": chance.geometric(0.4, MANY).astype(np.float64),
        "lognormal": np.exp(chance.normal(0, 1, MANY)),
        "one in ten four times the others": np.where(chance.random(MANY) < 0.1, 4.0, 1.0),
        "one in ten eleven times the others": np.where(chance.random(MANY) < 0.1, 5.5, 0.5),
    }
    for share in (0.005, 0.02, 0.05, 0.1, 0.3, 1.0):
        for name, size in sizes.items():
            second = np.where(chance.random(MANY) < share, size, 0.0)
            yield Population("made up", f"{share:g} of tournaments", name, np.zeros(MANY), second,
                             WIDEST)  # fmt: skip
    for part in (0.02, 0.1, 0.5):
        for of in (1, 10):
            own = chance.binomial(of, part, MANY) / of
            yield Population("made up", f"{part:g} of {of}", "part", NONE, own, 1.0)


def coverage(one: Population, draws: int) -> Iterator[dict[str, object]]:
    """How often each method's 95 % interval holds the truth, by the number of tournaments."""
    for n in SIZES:
        quantile, tail = stats.t.ppf([0.975, 0.95], n - 1)
        values, compared = one.samples(n, draws if n < 100 else draws // 2)
        error = _errors(values, compared, one.widest)
        away, student = values.mean(axis=1) - one.truth, values.std(axis=1, ddof=1) / n**0.5
        chance = np.random.default_rng(n)
        flipped = [
            _flip_test(v - one.truth, chance) > 0.05
            for v in values[: FLIPPED_DRAWS * (n == FLIPPED and one.of == "difference")]
        ]
        yield {
            "of": one.of, "world": one.world, "model": one.model, "metric": one.metric, "n": n,
            "vary": float((one.estimated != 0).mean()), "truth": one.truth,
            "coverage": np.mean(np.abs(away) <= quantile * error),
            "one_sided": max(np.mean(away > tail * error), np.mean(away < -tail * error)),
            "student": np.mean(np.abs(away) <= quantile * student),
            "sign_flip": np.mean(flipped) if flipped else np.nan,
            "half_width": np.median(quantile * error),
            "student_half_width": np.median(quantile * student),
        }  # fmt: skip


def _errors(values: Floats, compared: Floats, widest: float) -> Floats:
    """The errors of `estimate` for samples of shape (draws, n) at once; of ten by itself too."""
    n, compared = values.shape[1], compared.reshape(len(values), -1)
    away = np.abs(values - values.mean(axis=1, keepdims=True))
    lie, differ = np.ptp(compared, axis=1), _varied(compared)
    limit = np.where(differ, UNKNOWN * lie, np.inf) if np.isinf(widest) else widest
    could = _reach(lie, limit, differ, compared.shape[1])
    reach = _reach(STRETCH * away.max(axis=1), could, _varied(values), n)
    total, count = (away**2).sum(axis=1), n + IMAGINED
    imagined = (total + IMAGINED * reach**2) / (count * (count - 1))
    error = np.sqrt(np.maximum(imagined, total / (n * (n - 1))))
    for k in range(10):
        assert np.isclose(error[k], estimate(values[k], compared[k], widest).error)
    return error


def _reach(seen: Floats, could: Floats | float, varied: NDArray[np.int64], n: int) -> Floats:
    weight = np.minimum(1, 2.0 ** (1 - varied) - 2.0 ** (2 - n))
    with np.errstate(invalid="ignore"):  # none of what cannot be told
        more = weight * np.maximum(np.square(could) - seen**2, 0)
    return np.sqrt(seen**2 + np.where(weight == 0, 0, more))


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
    values, compared = one.samples(MOST, draws)
    looks = [*planned(20, MOST)]
    errors = [_errors(values[:, :n], compared[:, :n], one.widest) for n in looks]
    arms = np.array([stats.t.ppf(0.975, n - 1) * error for n, error in zip(looks, errors,
                                                                        strict=True)])  # fmt: skip
    means = np.array([values[:, :n].mean(axis=1) for n in looks])
    typical = np.median(arms[np.searchsorted(looks, 100)])
    for part in (1.5, 1.0, 0.5):
        reached = arms <= typical * part
        reached[1:] &= reached[:-1]  # at two looks one after the other
        reached[0], reached[-1] = False, True
        end, each = reached.argmax(axis=0), np.arange(draws)
        held = np.abs(means[end, each] - one.truth) <= arms[end, each]
        yield {
            "world": one.world, "model": one.model, "metric": one.metric,
            "half_width": typical * part, "tournaments": np.median(np.array(looks)[end]),
            "coverage": held.mean(),
        }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=Path, default=RESULTS)
    parser.add_argument("--draws", type=int, default=4_000)
    given = parser.parse_args()
    real, made = list(played(given.rounds)), list(made_up())
    rows = [row for one in (*real, *made) for row in coverage(one, given.draws)]
    _write(rows, RESULTS / "coverage.csv")
    chosen = [one for one in real if one.model in SEQUENTIAL and one.metric in LOOKED_AT]
    chosen += [one for one in made if one.model in SKEWED and "eleven" not in one.metric]
    rows = [row for one in chosen for row in sequential(one, given.draws // 4)]
    _write(rows, RESULTS / "coverage-precision.csv")


def _write(rows: list[dict[str, object]], path: Path) -> None:
    pd.DataFrame(rows).round(5).to_csv(path, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
