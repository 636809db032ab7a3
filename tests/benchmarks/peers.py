"""pairopt beside its peers, on the same events in one run; see README.md beside this file.

python tests/benchmarks/peers.py -o tests/benchmarks/results/peers.csv [--at NAME=PLACE]...
python tests/benchmarks/peers.py --summary tests/benchmarks/results/peers.csv
python tests/benchmarks/peers.py --draw docs/peers.svg tests/benchmarks/results/peers.csv
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import select
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Any

import click
import pandas as pd
from rounds import machine

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import contenders
import other_rules
from contest import Case
from simulation import rounds

from pairopt import Event, read_event, write_event

CONTENDERS = contenders.CONTENDERS | other_rules.CONTENDERS
FIRST = next(iter(CONTENDERS))
"""Whom the others are compared with."""
Row = dict[str, Any]
PLAN = {16: (2, 5, 7), 40: (2, 5, 9), 100: (2, 5, 9), 301: (2, 5, 9), 1000: (2, 5, 9, 11),
        3000: (2, 6, 12), 10000: (2, 6, 12)}  # fmt: skip
"""Players, and the rounds that are measured."""
SEEDS = {16: 2, 40: 2, 100: 2, 301: 2, 1000: 1, 3000: 1, 10000: 1}
MODEL = "excalibur"
PATIENCE = 30
"""Seconds for one answer of a contender."""
ENOUGH = 0.5
"""Seconds of repeats: more are not made."""
REPEATS = 5


def instances(sizes: list[int]) -> Iterator[tuple[int, int, Event]]:
    """The events, each before the round that is measured: players, seed, event."""
    for players in sizes:
        for seed in range(SEEDS[players]):
            for event, _ in rounds(players, max(PLAN[players]), seed, MODEL):
                if event.round in PLAN[players]:
                    yield players, seed, event


def checksum(event: Event) -> str:
    """A short name of what was played, to see that two runs had the same events."""
    rows = event.matches
    parts = (
        rows.round,
        rows.first,
        rows.second,
        rows.side,
        rows.score1,
        rows.score2,
        event.active,
    )
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:12]


def spent() -> float:
    """Processor time of this process and of the programs it has called."""
    both = (getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in both)


def answers(name: str, place: str) -> None:
    """Be the contender: a line with an event's file makes it ready, an empty one runs it once."""
    contender = CONTENDERS[name]
    case: Case | None = None
    job: Callable[[], Any] | None = None
    for line in sys.stdin:
        row: Row = {"status": "ready"}
        with redirect_stdout(sys.stderr):
            try:
                if path := line.strip():
                    event = read_event(path, path.replace(".csv", "-players.csv"))
                    case, job = Case(event, MODEL, place), None
                    job = contender.prepare(case)
                else:
                    assert case is not None
                    job = job or contender.prepare(case)
                    start = spent()
                    found = job()
                    row = {
                        "status": found.status,
                        "seconds": spent() - start,
                        "answer": found.answer,
                    }
                    job = None if contender.once else job
            except ImportError as error:
                row = {"status": "not installed", "why": str(error)}
            except OverflowError:
                row = {"status": "overflow"}
            except Exception as error:  # whatever another program raises
                row = {"status": type(error).__name__, "why": str(error)}
        print(json.dumps(row), flush=True)


class Worker:
    """A contender in a process of its own, which lives as long as it answers in time."""

    def __init__(self, name: str, place: str) -> None:
        environment = dict(os.environ)
        if name == "before":  # the same contender, another pairopt
            old = [place, *environment.get("PYTHONPATH", "").split(os.pathsep)]
            environment["PYTHONPATH"] = os.pathsep.join(old)
        self.command = [sys.executable, __file__, "--answer", name, place]
        self.environment = environment
        self.process: subprocess.Popen[str] | None = None

    def ask(self, line: str = "") -> Row:
        """What the contender says to this line."""
        if self.process is None:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                stderr=subprocess.DEVNULL,
                env=self.environment,
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        if select.select([self.process.stdout], [], [], PATIENCE)[0]:
            row: Row = json.loads(
                self.process.stdout.readline() or '{"status": "died"}'
            )
            return row
        self.stop()
        return {"status": f"not in {PATIENCE} s"}

    def stop(self) -> None:
        """End the process, if there is one."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def run(
    sizes: list[int],
    only: list[str] | None = None,
    places: dict[str, str] | None = None,
) -> pd.DataFrame:
    """The contenders in turn, again and again, on every event of these sizes."""
    places = places or {}
    workers = {
        name: Worker(name, places.get(name, ""))
        for name, contender in CONTENDERS.items()
        if (not only or name in only) and (name in places or not contender.needs)
    }
    made: list[Row] = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "event.csv"
            _measured(
                workers, _written(next(instances([16]))[2], path), 1
            )  # loads what is used
            for players, seed, event in instances(sizes):
                here = {
                    n: w for n, w in workers.items() if players <= CONTENDERS[n].most
                }
                common = {
                    "players": players,
                    "seed": seed,
                    "round": event.round,
                    "event": checksum(event),
                }
                rows = _measured(here, _written(event, path), REPEATS)
                made += [{**common, **row} for row in rows]
                click.echo(
                    pd.DataFrame(rows).to_string(header=False, index=False), err=True
                )
    finally:
        for worker in workers.values():
            worker.stop()
    return pd.DataFrame(made)


def _written(event: Event, path: Path) -> Path:
    write_event(event, path, players=path.with_name(f"{path.stem}-players.csv"))
    return path


def _measured(workers: dict[str, Worker], path: Path, repeats: int) -> list[Row]:
    """One event: each contender once, then each again, until it has had enough."""
    last = {name: worker.ask(str(path)) for name, worker in workers.items()}
    seconds: dict[str, list[float]] = {name: [] for name in workers}
    for _ in range(repeats):
        for name, worker in workers.items():
            if last[name]["status"] in ("ready", "optimal", "paired") and (
                sum(seconds[name]) < ENOUGH
            ):
                last[name] = worker.ask()
                seconds[name] += (
                    [last[name]["seconds"]] if "seconds" in last[name] else []
                )
    first: dict[str, list[int]] = {}
    rows: list[Row] = []
    for name, row in last.items():
        answer = row.get("answer")
        same = answer and first.setdefault(CONTENDERS[name].rules, answer) == answer
        median = round(statistics.median(seconds[name]), 6) if seconds[name] else None
        rows.append(
            {
                "contender": name,
                "same": same,
                "status": row["status"],
                "seconds": median,
                "repeats": len(seconds[name]),
            }
        )
    own = rows[0]["seconds"]
    return [{**row, "ratio": _ratio(row["seconds"], own)} for row in rows]


def _ratio(seconds: float | None, own: float | None) -> float | None:
    return round(seconds / own, 3) if seconds is not None and own else None


def summary(table: pd.DataFrame) -> str:
    """Median seconds by players, round and contender, times the first's behind it, as markdown."""
    names = list(dict.fromkeys(table["contender"]))
    by_model = [name for name in names if CONTENDERS[name].rules == "model"]
    others = [name for name in names if name not in by_model]
    return "\n\n".join(_columns(table, own) for own in (by_model, others) if own)


def _columns(table: pd.DataFrame, names: list[str]) -> str:
    lines = [
        f"| players | round | {' | '.join(names)} |",
        "|---" * (len(names) + 2) + "|",
    ]
    for (players, number), block in table.groupby(["players", "round"]):
        cells = [_cell(block[block["contender"] == name]) for name in names]
        if set(cells) != {"-"}:
            lines.append(f"| {players:,} | {number} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(rows: pd.DataFrame) -> str:
    if rows.empty:
        return "-"
    failed = rows.loc[
        ~rows["status"].isin(["optimal", "paired", "own rules"]), "status"
    ]
    if len(failed):
        return str(failed.iloc[0])
    ratio = rows["ratio"].median() if "ratio" in rows else math.nan
    times = (
        ""
        if rows["contender"].iloc[0] == FIRST or math.isnan(ratio)
        else f" ({digits(ratio)} x)"
    )
    return shown(rows["seconds"].median()) + times


def shown(seconds: float) -> str:
    """A time with two digits that count."""
    return (
        f"{digits(seconds * 1000)} ms" if seconds < 0.0995 else f"{digits(seconds)} s"
    )


def digits(number: float) -> str:
    """Two digits that count, and none behind the point from ten on."""
    return f"{number:.2g}" if number < 9.95 else f"{number:,.0f}"


DRAWN = {
    "pairopt auto": "#0b4f9e",
    "rustworkx": "#b3541e",
    "networkx": "#8a8f98",
    "bbpPairings": "#5b2a86",
    "gacrux": "#2b7a3d",
    "swisspair": "#a0123c",
}
"""The contenders of the figure: pairopt and five peers."""
APART = 1.6
"""Labels at the beginnings of lines stand at least so many times apart."""


def draw(table: pd.DataFrame, path: Path) -> None:
    """Time against size, medians over all rounds; lines are labelled where they begin, and the
    text is text."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams |= {"svg.hashsalt": "pairopt", "svg.fonttype": "none", "font.size": 12}
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(8, 5))
    starts = []
    for name, colour in DRAWN.items():
        rows = table[table["contender"] == name].dropna(subset=["seconds"])
        medians = rows.groupby("players")["seconds"].median()
        if len(medians):
            width = 3 if name.startswith("pairopt") else 1.6
            ax.plot(medians.index, medians, marker="o", color=colour, linewidth=width)
            starts.append(
                (float(medians.iloc[0]), float(medians.index[0]), name, colour)
            )
    below = 0.0
    for seconds, players, name, colour in sorted(starts):
        below = max(seconds, below * APART)
        ax.annotate(
            name,
            (players, below),
            color=colour,
            va="center",
            ha="right",
            xytext=(-10, 0),
            textcoords="offset points",
        )
    ax.set(xscale="log", yscale="log", xlabel="players", ylabel="a round")
    sizes = sorted({*table["players"]})
    ax.set_xticks(sizes, [f"{size:,}" for size in sizes])
    ax.set_yticks([0.001, 0.01, 0.1, 1], ["1 ms", "10 ms", "0.1 s", "1 s"])
    ax.minorticks_off()
    ax.set_xlim(left=min(sizes) / 5)
    ax.grid(alpha=0.25)
    ax.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


@click.command()
@click.argument("table", type=click.Path(path_type=Path), required=False)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Run, and write this file."
)
@click.option("--sizes", default=",".join(map(str, PLAN)), show_default=True)
@click.option("--only", help="Contenders, separated by commas.")
@click.option(
    "--at", "places", multiple=True, help="NAME=PLACE of a contender that needs it."
)
@click.option("--summary", "summed", is_flag=True, help="Print TABLE as markdown.")
@click.option("--draw", "picture", type=click.Path(path_type=Path), help="Draw TABLE.")
@click.option("--answer", "contender", nargs=2, hidden=True)
def main(
    table: Path | None,
    output: Path | None,
    sizes: str,
    only: str | None,
    places: tuple[str, ...],
    summed: bool,
    picture: Path | None,
    contender: tuple[str, str] | None,
) -> None:
    """Run the benchmark, print its table or draw its curve."""
    if contender:
        answers(*contender)
        return
    if output:
        at = {
            name: str(Path(place).resolve())
            for name, place in (p.split("=", 1) for p in places)
        }
        if unknown := at.keys() - {
            name for name, one in CONTENDERS.items() if one.needs
        }:
            raise click.UsageError(
                f"nobody called {', '.join(sorted(unknown))} needs a place"
            )
        rows = run(
            [int(size) for size in sizes.split(",")],
            only.split(",") if only else None,
            at,
        )
        rows.to_csv(output, index=False, lineterminator="\n")
        packages = (
            "networkx",
            "rustworkx",
            "py4swiss",
            "swisspair",
            "gacrux",
            "caissify-pairings",
        )
        about = machine(*packages)
        output.with_suffix(".json").write_text(
            json.dumps(about, indent=1) + "\n", encoding="utf-8"
        )
    elif table:
        rows = pd.read_csv(table)
    else:
        raise click.UsageError("say -o FILE to run, or name a TABLE")
    if output or summed:
        click.echo(summary(rows))
    if picture:
        draw(rows, picture)


if __name__ == "__main__":
    main()
