"""`pairopt plot`."""

from __future__ import annotations

from pathlib import Path

import click

from pairopt.errors import UsageError
from pairopt.show.cli.options import FILE, FOLDER, say


@click.command()
@click.argument("results", type=FILE)
@click.option("-o", "--output", type=FOLDER, default=".", show_default=True,
              help="The folder for the figures.")  # fmt: skip
def command(results: str, output: str) -> None:
    """Draw RESULTS, the table of `pairopt study -o`, as PNG and SVG files.

    Trade-off with the Pareto front, tau by round, side balance, and a heat map of all metrics. A
    figure that the table has no values for is left out, and said so.
    """
    from pairopt.files.write import make_folder, write_all
    from pairopt.lab import figures
    from pairopt.lab.table import read_table

    frame = read_table(results)
    drawn: dict[Path, bytes] = {}
    for name, draw in figures.FIGURES.items():
        try:
            drawn |= figures.images(draw(frame), Path(output, name))
        except UsageError as error:
            say(f"{name}: left out, {error}")
    if not drawn:
        raise UsageError(f"nothing to draw in {results}")
    make_folder(Path(output))
    write_all(drawn)
    for path in drawn:
        click.echo(path)
