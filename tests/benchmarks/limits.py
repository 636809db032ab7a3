"""Whether a time limit is kept, and what is in hand then; see README.md beside this file.

python tests/benchmarks/limits.py -o tests/benchmarks/results/limits.csv
python tests/benchmarks/limits.py --summary tests/benchmarks/results/limits.csv
"""

from __future__ import annotations

import csv
import sys
import time
from functools import partial
from pathlib import Path
from random import Random

import click
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from apart import apart
from foreign import exact_models, warmed_up
from foreign_fields import KINDS, Field, Span, drawn

import pairopt

ROUNDS = 300
PLAYERS = (40, 3000)
LIMITS = (0.1, 10.0)
"""Seconds, the least and the most: as many between 0.1 and 1 as between 1 and 10."""
COLUMNS = ("round", "model", "limit", "wall", "status", "pairing", "peak_mb")


def in_time(limit: pd.Series) -> pd.Series:
    """By when a solve with this limit is to be back."""
    return 1.3 * limit + 0.3


def patience(limit: float) -> float:
    """Seconds after which a solve that does not come back is ended."""
    return 4 * limit + 30


def drawn_round(number: int, sizes: Span) -> tuple[Field, str, float]:
    """The field of that number, of any kind, its model, and the limit it is paired with."""
    chance = Random(f"limit {number}")
    field = drawn(number, chance.choice(list(KINDS)), sizes)
    model = field.model or chance.choice(exact_models())
    low, high = LIMITS
    return field, model, round(low * (high / low) ** chance.random(), 2)


def solved(field: Field, model: str, limit: float) -> tuple[float, str, bool]:
    """Seconds until it was back, the status, and whether there is a legal pairing in hand."""
    start = time.perf_counter()
    try:
        result = pairopt.solve(field.event, model, time_limit=limit)
        status, pairing = str(result.status), result.arcs is not None
    except (
        pairopt.PairoptError
    ) as error:  # numbers too large for the model, or for the engine
        status, pairing = type(error).__name__, False
    return round(time.perf_counter() - start, 3), status, pairing


def line(number: int, sizes: Span) -> tuple[object, ...]:
    """One solve under its limit, in a process of its own; one that is ended has no seconds."""
    field, model, limit = drawn_round(number, sizes)
    ended = apart(partial(solved, field, model, limit), patience(limit))
    wall, status, pairing = ended.value or (None, ended.ended, False)
    return field.name, model, limit, wall, status, pairing, ended.peak_mb


def summary(frame: pd.DataFrame) -> str:
    """Shares in time and with a pairing, or the proof that there is none; by limit and of all."""
    frame = frame[~frame["status"].str.endswith("Error")]
    bands = pd.cut(frame["limit"], [0, 0.3, 1, 3, 10])
    rows = []
    for band, part in [*frame.groupby(bands, observed=True), ("all", frame)]:
        late = part["wall"].isna() | (part["wall"] > in_time(part["limit"]))
        known = part["pairing"] | (part["status"] == "infeasible")
        rows.append(
            {
                "seconds": str(band),
                "rounds": len(part),
                "in time": f"{1 - late.mean():.1%}",
                "pairing": f"{part['pairing'].mean():.1%}",
                "proven none": f"{(part['status'] == 'infeasible').mean():.1%}",
                "neither": int((~known).sum()),
                "proven": f"{part['status'].isin(['optimal', 'infeasible']).mean():.1%}",
                "ended": int(part["wall"].isna().sum()),
                "worst ratio": round((part["wall"] / part["limit"]).max(), 2),
                "peak_mb": part["peak_mb"].max(),
            }
        )
    return pd.DataFrame(rows).to_string(index=False) + "\n"


@click.command()
@click.option("-o", "--output", type=click.Path(dir_okay=False))
@click.option("--summary", "shown", type=click.Path(exists=True, dir_okay=False))
@click.option("--rounds", "number", default=ROUNDS, help="So many rounds.")
@click.option("--from", "first", default=0, help="The number of the first.")
@click.option("--players", "sizes", type=(int, int), default=PLAYERS, show_default=True)
def main(
    output: str | None, shown: str | None, number: int, first: int, sizes: Span
) -> None:
    """Pair the rounds one after the other, each under a limit of its own, or show a summary."""
    if shown is not None:
        click.echo(summary(pd.read_csv(shown)), nl=False)
        return
    warmed_up()
    rows = []
    for k in range(first, first + number):
        rows.append(line(k, sizes))
        click.echo("; ".join(map(str, rows[-1])), err=True)
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    if output is not None:
        frame.to_csv(
            output, index=False, lineterminator="\n", quoting=csv.QUOTE_MINIMAL
        )
    click.echo(summary(frame), nl=False)


if __name__ == "__main__":
    main()
