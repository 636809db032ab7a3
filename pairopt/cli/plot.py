"""`pairopt plot`."""

from __future__ import annotations

from pathlib import Path

import click

from pairopt.cli.options import FILE
from pairopt.errors import InputError, UsageError


@click.command()
@click.argument("results", type=FILE)
@click.option("-o", "--output", type=click.Path(file_okay=False), default=".", show_default=True,
              help="The folder for the figures.")  # fmt: skip
def command(results: str, output: str) -> None:
    """Draw RESULTS, the table of `pairopt compare -o`, as PNG and SVG files.

    Trade-off with the Pareto front, tau by round, side balance, and a heat map of all metrics. A
    figure that the table has no values for is left out, and said so.
    """
    import pandas as pd

    from pairopt.study import figures
    from pairopt.study.table import COLUMNS

    try:
        frame = pd.read_csv(results, dtype={"model": str, "levels": str})
    except (OSError, ValueError) as error:
        raise InputError(Path(results).name, str(error)) from None
    if missing := [name for name in COLUMNS if name not in frame]:
        raise InputError(Path(results).name, f"no column {missing[0]!r}: not a table of compare")
    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in figures.FIGURES.items():
        try:
            written = figures.save(draw(frame), folder / name)
        except UsageError as error:
            click.echo(f"{name}: left out, {error}", err=True)
        else:
            click.echo(" ".join(str(path) for path in written))
