"""Were real rounds drawn by lot among pairings as good as they are? See README.md beside this file.

python tests/benchmarks/typical.py DATA -o tests/benchmarks/results/typical.csv [--event NAME]...

DATA as for published.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pandas as pd
from published import nrtm_rounds, trf_rounds

from pairopt import Event, typical
from pairopt.analysis.typical import typical_rows

DRAWS, LIMIT = 199, 60.0
MODELS = {"nrtm": ("double-sided", "cobra"), "trf": ("fide-basic", "fide-dutch")}
"""Models that might have made the rounds."""


def beside(
    name: str, models: tuple[str, ...], rounds: Iterator[tuple[Event, pd.DataFrame]]
) -> Iterator[dict[str, object]]:
    """A row for each sum of each round under each model, or one that says why there is none."""
    for event, pairing in rounds:
        for model in models:
            seen = typical(event, pairing, model, draws=DRAWS, time_limit=LIMIT)
            columns, rows = typical_rows(seen)
            for row in rows:
                yield dict(zip(columns, row, strict=True)) | {"event": name}
            click.echo(f"{name} {event.round} {model}: {seen.lot} {seen.reason}")


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True)
@click.option("--event", "chosen", multiple=True, help="Only this one. Repeatable.")
def main(data: Path, output: Path, chosen: tuple[str, ...]) -> None:
    """Every round of every event."""

    def wanted(name: str) -> bool:
        return not chosen or name in chosen

    rows: list[dict[str, object]] = []
    for path in sorted((data / "nrtm").glob("*.json")):
        if wanted(path.stem):
            rows += beside(path.stem, MODELS["nrtm"], nrtm_rounds(path))
    for folder in sorted(
        path.parent for path in (data / "trf").glob("*/published_pairings.json")
    ):
        if wanted(folder.name):
            rows += beside(folder.name, MODELS["trf"], trf_rounds(folder))
    pd.DataFrame(rows).to_csv(
        output, index=False, float_format="%.6g", lineterminator="\n"
    )


if __name__ == "__main__":
    main()
