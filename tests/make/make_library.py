"""Make examples/library: rounds with their optimum, proof and features, from their seeds.

python tests/make/make_library.py                  the 200 stored rounds and their tables
python tests/make/make_library.py --large FOLDER   thirty of 300 to 10,000 players, into FOLDER
python tests/make/make_library.py --real           the table of real rounds, which lie elsewhere
"""

from __future__ import annotations

import csv
import shutil
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import click

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).parent))

from library.families import FAMILIES, Made, large
from library.features import COLUMNS, Described, facts, row, said
from library.writing import files_of, read, store, with_proof

from pairopt import read_event, solve
from pairopt.version import __version__

LIBRARY = Path(__file__).parents[2] / "examples" / "library"
REAL = Path(__file__).parents[3] / "shared" / "data"
LIMIT, VERIFIED = 600.0, 40
"""Seconds for a large round; players up to whom two engines settle a stored one."""
TABLES = {
    "rounds.csv": COLUMNS,
    "families.csv": {
        "family": "name",
        "rounds": "number of stored rounds",
        "about": "description",
    },
    "large.csv": {
        "round": "name of the round",
        "model": "rules",
        "from": "how the round was generated",
        "players": "players of the event",
        "active": "players to be paired",
        "facts": "first 16 digits of the SHA-256 of the event's files, in the order of their names",
        "status": "`optimal`: every level is proven",
        "optimum": "levels above 0, as in rounds.csv",
        "engine": "engine that found it",
        "seconds": "CPU seconds",
        "version": "version of pairopt",
        "date": "date of the result",
    },
    "real.csv": {
        "file": "the event, in a folder of public tournament records that is not part of the project",
        "round": "number of the round",
        "model": "rules",
        "active": "players to be paired",
        "status": "`optimal`, or `infeasible`",
        "optimum": "levels above 0, as in rounds.csv",
        "version": "version of pairopt",
        "date": "date of the result",
    },
}
"""Every table, every column."""


def solved(name: str, family: str, number: int, made: Made) -> Described:
    """A round as anybody reads it from its files, and the best pairing."""
    files = files_of(made)
    event = read(files)
    verify = not made.trf and int(event.active.sum()) <= VERIFIED
    result = solve(event, made.model, verify=verify)
    return Described(name, family, number, made, files, event, result)


def drawn(family: str) -> Iterator[Described]:
    """The stored rounds of a family: the first numbers whose status is the one it asks for."""
    kind, found, number = FAMILIES[family], 0, 0
    while found < kind.count:
        one = solved(f"{family}-{found + 1:02}", family, number, kind.draw(number))
        number += 1
        if one.result.status == kind.wanted and (
            one.result.proof or family == "lookahead"
        ):
            found += 1
            yield one


def today() -> str:
    return datetime.now(tz=UTC).date().isoformat()


def stored(folder: Path, only: tuple[str, ...]) -> None:
    """Write the rounds, and the tables that tell of them."""
    rows: dict[str, list[dict[str, Any]]] = {
        name: [*group] for name, group in _rows(folder / "rounds.csv")
    }
    for family in only or FAMILIES:
        rows[family] = []
        shutil.rmtree(folder / family, ignore_errors=True)
        for one in drawn(family):
            files = with_proof(one.files, one.result.proof)
            store(folder / family, one.name, files, len(one.event.players))
            new = row(one, __version__, today())
            new["bytes"] = sum(len(text.encode()) for text in files.values())
            rows[family].append(new)
            click.echo(
                " ".join(str(new[k]) for k in ("round", "players", "proof", "optima"))
            )
        _write(
            folder, "rounds.csv", [r for name in FAMILIES for r in rows.get(name, [])]
        )
    families = [
        {"family": name, "rounds": kind.count, "about": kind.about}
        for name, kind in FAMILIES.items()
    ]
    _write(folder, "families.csv", families)
    columns = [
        {"table": table, "column": name, "says": what}
        for table, known in TABLES.items()
        for name, what in known.items()
    ]
    _write(folder, "columns.csv", columns)


def thirty(folder: Path, table: Path, most: int) -> None:
    """Write the large rounds to a folder of one's own, and what is known of them to the table."""
    rows = []
    for name, made in large():
        files = files_of(made)
        event = read(files)
        if len(event.players) > most:
            continue
        store(folder, name, files, len(event.players))
        start = time.process_time()
        result = solve(event, made.model, time_limit=LIMIT)
        rows.append(
            {
                "round": name,
                "model": made.model,
                "from": made.said,
                "players": len(event.players),
                "active": len(result.problem.state),
                "facts": facts(files),
                "status": result.status,
                "optimum": said(result.level_values),
                "engine": result.engine,
                "seconds": f"{time.process_time() - start:.2f}",
                "version": __version__,
                "date": today(),
            }
        )
        click.echo(f"{name} {result.status} {rows[-1]['seconds']} s")
        _write(table.parent, table.name, rows)


def real() -> None:
    """What is known of real rounds: their files stay where they are."""
    rows = []
    for path in sorted((REAL / "csv").glob("*/matches.csv")):
        players = path.with_name("players.csv")
        for number in range(2, read_event(path, players).round + 1):
            before = read_event(path, players, round=number)
            for model in (
                ("excalibur", "standard")
                if before.sided
                else ("double-sided", "monrad")
            ):
                result = solve(before, model)
                rows.append(
                    {
                        "file": f"csv/{path.parent.name}/matches.csv",
                        "round": number,
                        "model": model,
                        "active": len(result.problem.state),
                        "status": result.status,
                        "optimum": said(result.level_values),
                        "version": __version__,
                        "date": today(),
                    }
                )
    _write(LIBRARY, "real.csv", rows)


def _rows(table: Path) -> Iterator[tuple[str, Iterator[dict[str, Any]]]]:
    """The rows that are there, family by family."""
    if table.is_file():
        with table.open(encoding="utf-8", newline="") as file:
            yield from groupby(list(csv.DictReader(file)), key=lambda r: r["family"])


def _write(folder: Path, name: str, rows: list[dict[str, Any]]) -> None:
    with (folder / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


@click.command()
@click.argument("families", nargs=-1)
@click.option(
    "--folder", type=click.Path(path_type=Path), default=LIBRARY, help="Where to."
)
@click.option(
    "--large", "larger", type=click.Path(path_type=Path), help="The large ones, here."
)
@click.option(
    "--most", default=10_000, show_default=True, help="Players of a large one at most."
)
@click.option("--table", type=click.Path(path_type=Path), default=LIBRARY / "large.csv")
@click.option("--real", "reals", is_flag=True, help="The table of real rounds.")
def main(
    families: tuple[str, ...],
    folder: Path,
    larger: Path | None,
    most: int,
    table: Path,
    reals: bool,
) -> None:
    """Make the library, or some FAMILIES of it alone."""
    if larger:
        thirty(larger, table, most)
    elif reals:
        real()
    else:
        folder.mkdir(parents=True, exist_ok=True)
        stored(folder, families)


if __name__ == "__main__":
    main()
