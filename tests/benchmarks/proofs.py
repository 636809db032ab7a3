"""Measures proofs: how many rounds have one, and the time of solve, proof and both verifications.

python tests/benchmarks/proofs.py ../shared/data -o tests/benchmarks/results/proofs.csv

Every round of the real events below a folder (CSV, NRTM JSON, TRF) under all shipped models that
fit it, six simulated events of 301 players over nine rounds, and two of 1,000; under the Dutch
System three of 300 and one of 1,000. A verification of
the event is `pairopt check --proof` without reading the event; that of the file alone is the
verifier's, reading included. A round that cannot be paired under a model, by its own rules, is
left out; one whose proof does not hold stops the run. Times are CPU seconds.
"""

from __future__ import annotations

import csv
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import click
import simulation

import pairopt
from pairopt.engines import abilities_of
from pairopt.problem.build import prepare
from pairopt.problem.model import model_names
from pairopt.problem.options import DEFAULT_MODEL
from pairopt.proof.verify import read, verify

COLUMNS = (
    "event",
    "model",
    "players",
    "levels",
    "status",
    "steps",
    "sets",
    "bytes",
    "solve",
    "proof",
    "check",
    "verify",
)
LARGE = (
    (301, 6, "excalibur"),
    (1000, 2, "excalibur"),
    (300, 3, "fide-dutch"),
    (1000, 1, "fide-dutch"),
)


def exact() -> list[str]:
    """The shipped models whose own engine proves something, FIDE's systems among them."""
    models = map(pairopt.load_model, model_names())
    proven = (
        model
        for model in models
        if model.engine is None or abilities_of(model.engine).exact
    )
    return [model.name for model in proven if not model.lookahead]


def real(folder: Path) -> Iterator[tuple[str, pairopt.Event]]:
    """Every round of the real events."""
    events = [
        (path.parent.name, pairopt.read_event(path, path.with_name("players.csv")))
        for path in sorted(folder.glob("csv/*/matches.csv"))
    ]
    events += [
        (path.stem, pairopt.read_event(path))
        for path in sorted(folder.glob("nrtm/*.json"))
    ]
    for name, event in events:
        for number in range(1, event.round + 1):
            yield f"{name} {number}", event.at_round(number)
    for path in sorted(folder.glob("trf/*/*.trf")):
        yield path.stem, pairopt.read_event(path)


def drawn() -> Iterator[tuple[str, pairopt.Event, str]]:
    """Rounds of simulated events, with the model that they are paired by."""
    for players, events, model in LARGE:
        for seed in range(events):
            for event, _ in simulation.rounds(players, 9, seed, model):
                yield (
                    f"{players} players, seed {seed}, round {event.round}",
                    event,
                    model,
                )


def measured(name: str, event: pairopt.Event, model: str) -> dict[str, object] | None:
    """A row, None for a round that the model cannot pair."""
    try:
        problem = prepare(event, model)
        start = time.process_time()
        result = pairopt.solve(event, model)
    except (pairopt.UsageError, pairopt.InputError):
        return None
    solved = time.process_time()
    proof = result.proof
    assert proof is not None
    text = proof.text
    raw = text.encode()
    proven = time.process_time()
    assert pairopt.check_proof(event, raw, model).faults == ()
    checked = time.process_time()
    begun = time.process_time()
    verify(read(text))
    verified = time.process_time()
    steps = proof.content["witness"].get("steps", [proof.content["witness"]])
    seconds = (solved - start, proven - solved, checked - proven, verified - begun)
    return {
        "event": name,
        "model": model,
        "players": len(problem),
        "levels": len(problem.levels),
        "status": result.status,
        "steps": len(steps),
        "sets": sum(len(step.get("sets", ())) for step in steps),
        "bytes": len(raw),
        **{
            what: f"{each:.4f}"
            for what, each in zip(COLUMNS[-4:], seconds, strict=True)
        },
    }


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True
)
@click.option("--models", default=",".join(exact()), show_default=True)
@click.option("--large/--no-large", default=True, help="With the simulated events.")
def main(folder: Path, output: Path, models: str, large: bool) -> None:
    """Measure, and write a row a round and model."""
    worst: dict[str, float] = defaultdict(float)
    count = 0
    with output.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        rounds = [(name, event, models.split(",")) for name, event in real(folder)]
        own = {"excalibur": DEFAULT_MODEL}
        more = (
            (name, event, [own.get(model, model)])
            for name, event, model in (drawn() if large else ())
        )
        for name, event, chosen in (*rounds, *more):
            for model in chosen:
                row = measured(name, event, model)
                if row is None:
                    continue
                count += 1
                writer.writerow(row)
                file.flush()
                for what in COLUMNS[-4:]:
                    worst[what] = max(worst[what], float(str(row[what])))
    said = ", ".join(f"{what} {seconds:.2f} s" for what, seconds in worst.items())
    print(f"{count} rounds, all of them certified; slowest: {said}", file=sys.stderr)


if __name__ == "__main__":
    main()
