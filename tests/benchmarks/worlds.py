"""Worlds fitted to one half of the games of real events, and how well they fit the other half.

    OPENBLAS_NUM_THREADS=1 python tests/benchmarks/worlds.py FOLDER

FOLDER has the events: `trf/*/*_r09.trf` (the opens, with the results of eight rounds) and
`nrtm/*.json`. Writes pairopt/lab/worlds/fitted/*.toml, results/worlds.csv (goodness of fit),
results/worlds-laws.csv (which law) and results/worlds-fitted.csv (parameters); needs SciPy.
docs/worlds.md says what each number is.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize, stats

from pairopt import read_event
from pairopt.event.event import FORFEIT, PLAYED, REQUESTED, Event
from pairopt.lab.worlds import Games as Encounters
from pairopt.lab.worlds import Results
from pairopt.lab.worlds.davidson_by_level import DavidsonByLevel
from pairopt.lab.worlds.laws import Davidson, Elo, RaoKupper

RESULTS = Path(__file__).parent / "results"
FITTED = Path(__file__).parents[2] / "pairopt" / "lab" / "worlds" / "fitted"
OPENS = {
    "2400": "aeroflot_open_2026",
    "1900": "budapest_spring_festival_2026_group_b_2250",
    "1500": "spring_2026_chesshouse",
}
"""The opens by their level, to a hundred Elo points."""
NRTM = ("2020_Worlds1A", "AfroEuros", "BLM")
OPEN, NETRUNNER = "open-2026", "netrunner-2020"
SEED, SIMULATED, FOLDS = 2026, 4000, 10
FITTED_ROUNDS = 3
"""Of the events without ratings: the first ones, as who meets later follows from their results."""
CENTER, NATURAL = 2000.0, math.log(10) / 400
LARGEST_ERROR, STEP = 100, 10
"""Rating errors that are tried, in Elo points."""
GAPS = (0, 25, 50, 75, 100, 150, 200, 300, 2000)
LEVELS = (0, 1500, 1600, 1800, 2000, 2200, 2400, 2500, 4000)
LATENT = (0, 25, 50, 75, 100, 150, 2000)
"""Limits of the bins: of rating gaps, of mean ratings, and of gaps in estimated strength."""
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Fitting = Callable[[Floats], float]


@dataclass(frozen=True)
class Games:
    """Games of several events: arrays of shape (m,), players numbered through all of them.

    `first` has the first side; `result` is 0 where it won, 1 for a draw, 2 where it lost.
    `rating` and `event` are of each player, shape (n,); no rating is nan.
    """

    round: Ints
    first: Ints
    second: Ints
    result: Ints
    rating: Floats
    event: Ints

    def __len__(self) -> int:
        return len(self.first)

    def take(self, chosen: NDArray[np.bool_]) -> Games:
        """The chosen games, with all players."""
        names = ("round", "first", "second", "result")
        return replace(self, **{name: getattr(self, name)[chosen] for name in names})

    @property
    def gap(self) -> Floats:
        """By how much the first is rated higher."""
        return self.rating[self.first] - self.rating[self.second]

    @property
    def level(self) -> Floats:
        """The mean rating of both."""
        return (self.rating[self.first] + self.rating[self.second]) / 2


@dataclass(frozen=True)
class Prior:
    """What is known of strengths before a game: mean and deviation of each player."""

    mean: Floats
    deviation: Floats


@dataclass(frozen=True)
class Law:
    """First side, logarithm of the draws' factor at CENTER, its slope and bend by 100 Elo."""

    first_side: float
    factor: float
    slope: float
    bend: float
    low: float = -math.inf
    high: float = math.inf

    @property
    def draws(self) -> float:
        """The probability of a draw between equals at CENTER."""
        even = math.exp(self.factor)
        return even / (2 + even)

    @property
    def shipped(self) -> DavidsonByLevel:
        """As the package has it."""
        return DavidsonByLevel(
            center=CENTER,
            slope=self.slope,
            bend=self.bend,
            low=self.low,
            high=self.high,
        )

    def rounded(self) -> Law:
        """With the digits that are written."""
        draws = round(self.draws, 4)
        return Law(
            round(self.first_side, 1),
            math.log(2 * draws / (1 - draws)),
            round(self.slope, 4),
            round(self.bend, 5),
            self.low,
            self.high,
        )


# --- the real events


def opens(folder: Path) -> dict[str, Event]:
    """The opens by level, before their ninth round."""
    return {
        level: read_event(folder / "trf" / name / f"{name}_r09.trf")
        for level, name in OPENS.items()
    }


def games_of_opens(events: Sequence[Event]) -> Games:
    """All games between rated players."""
    columns: list[list[int]] = []
    rating, number, before = list[float](), list[int](), 0
    for k, event in enumerate(events):
        rows = event.matches.take(event.matches.status == PLAYED)
        white, black = np.where(
            rows.side == 0, (rows.first, rows.second), (rows.second, rows.first)
        )
        ahead = np.where(rows.side == 0, 1, -1) * (rows.score1 - rows.score2)
        known = (event.rating[white] > 0) & (event.rating[black] > 0)
        found = [rows.round, white + before, black + before, 1 - np.sign(ahead)]
        columns += np.column_stack(found)[known].tolist()
        rating += np.where(event.rating > 0, event.rating, math.nan).tolist()
        number += [k] * len(event.players)
        before += len(event.players)
    return _games(columns, rating, number)


def games_of_nrtm(folder: Path) -> tuple[Games, dict[str, int]]:
    """Both games of all matches whose points are told by sides, the corp first; and counts.

    Of the others there is only the sum: a game drawn where it is 4-1, and one that nobody need
    have played where it is 3-3.
    """
    columns: list[list[int]] = []
    counts = dict.fromkeys(
        ("matches", "drawn_games", "split_without_games", "other"), 0
    )
    number, before = list[int](), 0
    for k, name in enumerate(NRTM):
        content = json.loads(
            (folder / "nrtm" / f"{name}.json").read_text(encoding="utf-8")
        )
        place = {
            player["id"]: before + i for i, player in enumerate(content["players"])
        }
        for swiss, match in _swiss_matches(content):
            one, two = match["player1"], match["player2"]
            pairs = [
                (a, b, a["corpScore"] - b["runnerScore"])
                for a, b in ((one, two), (two, one))
            ]
            points = sorted((one["combinedScore"], two["combinedScore"]))
            if all(ahead for *_, ahead in pairs):
                counts["matches"] += 1
                columns += [
                    [
                        swiss,
                        place[corp["id"]],
                        place[runner["id"]],
                        0 if ahead > 0 else 2,
                    ]
                    for corp, runner, ahead in pairs
                ]
            else:
                names = {(1, 4): "drawn_games", (3, 3): "split_without_games"}
                counts[names.get((points[0], points[1]), "other")] += 1
        number += [k] * len(place)
        before += len(place)
    return _games(columns, [math.nan] * before, number), counts


def _swiss_matches(
    content: Mapping[str, Any],
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, matches in enumerate(content["rounds"], 1):
        for match in matches:
            both = match["player1"]["id"], match["player2"]["id"]
            if not match["eliminationGame"] and None not in both:
                yield number, match


def _games(
    columns: Sequence[Sequence[int]], rating: list[float], event: list[int]
) -> Games:
    return Games(*np.array(columns, np.int64).T, np.array(rating), np.array(event))


def halves(count: int) -> NDArray[np.bool_]:
    """Which of so many are fitted; the others are held out."""
    chosen = np.zeros(count, np.bool_)
    chosen[np.random.default_rng(SEED).permutation(count)[: count // 2]] = True
    return chosen


# --- the law


def logits(law: Law, games: Games, strength: Floats) -> tuple[Floats, Floats]:
    """Logarithms of win, draw and loss but for their sum, shape (m, 3), and the draws' slope."""
    one, two = strength[games.first], strength[games.second]
    mean = (one + two) / 2
    level = (np.clip(mean, law.low, law.high) - CENTER) / 100
    ahead = NATURAL * (one - two + law.first_side) / 2
    drawn = law.factor + law.slope * level + law.bend * level**2
    inside = (law.low <= mean) & (mean <= law.high)
    slope = (law.slope + 2 * law.bend * level) / 100 * inside
    return np.stack([ahead, drawn, -ahead], axis=1), slope


def marginal(law: Law, games: Games, prior: Prior) -> tuple[float, Floats, Floats]:
    """The log likelihood with strengths integrated out by Laplace's method.

    With it the likeliest strengths in deviations from their means, shape (n,), and their
    covariance, shape (n, n). Players of different events never meet.
    """
    total, n = 0.0, len(prior.mean)
    mode, spread = np.zeros(n), np.zeros((n, n))
    for k in np.unique(games.event):
        here = np.flatnonzero(games.event == k)
        position = np.full(n, -1)
        position[here] = np.arange(len(here))
        own = games.take(games.event[games.first] == k)
        own = replace(own, first=position[own.first], second=position[own.second])
        value, found, covariance = _laplace(
            law, own, Prior(prior.mean[here], prior.deviation[here])
        )
        total += value
        mode[here], spread[np.ix_(here, here)] = found, covariance
    return total, mode, spread


def _laplace(law: Law, games: Games, prior: Prior) -> tuple[float, Floats, Floats]:
    n, each = len(prior.mean), np.arange(len(games))
    u = np.zeros(n)
    for _ in range(50):
        a, slope = logits(law, games, prior.mean + prior.deviation * u)
        a -= np.log(np.exp(a).sum(axis=1, keepdims=True))
        p = np.exp(a)
        half = np.full(len(games), NATURAL / 2)
        by_first = np.stack([half, slope / 2, -half], axis=1)
        by_second = np.stack([-half, slope / 2, half], axis=1)
        hessian, gradient = np.zeros((n, n)), np.zeros(n)
        residual = -p
        residual[each, games.result] += 1
        sides = ((games.first, by_first), (games.second, by_second))
        for index, d in sides:
            gradient += np.bincount(index, (residual * d).sum(axis=1), n)
            for other, e in sides:
                cross = (p * d * e).sum(axis=1) - (p * d).sum(axis=1) * (p * e).sum(
                    axis=1
                )
                hessian += np.bincount(index * n + other, cross, n * n).reshape(n, n)
        precision = np.eye(n) + prior.deviation[:, None] * hessian * prior.deviation
        step = np.linalg.solve(precision, prior.deviation * gradient - u)
        if np.abs(step).max() < 1e-7:
            break
        u = u + step
    value = (
        a[each, games.result].sum() - (u @ u) / 2 - np.linalg.slogdet(precision)[1] / 2
    )
    return float(value), u, np.linalg.inv(precision)


def prior_of_ratings(games: Games, error: float) -> Prior:
    """Strength given a rating that has such an error, in a normal field as wide as the event's."""
    mean, deviation = np.zeros(len(games.rating)), np.zeros(len(games.rating))
    for k in np.unique(games.event):
        here = games.event == k
        rating = games.rating[here]
        reliable = max(1 - error**2 / np.nanvar(rating), 0)
        mean[here] = np.nanmean(rating) + reliable * (rating - np.nanmean(rating))
        deviation[here] = math.sqrt(reliable) * error
    rated = ~np.isnan(mean)
    return Prior(np.where(rated, mean, CENTER), np.where(rated, deviation, 0.0))


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


def fit_open(games: Games) -> tuple[Law, float, dict[str, Estimate]]:
    """The law and the rating error that are likeliest, with intervals.

    The error is the best of a grid, its interval by the profile likelihood; those of the others
    are Wald's, with the error as it is.
    """
    limits = float(games.level.min()), float(games.level.max())

    def lost(error: float) -> Fitting:
        prior = prior_of_ratings(games, error)
        return lambda x: -marginal(Law(*x, *limits), games, prior)[0]  # type: ignore[misc]

    start, profile = np.array([20.0, -0.5, 0.1, 0.03]), {}
    for error in range(0, LARGEST_ERROR + 1, STEP):
        found = optimize.minimize(
            lost(error), start, method="BFGS", options={"gtol": 1e-3}
        )
        start = found.x
        profile[error] = (float(found.fun), found.x)
    best = min(profile, key=lambda error: profile[error][0])
    near = [
        e
        for e in profile
        if 2 * (profile[e][0] - profile[best][0]) <= stats.chi2.ppf(0.95, 1)
    ]
    x = profile[best][1]
    deviation = np.sqrt(np.diag(np.linalg.inv(curvature(lost(best), x))))
    names = ("first_side", "factor", "slope", "bend")
    known = {
        name: Estimate(v, v - 1.96 * d, v + 1.96 * d)
        for name, v, d in zip(names, x.tolist(), deviation.tolist(), strict=True)
    }
    known["rating_error"] = Estimate(best, min(near), max(near))
    return Law(*x.tolist(), *limits), float(best), _with_draws(known)


def fit_netrunner(
    games: Games, counts: Mapping[str, int]
) -> tuple[Law, dict[str, Estimate]]:
    """First side and spread of strengths that are likeliest, with intervals.

    Draws are so few that they are counted, in games that were played: two a match.
    """
    played = 2 * (counts["matches"] + counts["drawn_games"])
    draws = _share(np.arange(played) < counts["drawn_games"])

    def law(first_side: float) -> Law:
        return Law(first_side, math.log(2 * draws.value / (1 - draws.value)), 0.0, 0.0)

    def lost(x: Floats) -> float:
        return -marginal(law(float(x[0])), games, latent(games, math.exp(x[1])))[0]

    x = optimize.minimize(lost, np.array([0.0, 5.0]), method="Nelder-Mead").x
    d = np.sqrt(np.diag(np.linalg.inv(curvature(lost, x)))) * 1.96
    side = Estimate(*(float(x[0] + s * d[0]) for s in (0, -1, 1)))
    spread = Estimate(*(math.exp(x[1] + s * d[1]) for s in (0, -1, 1)))
    return law(side.value), {"first_side": side, "spread": spread, "draws": draws}


def latent(games: Games, spread: float) -> Prior:
    """Strengths of which nothing is known but how far they spread."""
    n = len(games.rating)
    return Prior(np.full(n, 1500.0), np.full(n, spread))


def _with_draws(known: dict[str, Estimate]) -> dict[str, Estimate]:
    """The factor of draws as what a world has instead, the probability of a draw."""
    factor = known.pop("factor")
    sides = (Law(0, x, 0, 0).draws for x in (factor.value, factor.low, factor.high))
    return {**known, "draws": Estimate(*sides)}


def curvature(function: Fitting, x: Floats) -> Floats:
    """Second derivatives by central differences."""
    steps = 1e-3 * np.maximum(np.abs(x), 0.1)
    found = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        for j in range(i, len(x)):
            total = 0.0
            for a in (1, -1):
                for b in (1, -1):
                    moved = x.copy()
                    moved[i] += a * steps[i]
                    moved[j] += b * steps[j]
                    total += a * b * function(moved)
            found[i, j] = found[j, i] = total / (4 * steps[i] * steps[j])
    return found


# --- which law: likelihoods with the ratings as strengths


def laws() -> dict[
    str, tuple[Callable[[Floats], tuple[float, float, Results]], Floats]
]:
    """By name: first side, draws and law of free parameters, and where to start."""

    def plain(law: Results) -> Callable[[Floats], tuple[float, float, Results]]:
        return lambda x: (float(x[0]), float(1 / (1 + np.exp(-x[1]))), law)

    def by_level(x: Floats) -> tuple[float, float, Results]:
        slope, bend = float(x[2]), float(x[3]) if len(x) > 3 else 0.0
        law = DavidsonByLevel(center=CENTER, slope=slope, bend=bend)
        return float(x[0]), float(1 / (1 + np.exp(-x[1]))), law

    two = np.array([20.0, -1.0])
    return {
        "elo": (plain(Elo()), two),
        "rao_kupper": (plain(RaoKupper()), two),
        "davidson": (plain(Davidson()), two),
        "davidson_by_level, slope": (by_level, np.array([20.0, -1.0, 0.1])),
        "davidson_by_level, slope and bend": (
            by_level,
            np.array([20.0, -1.0, 0.1, 0.0]),
        ),
    }


def chances(
    law: Results, first_side: float, draws: float, games: Games, strength: Floats
) -> Floats:
    """Probabilities of win, draw and loss as the package has them, shape (m, 3)."""
    side = np.ones(len(games), np.int64)
    met = Encounters(0, 1, games.first, games.second, side, strength, first_side, draws)
    win, draw = law(met)
    return np.stack([win, draw, 1 - win - draw], axis=1)


def compare_laws(games: Games, fitted: NDArray[np.bool_]) -> pd.DataFrame:
    """Log likelihoods a game: in the half that is fitted by folds, and in the half held out."""
    strength = np.nan_to_num(games.rating, nan=CENTER)
    one, other = games.take(fitted), games.take(~fitted)
    fold = np.arange(len(one)) % FOLDS
    rows = []
    for name, (made, start) in laws().items():

        def lost(x: Floats, part: Games, made: Any = made) -> float:
            first_side, draws, law = made(x)
            p = chances(law, first_side, draws, part, strength)
            return -float(
                np.log(np.maximum(p, 1e-12))[np.arange(len(part)), part.result].sum()
            )

        def best(part: Games, lost: Any = lost, start: Floats = start) -> Floats:
            options = {"maxiter": 4000, "xatol": 1e-3, "fatol": 1e-4}
            found = optimize.minimize(
                lost, start, (part,), method="Nelder-Mead", options=options
            )
            return np.asarray(found.x)

        cross = sum(
            lost(best(one.take(fold != k)), one.take(fold == k)) for k in range(FOLDS)
        )
        x = best(one)
        rows.append(
            {
                "law": name,
                "parameters": len(start),
                "fitted": -lost(x, one) / len(one),
                "folds": -cross / len(one),
                "held_out": -lost(x, other) / len(other),
            }
        )
    return pd.DataFrame(rows)


# --- goodness of fit


def simulated(law: Law, games: Games, strengths: Callable[[int], Floats]) -> Ints:
    """Results of each game in each simulation, shape (simulations, m); `strengths` makes those."""
    rng = np.random.default_rng(SEED)
    found = np.empty((SIMULATED, len(games)), np.int64)
    for k in range(SIMULATED):
        p = chances(law.shipped, law.first_side, law.draws, games, strengths(k))
        luck = rng.random(len(games))
        found[k] = (luck >= p[:, 0]).astype(np.int64) + (luck >= p[:, 0] + p[:, 1])
    return found


def binned(
    world: str,
    by: str,
    where: Ints,
    names: Sequence[str],
    what: Sequence[str],
    real: Ints,
    made: Ints,
) -> Iterator[dict[str, Any]]:
    """A row for each bin and outcome: the real count, and the simulated one with its 95 % band."""
    for k, name in enumerate(names):
        here = where == k
        if not here.any():
            continue
        for outcome, said in enumerate(what):
            if said:
                counts = (made[:, here] == outcome).sum(axis=1)
                low, high = np.quantile(counts, [0.025, 0.975])
                count = int((real[here] == outcome).sum())
                yield _row(
                    world,
                    by,
                    name,
                    said,
                    int(here.sum()),
                    count,
                    low,
                    counts.mean(),
                    high,
                )


def _row(
    world: str,
    by: str,
    name: str,
    what: str,
    games: int,
    real: int,
    low: float,
    mean: float,
    high: float,
) -> dict[str, Any]:
    """A row of the table of goodness of fit."""
    return {
        "world": world,
        "by": by,
        "bin": name,
        "what": what,
        "number": games,
        "real": real,
        "low": int(low),
        "expected": round(mean, 1),
        "high": int(high),
        "inside": int(low) <= real <= int(high),
    }


def bin_names(limits: Sequence[int]) -> list[str]:
    """Of bins with these limits; the first has no lower and the last no upper one."""
    inner = [f"{low} to {high}" for low, high in itertools.pairwise(limits[1:-1])]
    return [f"below {limits[1]}", *inner, f"{limits[-2]} and more"]


def place_in(values: Floats, limits: Sequence[int]) -> Ints:
    """The bin of each value."""
    return np.asarray(np.digitize(values, limits[1:-1]), np.int64)


def open_fit(games: Games, law: Law, error: float) -> Iterator[dict[str, Any]]:
    """Held-out games of the opens by rating gap, by level, and draws by both."""
    rng, prior = np.random.default_rng(SEED + 1), prior_of_ratings(games, error)
    made = simulated(
        law,
        games,
        lambda _: prior.mean + prior.deviation * rng.standard_normal(len(prior.mean)),
    )
    behind, real = games.gap < 0, games.result
    sides = ("white wins", "draws", "black wins")
    ends = ("higher wins", "draws", "lower wins")
    gap, level = place_in(np.abs(games.gap), GAPS), place_in(games.level, LEVELS)
    turned = np.where(behind, 2 - real, real), np.where(behind, 2 - made, made)
    yield from binned(OPEN, "gap", gap, bin_names(GAPS), ends, *turned)
    yield from binned(OPEN, "level", level, bin_names(LEVELS), sides, real, made)
    wide = (0, 100, 200, 2000)
    both = np.digitize(games.level, (1700, 2200)) * 3 + place_in(
        np.abs(games.gap), wide
    )
    names = [
        f"{a}, gap {b}"
        for a in ("below 1700", "1700 to 2200", "2200 and more")
        for b in bin_names(wide)
    ]
    yield from binned(OPEN, "level and gap", both, names, ("", "draws", ""), real, made)


def netrunner_fit(games: Games, law: Law, spread: float) -> Iterator[dict[str, Any]]:
    """Games held out by the gap in the strengths that the rounds before show, and by event.

    Who meets follows from those, so each round is simulated from all rounds before it.
    """
    rng, prior = np.random.default_rng(SEED + 1), latent(games, spread)
    parts, gaps, levels, simulations = list[Games](), [], [], []
    for number in range(FITTED_ROUNDS + 1, int(games.round.max()) + 1):
        _, mode, covariance = marginal(law, games.take(games.round < number), prior)
        root = np.linalg.cholesky(covariance)
        part = games.take(games.round == number)

        def strengths(_: int, mode: Floats = mode, root: Floats = root) -> Floats:
            return prior.mean + spread * (mode + root @ rng.standard_normal(len(mode)))

        parts.append(part)
        simulations.append(simulated(law, part, strengths))
        shown = prior.mean + spread * mode
        gaps.append(shown[part.first] - shown[part.second])
        levels.append((shown[part.first] + shown[part.second]) / 2)
    made, gap = np.concatenate(simulations, axis=1), np.concatenate(gaps)
    real = np.concatenate([part.result for part in parts])
    event = np.concatenate([part.event[part.first] for part in parts])
    turned = np.where(gap < 0, 2 - real, real), np.where(gap < 0, 2 - made, made)
    ends, sides = ("higher wins", "", ""), ("corp wins", "", "")
    limits = place_in(np.abs(gap), LATENT)
    yield from binned(NETRUNNER, "gap", limits, bin_names(LATENT), ends, *turned)
    level = np.digitize(np.concatenate(levels), (1450, 1500, 1550))
    names = ("below 1450", "1450 to 1500", "1500 to 1550", "1550 and more")
    yield from binned(NETRUNNER, "level", level, names, sides, real, made)
    yield from binned(NETRUNNER, "event", event, NRTM, sides, real, made)


# --- who is there


@dataclass(frozen=True)
class Presence:
    """Who was there when: of each player and round after which leaving shows, and so on.

    `left` and `share`: whether they left then, and their part of the points; `late` of each
    player, `missed` of each round between their first and last, `forfeited` of each match.
    """

    left: NDArray[np.bool_]
    share: Floats
    late: NDArray[np.bool_]
    last_rounds_missed: NDArray[np.bool_]
    forfeited: NDArray[np.bool_]
    later: int

    def concatenate(self, more: Presence) -> Presence:
        """Both together."""
        return Presence(
            *(
                np.concatenate([getattr(self, name), getattr(more, name)])
                for name in ("left", "share", "late", "missed", "forfeited")
            ),
            self.later + more.later,
        )


def presence(event: Event, chosen: NDArray[np.bool_], win: int) -> Presence:
    """Of the chosen players; matches count with their first player."""
    rounds, n, rows = event.round - 1, len(event.players), event.matches
    here, points = np.zeros((n, rounds), np.bool_), np.zeros((n, rounds))
    for players, score in ((rows.first, rows.score1), (rows.second, rows.score2)):
        known = (players >= 0) & (rows.status != REQUESTED)
        here[players[known], rows.round[known] - 1] = True
        np.add.at(
            points,
            (players[players >= 0], rows.round[players >= 0] - 1),
            score[players >= 0] / win,
        )
    ever = here.any(axis=1) & chosen
    first = np.argmax(here, axis=1)
    last = rounds - 1 - np.argmax(here[:, ::-1], axis=1)
    left, share, missed = list[bool](), list[float](), list[bool]()
    for player in np.flatnonzero(ever):
        for k in range(first[player], min(last[player] + 1, rounds - 1)):
            left.append(k == last[player])
            share.append(points[player, : k + 1].sum() / (k + 1))
        missed += (~here[player, first[player] + 1 : last[player]]).tolist()
    matches = rows.take(
        (rows.second >= 0) & ((rows.status == PLAYED) | (rows.status == FORFEIT))
    )
    return Presence(
        np.array(left, np.bool_),
        np.array(share),
        first[ever] == 1,
        np.array(missed, np.bool_),
        (matches.status == FORFEIT)[chosen[matches.first]],
        int((first[ever] > 1).sum()),
    )


def presences(events: Sequence[Event], win: int, part: bool | None = None) -> Presence:
    """Of all players, or of the half that is fitted or held out."""
    every = np.array([True])
    together: Presence | None = None
    for event in events:
        chosen = every.repeat(len(event.players))
        if part is not None:
            chosen = halves(len(event.players)) == part
        found = presence(event, chosen, win)
        together = found if together is None else together.concatenate(found)
    assert together is not None
    return together


def rates(found: Presence) -> dict[str, Estimate]:
    """What a world has of it, with intervals."""
    known = {
        "drops": found.left,
        "late": found.late,
        "absent": found.last_rounds_missed,
        "forfeits": found.forfeited,
    }
    return {name: _share(each) for name, each in known.items()} | drops_by_score(found)


def _share(values: NDArray[np.bool_]) -> Estimate:
    test = stats.binomtest(int(values.sum()), len(values))
    interval = test.proportion_ci(0.95, "exact")
    return Estimate(float(values.mean()), float(interval.low), float(interval.high))


def drops_by_score(found: Presence) -> dict[str, Estimate]:
    """Odds of leaving at half of the points, and by how much their logarithm grows with points.

    Only where the slope's interval has no 0 in it; else nothing.
    """
    x = found.share - 0.5

    def lost(b: Floats) -> float:
        a = b[0] + b[1] * x
        return float((np.logaddexp(0, a) - a * found.left).sum())

    b = optimize.minimize(lost, np.array([-4.0, 0.0]), method="BFGS").x
    d = np.sqrt(np.diag(np.linalg.inv(curvature(lost, b))))
    slope = Estimate(*(float(b[1] + s * d[1]) for s in (0, -1.96, 1.96)))
    if slope.low <= 0 <= slope.high:
        return {}
    ends = (float(1 / (1 + np.exp(-(b[0] + s * d[0])))) for s in (0, -1.96, 1.96))
    return {"drops": Estimate(*ends), "drops_by_score": slope}


def presence_fit(
    world: str, events: Sequence[Event], win: int
) -> Iterator[dict[str, Any]]:
    """The players held out: how often, and the 95 % band at the rates of the others."""
    known, held = rates(presences(events, win, True)), presences(events, win, False)
    slope = known["drops_by_score"].value if "drops_by_score" in known else 0.0
    odds = (
        known["drops"].value
        / (1 - known["drops"].value)
        * np.exp(slope * (held.share - 0.5))
    )
    each = {
        "drops": (held.left, odds / (1 + odds)),
        "late": (held.late, np.full(len(held.late), known["late"].value)),
        "absent": (
            held.last_rounds_missed,
            np.full(len(held.last_rounds_missed), known["absent"].value),
        ),
        "forfeits": (
            held.forfeited,
            np.full(len(held.forfeited), known["forfeits"].value),
        ),
    }
    rng = np.random.default_rng(SEED)
    for name, (real, p) in each.items():
        counts = (rng.random((SIMULATED, len(p))) < p).sum(axis=1)
        low, high = np.quantile(counts, [0.025, 0.975])
        yield _row(
            world,
            "presence",
            "all",
            name,
            len(p),
            int(real.sum()),
            low,
            counts.mean(),
            high,
        )


# --- the worlds


@dataclass(frozen=True)
class Fitted:
    """A world as it is written: its settings, its law, intervals, and what it is made of."""

    name: str
    title: str
    source: Mapping[str, Any]
    world: Mapping[str, Any]
    law: Mapping[str, float]
    known: Mapping[str, Estimate]

    @property
    def text(self) -> str:
        """The file."""
        lines = [
            "# Made by tests/benchmarks/worlds.py; docs/worlds.md says how.",
            f"title = {json.dumps(self.title)}",
        ]
        for name, table in (
            ("source", self.source),
            ("world", self.world),
            ("law", self.law),
        ):
            lines += [
                "",
                f"[{name}]",
                *(f"{key} = {json.dumps(v)}" for key, v in table.items()),
            ]
        lines += ["", "[intervals]"]
        lines += [
            f"{name} = [{_digits(each.low)}, {_digits(each.high)}]"
            for name, each in self.known.items()
        ]
        return "\n".join([*lines, ""])

    @property
    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each parameter."""
        for name, each in self.known.items():
            value, low, high = (_digits(x) for x in (each.value, each.low, each.high))
            yield {
                "world": self.name,
                "parameter": name,
                "value": value,
                "low": low,
                "high": high,
            }


def _digits(value: float) -> float:
    """Four significant digits, and no more than a tenth of an Elo point."""
    return float(f"{value:.4g}")


def field_of(ratings: Sequence[Floats], error: float) -> dict[str, Estimate]:
    """Level and spread of strengths, of one event or the mean of several."""
    n = sum(map(len, ratings))
    level = float(np.mean([each.mean() for each in ratings]))
    variance = float(np.mean([each.var(ddof=1) for each in ratings]))
    about = 1.96 * math.sqrt(variance / n)
    free = n - len(ratings)
    low, high = (variance * free / stats.chi2.ppf(q, free) for q in (0.975, 0.025))
    strength = [math.sqrt(max(each - error**2, 0)) for each in (variance, low, high)]
    return {
        "level": Estimate(level, level - about, level + about),
        "spread": Estimate(*strength),
    }


def open_worlds(
    events: Mapping[str, Event],
    games: Games,
    law: Law,
    error: float,
    known: dict[str, Estimate],
) -> Iterator[Fitted]:
    """The worlds of all opens and of each."""
    groups = [(OPEN, [*events]), *((f"{OPEN}-{level}", [level]) for level in events)]
    for name, levels in groups:
        chosen = [events[level] for level in levels]
        there = presences(chosen, 2)
        ratings = [each.rating[each.rating > 0].astype(np.float64) for each in chosen]
        field = field_of(ratings, error)
        all_known = {**field, **known, **rates(there)}
        players = round(np.mean([len(each.players) for each in chosen]))
        here = np.isin(
            games.event[games.first], [[*events].index(level) for level in levels]
        )
        yield Fitted(
            name,
            f"Open at about {field['level'].value:.0f} Elo"
            if len(levels) == 1
            else f"{len(levels)} opens of 2026",
            {
                "events": [OPENS[level] for level in levels],
                "games": int(here.sum()),
                "players": sum(len(each.players) for each in chosen),
                "later_than_round_2": there.later,
            },
            {
                "players": players,
                "rounds": 9,
                **_settings(all_known),
                "win": "1",
                "draw": "0.5",
                "sides": ["white", "black"],
            },
            {
                "center": CENTER,
                "slope": law.slope,
                "bend": law.bend,
                "low": law.low,
                "high": law.high,
            },
            all_known,
        )


def netrunner_world(
    events: Sequence[Event],
    games: Games,
    counts: Mapping[str, int],
    known: dict[str, Estimate],
) -> Fitted:
    """The world of the NRTM events."""
    there = presences(events, 6)
    all_known = {**known, **rates(there)}
    return Fitted(
        NETRUNNER,
        f"{len(NRTM)} double-sided Netrunner events of 2020",
        {
            "events": [*NRTM],
            "games": len(games),
            **counts,
            "players": len(games.rating),
            "later_than_round_2": there.later,
        },
        {
            "players": round(len(games.rating) / len(NRTM)),
            "rounds": 7,
            "level": 1500.0,
            **_settings(all_known),
            "win": "3",
            "draw": "1",
            "sides": ["corp", "runner"],
            "games": 2,
        },
        {"center": CENTER, "slope": 0.0, "bend": 0.0},
        all_known,
    )


DECIMALS = {
    "level": 0,
    "spread": 0,
    "rating_error": 0,
    "first_side": 1,
    "draws": 4,
    "drops": 5,
    "late": 5,
    "absent": 5,
    "forfeits": 5,
    "drops_by_score": 2,
}


def _settings(known: Mapping[str, Estimate]) -> dict[str, float]:
    """The settings of a world among the parameters, as they are written."""
    return {
        name: round(known[name].value, digits)
        for name, digits in DECIMALS.items()
        if name in known
    }


def main() -> None:
    """Fit, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    events = opens(folder)
    games = games_of_opens([*events.values()])
    fitted = halves(len(games))
    compare_laws(games, fitted).to_csv(
        RESULTS / "worlds-laws.csv",
        index=False,
        float_format="%.5f",
        lineterminator="\n",
    )
    law, error, known = fit_open(games.take(fitted))
    law = law.rounded()
    rows = [*open_fit(games.take(~fitted), law, error)]
    rows += presence_fit(OPEN, [*events.values()], 2)
    worlds = [*open_worlds(events, games, law, error, known)]
    both, counts = games_of_nrtm(folder)
    law, known = fit_netrunner(both.take(both.round <= FITTED_ROUNDS), counts)
    rows += netrunner_fit(both, law.rounded(), round(known["spread"].value))
    netrunner = [read_event(folder / "nrtm" / f"{name}.json") for name in NRTM]
    rows += presence_fit(NETRUNNER, netrunner, 6)
    worlds.append(netrunner_world(netrunner, both, counts, known))
    for each in worlds:
        (FITTED / f"{each.name}.toml").write_text(
            each.text, encoding="utf-8", newline="\n"
        )
    table = pd.DataFrame(rows)
    table.to_csv(RESULTS / "worlds.csv", index=False, lineterminator="\n")
    pd.DataFrame([row for each in worlds for row in each.rows]).to_csv(
        RESULTS / "worlds-fitted.csv", index=False, lineterminator="\n"
    )
    for by, part in table.groupby(["world", "by"], sort=False):
        print(*by, f"{part['inside'].sum()} of {len(part)} inside")


if __name__ == "__main__":
    main()
