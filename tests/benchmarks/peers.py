"""pairopt beside its peers, on the same events in one run; see README.md beside this file.

python tests/benchmarks/peers.py -o tests/benchmarks/results/peers.csv
python tests/benchmarks/peers.py --summary tests/benchmarks/results/peers.csv
python tests/benchmarks/peers.py --draw docs/peers.svg tests/benchmarks/results/peers.csv
"""

from __future__ import annotations

import hashlib
import json
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import click
import pandas as pd
from rounds import machine, peak_mb

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import contenders
from simulation import rounds

from pairopt import Event

Row = dict[str, Any]
PLAN = {16: (2, 5, 7), 40: (2, 5, 9), 100: (2, 5, 9), 301: (2, 5, 9), 1000: (2, 5, 9, 11),
        3000: (2, 6, 12), 10000: (2, 6, 12)}  # fmt: skip
"""Players, and the rounds that are measured."""
SEEDS = {16: 2, 40: 2, 100: 2, 301: 2, 1000: 1, 3000: 1, 10000: 1}
MODEL = "excalibur"
PATIENCE = 100
"""Seconds for all repeats of one contender on one event."""
ENOUGH = 0.5
"""Seconds of repeats: more are not made."""
REPEATS = 5


def instances(sizes: list[int]) -> list[tuple[int, int, Event]]:
    """The events, each before the round that is measured: players, seed, event."""
    return [
        (players, seed, event)
        for players in sizes
        for seed in range(SEEDS[players])
        for event, _ in rounds(players, max(PLAN[players]), seed, MODEL)
        if event.round in PLAN[players]
    ]


def checksum(event: Event) -> str:
    """A short name of what was played, to see that two runs had the same events."""
    rows = event.matches
    parts = (rows.round, rows.first, rows.second, rows.side, rows.score1, rows.score2, event.active)
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:12]


def alone(contender: str, path: Path) -> Row:
    """Time one contender on one event in this process; a row of what came of it."""
    event: Event = pickle.loads(path.read_bytes())  # noqa: S301 - written by this script
    try:
        job = contenders.CONTENDERS[contender].prepare(event, MODEL)
    except ImportError:
        return {"status": "not installed"}
    seconds: list[float] = []
    found = contenders.Found("")
    while len(seconds) < REPEATS and sum(seconds) < ENOUGH:
        start = time.perf_counter()
        try:
            found = job()
        except OverflowError:
            return {"status": "overflow"}
        seconds.append(time.perf_counter() - start)
    return {
        "status": found.status,
        "seconds": round(statistics.median(seconds), 6),
        "repeats": len(seconds),
        "levels": found.levels,
        "peak_mb": peak_mb(),
    }


def measured(contender: str, path: Path) -> Row:
    """The same in a process of its own, which is stopped when patience is over."""
    try:
        done = subprocess.run(
            [sys.executable, __file__, "--alone", contender, str(path)],
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        return {"status": f"not in {PATIENCE} s"}
    row: Row = json.loads(done.stdout)
    return row


def run(sizes: list[int], only: list[str] | None = None) -> pd.DataFrame:
    """Every contender on every event of these sizes."""
    made: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "event.pickle"
        for players, seed, event in instances(sizes):
            path.write_bytes(pickle.dumps(event))
            common = {"players": players, "seed": seed, "round": event.round,
                      "event": checksum(event)}  # fmt: skip
            best: list[int] | None = None
            for name, contender in contenders.CONTENDERS.items():
                if players > contender.most or (only and name not in only):
                    continue
                row = measured(name, path)
                levels = row.pop("levels", None)
                best = levels if best is None else best
                same = None if levels is None else levels == best
                made.append({**common, "contender": name, "same_levels": same, **row})
                click.echo(made[-1], err=True)
    return pd.DataFrame(made)


def summary(table: pd.DataFrame) -> str:
    """Median seconds by players, round and contender as a markdown table."""
    names = list(dict.fromkeys(table["contender"]))
    lines = [f"| players | round | {' | '.join(names)} |", "|---" * (len(names) + 2) + "|"]
    for (players, number), block in table.groupby(["players", "round"]):
        cells = [_cell(block[block["contender"] == name]) for name in names]
        lines.append(f"| {players:,} | {number} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(rows: pd.DataFrame) -> str:
    if rows.empty:
        return "-"
    failed = rows.loc[rows["seconds"].isna(), "status"]
    if len(failed):
        return str(failed.iloc[0])
    return shown(rows["seconds"].median())


def shown(seconds: float) -> str:
    """A time with two digits that count."""
    return f"{seconds * 1000:.2g} ms" if seconds < 0.0995 else f"{seconds:.2g} s"


def draw(table: pd.DataFrame, path: Path) -> None:
    """Time against size, one line a contender, medians over all rounds."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "pairopt"
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 4.5))
    for name, rows in table.dropna(subset=["seconds"]).groupby("contender", sort=False):
        medians = rows.groupby("players")["seconds"].median()
        ax.plot(medians.index, medians, marker="o", label=name)
    ax.set(xscale="log", yscale="log", xlabel="players", ylabel="seconds a round")
    ax.grid(alpha=0.3)
    ax.legend(fontsize="small", frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


@click.command()
@click.argument("table", type=click.Path(path_type=Path), required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Run, and write this file.")
@click.option("--sizes", default=",".join(map(str, PLAN)), show_default=True)
@click.option("--only", help="Contenders, separated by commas.")
@click.option("--summary", "summed", is_flag=True, help="Print TABLE as markdown.")
@click.option("--draw", "picture", type=click.Path(path_type=Path), help="Draw TABLE.")
@click.option("--alone", "contender", hidden=True, help="One contender; TABLE is a pickled event.")
def main(
    table: Path | None,
    output: Path | None,
    sizes: str,
    only: str | None,
    summed: bool,
    picture: Path | None,
    contender: str | None,
) -> None:
    """Run the benchmark, print its table or draw its curve."""
    if contender and table:
        click.echo(json.dumps(alone(contender, table)))
        return
    if output:
        found = run([int(size) for size in sizes.split(",")], only.split(",") if only else None)
        found.to_csv(output, index=False)
        about = machine("networkx", "rustworkx", "py4swiss", "swisspair")
        output.with_suffix(".json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
        click.echo(summary(found))
    elif table:
        rows = pd.read_csv(table)
        if summed:
            click.echo(summary(rows))
        if picture:
            draw(rows, picture)


if __name__ == "__main__":
    main()
