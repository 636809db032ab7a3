"""Times calls from the shell, this checkout beside others, and says which have taken more than
they may; see README.md beside this file.

python tests/benchmarks/startup.py [NAME=FOLDER ...] [--repeats N] [--large] [-o FILE.csv]
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click
import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from places import ROOT
from simulation import opening, played, rounds

from pairopt.event.event import Event
from pairopt.event.table_assignment import PairedRow
from pairopt.files.formats import write_event
from pairopt.files.formats.trf.writing import write16

ONCE = "--no-verify"
OPEN, FINISHED = "{open}", "{finished}"
"""Stand for a fresh copy of an event folder, 40 players in their third round: a result is missing,
or none is."""
FOUNDED = """
import shutil, sys
from pairopt.folder import new, pair, result

players, opened, finished = sys.argv[1:]
new(opened, players, seed=1)
for number in (1, 2, 3):
    pair(opened)
    for table in range(1, 20 + (number < 3)):
        result(opened, table, "3-0")
shutil.copytree(opened, finished)
result(finished, 20, "3-0")
"""
BUDGETS = {
    "import pairopt": 0.02,
    "--help": 0.06,
    "result": 0.15,
    "standings": 0.15,
    "drop": 0.15,
    "undo": 0.15,
    "models": 0.15,
    "check": 0.20,
    "solve": 0.30,
    "pairopt-fide -p": 0.15,
    "pair": 0.45,
}
"""Seconds of processor time that each may take, the least of many runs on an idle machine."""
RUN_FIDE = "from pairopt.__main__ import run_fide; run_fide()"
FIDE_REPORTS = 20
"""So many reports `pairopt-fide -k` pairs in one process."""
FLOORS = {
    "nothing": "pass",
    "click": "import click",
    "numpy": "import numpy",
    "numpy, click, rustworkx": "import numpy, click, rustworkx",
    "pandas": "import pandas",
    "pydantic": "import pydantic; pydantic.TypeAdapter",
    "ortools.sat.python.cp_model": "import ortools.sat.python.cp_model",
    "ortools.sat.python.cp_model_helper": "import ortools.sat.python.cp_model_helper",
}
"""What imports alone take."""


def by_score(players: int, rounds: int) -> Event:
    """An event in which neighbours by score have met, whoever they had met before."""
    rng = np.random.default_rng(1)
    strength = rng.normal(0, 200, players)
    event = opening(players, sides=None)
    for _ in range(rounds):
        rows = event.matches
        points = np.bincount(rows.first, rows.score1, players)
        points += np.bincount(rows.second, rows.score2, players)
        order = np.lexsort((rng.random(players), -points)).tolist()
        made: list[PairedRow] = [
            {"player1": f"p{one}", "player2": f"p{two}"}
            for one, two in zip(order[::2], order[1::2], strict=True)
        ]
        event = played(event, made, rng, strength, drops=0)
    return event


def calls(folder: Path, large: bool) -> dict[str, list[str]]:
    """The commands, on files made for them."""

    def given(players: int, rounds: int) -> list[str]:
        matches, roster = folder / f"{players}.csv", folder / f"{players}p.csv"
        write_event(by_score(players, rounds), matches, players=roster)
        return [str(matches), "--players", str(roster)]

    small = given(40, 8)
    made = folder / "round.csv"
    solve = [sys.executable, "-m", "pairopt", "solve", *small, "-o", str(made)]
    subprocess.run(solve, check=True, capture_output=True, env=in_checkout(ROOT))
    found = {
        "--help": ["--help"],
        "result": ["result", OPEN, "20", "3-0"],
        "standings": ["standings", OPEN],
        "drop": ["drop", OPEN, "p3"],
        "undo": ["undo", OPEN],
        "models": ["models"],
        "check": ["check", *small, str(made)],
        "solve": ["solve", *small],
        "pair": ["pair", FINISHED],
        "models standard": ["models", "standard"],
        "standings, 40 players": ["standings", *small],
        "check --no-solve, 40": ["check", *small, str(made), "--no-solve"],
        "solve, 40, cpsat": ["solve", *small, "--engine", "cpsat", ONCE],
        "solve, 40, matching": ["solve", *small, "--engine", "matching", ONCE],
    }
    if large:
        many = given(10_000, 11)
        found["standings, 10,000 x 11"] = ["standings", *many]
        found["solve, 10,000 x 11, double-sided"] = [
            "solve",
            *many,
            "--model",
            "double-sided",
        ]
    return found


def known(arguments: list[str], folder: Path) -> list[str]:
    """The arguments, without one that a checkout does not know as it settles all rounds once."""
    help_text = subprocess.run(
        [sys.executable, "-m", "pairopt", "solve", "--help"],
        env=in_checkout(folder),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return [each for each in arguments if each != ONCE or ONCE in help_text]


def in_checkout(folder: Path) -> dict[str, str]:
    """The environment of a process that imports the package from there, compiled once."""
    return {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": ""}


def founded(checkout: Path, players: Path, folder: Path) -> dict[str, Path]:
    """The event folders by what stands for them, made by a checkout as it makes them."""
    folder.mkdir(parents=True)
    made = {"open": folder / "open", "finished": folder / "finished"}
    call = [sys.executable, "-c", FOUNDED, str(players), *map(str, made.values())]
    subprocess.run(
        call, check=True, capture_output=True, env=in_checkout(checkout), cwd=checkout
    )
    return made


def copied(arguments: list[str], made: dict[str, Path], room: Path) -> list[str]:
    """The arguments, with fresh copies of the event folders that they name."""
    copies = {name: room / name for name in made}
    for name, folder in made.items():
        if f"{{{name}}}" in arguments:
            shutil.rmtree(copies[name], ignore_errors=True)
            shutil.copytree(folder, copies[name])
    named = {f"{{{name}}}": str(copy) for name, copy in copies.items()}
    return [named.get(each, each) for each in arguments]


def fide_calls(folder: Path) -> dict[str, tuple[list[str], str]]:
    """Calls of `pairopt-fide` on a report of 30 players, each with its standard input."""
    report = folder / "report.trf"
    for event, _ in rounds(30, 5, 0, "fide-dutch", draws=0.3):
        if event.round == 5:
            report.write_text(write16(event).text, encoding="utf-8")
    paths = f"{report}\n" * FIDE_REPORTS
    return {
        "pairopt-fide -p": (["-c", RUN_FIDE, "--dutch", str(report), "-p"], ""),
        f"pairopt-fide -k -p, {FIDE_REPORTS} times": (
            ["-c", RUN_FIDE, "--dutch", "-k", "-p"],
            paths,
        ),
    }


def seconds(arguments: list[str], folder: Path, given: str = "") -> tuple[float, float]:
    """Processor time and time on the clock of a process and those that it waits for.

    `given` is the standard input. A checkout may not have an option yet.
    """
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments],
        env=in_checkout(folder),
        cwd=folder,
        capture_output=True,
        check=not given,
        input=given,
        text=True,
    )
    taken, after = (
        time.perf_counter() - start,
        resource.getrusage(resource.RUSAGE_CHILDREN),
    )
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, taken


def measured(checkouts: dict[str, Path], repeats: int, large: bool) -> pd.DataFrame:
    """A row a call and checkout: medians of runs that take turns, and the `least`."""
    with tempfile.TemporaryDirectory() as folder:
        runs = {
            (what, name): ["-m", "pairopt", *known(arguments, checkouts[name])]
            for what, arguments in calls(Path(folder), large).items()
            for name in checkouts
        }
        players, room = Path(folder, "roster.csv"), Path(folder, "room")
        write_event(by_score(40, 0), Path(folder, "none.csv"), players=players)
        made = {
            name: founded(checkout, players, room / name)
            for name, checkout in checkouts.items()
        }
        runs |= {
            ("import pairopt", name): ["-c", "import pairopt"] for name in checkouts
        }
        runs |= {(f"import {what}", ""): ["-c", code] for what, code in FLOORS.items()}
        typed: dict[tuple[str, str], str] = {}
        for what, (arguments, lines) in fide_calls(Path(folder)).items():
            for name in checkouts:
                runs[what, name], typed[what, name] = arguments, lines
        times: dict[tuple[str, str], list[tuple[float, float]]] = {
            key: [] for key in runs
        }
        for _ in range(repeats):
            for (what, name), arguments in runs.items():
                given = copied(arguments, made.get(name, {}), room)
                spent = seconds(
                    given, checkouts.get(name, ROOT), typed.get((what, name), "")
                )
                times[what, name].append(spent)
    rows = []
    for (what, name), each in times.items():
        used, taken = zip(*each, strict=True)
        rows.append(
            {
                "call": what,
                "checkout": name,
                "cpu": round(statistics.median(used), 3),
                "clock": round(statistics.median(taken), 3),
                "least": round(min(used), 3),
                "budget": BUDGETS.get(what),
                "runs": repeats,
            }
        )
    return pd.DataFrame(rows)


@click.command()
@click.argument("others", nargs=-1, metavar="[NAME=FOLDER ...]")
@click.option("--repeats", default=9, show_default=True)
@click.option("--large", is_flag=True, help="10,000 players too.")
@click.option("-o", "--output", type=click.Path(dir_okay=False))
def main(
    others: tuple[str, ...], repeats: int, large: bool, output: str | None
) -> None:
    """Print medians, this checkout (`here`) beside other ones."""
    named = {
        name: Path(folder) for name, folder in (each.split("=", 1) for each in others)
    }
    frame = measured({**named, "here": ROOT}, repeats, large)
    if output is not None:
        frame.to_csv(output, index=False)
    values = ["cpu", "clock", "least"]
    table = frame.pivot_table(
        index="call", columns="checkout", values=values, sort=False
    )
    for name in named:
        table["ratio", name] = table["least", "here"] / table["least", name]
    click.echo(table.round(3).to_string(na_rep=""))
    for call, budget in BUDGETS.items():
        least = table["least", "here"][call]
        said = "within" if least <= budget else "OVER"
        click.echo(f"{call:20} {least:.3f} s, {said} its {budget:.2f} s")


if __name__ == "__main__":
    main()
