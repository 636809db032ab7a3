"""`pairopt new`."""

from __future__ import annotations

import click

from pairopt.show.cli.options import FILE, FOLDER, labels_of, say, typed


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--players", type=FILE, required=True, metavar="FILE",
              help="A list of players, or an event in any format that is read.")  # fmt: skip
@click.option("--title", metavar="TEXT", help="Default: the folder's name.")
@click.option("--model", metavar="NAME|FILE", help="A shipped model, or a file (it is copied).")
@click.option("--rounds", type=click.IntRange(1, 500), metavar="N",
              help="The number of rounds: the last one gets its rules by itself.")  # fmt: skip
@click.option("--points", metavar="W-D-L", help="Win, draw and loss, as 3-1-0 or 1-½-0.")
@click.option("--sides", metavar="A,B|none", help="Labels of both sides; none: a game without.")
@click.option("--baku", is_flag=True,
              help="Virtual points for the first half of the players (FIDE C.04.7).")  # fmt: skip
def command(
    folder: str,
    players: str,
    title: str | None,
    model: str | None,
    rounds: int | None,
    points: str | None,
    sides: str | None,
    baku: bool,
) -> None:
    """Make FOLDER, an event that keeps its own rules, from a list of players.

    It says what it took from where; all of it can be changed in FOLDER/event.toml. Then: pairopt
    pair, result, standings.
    """
    from pairopt.folder.founding import new

    done = new(
        folder, players, title=title, model=model, rounds=rounds, points=points,
        sides=labels_of(sides), baku=baku,
    )  # fmt: skip
    for line in done.said:
        say(line)
    say(f"made {folder}; next: pairopt pair {typed(folder)}")
