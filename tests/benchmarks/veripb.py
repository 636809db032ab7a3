"""Measures programs and their proofs for VeriPB: sizes, times, and what VeriPB says.

VERIPB=/path/to/veripb python tests/benchmarks/veripb.py -o tests/benchmarks/results/veripb.csv

`sizes` are rounds 5 of simulated events of some 37, 100, 200 and 300 players under three models and
the Dutch System; `models` 200 rounds of up to 300 players under the exact models in turn, `systems`
50 of up to 120 under the Dutch and the Burstein System; `stages` single levels, `none` rounds with
no pairing. `forged` are programs and proofs of rounds of 5 to 10 players in which one thing was
changed: the objective, opponents, a price, a set's price, the row that is counted, a legal match, a
constraint. Each is refused, or what it says is still true: all solutions are tried. Times are CPU
seconds.
"""

from __future__ import annotations

import csv
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import click

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from forged_programs import forged, holds, rounds_to_forge
from programs import accepts, veripb
from proofs import exact
from simulation import rounds

import pairopt

COLUMNS = (
    "part",
    "model",
    "players",
    "booleans",
    "levels",
    "bits",
    "opb_kb",
    "pbp_kb",
    "export",
    "proof",
    "veripb",
    "said",
)
SIZES = (43, 113, 222, 333)  # some leave
SMALLER = (6, 9, 14, 24, 37, 60, 100, 150, 200, 300)


def cases(part: str) -> Iterator[tuple[str, pairopt.Event, dict[str, Any]]]:
    """Rounds of a part: the model, the event and options."""
    if part == "sizes":
        for players in SIZES:
            for model in ("standard", "excalibur", "double-sided", "fide-dutch"):
                *_, (event, _) = rounds(players, 5, 1, model)
                yield model, event, {}
    elif part == "models":
        models = [name for name in exact() if pairopt.load_model(name).system is None]
        for seed in range(100):
            players, model = SMALLER[seed % len(SMALLER)], models[seed % len(models)]
            for event, _ in rounds(players, 4, seed, "standard"):
                if event.round > 2:
                    yield model, event, {}
    elif part == "systems":
        for seed in range(25):
            model = ("fide-dutch", "fide-burstein")[seed % 2]
            for event, _ in rounds(
                (8, 13, 24, 41, 60, 100, 120)[seed % 7], 4, seed, "fide-dutch"
            ):
                if event.round > 2:
                    known = replace(event, settings=replace(event.settings, rounds=5))
                    yield model, known, {}
    else:
        for seed in range(20):
            model = ("standard", "fide-dutch")[seed % 2]
            *_, (event, _) = rounds(21, 4, seed, model)
            names = event.players[:12]
            barred = [(one, two) for one in names for two in names if one < two]
            yield (
                model,
                event,
                {"forbid": barred} if part == "none" else {"stage": 1 + seed // 2},
            )


def row(
    part: str, model: str, event: pairopt.Event, options: Any, folder: Path
) -> dict[str, Any]:
    start = time.process_time()
    try:
        made = pairopt.export(event, model, **options)
    except (pairopt.UsageError, pairopt.InputError):
        return {}
    opb = made.text()
    exported = time.process_time()
    proof = made.proof()
    proven = time.process_time()
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    said = accepts(folder, opb, proof)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return {
        "part": part,
        "model": model,
        "players": len(made.problem),
        "booleans": len(made.program.names),
        "levels": len(made.levels),
        "bits": max(made.program.costs, default=0).bit_length(),
        "opb_kb": f"{len(opb) / 1000:.0f}",
        "pbp_kb": f"{len(proof) / 1000:.0f}",
        "export": f"{exported - start:.2f}",
        "proof": f"{proven - exported:.2f}",
        "veripb": f"{seconds:.2f}",
        "said": "accepted" if said else "refused",
    }


def forge(many: int, folder: Path) -> Iterator[dict[str, Any]]:
    seen = Counter[tuple[str, str]]()
    number = 0
    while seen.total() < many:
        for made in rounds_to_forge(60):
            number += 1
            opb, proof = made.text(), made.proof()
            for what, program, steps in forged(opb, proof, Random(number)):
                if seen.total() < many:
                    said = "accepted" if accepts(folder, program, steps) else "refused"
                    if said == "accepted":
                        said = "true" if holds(program, steps) else "breach"
                    seen[what, said] += 1
    for (what, said), count in sorted(seen.items()):
        yield {"part": "forged", "model": what, "players": count, "said": said}


@click.command()
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True
)
@click.option("--forged", "many", default=1000, show_default=True)
@click.option("--parts", default="sizes,models,systems,stages,none", show_default=True)
def main(output: Path, many: int, parts: str) -> None:
    assert veripb() is not None, "VeriPB is not installed"
    with output.open("w", newline="") as file, tempfile.TemporaryDirectory() as folder:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        seen = Counter[tuple[str, str]]()
        for part in filter(None, parts.split(",")):
            for case in cases(part):
                if made := row(part, *case, Path(folder)):
                    table.writerow(made)
                    file.flush()
                    seen[part, made["said"]] += 1
        for made in forge(many, Path(folder)):
            table.writerow(made)
            seen["forged", made["said"]] += made["players"]
    for (part, said), count in sorted(seen.items()):
        print(part, said, count)


if __name__ == "__main__":
    main()
