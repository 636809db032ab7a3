"""2-for-1s, intentional draws and the weight of rounds before a cut; README.md.

    python tests/benchmarks/two_for_one.py [--tournaments N | --real]

Plays what two_for_one.toml says, hypotheses first, and writes results/two-for-one-*.csv.
"""

from __future__ import annotations

import argparse
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from places import REAL

from pairopt import load_model, read_event
from pairopt.analysis.agreements import (
    TableCutProbabilities,
    agreements,
    compute_table_chances,
)
from pairopt.analysis.continuations import Continuations, CutLine, GameModel, with_byes
from pairopt.common.holm import correct_by_holm
from pairopt.event.event import Event
from pairopt.lab import World
from pairopt.lab.play import play_each_round, rows_of
from pairopt.lab.statistics.estimate import Estimate, estimate
from pairopt.lab.world import Field
from pairopt.round.result import Result

HERE = Path(__file__).parent
RESULTS = HERE / "results"
ALPHA = 0.05
FEW = 30
"""Fewer tournaments with a table of two records say nothing of it."""
Values = NDArray[np.float64]
Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Format:
    """A way to run the Swiss rounds."""

    name: str
    model: str
    games: int
    rounds: int

    def world(self, players: int, spread: float = 0.0) -> World:
        """Its tournaments."""
        return World(
            players=players,
            rounds=self.rounds,
            spread=spread,
            draws=0.0,
            games=self.games,
        )


def settings() -> Settings:
    """What two_for_one.toml says."""
    return tomllib.loads((HERE / "two_for_one.toml").read_text(encoding="utf-8"))


def formats(given: Settings) -> list[Format]:
    """The formats that are compared."""
    return [Format(name, **own) for name, own in given["formats"].items()]


# ------------------------------------------------------------------ tournaments


def rounds_of(of: Format, field: Field) -> list[tuple[Result, Event]]:
    """A tournament, each pairing by lot."""
    return list(play_each_round(field, load_model(of.model), "uniform"))


def places(event: Event, cut: int) -> Values:
    """The part of a place in the cut that each player has after the last round."""
    last = event.round - 1
    rows = event.matches.take(event.matches.round == last)
    line = CutLine(replace(event, round=last), rows, cut, event.active)
    nothing = np.zeros((1, 0), np.int64)
    left, tied = line.shares(nothing, nothing, range(len(event.players)))
    return np.asarray((left / tied)[:, 0])


def games(
    of: Format, replicate: int, rounds: list[tuple[Result, Event]], cuts: Sequence[int]
) -> Iterator[dict[str, Any]]:
    """A row a player, round and cut: both records, what the match gave, part of a place."""
    end = rounds[-1][1]
    taken = {cut: places(end, cut) for cut in cuts}
    win = 3 * of.games
    for number, (made, after) in enumerate(rounds, 1):
        before = made.problem.state.event.turns.points.sum(axis=1)
        rows = after.matches.take(after.matches.round == number)
        for one, two, points in (
            (rows.first, rows.second, rows.score1),
            (rows.second, rows.first, rows.score2),
        ):
            for player, other, own in zip(
                one.tolist(), two.tolist(), points.tolist(), strict=True
            ):
                for cut in cuts:
                    yield {
                        "format": of.name,
                        "replicate": replicate,
                        "round": number,
                        "cut": cut,
                        "own": int(before[player]),
                        "other": int(before[other]),
                        "result": own / win,
                        "place": taken[cut][player],
                    }


# ------------------------------------------------------------------ weight of rounds, records


def weighed(rows: pd.DataFrame) -> pd.DataFrame:
    """With `weight`: its mean is what a game won instead of lost adds to the chance of the cut.

    Results are fair coins, so the mean after one result is what it does: 1 is a win of all games
    of the match, 0 a loss, 0.5 one game each. `agreed` is the same of a 2-for-1 instead of both
    games, and with the other sign of an intentional draw.
    """
    centred = rows["place"] - rows.groupby(["format", "round", "cut"])[
        "place"
    ].transform("mean")
    rows["weight"] = centred * 4 * (rows["result"] - 0.5)
    at = rows.groupby(["format", "round", "cut", "own", "other"])["place"].transform(
        "mean"
    )
    rows["agreed"] = (rows["place"] - at) * np.where(rows["result"] == 0.5, -1, 1)
    return rows


def mean_of(values: pd.Series[float]) -> Estimate:
    """The mean of a number a tournament."""
    own = values.to_numpy(np.float64)
    return estimate(own, own, 2.0)


def told(found: Estimate) -> dict[str, float]:
    """As a table holds it."""
    low, high = found.limits()
    return {
        "mean": round(found.mean, 5),
        "low": round(low, 5),
        "high": round(high, 5),
        "n": found.n,
    }


def by_round(rows: pd.DataFrame) -> pd.DataFrame:
    """The weight of a game in each round."""
    per = rows.groupby(["format", "cut", "round", "replicate"], sort=False)[
        "weight"
    ].mean()
    keys = ["format", "cut", "round"]
    return pd.DataFrame(
        [
            {**dict(zip(keys, key, strict=True)), **told(mean_of(own))}
            for key, own in per.groupby(keys, sort=False)
        ]
    )


def by_record(rows: pd.DataFrame, double: Sequence[str]) -> pd.DataFrame:
    """What a 2-for-1 gives a player of one record against one of another, in each round."""
    keys = ["format", "cut", "round", "own", "other"]
    two = rows[rows["format"].isin(double)]
    count = two.groupby(keys)["agreed"].size()
    per = two.groupby([*keys, "replicate"])[["agreed", "place"]].mean()
    return pd.DataFrame(
        [
            {
                **dict(zip(keys, key, strict=True)),
                "players": int(count[key]),
                "chance": round(float(own["place"].mean()), 4),
                **told(mean_of(own["agreed"])),
            }
            for key, own in per.groupby(keys)
            if len(own) >= FEW
        ]
    )


# ------------------------------------------------------------------ tables of the last round


def last_tables(
    of: Format, given: Settings, field: Field, rounds: list[tuple[Result, Event]]
) -> Iterator[dict[str, Any]]:
    """Each table of the last round."""
    made, _ = rounds[-1]
    event, points = made.problem.state.event, field.world.points
    assert made.arcs is not None
    rows = with_byes(rows_of([made], event.round), points, event.scale)
    coming = Continuations(
        CutLine(event, rows, given["cut"], event.active),
        of.rounds,
        points,
        GameModel(field.strength),
        load_model(of.model),
        given["samples"],
        field.replicate,
    )
    record = event.turns.points.sum(axis=1)
    for table in range(len(coming.open_rows)):
        found = compute_table_chances(coming, table)
        players = [event.index[each] for each in (found.player1, found.player2)]
        yield {
            "format": of.name,
            "spread": field.world.spread,
            "replicate": field.replicate,
            "own": int(record[players].max()),
            "other": int(record[players].min()),
            **verdicts(found),
        }


def verdicts(found: TableCutProbabilities) -> dict[str, float]:
    """1 where both gain by an agreement, or by any; and who has nothing to play for."""
    said = {
        each.name: each.both_gain for each in found.scenarios if each.gains is not None
    }
    results = [each for each in found.scenarios if each.probability is not None]
    apart = [np.ptp([each.chances[k].value for each in results]) for k in (0, 1)]
    two_for_one = said.get("two_for_one", "no")
    return {
        "two_for_one": int(two_for_one == "yes"),
        "intentional_draw": int(said["intentional_draw"] == "yes"),
        "any": int("yes" in said.values()),
        "open": int("open" in said.values()),
        "most_gain": max(
            min(gain.value for gain in each.gains)
            for each in found.scenarios
            if each.gains
        ),
        "nothing_at_stake": float(np.mean([each < 0.005 for each in apart])),
    }


def by_tournament(tables: pd.DataFrame) -> pd.DataFrame:
    """The parts of the tables of each tournament."""
    keys = ["format", "spread", "replicate"]
    columns = ["two_for_one", "intentional_draw", "any", "open", "nothing_at_stake"]
    return tables.groupby(keys, sort=False)[columns].mean().round(5).reset_index()


def tables_by_record(tables: pd.DataFrame) -> pd.DataFrame:
    """At how many tables of two records both gain, and how much the one has who gains less."""
    keys = ["format", "spread", "own", "other"]
    grouped = tables.groupby(keys)
    made = grouped[["two_for_one", "intentional_draw", "open"]].sum()
    made.insert(0, "tables", grouped.size())
    made["most_gain"] = grouped["most_gain"].mean().round(4)
    return made.reset_index()


# ------------------------------------------------------------------ hypotheses


def tested(given: Settings, weight: pd.DataFrame, shares: pd.DataFrame) -> pd.DataFrame:
    """Each hypothesis with its number, interval and p-value, corrected for all."""
    found: list[Estimate] = []
    for each in given["hypotheses"]:
        sides = [
            _numbers(given, each["measure"], of, weight, shares)
            for of in (each["of"], each.get("than"))
            if of
        ]
        count = min(map(len, sides))
        values = sides[0][:count] - (
            sides[1][:count] if len(sides) > 1 else each["more_than"]
        )
        found.append(estimate(values, np.concatenate([*sides]), 1.0))
    corrected = correct_by_holm(np.array([each.p for each in found]))
    return pd.DataFrame(
        [
            {
                "name": each["name"],
                "claim": each["claim"],
                **told(one),
                "p_holm": float(f"{p:.3g}"),
                "shown": int(p < ALPHA and one.mean > 0),
            }
            for each, one, p in zip(
                given["hypotheses"], found, corrected.tolist(), strict=True
            )
        ]
    )


def _numbers(
    given: Settings,
    measure: str,
    of: Sequence[str],
    weight: pd.DataFrame,
    shares: pd.DataFrame,
) -> Values:
    """A number a tournament."""
    name, what = of
    if measure == "share":
        own = shares[(shares["format"] == name) & (shares["spread"] == 0)]
        return own[what].to_numpy(np.float64)
    rounds = given["formats"][name]["rounds"]
    own = weight[(weight["format"] == name) & (weight["cut"] == given["cut"])]
    table = own.pivot_table("weight", "replicate", "round")
    first, last = table[1].to_numpy(np.float64), table[rounds].to_numpy(np.float64)
    return {"first": first, "last": last, "first_less_last": first - last}[what]


# ------------------------------------------------------------------ real last rounds

REAL_CUTS = {"BLM": 8}
"""Events with a cut after the Swiss rounds."""


def real(given: Settings) -> pd.DataFrame:
    """The last round of each event, and how the tables ended at which both would have gained."""
    found = []
    for name, cut in REAL_CUTS.items():
        event = read_event(REAL / "nrtm" / f"{name}.json")
        last = event.round - 1
        told = agreements(
            event,
            "double-sided",
            cut=cut,
            round=last,
            rounds=last,
            samples=given["samples"],
            seed=given["seed"],
        )
        rows = event.matches.take(
            (event.matches.round == last) & (event.matches.second >= 0)
        )
        split = dict(
            zip(rows.first.tolist(), (rows.score1 == rows.score2).tolist(), strict=True)
        )
        for agreement in ("two_for_one", "intentional_draw"):
            for verdict in ("yes", "no", "open"):
                own = [
                    each
                    for each in told.tables
                    if each.scenario(agreement).both_gain == verdict
                ]
                ended = sum(split[event.index[each.player1]] for each in own)
                found.append(
                    {
                        "event": name,
                        "players": len(event.players),
                        "round": last,
                        "cut": cut,
                        "agreement": agreement,
                        "both_gain": verdict,
                        "tables": len(own),
                        "split": ended,
                    }
                )
    return pd.DataFrame(found)


# ------------------------------------------------------------------ all of it


def play(given: Settings, of: Format) -> tuple[pd.DataFrame, pd.DataFrame]:
    """All games of a format, and the tables of the last rounds."""
    rows, tables = list[dict[str, Any]](), list[dict[str, Any]]()
    unequal = given["unequal"]
    for spread, count in (
        (0.0, given["played"]),
        (float(unequal["spread"]), unequal["tables"]),
    ):
        world = of.world(given["players"], spread)
        for replicate in range(count):
            field = Field(world, given["seed"], replicate)
            rounds = rounds_of(of, field)
            if not spread:
                rows += games(of, replicate, rounds, given["cuts"])
            if spread or replicate < given["tables"]:
                tables += last_tables(of, given, field, rounds)
        print(f"{of.name}, spread {spread:g}: {time.process_time():.0f} s", flush=True)
    return pd.DataFrame(rows), pd.DataFrame(tables)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--tournaments", type=int, help="instead of the study's, to try it"
    )
    parser.add_argument("--jobs", type=int, default=1, help="so many formats at once")
    parser.add_argument(
        "--real", action="store_true", help="real last rounds, and nothing else"
    )
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    asked = parser.parse_args()
    given = dict(settings())
    if asked.real:
        real(given).to_csv(
            RESULTS / "two-for-one-real.csv", index=False, lineterminator="\n"
        )
        return
    if few := asked.tournaments:
        given |= {
            "played": few,
            "tables": few,
            "unequal": {**given["unequal"], "tables": 2},
        }
    with ProcessPoolExecutor(asked.jobs) as pool:
        played = list(pool.map(partial(play, given), formats(given)))
    rows, tables = (
        pd.concat(each, ignore_index=True) for each in zip(*played, strict=True)
    )
    rows = weighed(rows)
    double = [of.name for of in formats(given) if of.games == 2]
    shares = by_tournament(tables)
    made = {
        "hypotheses": tested(given, rows, shares),
        "weights": by_round(rows),
        "records": by_record(rows, double),
        "tournaments": shares,
        "tables": tables_by_record(tables),
    }
    for name, frame in made.items():
        path = asked.output / f"two-for-one-{name}.csv"
        frame.to_csv(path, index=False, lineterminator="\n")
    print(made["hypotheses"].drop(columns="claim").to_string())


if __name__ == "__main__":
    main()
