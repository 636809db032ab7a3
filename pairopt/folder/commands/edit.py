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
    """Return the function that changes a player's cells, or their fixed table.

    It is a name in `pairopt.folder`, "edit" or "table", with its arguments. `values`
    are the parameters by name; a `name` is a cell, too. Raises UsageError unless
    exactly one of cells, a table, and `off` (no fixed table) is given.
    """
    player, new_name, fixed_table_number = (
        values["player"],
        values["name"],
        values["table"],
    )
    cell_by_column = parse_cells(values["set"])
    if new_name is not None:
        cell_by_column["name"] = new_name

    require_exactly_one(
        "verb.nothing_to_edit", cell_by_column, fixed_table_number, values["off"]
    )
    if cell_by_column:
        return "edit", {
            "player": player,
            "columns": cell_by_column,
            "sure": values["sure"],
        }
    return "table", {"player": player, "number": fixed_table_number}


VERB = FolderCommand(
    "edit",
    group="Players",
    line="Change a player's name, rating, club, start number or table.",
    words="""
    Change a player's name, rating, club, start number or table.

    Examples:
      pairopt edit friday Ann --name "Ann Lee"
      pairopt edit friday "Ann Lee" --set rating=1500 --set club=Riga
      pairopt edit friday "Ann Lee" --table 3    always play at table 3
      pairopt edit friday "Ann Lee" --off        play at any table again

    The change of the player's data applies from the next round on. If you change a
    player's name, the player keeps all results.
    """,
    params=(
        CommandParameter("player", "Name of the player to change.", required=True),
        CommandParameter("--name", "New name of the player.", metavar="NAME"),
        CommandParameter(
            "--set",
            "Value for a column of players.csv, for example rating=1500, club=Riga or start=3. Repeatable.",
            form="cells",
            metavar="COLUMN=VALUE",
            many=True,
        ),
        CommandParameter(
            "--table",
            "Seat the player at this table in all later rounds, until --off.",
            metavar="N",
            allowed="table",
        ),
        CommandParameter(
            "--sure",
            "Confirm that no other player has the new name, that players.csv gets a new column, or that pairing numbers no longer follow the ratings.",
            form="flag",
        ),
        CommandParameter(
            "--off", "Let the player sit at any table again.", form="flag"
        ),
    ),
    call=edit_or_seat,
    mode="leaves",
)
