"""`pairopt result`."""

from __future__ import annotations

import click

from pairopt.show.cli.options import FOLDER, say


@click.command()
@click.argument("folder", type=FOLDER)
@click.argument("table")
@click.argument("score")
@click.option("--round", type=click.IntRange(1), metavar="N", help="Correct an earlier round.")
def command(folder: str, table: str, score: str, round: int | None) -> None:
    """Write down the SCORE of a TABLE in the last round of FOLDER, or of a match of its bracket.

    SCORE has the points of the first and the second player: 3-0, 0.5-0.5, ½-½; or 1F-0F, 0F-0F
    for a match that was not played. A correction names the later rounds that would have been
    others. After the cut TABLE is B1, B2, …, and the higher score wins.
    """
    from pairopt.folder.results import result

    for line in result(folder, table, score, round=round).said:
        say(line)
