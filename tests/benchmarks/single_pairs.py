"""Times the integer program of single pairs and the cross-check; see README.md beside this file.

python tests/benchmarks/single_pairs.py -o tests/benchmarks/results/single-pairs.csv
python tests/benchmarks/single_pairs.py --summary tests/benchmarks/results/single-pairs.csv
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from foreign_fields import drawn
from simulation import rounds

import pairopt
from pairopt import Event, Result
from pairopt.engines.base import EngineOptions, UnsupportedError
from pairopt.engines.cpsat import pair_model_engine
from pairopt.problem.build import prepare
from pairopt.round.check_claims import MOST_COSTS

SIZES = (32, 128, 300)
MODELS = ("excalibur", "standard", "double-sided", "fide-basic", "monrad")
ROUNDS = range(2, 10)
REPEATS = 3
FOREIGN = 400
FOREIGN_MODELS = (
    "standard",
    "excalibur",
    "top-first",
    "fide-basic",
    "monrad",
    "double-sided",
    "aesops-2025",
    "leaguevine",
    "bakert",
    "gatherling",
    "cobra",
    "random",
)
KINDS = ("mixed", "distinct", "clubs", "forbidden", "late")
Row = dict[str, object]


def own_rounds(players: int) -> Iterator[tuple[str, Event]]:
    """Yield rounds 2 to 9 of one tournament under each model, with the model."""
    for model in MODELS:
        for event, _ in rounds(players, max(ROUNDS), 0, model):
            if event.round in ROUNDS:
                yield model, event


def foreign_rounds() -> Iterator[tuple[str, Event]]:
    """Yield rounds of 100 to 300 players whose histories pairopt did not make."""
    for number in range(1000, 1000 + FOREIGN):
        field = drawn(number, KINDS[number % len(KINDS)], (100, 300))
        model = FOREIGN_MODELS[number // len(KINDS) % len(FOREIGN_MODELS)]
        yield model, field.event


def least_seconds(work: Callable[[], Result]) -> tuple[float, Result]:
    """Return the least CPU time of `REPEATS` runs, and the result."""
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        result = work()
        seconds.append(time.process_time() - start)
    return min(seconds), result


def measured(model: str, event: Event) -> Row:
    """Solve a round by the integer program and by matching, and cross-check it."""
    pairs_seconds, by_pairs = least_seconds(
        lambda: pairopt.solve(event, model, engine="cpsat", formulation="pairs")
    )
    matching_seconds, by_matching = least_seconds(
        lambda: pairopt.solve(event, model, engine="matching")
    )
    checked_seconds, checked = least_seconds(
        lambda: pairopt.solve(event, model, engine="matching", verify="small")
    )
    values = [level.value for level in by_pairs.level_values]
    assert values == [level.value for level in by_matching.level_values]
    return {
        "players": int(event.active.sum()),
        "model": model,
        "round": event.round,
        "status": by_pairs.status,
        "pairs": round(pairs_seconds, 4),
        "matching": round(matching_seconds, 4),
        "cross_check": round(checked_seconds - matching_seconds, 4),
        "proven_by": " ".join(checked.proven_by),
    }


def counted(model: str, event: Event) -> Row | None:
    """Solve a foreign round, and note whether CP-SAT was asked; None if it has no levels."""
    try:
        expected = pairopt.solve(event, model, engine="matching")
    except pairopt.UsageError:  # the model's numbers are too large for this round
        return None
    problem = prepare(event, model)
    if len(problem) ** 2 * len(problem.levels) > MOST_COSTS:
        return None
    asked = []
    by_cp_sat = pair_model_engine._solve_by_cp_sat

    def ask(*arguments: object) -> object:
        asked.append(True)
        return by_cp_sat(*arguments)  # type: ignore[arg-type]

    pair_model_engine._solve_by_cp_sat = ask  # type: ignore[assignment]
    start = time.process_time()
    try:
        found = pair_model_engine.solve(problem, EngineOptions(), effort=1)
        status = found.status
    except UnsupportedError:
        status = "unknown"
    finally:
        pair_model_engine._solve_by_cp_sat = by_cp_sat
    seconds = time.process_time() - start
    if status == "optimal":
        bounds = [level.bound for level in expected.level_values]
        offsets = [level.offset for level in problem.levels]
        assert [a + b for a, b in zip(found.bounds, offsets, strict=True)] == bounds
    return {
        "players": len(problem),
        "model": model,
        "round": event.round,
        "status": expected.status,
        "pairs": round(seconds, 4),
        "cp_sat": bool(asked),
        "found": status,
    }


def summary(frame: pd.DataFrame) -> str:
    """Return median and worst times by size and model, and what CP-SAT was asked for."""
    own, foreign = frame[frame["kind"] == "own"], frame[frame["kind"] == "foreign"]
    by_model = own.groupby(["size", "model"], sort=False)[
        ["pairs", "matching", "cross_check"]
    ].agg(["median", "max"])
    counts = foreign.groupby(["status", "cp_sat", "found"]).size()
    times = foreign["pairs"].describe(percentiles=[0.5, 0.99])
    return f"{by_model.round(3).to_string()}\n\n{counts.to_string()}\n\n{times.to_string()}\n"


@click.command()
@click.option("-o", "--output", type=click.Path(dir_okay=False))
@click.option("--summary", "shown", type=click.Path(exists=True, dir_okay=False))
def main(output: str | None, shown: str | None) -> None:
    """Measure own and foreign rounds, or show a summary."""
    if shown is not None:
        click.echo(summary(pd.read_csv(shown)), nl=False)
        return
    rows: list[Row] = []
    for players in SIZES:
        for model, event in own_rounds(players):
            rows.append({"kind": "own", "size": players, **measured(model, event)})
        click.echo(f"{players} players: done", err=True)
    for model, event in foreign_rounds():
        row = counted(model, event)
        if row is not None:
            rows.append({"kind": "foreign", "size": "100 to 300", **row})
    frame = pd.DataFrame(rows)
    if output is not None:
        frame.to_csv(output, index=False, lineterminator="\n")
    click.echo(summary(frame), nl=False)


if __name__ == "__main__":
    main()
