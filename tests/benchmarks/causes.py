"""Changes planted in rounds, and whether `check --why` finds them; see README.md beside this file.

python tests/benchmarks/causes.py [--share N] [--jobs J] [-o tests/benchmarks/results/causes.csv]
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from planted import KINDS, PAIRS, Planted, plant, tournament

from pairopt import check
from pairopt.analysis.explain_deviation import DeviationCause, find_causes
from pairopt.engines import solve_by
from pairopt.processes import run_in_processes

Row = dict[str, object]
Call = tuple[int, str, int, int, tuple[str, ...], int]
FIELDS = (
    ("fide-dutch", 20, 7, KINDS, 8),
    ("fide-dutch", 40, 7, KINDS, 8),
    ("fide-dutch", 80, 9, KINDS, 7),
    ("fide-dutch", 160, 9, KINDS, 2),
    ("fide-dutch", 275, 9, KINDS, 1),
    (
        "fide-burstein",
        40,
        7,
        ("result", "forfeit", "start", "late", "withdrawn", "forbidden"),
        4,
    ),
    ("fide-dutch", 40, 7, PAIRS, 7),
    ("fide-dutch", 80, 9, PAIRS, 4),
    ("fide-dutch", 275, 9, PAIRS, 2),
    ("fide-dutch", 275, 9, ("starts",), 6),
)
"""The system, players, rounds, what is planted, and in how many tournaments."""


def calls(share: int) -> Iterator[Call]:
    """A call a tournament."""
    number = 0
    for model, players, rounds, kinds, many in FIELDS:
        for seed in range(1, max(many // share, 1) + 1):
            yield number, model, players, rounds, kinds, 1000 * players + seed
            number += 1


def measured(
    number: int,
    model: str,
    players: int,
    rounds: int,
    kinds: tuple[str, ...],
    seed: int,
) -> tuple[int, list[Row]]:
    """A row for each change that was planted in a tournament."""
    with tempfile.TemporaryDirectory() as name:
        event = tournament(players, rounds, seed, Path(name), model)
    rows: list[Row] = []
    for kind in kinds:
        planted = plant(event, kind, seed, model)
        if planted is not None:
            common = {"model": model, "players": players, "seed": seed, "planted": kind}
            rows.append(common | _found(planted, model))
    return number, rows


def _found(planted: Planted, model: str) -> Row:
    given = check(planted.event, planted.published, model)
    start = time.process_time()
    found = find_causes(given)
    seconds = time.process_time() - start
    assert found is not None, planted.kind
    places = [k for k, cause in enumerate(found.causes, 1) if planted.found_in(cause)]
    return {
        "round": planted.event.round,
        "tried": found.tried,
        "named": len(found.causes),
        "place": places[0] if places else 0,
        "wrong": sum(not _holds(cause) for cause in found.causes),
        "seconds": round(seconds, 2),
    }


def _holds(cause: DeviationCause) -> bool:
    """Whether the round, paired by itself with the changes, is the published one, sides too."""
    case = cause.changes[-1].case
    arcs = solve_by(case.engine, case.problem, case.options).arcs
    return arcs is not None and case.alike(arcs)


@click.command()
@click.option("--share", default=1, show_default=True, help="Only one in so many.")
@click.option("--jobs", default=1, show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path))
def main(share: int, jobs: int, output: Path | None) -> None:
    """Print how many of each kind are found again, and how many named ones are wrong."""
    every = [*calls(share)]
    done = (
        run_in_processes(measured, every, jobs)
        if jobs > 1
        else (measured(*one) for one in every)
    )
    rows = [row for _, made in sorted(done, key=lambda each: each[0]) for row in made]
    frame = pd.DataFrame(rows)
    if output is not None:
        frame.to_csv(output, index=False)
    frame["again"] = frame["place"] > 0
    frame["explained"] = frame["named"] > 0
    groups = frame.groupby(["model", "players", "planted"], sort=False)
    counted = groups.agg(
        rounds=("again", "size"),
        again=("again", "sum"),
        explained=("explained", "sum"),
        wrong=("wrong", "sum"),
        median=("seconds", "median"),
        worst=("seconds", "max"),
    )
    click.echo(counted.to_string())
    two = frame["planted"].isin(PAIRS)
    for name, some in (
        ("single changes", frame[~two]),
        ("pairs of changes", frame[two]),
    ):
        click.echo(
            f"{name}: {len(some)}, found again {some['again'].sum()}, explained "
            f"{some['explained'].sum()}, named and wrong {some['wrong'].sum()}"
        )


if __name__ == "__main__":
    main()
