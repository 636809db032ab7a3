"""How unequal optimal pairings are under different ways to choose one; see README.md here.

python tests/benchmarks/fairness.py -o tests/benchmarks/results/fairness.csv
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import click
import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from fair_draws import EVENTS, Key, fixed, key_of, one_by_one, p_value

from pairopt.common.budget import Budget
from pairopt.engines import solve_by
from pairopt.engines.base import EngineOptions
from pairopt.engines.matching.engine import solve as matched
from pairopt.event.arcs import BYE, arcs_of
from pairopt.problem.build import prepare
from pairopt.problem.problem import Problem
from pairopt.sampling.drawing import by_small_table, draw
from pairopt.sampling.optimal_pairings import OptimalPairings
from pairopt.sampling.small_fields import find_small_field_optima

WAYS = {
    "uniform": 20_000,
    "one by one": 20_000,
    "any (cpsat)": 500,
    "any (matching)": 500,
}
"""How often each is drawn: the fair lot must stand a sharp test, an unfair one a blunt one."""


def lot_of(problem: Problem) -> OptimalPairings:
    """All that the lot of a small field is drawn from, as `solve` has it."""
    objective = problem.model.objective
    found = matched(problem, EngineOptions(objective))
    assert found.arcs is not None
    left = find_small_field_optima(problem, found.arcs, objective, Budget(), found.left)
    assert left is not None
    return left


def draws(k: int, way: str) -> Iterator[Key]:
    """Pairings of a fixed event, one a seed."""
    problem, _, every = fixed(k)
    engine, rng = "matching" if way == "any (matching)" else "cpsat", Random(k)
    if way == "uniform":
        whole = lot_of(problem)
        drawers = [by_small_table(component) for component in whole.components]
    # the same seeds would draw the same lots in all events of a shape, and make one luck of many
    first = k * 1_000_000 if way == "uniform" else 0
    for seed in range(first, first + WAYS[way]):
        if way == "uniform":
            yield key_of(draw(whole, Budget(seed), drawers).arcs, problem.state.sided)
        elif way == "one by one":
            yield one_by_one(every, rng)
        else:
            seeded = prepare(problem.state.event, problem.model, seed=seed)
            found = solve_by(
                engine,
                seeded,
                EngineOptions(problem.model.objective, budget=Budget(seed)),
            ).arcs
            assert found is not None
            place = np.array(
                [problem.state.names.index(name) for name in seeded.state.names]
            )
            second = np.where(found.bye, BYE, place[found.second])
            yield key_of(arcs_of(place[found.first], second), problem.state.sided)


@click.command()
@click.option("-o", "--output", type=click.Path(dir_okay=False), required=True)
def main(output: str) -> None:
    """Choose from the optimal pairings of fixed events in several ways, and compare."""
    rows = []
    for k, (players, number, model, seed) in enumerate(EVENTS):
        _, _, every = fixed(k)
        for way, count in WAYS.items():
            times = Counter(draws(k, way))
            row = {
                "players": players,
                "round": number,
                "model": model,
                "seed": seed,
                "optima": len(every),
                "way": way,
                "draws": count,
                "never": sum(key not in times for key in every),
                "most": round(max(times.values()) * len(every) / count, 3),
                "least": round(
                    min(times[key] for key in every) * len(every) / count, 3
                ),
                "p_value": p_value(times.elements(), every),
            }
            rows.append(row)
            print(row)
    pd.DataFrame(rows).to_csv(output, index=False)


if __name__ == "__main__":
    main()
