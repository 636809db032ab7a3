"""Times what settling a round a second time takes; see README.md beside this file.

python tests/benchmarks/twice.py [-o FILE.csv]

Rounds 1 to 7 of a simulated event, by size and model: CPU seconds of the integer program alone,
begun at the pairing of matching, as `solve` does from the command line.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from simulation import rounds

import pairopt
from pairopt.engines.base import EngineOptions
from pairopt.problem.build import prepare
from pairopt.round import solve as twice

PLAYERS = (20, 41, 60, 71, 100)
MODELS = (
    "excalibur",
    "standard",
    "double-sided",
    "top-first",
    "monrad",
    "fide-basic",
    "aesops",
    "fide-dutch",
)


def measured(players: int, model: str) -> list[dict[str, object]]:
    """One row a round; `settled` says whether it was quick enough to be settled at all."""
    rows: list[dict[str, object]] = []
    sides = None if model == "double-sided" else ("white", "black")
    for number, (event, _) in enumerate(
        rounds(players, 7, 5, engine="matching", sides=sides), 1
    ):
        first = pairopt.solve(event, model)
        problem = prepare(event, model)
        options = EngineOptions(problem.model.objective)
        start = time.process_time()
        _, second = twice.second_solution(
            problem, first.parts, first.arcs, options, False
        )
        spent = time.process_time() - start
        assert second.status in ("unknown", "feasible", first.status)
        rows.append(
            {
                "players": players,
                "model": model,
                "round": number,
                "cpu": round(spent, 4),
                "settled": second.status == first.status,
            }
        )
    return rows


@click.command()
@click.option("-o", "--output", type=click.Path(dir_okay=False))
def main(output: str | None) -> None:
    """Measure, and say the medians and the worst."""
    rows = [row for n in PLAYERS for model in MODELS for row in measured(n, model)]
    table = pd.DataFrame(rows)
    if output is not None:
        table.to_csv(output, index=False)
    shown = table.groupby(["model", "players"]).agg(
        median=("cpu", "median"), worst=("cpu", "max"), settled=("settled", "mean")
    )
    click.echo(shown.to_string())


if __name__ == "__main__":
    main()
