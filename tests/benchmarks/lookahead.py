"""How often small events run into a rematch that cannot be avoided; see README.md beside this file.

python tests/benchmarks/lookahead.py -o tests/benchmarks/results/lookahead.csv
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click
import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import simulation

from pairopt import solve

SIZES = [(8, 7), (10, 9)]
MODELS = ["monrad", "excalibur", "double-sided", "fide-basic"]
EVENTS = 100


def played(
    model: str, players: int, rounds: int, seed: int, ahead: bool
) -> tuple[bool, float]:
    """Whether an event ran into a rematch (or no pairing at all), and its slowest round."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 200, players)
    sides = None if model in ("monrad", "double-sided") else ("corp", "runner")
    event, slowest = simulation.opening(players, sides), 0.0
    for turn in range(1, rounds + 1):
        start = time.perf_counter()
        result = solve(event, model, seed=seed, lookahead=rounds - turn if ahead else 0)
        slowest = max(slowest, time.perf_counter() - start)
        again = [v.value for v in result.level_values if v.criterion == "rematches"]
        if not result.matches or any(again):
            return True, slowest
        event = simulation.played(
            event, result.matches, rng, strength, draws=0.1, drops=0.0
        )
    return False, slowest


@click.command()
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True)
def main(output: Path) -> None:
    """Play every model and size with and without the lookahead that is left."""
    rows = []
    for model in MODELS:
        for players, rounds in SIZES:
            for ahead in (False, True):
                ends = [
                    played(model, players, rounds, seed, ahead)
                    for seed in range(EVENTS)
                ]
                rows.append(
                    {
                        "model": model,
                        "players": players,
                        "rounds": rounds,
                        "lookahead": ahead,
                        "events": EVENTS,
                        "forced_rematch": sum(stuck for stuck, _ in ends),
                        "slowest_round": round(max(slowest for _, slowest in ends), 3),
                    }
                )
                click.echo(rows[-1])
    pd.DataFrame(rows).to_csv(output, index=False)


if __name__ == "__main__":
    main()
