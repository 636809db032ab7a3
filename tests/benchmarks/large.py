"""Times rounds of large fields; see README.md beside this file.

python tests/benchmarks/large.py -o tests/benchmarks/results/large.csv
python tests/benchmarks/large.py --only "100000 excalibur" -o tests/benchmarks/results/large.csv
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from apart import peak_mb
from simulation import after, opening

from pairopt import solve
from pairopt.problem.options import Choose

SEED = 0


@dataclass(frozen=True)
class Case:
    """A tournament of so many rounds, each paired, and timed, by an engine with these options."""

    players: int
    rounds: int
    model: str = "excalibur"
    engine: str = "auto"
    choose: Choose = "any"
    count: bool = False

    @property
    def name(self) -> str:
        """What the case is called in the results."""
        asked = " uniform" * (self.choose == "uniform") + " count" * self.count
        return f"{self.players} {self.model} {self.engine}{asked}"


PLAN = (
    Case(1_000, 9, engine="matching"),
    Case(3_000, 9, engine="matching"),
    Case(1_000, 9, "monrad"),
    Case(3_000, 9, "monrad"),
    Case(5_000, 3, "monrad"),
    Case(1_000, 9, "standard", count=True),
    Case(3_000, 5, "standard", choose="uniform"),
    Case(2_500, 3, "fide-dutch"),
    Case(5_000, 3, "fide-dutch"),
    Case(10_000, 12),
    Case(100_000, 12, engine="cpsat"),
    Case(1_000_000, 3, engine="cpsat"),
)


def measured(case: Case) -> None:
    """Play the tournament in this process, and print a row a round as JSON."""
    warm = {"engine": case.engine, "choose": case.choose, "count": case.count}
    solve(opening(12), case.model, **warm)
    event, rng = opening(case.players), np.random.default_rng(SEED)
    strength = rng.normal(0, 200, case.players)
    for _ in range(case.rounds):
        start = time.process_time()
        result = solve(
            event,
            case.model,
            seed=SEED,
            engine=case.engine,
            choose=case.choose,
            count=case.count,
        )
        row = {
            "case": case.name,
            "players": case.players,
            "round": event.round,
            "active": int(event.active.sum()),
            "cpu_seconds": round(time.process_time() - start, 3),
            "peak_mb": peak_mb(),
            "status": result.status,
            "levels": len(result.level_values),
            "proven": sum(level.proven is True for level in result.level_values),
        }
        print(json.dumps(row), flush=True)
        event = after(event, result, rng, strength)


@click.command()
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--only", default="", help="Cases whose names have this; others' rows stay."
)
@click.option("--one", hidden=True)
def main(output: Path | None, only: str, one: str | None) -> None:
    """Play the cases, each in a process of its own."""
    named = {case.name: case for case in PLAN}
    if one is not None:
        measured(named[one])
        return
    rows: list[dict[str, object]] = []
    for name in [name for name in named if only in name]:
        command = [sys.executable, __file__, "--one", name]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                click.echo(line, nl=False, err=True)
                rows.append(json.loads(line))
        if process.returncode:
            raise click.ClickException(f"{name} failed")
    frame = pd.DataFrame(rows)
    if output is not None:
        if output.exists():
            known = pd.read_csv(output)
            frame = pd.concat([known[~known["case"].isin(frame["case"])], frame])
        place = {name: k for k, name in enumerate(named)}
        frame = frame.sort_values(
            "case", key=lambda names: names.map(place), kind="stable"
        )
        frame.to_csv(output, index=False, lineterminator="\n")
    click.echo(
        frame.groupby("case", sort=False)[["cpu_seconds", "peak_mb"]].max().to_string()
    )


if __name__ == "__main__":
    main()
