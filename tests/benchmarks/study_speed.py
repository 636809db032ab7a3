"""Speed of small fields: rounds and tournaments of 32 players, 7 rounds, beside py4swiss.

python tests/benchmarks/study_speed.py [--tournaments 40]
python tests/benchmarks/study_speed.py NAME=FOLDER ... [--repeats N] [-o FILE.csv]

The second form has this checkout and others take turns, each time in a process of its own: rounds
from an event in memory to the checked pairing, all of 32 players by matching, the ninth of 40
players by cpsat, and rounds of 8 and 32 players by the engine auto and by FIDE's Dutch System, of
each the least of five times; and tournaments with results and metrics, their
pairings any optimal ones, or drawn by a fair lot. Seconds of the processor, medians, and ratios to
the first of the others.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import pandas as pd
from py4swiss.engines import DutchEngine
from py4swiss_peer import py4swiss

from pairopt import load_model, solve
from pairopt.lab import World, compare_models
from pairopt.lab.contenders import resolve_contender
from pairopt.lab.identity import name_of
from pairopt.lab.play import play_each_round
from pairopt.lab.world import Field

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from places import ROOT
from startup import in_checkout

WORLD = World(players=32, rounds=7, sides=("white", "black"), rating_error=0.0)
Rounds = tuple[int, int, int, str, str]
"""Players, first and last round, model, engine."""
IN_MEMORY: tuple[Rounds, ...] = (
    (32, 2, 7, "excalibur", "matching"),
    (40, 9, 9, "excalibur", "cpsat"),
)
SMALL: tuple[Rounds, ...] = (
    (8, 2, 5, "excalibur", "auto"),
    (32, 2, 9, "excalibur", "auto"),
    (8, 2, 5, "fide-dutch", "auto"),
    (32, 2, 9, "fide-dutch", "auto"),
)
"""Rounds that are measured after all others."""
MODELS = ("excalibur", "fide-basic", "double-sided", "fide-dutch", py4swiss)


def beside_py4swiss(count: int) -> None:
    """Print the times of rounds and of so many tournaments, under each model."""
    alone: list[float] = []
    DutchEngine.generate_pairings = _timed(DutchEngine.generate_pairings, alone)  # type: ignore[method-assign]
    for each in MODELS:
        model, rounds = resolve_contender(each), []
        compare_models([model], WORLD, replicates=3, seed=2)  # warms up imports
        alone.clear()
        for k in range(count):
            rounds += [
                made.seconds for made, _ in play_each_round(Field(WORLD, 1, k), model)
            ]
        if alone:
            print(
                f"{'py4swiss alone':15} {1000 * statistics.median(alone):6.2f} ms a round"
            )
        start = time.perf_counter()
        compare_models([model], WORLD, replicates=count, seed=1)
        each = (time.perf_counter() - start) / count
        print(
            f"{name_of(model):15} {1000 * statistics.median(rounds):6.2f} ms a round, "
            f"{1000 * each:6.1f} ms a tournament with results and metrics, {1 / each:.0f} a second"
        )


def measured(count: int) -> dict[str, float]:
    """Milliseconds of the processor of rounds and of tournaments, in this process."""
    found = {
        f"a round of {each[0]} players, {each[4]}": _mean(each) for each in IN_MEMORY
    }
    model = load_model("excalibur")
    for lot in ("any", "uniform"):
        start = time.process_time()
        compare_models([model], WORLD, replicates=count, seed=1, choose=lot)
        found[f"a tournament of 32 players, {lot}"] = (
            1000 * (time.process_time() - start) / count
        )
    return found | {
        f"a round of {each[0]} players, {each[3]}": _mean(each) for each in SMALL
    }


def _mean(rounds: Rounds) -> float:
    """The mean milliseconds of the processor for a round, of five tournaments."""
    players, first, last, name, engine = rounds
    world, model = replace(WORLD, players=players, rounds=last), load_model(name)
    seconds = []
    for k in range(5):
        for _, after in play_each_round(Field(world, 1, k), model):
            if first <= after.round <= last:
                call = partial(solve, after, model, engine=engine)
                seconds.append(_least(call))
    return 1000 * statistics.mean(seconds)


def in_turn(checkouts: dict[str, Path], count: int, repeats: int) -> pd.DataFrame:
    """Medians of the checkouts' times, a row a figure and a column a checkout."""
    rows = []
    for _ in range(repeats):
        for name, folder in checkouts.items():
            command = [sys.executable, __file__, "--one", "--tournaments", str(count)]
            done = subprocess.run(
                command,
                env=in_checkout(folder),
                capture_output=True,
                text=True,
                check=True,
            )
            rows.append({"checkout": name, **json.loads(done.stdout)})
    return pd.DataFrame(rows).groupby("checkout", sort=False).median().T


@click.command()
@click.argument("others", nargs=-1, metavar="[NAME=FOLDER ...]")
@click.option("--tournaments", "count", default=40, show_default=True)
@click.option("--repeats", default=5, show_default=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False))
@click.option("--one", is_flag=True, hidden=True)
def main(
    others: tuple[str, ...], count: int, repeats: int, output: str | None, one: bool
) -> None:
    """Print times beside py4swiss, or this checkout (`here`) beside other ones."""
    if one:
        click.echo(json.dumps(measured(count)))
    elif not others:
        beside_py4swiss(count)
    else:
        named = {
            name: Path(folder)
            for name, folder in (each.split("=", 1) for each in others)
        }
        frame = in_turn({**named, "here": ROOT}, count, repeats)
        frame["ratio"] = frame["here"] / frame.iloc[:, 0]
        if output is not None:
            frame.round(3).to_csv(
                output, index_label="ms of the processor", lineterminator="\n"
            )
        click.echo(frame.round(3).to_string())


def _least(call: Callable[[], Any]) -> float:
    """The least of the processor's seconds of five calls."""
    times = []
    for _ in range(5):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def _timed(function: Callable[..., Any], seconds: list[float]) -> Any:
    """The function, noting how long each call took."""

    def call(*arguments: Any) -> Any:
        start = time.perf_counter()
        made = function(*arguments)
        seconds.append(time.perf_counter() - start)
        return made

    return staticmethod(call)


if __name__ == "__main__":
    main()
