"""How many published tables a no-show changes; see README.md beside this file.

python tests/benchmarks/repair.py [-o FILE.csv] [--events N]

Rounds 2 to 7 of simulated events of 20 to 60 players, under the exact models in turn and the Dutch
System: somebody by lot does not come, and the round is repaired, and paired anew.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import click
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from simulation import rounds

import pairopt
from pairopt import Event, Result

MODELS = (
    "standard",
    "monrad",
    "fide-basic",
    "excalibur",
    "double-sided",
    "top-first",
    "leaguevine",
    "gatherling",
    "fide-dutch",
)
FIRST, LAST = 2, 7


def kept(published: list[tuple[str, ...]], result: Result) -> int:
    """How many tables have the same two players."""
    seats = {frozenset(pair) for pair in result.pairs}
    return sum(frozenset(pair) in seats for pair in published)


def repaired(event: Event, model: str, seed: int) -> dict[str, object]:
    """One row: a no-show of this round."""
    published = [
        pair for pair in pairopt.solve(event, model, seed=seed).pairs if len(pair) == 2
    ]
    here = [
        player
        for player, active in zip(event.players, event.active, strict=True)
        if active
    ]
    gone = random.Random(seed).choice(here)
    start = time.process_time()
    result = pairopt.repair(event, model, published=published, drop=[gone], seed=seed)
    seconds = time.process_time() - start
    anew = pairopt.solve(event, model, drop=[gone], seed=seed)
    stays = kept(published, result)
    return {
        "model": model,
        "round": event.round,
        "players": len(here),
        "tables": len(published),
        "status": result.status,
        "kept": stays,
        "kept_anew": kept(published, anew),
        "enough": stays >= len(here) / 2 - 2,
        "cpu": round(seconds, 4),
    }


def measured(number: int) -> list[dict[str, object]]:
    """One row a round of an event."""
    players = random.Random(number).randint(20, 60)
    model = MODELS[number % len(MODELS)]
    known = model if model != "fide-dutch" else "fide-basic"
    events = enumerate(rounds(players, LAST, number, known, engine="matching"), 1)
    return [
        {"event": number, **repaired(event, model, 10 * number + turn)}
        for turn, (event, _) in events
        if turn >= FIRST
    ]


@click.command()
@click.option("-o", "--output", type=click.Path(dir_okay=False))
@click.option("--events", default=84, help="Six no-shows each.")
def main(output: str | None, events: int) -> None:
    """Measure, and say how many tables stay."""
    table = pd.DataFrame([row for number in range(events) for row in measured(number)])
    if output is not None:
        table.to_csv(output, index=False)
    table["changed"] = table["tables"] - table["kept"]
    table["changed_anew"] = table["tables"] - table["kept_anew"]
    shown = table.groupby("model").agg(
        rounds=("event", "size"),
        enough=("enough", "mean"),
        changed=("changed", "mean"),
        most=("changed", "max"),
        anew=("changed_anew", "mean"),
        cpu=("cpu", "median"),
    )
    click.echo(shown.to_string())
    click.echo(
        f"{len(table)} no-shows, enough tables stay in {table['enough'].mean():.1%}"
    )


if __name__ == "__main__":
    main()
