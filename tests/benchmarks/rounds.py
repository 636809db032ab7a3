"""Times whole rounds, event in memory to checked pairing; see README.md beside this file.

python tests/benchmarks/rounds.py -o tests/benchmarks/results/rounds.csv
python tests/benchmarks/rounds.py --summary tests/benchmarks/results/rounds.csv
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import time
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from apart import peak_mb
from simulation import rounds

from pairopt import solve

# players, rounds, seeds
PLAN = [(40, 5, range(5)), (300, 9, range(4)), (301, 9, range(4)), (1000, 9, range(2))]
MODEL = "excalibur"


def measured(players: int, count: int, seed: int) -> list[dict[str, object]]:
    """One tournament in this process: a row a round. Every round is solved again, timed."""
    rows: list[dict[str, object]] = []
    for event, warm in rounds(players, count, seed, MODEL):
        start = time.perf_counter()
        result = solve(event, MODEL, seed=seed)
        seconds = time.perf_counter() - start
        assert result == warm
        rows.append(
            {
                "players": players,
                "seed": seed,
                "round": event.round,
                "active": int(event.active.sum()),
                "seconds": round(seconds, 5),
                "status": result.status,
                "proven": all(level.proven for level in result.level_values),
                "levels": len(result.level_values),
                "peak_mb": peak_mb(),
            }
        )
    return rows


def machine(*others: str) -> dict[str, str | int | None]:
    """What the figures were measured on and with, and with which `others` beside it."""
    names = ["pairopt", "ortools", "numpy", "pandas", *others]
    cpu = platform.processor()
    if (info := Path("/proc/cpuinfo")).exists():
        lines = info.read_text(encoding="utf-8").splitlines()
        cpu = next(
            (x.split(":")[1].strip() for x in lines if x.startswith("model name")), cpu
        )
    import os

    return {
        "date": date.today().isoformat(),
        "cpu": cpu,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    } | {name: _version(name) for name in names}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def summary(frame: pd.DataFrame) -> str:
    """Median and worst by size and round, then by size."""
    by_round = frame.groupby(["players", "round"]).agg(
        median=("seconds", "median"),
        worst=("seconds", "max"),
        proven=("proven", "sum"),
        rounds=("proven", "size"),
        peak_mb=("peak_mb", "max"),
    )
    by_size = frame.groupby("players").agg(
        median=("seconds", "median"),
        worst=("seconds", "max"),
        proven=("proven", "sum"),
        rounds=("proven", "size"),
        peak_mb=("peak_mb", "max"),
    )
    return f"{by_round.round(3).to_string()}\n\n{by_size.round(3).to_string()}\n"


@click.command()
@click.option("-o", "--output", type=click.Path(dir_okay=False))
@click.option("--summary", "shown", type=click.Path(exists=True, dir_okay=False))
@click.option("--one", nargs=3, type=int, hidden=True)
def main(
    output: str | None, shown: str | None, one: tuple[int, int, int] | None
) -> None:
    """Run the plan (each tournament in a process of its own), or show a summary."""
    if one is not None:
        click.echo(json.dumps(measured(*one)))
        return
    if shown is not None:
        click.echo(summary(pd.read_csv(shown)), nl=False)
        return
    rows = []
    for players, count, seeds in PLAN:
        for seed in seeds:
            command = [
                sys.executable,
                __file__,
                "--one",
                str(players),
                str(count),
                str(seed),
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            rows += json.loads(done.stdout)
            click.echo(f"{players} players, seed {seed}: done", err=True)
    frame = pd.DataFrame(rows)
    if output is not None:
        path = Path(output)
        frame.to_csv(path, index=False, lineterminator="\n")
        path.with_suffix(".json").write_text(json.dumps(machine(), indent=1) + "\n")
    click.echo(summary(frame), nl=False)


if __name__ == "__main__":
    main()
