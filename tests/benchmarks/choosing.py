"""Counts and draws optimal pairings of whole rounds; see README.md beside this file.

python tests/benchmarks/choosing.py -o tests/benchmarks/results/choosing.csv
"""

from __future__ import annotations

import sys
import time
from decimal import Decimal
from pathlib import Path

import click
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from simulation import rounds

from pairopt import solve
from pairopt.common.budget import Budget
from pairopt.engines import solve_by
from pairopt.engines.base import EngineOptions
from pairopt.problem.build import prepare
from pairopt.sampling.counting import count
from pairopt.sampling.drawing import by_chain, draw
from pairopt.sampling.optimal_pairings import optima_of

# players, rounds, model that is drawn under (rounds are played under standard), seeds
PLAN = [
    (40, 7, "standard", range(4)),
    (301, 9, "standard", range(3)),
    (301, 9, "aesops", range(1)),
    (301, 9, "cobra", range(1)),
    (301, 9, "monrad", range(1)),
    (1000, 9, "standard", range(1)),
    (3000, 3, "standard", range(1)),
]
CHAINED = 301
"""Chains are also forced in fields of up to so many."""


def measured(
    players: int, number: int, model: str, seed: int
) -> list[dict[str, object]]:
    """One tournament: a row a round. Seconds of a whole solve, of drawing and of counting."""
    rows: list[dict[str, object]] = []
    for event, _ in rounds(players, number, seed, "standard"):
        solve(event, model, choose="uniform")
        start = time.perf_counter()
        solve(event, model)
        plain = time.perf_counter()
        result = solve(event, model, choose="uniform")
        drawn = time.perf_counter()
        assert result.choice is not None
        problem = prepare(event, model)
        arcs = solve_by("cpsat", problem, EngineOptions(problem.model.objective)).arcs
        assert arcs is not None
        whole = optima_of(problem, arcs, problem.model.objective, Budget())
        before = time.perf_counter()
        found = count(whole)
        after = time.perf_counter()
        assert found is not None
        row = {
            "players": players,
            "model": model,
            "seed": seed,
            "round": event.round,
            "active": int(event.active.sum()),
            "components": len(whole.components),
            "largest": max(map(len, whole.components)),
            "any_seconds": round(plain - start, 4),
            "uniform_seconds": round(drawn - plain, 4),
            "exact_draw": result.choice.exact,
            "count_seconds": round(after - before, 4),
            "exact_count": found.exact,
            "log10": log10(found.value),
            "log10_low": log10(found.low),
            "log10_high": log10(found.high),
            "chain_seconds": None,
            "chain_r_hat": None,
            "chain_sweeps": None,
        }
        if players <= CHAINED and model == "standard":
            start = time.perf_counter()
            chained = draw(
                whole, Budget(), [by_chain(component) for component in whole.components]
            ).chained
            row["chain_seconds"] = round(time.perf_counter() - start, 4)
            row["chain_r_hat"] = round(max(run.r_hat for run in chained), 3)
            row["chain_sweeps"] = max(run.sweeps for run in chained)
        rows.append(row)
        print(row)
    return rows


def log10(number: int) -> float:
    """With three decimals, of a number of any length."""
    return round(float(Decimal(number).log10()), 3)


@click.command()
@click.option("-o", "--output", type=click.Path(dir_okay=False), required=True)
def main(output: str) -> None:
    """Count and draw in every round of simulated tournaments."""
    rows = [
        row
        for players, number, model, seeds in PLAN
        for seed in seeds
        for row in measured(players, number, model, seed)
    ]
    pd.DataFrame(rows).to_csv(output, index=False)


if __name__ == "__main__":
    main()
