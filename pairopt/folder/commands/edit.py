"""Command `edit`: what a player is: name, rating, club, start number, table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pairopt.folder.commands import (
    CommandParameter,
    FolderCommand,
    parse_cells,
    require_exactly_one,
)


def edit_or_seat(values: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return "edit" or "table" and its arguments: to change cells, or the fixed table.

    `values` are the parameters by name. Raises UsageError unless exactly one of cells,
    a table, and `off` (no fixed table) is given.
    """
    player, name, table = values["player"], values["name"], values["table"]
    cells = parse_cells(values["set"])
    if name is not None:
        cells["name"] = name

    require_exactly_one("verb.nothing_to_edit", cells, table, values["off"])
    if cells:
        return "edit", {"player": player, "columns": cells, "sure": values["sure"]}
    return "table", {"player": player, "number": table}


VERB = FolderCommand(
    "edit",
    group="People",
    line="What a player is: name, rating, club, start number, table.",
    words="""
    Change what FOLDER says of PLAYER, from the next round on.

    With another NAME what is written of them stays theirs. A table is theirs in all rounds to come,
    until --off.
    """,
    params=(
        CommandParameter("player", "Who is meant.", required=True),
        CommandParameter("--name", "Another name.", metavar="NAME"),
        CommandParameter(
            "--set",
            "A cell of players.csv, as rating=1500, club=Riga or start=3. Repeatable.",
            form="cells",
            metavar="COLUMN=VALUE",
            many=True,
        ),
        CommandParameter(
            "--table", "They stay at this table.", metavar="N", allowed="table"
        ),
        CommandParameter(
            "--sure",
            "Also a NAME of who may be another player, and a COLUMN that is new.",
            form="flag",
        ),
        CommandParameter("--off", "They may sit at any table again.", form="flag"),
    ),
    call=edit_or_seat,
    mode="leaves",
)
