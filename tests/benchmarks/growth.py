"""How time and memory of a round grow with its players; see README.md.

python tests/benchmarks/growth.py -o tests/benchmarks/results/growth.csv
python tests/benchmarks/growth.py --history foreign --most 3000
"""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path
from random import Random

import click
import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from apart import apart, peak_mb
from foreign import warmed_up
from foreign_fields import History, monrad, shared
from simulation import after, opening

from pairopt import solve
from pairopt.event.event import Event

SIZES = {
    "own": (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000),
    "foreign": (100, 300, 1_000, 3_000, 10_000, 20_000),
}
MODEL, ROUND, LIMIT, PATIENCE, MEMORY = "excalibur", 3, 600, 3600, 16_000_000


def own(players: int) -> Event:
    """An event that pairopt has paired, before round 3."""
    event, rng = opening(players), np.random.default_rng(0)
    strength = rng.normal(0, 200, players)
    for _ in range(ROUND - 1):
        event = after(event, solve(event, MODEL, seed=0), rng, strength)
    return event


def foreign(players: int) -> Event:
    """11 rounds of neighbours in the standings, ties by lot, sides by coin, a fifth drawn."""
    return History(monrad, "by coin", shared(0.2, 0.5)).event(
        players, 11, Random(players)
    )


def measured(history: str, players: int) -> dict[str, object]:
    event = (own if history == "own" else foreign)(players)
    before, start = peak_mb(), time.process_time()
    result = solve(event, MODEL, seed=0, time_limit=LIMIT)
    seconds = round(time.process_time() - start, 3)
    levels = result.level_values
    proven = sum(level.proven is True for level in levels)
    return {
        "history": history,
        "players": players,
        "cpu_seconds": seconds,
        "event_mb": before,
        "peak_mb": peak_mb(),
        "status": result.status,
        "levels": len(levels),
        "proven": proven,
    }


def exponents(frame: pd.DataFrame) -> str:
    """By least squares on logarithms, from 1,000 players on: below, it is start and constants."""
    said = []
    for history, rows in frame[frame["players"] >= 1000].groupby("history"):
        for column in ("cpu_seconds", "peak_mb"):
            slope = np.polyfit(
                np.log(rows["players"]), np.log(rows[column].astype(float)), 1
            )[0]
            said.append(f"{history} {column}: players^{slope:.2f}")
    return "\n".join(said)


@click.command()
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--history", "histories", multiple=True, type=click.Choice([*SIZES]))
@click.option("--least", default=0)
@click.option("--most", default=1_000_000)
def main(
    output: Path | None, histories: tuple[str, ...], least: int, most: int
) -> None:
    """One round of each size in a process of its own; rows of others in the output stay."""
    warmed_up()
    rows = []
    for history in histories or tuple(SIZES):
        for players in SIZES[history]:
            if least <= players <= most:
                ended = apart(partial(measured, history, players), PATIENCE, MEMORY)
                row = ended.value or {
                    "history": history,
                    "players": players,
                    "status": ended.ended,
                }
                rows.append(row)
                click.echo(str(row), err=True)
    frame = pd.DataFrame(rows)
    if output is not None:
        if output.exists():
            key, known = ["history", "players"], pd.read_csv(output)
            frame = pd.concat([known, frame]).drop_duplicates(key, keep="last")
        frame = frame.sort_values(["history", "players"], ascending=[False, True])
        frame.to_csv(output, index=False, lineterminator="\n")
    click.echo(exponents(frame))


if __name__ == "__main__":
    main()
