"""`pairopt enter`, `drop`, `back`, `bye`, `forbid` and `table`."""

from __future__ import annotations

import click

from pairopt.errors import UsageError
from pairopt.show.cli.options import FOLDER, say


@click.command()
@click.argument("folder", type=FOLDER)
@click.argument("player")
@click.option("--set", "cells", multiple=True, metavar="COLUMN=VALUE",
              help="A cell of players.csv, as rating=1500 or club=Riga. Repeatable.")  # fmt: skip
def enter(folder: str, player: str, cells: tuple[str, ...]) -> None:
    """Let PLAYER, who is new, into FOLDER from the next round on."""
    from pairopt.folder.roster import enter as verb

    if strange := [cell for cell in cells if "=" not in cell]:
        raise UsageError(f"--set {strange[0]}: expected COLUMN=VALUE")
    pairs = (cell.split("=", 1) for cell in cells)
    _say(verb(folder, player, {name.strip().lower(): value.strip() for name, value in pairs}).said)


@click.command()
@click.argument("folder", type=FOLDER)
@click.argument("player")
def drop(folder: str, player: str) -> None:
    """Take PLAYER out of all rounds of FOLDER to come."""
    from pairopt.folder.roster import drop as verb

    _say(verb(folder, player).said)


@click.command()
@click.argument("folder", type=FOLDER)
@click.argument("player")
def back(folder: str, player: str) -> None:
    """Let PLAYER, who had left FOLDER, play on."""
    from pairopt.folder.roster import back as verb

    _say(verb(folder, player).said)


@click.command()
@click.argument("folder", type=FOLDER)
@click.argument("player")
@click.option("--round", type=click.IntRange(1), metavar="N", help="Default: the next round.")
@click.option("--points", metavar="P", help="Default: the event's for a requested bye.")
def bye(folder: str, player: str, round: int | None, points: str | None) -> None:
    """Write down that PLAYER asks for a bye."""
    from pairopt.folder.roster import bye as verb

    _say(verb(folder, player, round=round, points=points).said)


@click.command()
@click.argument("folder", type=FOLDER)
@click.argument("player")
@click.argument("other")
@click.option("--off", is_flag=True, help="They may meet again.")
def forbid(folder: str, player: str, other: str, off: bool) -> None:
    """PLAYER and OTHER may not meet in the rounds of FOLDER to come."""
    from pairopt.folder.seating import forbid as verb

    _say(verb(folder, player, other, off=off).said)


@click.command()
@click.argument("folder", type=FOLDER)
@click.argument("player")
@click.argument("number", type=click.IntRange(1), required=False)
@click.option("--off", is_flag=True, help="They may sit at any table again.")
def table(folder: str, player: str, number: int | None, off: bool) -> None:
    """PLAYER stays at table NUMBER in the rounds of FOLDER to come."""
    from pairopt.folder.seating import table as verb

    if (number is None) != off:
        raise UsageError("expected the number of a table, or --off")
    _say(verb(folder, player, number).said)


def _say(lines: tuple[str, ...]) -> None:
    for line in lines:
        say(line)
