"""Command `enter`: a new player comes in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pairopt.folder.commands import CommandParameter, FolderCommand, parse_cells


def enter_player(values: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return "enter" and its arguments: the player, with cells of players.csv.

    `values` are the parameters by name.
    """
    columns = parse_cells(values["set"])
    return "enter", {
        "player": values["player"],
        "columns": columns,
        "sure": values["sure"],
    }


VERB = FolderCommand(
    "enter",
    group="Players",
    line="Add a new player to an event.",
    words="""
    Add a new player to an event.

    Examples:
      pairopt enter friday "Zoe Lund"
      pairopt enter friday "Zoe Lund" --set rating=1500 --set club=Riga
      pairopt enter friday zoe2 --set name="Zoe Lund"    a namesake

    The player takes part from the next round on. To bring back a player who
    dropped, use pairopt drop FOLDER PLAYER --off.
    """,
    params=(
        CommandParameter("player", "The new player's name.", required=True),
        CommandParameter(
            "--set",
            "Value for a column of players.csv, for example rating=1500, club=Riga or start=3. Repeatable.",
            form="cells",
            metavar="COLUMN=VALUE",
            many=True,
        ),
        CommandParameter(
            "--sure",
            "Confirm that this is not a player with a similar name, or that players.csv gets a new column.",
            form="flag",
        ),
    ),
    call=enter_player,
    mode="keeps",
)
