"""Bytes and milliseconds of the long lists of a page and of phones; see README.md beside this file.

python tests/benchmarks/lists.py now -o tests/benchmarks/results/lists.csv
"""

from __future__ import annotations

import csv
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
import pandas as pd
from starlette.testclient import TestClient

from pairopt.folder import new, pair
from pairopt.web.access import NetworkShare
from pairopt.web.app import application

DESK, PHONES = "127.0.0.1:8440", "192.0.2.7:8441"
LISTS = {
    "a draft, paired": (DESK, "/round/draft"),
    "a draft, shown again": (DESK, "/round/draft"),
    "standings": (DESK, "/standings"),
    "standings by rounds": (DESK, "/standings?by=rounds"),
    "phones' standings": (PHONES, "/standings"),
    "phones' pairings": (PHONES, "/pairings"),
}
AGAIN = 7
COLUMNS = ("checkout", "players", "list", "bytes", "ms")


def with_round(folder: Path, players: int) -> Path:
    """An event whose round 1 is over."""
    listed = folder.parent / "players.csv"
    names = [f"Surname{k % 97:02}, Name {k:04}" for k in range(players)]
    pd.DataFrame({"player": names}).to_csv(listed, index=False)
    new(folder, listed, model="monrad", rounds=9, seed=1, proofs=False)
    pair(folder)
    matches = folder / "matches.csv"
    table = pd.read_csv(matches, dtype=str, keep_default_na=False)
    there = table["player2"] != ""
    table.loc[there, "score1"] = np.where(np.arange(there.sum()) % 3 == 0, "1", "3")
    table.loc[there, "score2"] = np.where(np.arange(there.sum()) % 3 == 0, "1", "0")
    table.to_csv(matches, index=False)
    return folder


def measured(folder: Path) -> Iterator[tuple[str, int, float]]:
    """Each list, the bytes of its page as it is sent, unpacked, and the milliseconds until it is
    there: the first time where a round is paired for it, else the median of some."""
    door = application(folder, {DESK}, NetworkShare(8441))
    for name, (host, path) in LISTS.items():
        # a phone's page is made once, and then kept for all: each has another address
        once, taken, size = name.endswith("paired"), [], 0
        for k in range(1 if once else AGAIN):
            client = TestClient(door, f"http://{host}")
            began = time.perf_counter()
            answer = client.get(
                path, params={"name": str(k)} if host == PHONES else None
            )
            taken.append(1000 * (time.perf_counter() - began))
            assert answer.status_code == 200, answer.text
            size = len(answer.content)
        yield name, size, statistics.median(taken)


@click.command()
@click.argument("checkout")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path))
def main(checkout: str, output: Path) -> None:
    """Measure this CHECKOUT, by what it is called in the table; its lines there are replaced."""
    kept = list[list[str]]()
    if output.exists():
        with output.open(encoding="utf-8", newline="") as file:
            kept = [row for row in list(csv.reader(file))[1:] if row[0] != checkout]
    for players in (300, 3000):
        with tempfile.TemporaryDirectory() as room:
            for name, size, taken in measured(with_round(Path(room, "event"), players)):
                kept.append([checkout, str(players), name, str(size), f"{taken:.0f}"])
                click.echo(", ".join(kept[-1]))
    with output.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *kept])


if __name__ == "__main__":
    main()
