"""The commands that take one step on an event folder, and say what it was; see `pairopt.folder`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from pairopt.errors import UsageError
from pairopt.show.cli.options import FOLDER, say

Parameters = dict[str, Any]


def _verb(
    name: str, help: str, *params: click.Parameter, read: Callable[[Parameters], Parameters] = dict
) -> click.Command:
    """The command of a verb: its parameters, as `read` has them, are the verb's own."""

    def command(folder: str, **given: Any) -> None:
        import pairopt.folder

        for line in getattr(pairopt.folder, name)(folder, **read(given)).said:
            say(line)

    arguments = [click.Argument(["folder"], type=FOLDER), *params]
    return click.Command(name, params=arguments, callback=command, help=help)


def _cells(given: Parameters) -> Parameters:
    """The cells of a new player, as COLUMN=VALUE."""
    cells = given["cells"]
    if strange := [cell for cell in cells if "=" not in cell]:
        raise UsageError(f"--set {strange[0]}: expected COLUMN=VALUE")
    pairs = (cell.split("=", 1) for cell in cells)
    columns = {name.strip().lower(): value.strip() for name, value in pairs}
    return {"player": given["player"], "columns": columns}


def _number(given: Parameters) -> Parameters:
    """The number of a table, None where there is to be none."""
    if (given["number"] is None) != given["off"]:
        raise UsageError("expected the number of a table, or --off")
    return {"player": given["player"], "number": given["number"]}


PLAYER = click.Argument(["player"])

enter = _verb(
    "enter", "Let PLAYER, who is new, into FOLDER from the next round on.", PLAYER,
    click.Option(["--set", "cells"], multiple=True, metavar="COLUMN=VALUE",
                 help="A cell of players.csv, as rating=1500 or club=Riga. Repeatable."),
    read=_cells,
)  # fmt: skip
drop = _verb("drop", "Take PLAYER out of all rounds of FOLDER to come.", PLAYER)
back = _verb("back", "Let PLAYER, who had left FOLDER, play on.", PLAYER)
bye = _verb(
    "bye", "Write down that PLAYER asks for a bye.", PLAYER,
    click.Option(["--round"], type=click.IntRange(1), metavar="N", help="Default: the next round."),
    click.Option(["--points"], metavar="P", help="Default: the event's for a requested bye."),
)  # fmt: skip
forbid = _verb(
    "forbid", "PLAYER and OTHER may not meet in the rounds of FOLDER to come.", PLAYER,
    click.Argument(["other"]), click.Option(["--off"], is_flag=True, help="They may meet again."),
)  # fmt: skip
table = _verb(
    "table", "PLAYER stays at table NUMBER in the rounds of FOLDER to come.", PLAYER,
    click.Argument(["number"], type=click.IntRange(1), required=False),
    click.Option(["--off"], is_flag=True, help="They may sit at any table again."),
    read=_number,
)  # fmt: skip
result = _verb(
    "result",
    """Write down the SCORE of a TABLE in the last round of FOLDER, or of a match of its bracket.

    SCORE has the points of the first and the second player: 3-0, 0.5-0.5, ½-½; or 1F-0F, 0F-0F
    for a match that was not played. A correction names the later rounds that would have been
    others. After the cut TABLE is B1, B2, …, and the higher score wins.
    """,
    click.Argument(["table"]), click.Argument(["score"]),
    click.Option(["--round"], type=click.IntRange(1), metavar="N",
                 help="Correct an earlier round."),
)  # fmt: skip
undo = _verb(
    "undo",
    "Undo the last steps on FOLDER: its files are as they were before; log.csv has them all.",
    click.Option(["--steps"], type=click.IntRange(1), default=1, show_default=True, metavar="N"),
    click.Option(["--to"], type=click.IntRange(1), metavar="N",
                 help="To the files after step N of log.csv, also where it was undone."),
)  # fmt: skip
