"""Why other programs pair rounds of campaign.csv otherwise where points are others; README.md here.

    python tests/benchmarks/campaign_readings.py --bbp EXECUTABLE

Each tournament of which a round differs is made again, and checked by pairopt once more, read as
the other program reads it: bbpPairings counts an allocated bye without points as no downfloat
(1.4.3), and gacrux penalties and bonuses of 299 neither in floats nor for topscorers (1.4.2, 1.8).
By that the rounds that the other program pairs otherwise have to be others than pairopt's own, and
the tournaments that it paired right, all of them.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import campaign
import click
import numpy as np
import pandas as pd

from pairopt import check_all, read_event
from pairopt.event import fide_attributes
from pairopt.event.arcs import IntArray
from pairopt.event.event import BYE_ROW, Event
from pairopt.event.matches import PlayerRounds

RESULT = campaign.RESULT.with_name("campaign-readings.csv")
FLOATS, FACTS = fide_attributes._floats, fide_attributes.FideAttributes
Reading = Callable[[Path], AbstractContextManager[None]]


@contextmanager
def byes_of_nothing(_: Path) -> Iterator[None]:
    """No bye without points is a downfloat."""

    def floats(event: Event, turns: PlayerRounds) -> IntArray:
        nothing = (turns.status == BYE_ROW) & (turns.points == 0)
        padded = np.hstack([np.zeros((len(nothing), 2), np.bool_), nothing])[:, :-3:-1]
        return np.where(padded, 0, FLOATS(event, turns))

    with patch.object(fide_attributes, FLOATS.__name__, floats):
        yield


@contextmanager
def penalties_apart(path: Path) -> Iterator[None]:
    """Points of 299 without a letter count in scores, neither in floats nor for topscorers."""
    lines = path.read_text("utf-8").splitlines()
    bare = path.with_name("bare.trf")
    kept = (line for line in lines if line[:5] != "299  ")
    bare.write_text("\n".join([*kept, ""]), "utf-8")
    given = read_event(bare)
    own = dict[int, int]()
    most: list[int] = []

    def floats(event: Event, turns: PlayerRounds) -> IntArray:
        adjusted, brought = (
            each * event.scale // given.scale
            for each in (given.adjusted, given.brought)
        )
        without = replace(event, adjusted=adjusted, brought=brought)
        points = without.besides[:, -1] + turns.total
        own.update(zip(event.start_numbers.tolist(), points.tolist(), strict=True))
        said = event.settings.points
        most[:] = [
            int((1 if said is None else said.win) * event.scale * (event.round - 1))
        ]
        return FLOATS(without, turns)

    def facts(**made: Any) -> fide_attributes.FideAttributes:
        points = np.array([own[number] for number in made["number"].tolist()])
        return FACTS(**{**made, "topscorer": 2 * points > most[0]})

    with patch.multiple(fide_attributes, _floats=floats, Fide=facts):
        yield


CASES: tuple[tuple[str, str, str, Reading], ...] = (
    ("bbpPairings", campaign.NOTHING, "1.4.3", byes_of_nothing),
    ("bbpPairings", campaign.EVERYTHING, "1.4.3", byes_of_nothing),
    ("gacrux", campaign.EVERYTHING, "1.4.2, 1.8", penalties_apart),
)


@click.command()
@click.option("--bbp", type=click.Path(exists=True, path_type=Path), required=True)
def main(bbp: Path) -> None:
    """Write how many rounds differ, and of how many that is the only cause."""
    rows, every = [], pd.read_csv(campaign.RESULT, keep_default_na=False)
    for name, records, article, reading in CASES:
        program = campaign.programs(bbp.resolve())[name]
        for direction in campaign.ways(name, records):
            cells = " ".join(
                every.loc[every["direction"] == direction, "differ"]
            ).split()
            said = defaultdict[int, set[int]](set)
            for cell in cells:
                seed, turn = map(int, cell.split("/"))
                said[seed].add(turn)
            caused = 0
            with tempfile.TemporaryDirectory() as folder:
                for seed, turns in said.items():
                    path = Path(folder) / "tournament.trf"
                    ours = direction.startswith("pairopt")
                    make = campaign.made if ours else campaign.brought
                    make(program, seed, path, records)
                    lowest = campaign.virtual(path.read_text("utf-8"))[1]
                    whole = not (lowest and ours and name == "bbpPairings")
                    found = _as_read(path, reading, all_rounds=whole)
                    right = found == (turns if ours else set())
                    caused += len(turns) * right
                    if not right:
                        click.echo(f"{direction}: {seed}/{turns} has another cause")
            rows.append([direction, len(cells), article, caused])
            click.echo(rows[-1])
    columns = ["direction", "rounds", "articles", "caused"]
    pd.DataFrame(rows, columns=columns).to_csv(RESULT, index=False)


def _as_read(path: Path, reading: Reading, *, all_rounds: bool) -> set[int]:
    """The rounds that differ by another reading, the last one only where it was asked about."""
    with reading(path):
        checks = [*check_all(read_event(path), model="fide-dutch")]
    asked = checks if all_rounds else checks[:-1]
    return {each.round for each in asked if not each.agrees}


if __name__ == "__main__":
    main()
