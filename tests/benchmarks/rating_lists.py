"""Measures building and searching the index of a rating list of FIDE's size; see README.md
beside this file.

python tests/benchmarks/rating_lists.py MAKE_LISTS.py [--persons N] [--folder FOLDER] [-o FILE.csv]
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

import click
import pandas as pd

from pairopt.files.rating_lists.list_file import inspect_list_file, read_persons
from pairopt.files.rating_lists.store import RatingList

FIDE_PERSONS = 1_932_867
"""The persons in FIDE's list of October 2026."""
SEARCHES = 20
SAMPLED = 100_000
"""The first persons of the list, of whom the searched ones are drawn."""
BUILDER = """
import resource
import sys
from pairopt.files.rating_lists import index, store

if sys.argv[2] == "like":
    index.has_fts5 = lambda: False
store.add_list(sys.argv[1], month="2026-10")
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""


def build(path: Path, form: str) -> tuple[float, float]:
    """Build the index in a process; return its CPU seconds and its largest memory in MB."""
    command = [sys.executable, "-c", BUILDER, str(path), form]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    cpu, memory = map(float, done.stdout.split())
    return cpu, memory


def milliseconds(
    search: Callable[[str], object], queries: Sequence[str]
) -> list[float]:
    """The elapsed time of each search."""
    times = []
    for query in queries:
        begin = time.perf_counter()
        search(query)
        times.append(1000 * (time.perf_counter() - begin))
    return times


def draw_queries(path: Path) -> dict[str, list[str]]:
    """Searches for persons of the list, drawn with a fixed seed."""
    persons = [*islice(read_persons(inspect_list_file(path)), SAMPLED)]
    drawn = random.Random(1).sample(persons, SEARCHES)
    names = [person.name.replace(",", "").split() for person in drawn]
    return {
        "three letters": [words[0][:3] for words in names],
        "family name and initial": [f"{words[0]} {words[-1][0]}" for words in names],
        "three letters and initial": [
            f"{words[0][:3]} {words[-1][0]}" for words in names
        ],
        "FIDE number": [str(person.fide_number) for person in drawn],
        "nobody": ["zzzz q"] * SEARCHES,
    }


@click.command()
@click.argument("maker", type=click.Path(exists=True, path_type=Path))
@click.option("--persons", default=FIDE_PERSONS)
@click.option("--folder", type=click.Path(path_type=Path), default=None)
@click.option("-o", "--output", type=click.Path(path_type=Path), default=None)
def main(maker: Path, persons: int, folder: Path | None, output: Path | None) -> None:
    """Make a list with MAKER, build both forms of its index, and search them.

    MAKER may also be a list that it has made.
    """
    place = Path(tempfile.mkdtemp(dir=folder))
    try:
        path = maker
        if maker.suffix == ".py":
            command = [sys.executable, maker, str(persons), place, "--only-text"]
            subprocess.run(command, check=True)
            path = place / "players_list_foa.txt"
        rows = list(measure(path, place, persons))
    finally:
        shutil.rmtree(place)
    frame = pd.DataFrame(rows, columns=["form", "measure", "least", "median", "unit"])
    print(frame.to_string(index=False))
    if output is not None:
        frame.to_csv(output, index=False)


def measure(
    path: Path, place: Path, persons: int
) -> Sequence[tuple[str, str, float, float, str]]:
    """All measures, as rows of the result."""
    rows: list[tuple[str, str, float, float, str]] = []
    queries = draw_queries(path)
    for form in ("fts5", "like"):
        os.environ["PAIROPT_LISTS"] = str(place / form)
        cpu, memory = build(path, form)
        stored = RatingList(place / form / "fide-2026-10.sqlite", "fide", "2026-10")
        assert stored.person_count == persons
        size = stored.path.stat().st_size / 2**20
        for name, value, unit in (
            ("persons", persons, ""),
            ("build, CPU", cpu, "s"),
            ("build, memory", memory, "MB"),
            ("size", size, "MB"),
        ):
            rows.append((form, name, round(value, 1), round(value, 1), unit))
        for name, texts in queries.items():
            times = pd.Series(milliseconds(stored.search, texts))
            rows.append(
                (form, name, round(times.min(), 2), round(times.median(), 2), "ms")
            )
    return rows


if __name__ == "__main__":
    main()
