"""How often intervals hold the truth: of published studies' differences, and of made-up ones.

    python tests/benchmarks/intervals.py [--draws N]
    python tests/benchmarks/intervals.py --bootstrap

Writes results/coverage.csv and results/coverage-precision.csv, with --bootstrap only
results/coverage-bootstrap.csv; README.md.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from pairopt.lab.comparison import replicate_targets
from pairopt.lab.statistics.comparing import metric_range
from pairopt.lab.statistics.estimate import (
    IMAGINED,
    SAME,
    SKEWED,
    STRETCH,
    UNKNOWN,
    estimate,
)
from pairopt.lab.studies.run import read_tournament_table
from pairopt.lab.studies.study_file import read_study

RESULTS = Path(__file__).parent / "results"
STUDIES = Path(__file__).parents[2] / "studies"
SIZES = (5, 6, 8, 10, 15, 20, 50, 100, 300)
FLIPS, FLIPPED, FLIPPED_DRAWS = 999, 20, 30
LEAST, KEPT = 100, 5
"""Tournaments of a population, and populations of a metric: evenly from rare differences to all."""
LOOKED_AT = ("kendall", "top_hits", "floats", "rematches", "violations")
MANY = 20_000
"""Values of a made-up population."""
SKEWED_SHARES, MOST = (
    ("0.1 of tournaments", "0.3 of tournaments", "1 of tournaments"),
    800,
)
STUDENTS = (50, 100, 200)
"""Tournaments after which Student's interval has the half-width that is asked for."""
RESAMPLES, RESAMPLED_SIZES, RESAMPLED_DRAWS = 999, (10, 20, 50), 200
"""Resamples of the bootstrap, its numbers of tournaments, and samples of each population."""
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

    @property
    def varies(self) -> float:
        """The part that is not the most frequent value."""
        return int(_varied(self.estimated[None])[0]) / len(self.second)

    def samples(self, n: int, draws: int) -> tuple[Floats, Floats]:
        """Differences of n tournaments by lot, shape (draws, n), and both values of each."""
        chance = np.random.default_rng(
            [n, crc32(f"{self.of} {self.world} {self.model} {self.metric}".encode())]
        )
        chosen = chance.integers(0, len(self.second), (draws, n))
        both = [each[chosen] for each in (self.first, self.second) if len(each)]
        return self.estimated[chosen], np.stack(both, axis=2)


def played() -> Iterator[Population]:
    """Of each metric some of the published studies' differences to their baselines, and means."""
    found: dict[tuple[str, str], dict[bytes, Population]] = defaultdict(dict)
    for path in sorted(STUDIES.glob("*/study.toml")):
        design = read_study(path)
        table = read_tournament_table(path.parent)
        names = [name for name in table if name.startswith("world_")]
        rows = (
            [own for _, own in table.groupby(names, sort=False, dropna=False)]
            if names
            else [table]
        )
        for k, (own, world) in enumerate(zip(rows, design.worlds, strict=True)):
            for metric in own.columns[list(own).index("replicate") + 1 :]:
                least, most = metric_range(metric, world.players, world.rounds)
                values = own.pivot_table(metric, "replicate", "model", dropna=False)
                for model in values:
                    where = f"{path.parent.name} {k + 1}", str(model), metric
                    of = [design.baseline] * (model != design.baseline) + [model]
                    both = values[of].dropna().to_numpy(np.float64)
                    one = Population(
                        *where,
                        both[:, 0] if len(of) == 2 else NONE,
                        both[:, -1],
                        most - least,
                    )
                    if len(both) >= LEAST and np.ptp(np.round(one.estimated, 9)):
                        found[one.of, metric].setdefault(one.estimated.tobytes(), one)
    for own in found.values():
        ordered = sorted(own.values(), key=lambda one: one.varies)
        places = np.linspace(0, len(ordered) - 1, min(KEPT, len(ordered)))
        yield from (ordered[int(place)] for place in places)


def made_up() -> Iterator[Population]:
    """Differences that are rare, and mostly to one side; and means of parts."""
    chance = np.random.default_rng(3)
    sizes = {
        "one": np.ones(MANY),
        "one to either side": chance.choice([-1.0, 1.0], MANY),
        "normal": chance.normal(0, 1, MANY),
        "Laplace": chance.laplace(0, 1, MANY),
        "exponential": chance.exponential(1, MANY),
        "chi-squared with 3": chance.chisquare(3, MANY),
        "geometric": chance.geometric(0.4, MANY).astype(np.float64),
        "lognormal": np.exp(chance.normal(0, 1, MANY)),
        "one in ten four times the others": np.where(
            chance.random(MANY) < 0.1, 4.0, 1.0
        ),
        "one in ten eleven times the others": np.where(
            chance.random(MANY) < 0.1, 5.5, 0.5
        ),
    }
    for share in (0.005, 0.02, 0.05, 0.1, 0.3, 1.0):
        for name, size in sizes.items():
            second = np.where(chance.random(MANY) < share, size, 0.0)
            yield Population(
                "made up",
                f"{share:g} of tournaments",
                name,
                np.zeros(MANY),
                second,
                WIDEST,
            )
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
        away, student = (
            values.mean(axis=1) - one.truth,
            values.std(axis=1, ddof=1) / n**0.5,
        )
        chance = np.random.default_rng(n)
        flipped = [
            _flip_test(v - one.truth, chance) > 0.05
            for v in values[: FLIPPED_DRAWS * (n == FLIPPED and one.of == "difference")]
        ]
        yield {
            "of": one.of,
            "world": one.world,
            "model": one.model,
            "metric": one.metric,
            "n": n,
            "vary": one.varies,
            "truth": one.truth,
            "coverage": np.mean(np.abs(away) <= quantile * error),
            "one_sided": max(
                np.mean(away > tail * error), np.mean(away < -tail * error)
            ),
            "student": np.mean(np.abs(away) <= quantile * student),
            "sign_flip": np.mean(flipped) if flipped else np.nan,
            "half_width": np.median(quantile * error),
            "student_half_width": np.median(quantile * student),
        }


def _errors(
    values: Floats, compared: Floats, widest: float, faded: bool = True
) -> Floats:
    """The errors of `estimate` for samples of shape (draws, n) at once; of ten by itself too. Not
    `faded` they are as they were before: four imagined values whatever varies, no skewness."""
    n, compared = values.shape[1], compared.reshape(len(values), -1)
    apart, varied = values - values.mean(axis=1, keepdims=True), _varied(values)
    lie, differ = np.ptp(compared, axis=1), _varied(compared)
    limit = np.where(differ, UNKNOWN * lie, np.inf) if np.isinf(widest) else widest
    could = _reach(lie, limit, differ, compared.shape[1])
    reach = _reach(STRETCH * np.abs(apart).max(axis=1), could, varied, n)
    total = (apart**2).sum(axis=1)
    added = IMAGINED * (1 - varied / (n - 1)) ** 2 if faded else IMAGINED
    imagined = (total + added * reach**2) / ((n + added) * (n + added - 1))
    own = total / (n * (n - 1))
    if faded:
        with np.errstate(invalid="ignore", divide="ignore"):
            skew = np.where(
                varied > 0, (apart**3).mean(axis=1) ** 2 / (total / n) ** 3, 0
            )
        own = own * (1 + SKEWED * skew / n)
    error = np.sqrt(np.maximum(imagined, own))
    for k in range(10 * faded):
        assert np.isclose(error[k], estimate(values[k], compared[k], widest).error)
    return error


def _reach(
    seen: Floats, could: Floats | float, varied: NDArray[np.int64], n: int
) -> Floats:
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


def bootstrapped(one: Population) -> Iterator[dict[str, object]]:
    """How often the BCa bootstrap's 95 % interval holds the truth, beside the other intervals.

    All three intervals are of the same samples. Equal values have a BCa interval without width.
    """
    for n in RESAMPLED_SIZES:
        quantile = stats.t.ppf(0.975, n - 1)
        values, compared = one.samples(n, RESAMPLED_DRAWS)
        error = _errors(values, compared, one.widest)
        student = values.std(axis=1, ddof=1) / n**0.5
        away = np.abs(values.mean(axis=1) - one.truth)
        low, high = _bootstrap_limits(values, np.random.default_rng(n))
        yield {
            "world": one.world,
            "model": one.model,
            "metric": one.metric,
            "n": n,
            "vary": one.varies,
            "coverage": np.mean(away <= quantile * error),
            "student": np.mean(away <= quantile * student),
            "bca": np.mean((low <= one.truth) & (one.truth <= high)),
            "half_width": np.median(quantile * error),
            "bca_half_width": np.median((high - low) / 2),
        }


def _bootstrap_limits(
    values: Floats, chance: np.random.Generator
) -> tuple[Floats, Floats]:
    """The ends of the BCa intervals of means, for samples of shape (draws, n) at once."""
    low = values.mean(axis=1)
    high = low.copy()
    differ = np.ptp(values, axis=1) > SAME
    found = stats.bootstrap(
        (values[differ],),
        np.mean,
        axis=1,
        n_resamples=RESAMPLES,
        method="BCa",
        rng=chance,
    )
    low[differ], high[differ] = found.confidence_interval
    return low, high


def looks(part: int) -> list[int]:
    """Numbers of tournaments, each more by such a part of the one before, in tens."""
    counts = [20]
    while counts[-1] < MOST:
        counts.append(min(-(-(counts[-1] + -(-counts[-1] // part)) // 10) * 10, MOST))
    return counts


def sequential(one: Population, draws: int) -> Iterator[dict[str, object]]:
    """How often the interval holds the truth that --precision ends with, looking as planned, and
    how many tournaments it takes; the same by the rule before, and of Student's intervals."""
    values, compared = one.samples(MOST, draws)
    assert looks(8) == [*replicate_targets(20, MOST)]
    every = sorted({*looks(8), *looks(4)})
    quantile = {n: stats.t.ppf(0.975, n - 1) for n in every}
    means = {n: values[:, :n].mean(axis=1) for n in every}
    arms = {
        "here": {
            n: quantile[n] * _errors(values[:, :n], compared[:, :n], one.widest)
            for n in looks(8)
        },
        "before": {
            n: quantile[n] * _errors(values[:, :n], compared[:, :n], one.widest, False)
            for n in looks(4)
        },
        "student": {
            n: quantile[n] * values[:, :n].std(axis=1, ddof=1) / n**0.5
            for n in looks(8)
        },
    }
    for wanted in STUDENTS:
        width = stats.t.ppf(0.975, wanted - 1) * one.estimated.std() / wanted**0.5
        for rule, own in arms.items():
            counts, narrow = np.array([*own]), np.array([*own.values()])
            reached = narrow <= width
            reached[1:] &= reached[:-1].copy()  # at two looks one after the other
            reached[0], reached[-1] = False, True
            end, each = reached.argmax(axis=0), np.arange(draws)
            mean = np.array([means[n] for n in counts])[end, each]
            held = np.abs(mean - one.truth) <= narrow[end, each]
            yield {
                "world": one.world,
                "model": one.model,
                "metric": one.metric,
                "vary": one.varies,
                "students": wanted,
                "half_width": width,
                "rule": rule,
                "tournaments": float(np.mean(counts[end])),
                "coverage": held.mean(),
            }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--bootstrap", action="store_true")
    given = parser.parse_args()
    real, made = list(played()), list(made_up())
    if given.bootstrap:
        chosen = [one for one in (*real, *made) if _is_bootstrapped(one)]
        rows = [row for one in chosen for row in bootstrapped(one)]
        _write(rows, RESULTS / "coverage-bootstrap.csv")
        return
    rows = [row for one in (*real, *made) for row in coverage(one, given.draws)]
    _write(rows, RESULTS / "coverage.csv")
    chosen = [one for one in real if one.metric in LOOKED_AT and one.of == "difference"]
    chosen += [
        one
        for one in made
        if one.model in SKEWED_SHARES
        and "eleven" not in one.metric
        and one.metric != "part"
    ]
    rows = [row for one in chosen for row in sequential(one, given.draws // 4)]
    _write(rows, RESULTS / "coverage-precision.csv")


def _is_bootstrapped(one: Population) -> bool:
    """Whether the bootstrap is tried on a population: differences in the usual metrics."""
    if one.world == "made up":
        return one.model in SKEWED_SHARES and one.metric != "part"
    return one.of == "difference" and one.metric in LOOKED_AT


def _write(rows: list[dict[str, object]], path: Path) -> None:
    pd.DataFrame(rows).round(5).to_csv(path, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
