"""What was really paired beside the optimum, level by level; see README.md beside this file.

python tests/benchmarks/published.py DATA -o tests/benchmarks/results/published.csv

DATA holds nrtm/*.json (double-sided events with their pairings), and trf/EVENT/*.trf (the event
before each round) with trf/EVENT/published_pairings.json.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
import pandas as pd

from pairopt import Event, check, read_event

Row = dict[str, object]


def nrtm_rounds(path: Path) -> Iterator[tuple[Event, pd.DataFrame]]:
    """Each Swiss round of a file: the event before it, and its rows."""
    last = read_event(path)
    for number in range(1, last.round):
        event = read_event(path, round=number)
        rows = last.matches.take(last.matches.round == number)
        names = [*last.players, None]
        # several at once are first-round byes: these players are not to be paired
        bye = "bye" if (rows.second < 0).sum() < 2 else "requested"
        yield (
            event,
            pd.DataFrame(
                {
                    "round": number,
                    "player1": [names[p] for p in rows.first],
                    "player2": [names[p] for p in rows.second],
                    "status": np.where(rows.second < 0, bye, ""),
                }
            ),
        )


def trf_rounds(folder: Path) -> Iterator[tuple[Event, pd.DataFrame]]:
    """Each round of an event: as its TRF has it before the round, and what was published.

    What was published names no colours: they are those of the next round's TRF. In the last
    round, and for what was not played, each pair is taken the better way round, as `check`
    does for forfeits.
    """
    content = json.loads(
        (folder / "published_pairings.json").read_text(encoding="utf-8")
    )
    for number, published in enumerate(content["rounds"], 1):
        event = read_event(next(folder.glob(f"*_r{number:02}.trf")))
        white = _whites(folder, number + 1)
        pairs = [
            (a, b)
            for a, b in published["published_pairings"]
            if b or a in _active(event)
        ]
        pairs = [(b, a) if (b, a) in white else (a, b) for a, b in pairs]
        alone = [a for a, b in pairs if b is None]
        odd = len({p for pair in pairs for p in pair if p}) % 2
        bye = "bye" if len(alone) == odd == 1 else "requested"
        known = [pair in white for pair in pairs]
        status = [
            ("" if sure else "forfeit") if b else bye
            for (_, b), sure in zip(pairs, known, strict=True)
        ]
        yield (
            event,
            pd.DataFrame(
                {
                    "round": event.round,
                    "player1": [a for a, _ in pairs],
                    "player2": [b for _, b in pairs],
                    "side1": ["white" if sure else None for sure in known],
                    "status": status,
                }
            ),
        )


def _active(event: Event) -> set[str]:
    return {event.players[p] for p in np.flatnonzero(event.active)}


def _whites(folder: Path, number: int) -> set[tuple[str, str]]:
    """The pairs of the round before round `number`, White first, as that round's TRF has it."""
    path = next(folder.glob(f"*_r{number:02}.trf"), None)
    if path is None:
        return set()
    event = read_event(path)
    rows = event.matches.take(
        (event.matches.round == number - 1) & (event.matches.side >= 0)
    )
    pairs = zip(rows.first, rows.second, rows.side, strict=True)
    return {
        (event.players[b], event.players[a])
        if side
        else (event.players[a], event.players[b])
        for a, b, side in pairs
    }


def compared(
    name: str, model: str, rounds: Iterator[tuple[Event, pd.DataFrame]]
) -> Iterator[Row]:
    """A row for each level of each round that is not 0 in both."""
    for event, pairing in rounds:
        found = check(event, pairing, model, engine="cpsat")
        assert found.optimum is not None
        assert found.optimum.proven, (name, event.round)
        common: Row = {
            "event": name,
            "round": event.round,
            "model": model,
            "matches": int(pairing["player2"].notna().sum()),
            "broken": ", ".join(sorted({v.rule for v in found.violations})),
        }
        same = {"criterion": "", "level": "", "published": 0, "optimum": 0}
        levels = [level for level in found.checked if level.value or level.optimum]
        for level in levels:
            assert level.optimum is not None
            same = {
                "criterion": level.criterion,
                "level": level.level,
                "published": level.value / level.scale,
                "optimum": level.optimum / level.scale,
            }
            yield common | same
        if not levels:
            yield common | same


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True)
def main(data: Path, output: Path) -> None:
    """Compare every round and write one row a level."""
    rows: list[Row] = []
    for path in sorted((data / "nrtm").glob("*.json")):
        rows += compared(path.stem, "double-sided", nrtm_rounds(path))
    for folder in sorted(
        path.parent for path in (data / "trf").glob("*/published_pairings.json")
    ):
        rows += compared(folder.name, "fide-basic", trf_rounds(folder))
        click.echo(f"{folder.name}: done")
    pd.DataFrame(rows).to_csv(output, index=False)


if __name__ == "__main__":
    main()
