"""`pairopt undo`."""

from __future__ import annotations

import click

from pairopt.show.cli.options import FOLDER, say


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--steps", type=click.IntRange(1), default=1, show_default=True, metavar="N")
@click.option("--to", type=click.IntRange(1), metavar="N",
              help="To the files after step N of log.csv, also where it was undone.")  # fmt: skip
def command(folder: str, steps: int, to: int | None) -> None:
    """Undo the last steps on FOLDER: its files are as they were before; log.csv has them all."""
    from pairopt.folder.undoing import undo

    for line in undo(folder, steps, to=to).said:
        say(line)
