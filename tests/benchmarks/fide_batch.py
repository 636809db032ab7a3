"""Times whole tournaments of FIDE's systems, and calls of `pairopt-fide`; see README.md.

python tests/benchmarks/fide_batch.py [--tournaments N] [--repeats N] [-o FILE.csv]
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pandas as pd

from pairopt import check_all, read_event, solve
from pairopt.cli.fide.random_tournament import (
    EventRates,
    random_entrants,
    random_report,
)

ROOT = Path(__file__).parents[2]
CALL = "from pairopt.__main__ import run_fide; run_fide()"
ROUND = 3


def spent(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the processor in this process, and what comes of it."""
    start = time.process_time()
    made = work()
    return time.process_time() - start, made


def of_calls(path: Path, repeats: int) -> list[float]:
    """Seconds of the processor of whole calls, the start of the interpreter included."""
    found = []
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": ""}
    for _ in range(repeats + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        arguments = [
            sys.executable,
            "-c",
            CALL,
            "--dutch",
            str(path),
            "-p",
            str(path) + ".pairs",
        ]
        subprocess.run(arguments, check=True, env=env, cwd=ROOT)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(
            after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        )
    return found[1:]  # the first one may compile


def batch(tournaments: int, folder: Path) -> dict[str, list[float]]:
    """Tournaments of 30 players and 9 rounds, made and then checked, each by itself."""
    times: dict[str, list[float]] = {
        "made, 30 players x 9": [],
        "checked, 30 players x 9": [],
    }
    for seed in range(tournaments):
        rates = EventRates(random_entrants(30, 2500, 1500, seed))
        used, made = spent(lambda rates=rates, seed=seed: random_report(rates, seed))
        times["made, 30 players x 9"].append(used)
        path = folder / "batch.trf"
        path.write_text(made.text, encoding="utf-8")
        used, found = spent(lambda path=path: [*check_all(read_event(path))])
        assert all(each.agrees for each in found), seed
        times["checked, 30 players x 9"].append(used)
    return times


def large(players: int, repeats: int, folder: Path) -> dict[str, list[float]]:
    """Round 3 of a large field: read, paired, checked; and as a whole call."""
    entrants = random_entrants(players, 2500, 1200, 1)
    text = random_report(EventRates(entrants, rounds=ROUND - 1, forbidden=0), 1).text
    path = folder / f"{players}.trf"
    path.write_text(text.replace(f"\n142 {ROUND - 1}\n", "\n142 9\n"), encoding="utf-8")
    name = f"round {ROUND}, {players:,} players"
    times: dict[str, list[float]] = {f"{name}: read": [], f"{name}: paired": []}
    for _ in range(repeats):
        used, event = spent(lambda: read_event(path))
        times[f"{name}: read"].append(used)
        used, result = spent(lambda event=event: solve(event, "fide-dutch"))
        assert result.proven
        times[f"{name}: paired"].append(used)
    return {**times, f"{name}: pairopt-fide -p": of_calls(path, repeats)}


@click.command()
@click.option("--tournaments", default=1000, show_default=True)
@click.option("--repeats", default=9, show_default=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False))
def main(tournaments: int, repeats: int, output: str | None) -> None:
    """Print seconds of the processor."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        times = {**large(40, repeats, folder), **large(1000, repeats, folder)}
        times |= batch(tournaments, folder)
    rows = [
        {
            "what": what,
            "median": statistics.median(each),
            "mean": statistics.fmean(each),
            "worst": max(each),
            "times": len(each),
        }
        for what, each in times.items()
    ]
    frame = pd.DataFrame(rows).round(4)
    if output is not None:
        frame.to_csv(output, index=False)
    click.echo(frame.to_string(index=False))


if __name__ == "__main__":
    main()
