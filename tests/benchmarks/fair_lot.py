"""What a fair lot costs: tournaments with it and with any optimal pairings, under each exact model.

python tests/benchmarks/fair_lot.py -o tests/benchmarks/results/fair-lot.csv
"""

from __future__ import annotations

import time

import click
import pandas as pd

from pairopt import load_model
from pairopt.lab import World, compare_models
from pairopt.problem.model import model_names

WORLD = World(players=32, rounds=7, sides=("white", "black"), rating_error=80)
PROCEDURES = ("aesops-by-hand",)
"""What proves nothing has a lot of its own."""


def milliseconds(name: str, lot: str, count: int, seed: int) -> float:
    """Of the processor, for a tournament with its results and metrics, in this process."""
    start = time.process_time()
    compare_models([load_model(name)], WORLD, replicates=count, seed=seed, choose=lot)
    return 1000 * (time.process_time() - start) / count


@click.command()
@click.option("--tournaments", "count", default=5, show_default=True)
@click.option("--repeats", default=7, show_default=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False), required=True)
def main(count: int, repeats: int, output: str) -> None:
    """Both ways in turn on the same tournaments; of each the least of the times."""
    names = [name for name in model_names() if name not in PROCEDURES]
    rows = []
    for name in names:
        milliseconds(name, "uniform", 1, 0)  # warms up
        times = pd.DataFrame(
            [
                {
                    lot: milliseconds(name, lot, count, seed)
                    for lot in ("any", "uniform")
                }
                for seed in [1] * repeats
            ]
        )
        least = times.min()
        rows.append(
            {
                "model": name,
                "players": WORLD.players,
                "rounds": WORLD.rounds,
                "tournaments": count,
                "any_ms": least["any"],
                "uniform_ms": least["uniform"],
                "ratio": least["uniform"] / least["any"],
            }
        )
        click.echo(rows[-1])
    pd.DataFrame(rows).round(3).to_csv(output, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
