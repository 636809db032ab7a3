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
    group="People",
    line="A new player comes in.",
    words="Let PLAYER, who is new, into FOLDER from the next round on.",
    params=(
        CommandParameter("player", "Who is meant.", required=True),
        CommandParameter(
            "--set",
            "A cell of players.csv, as rating=1500, club=Riga or start=3. Repeatable.",
            form="cells",
            metavar="COLUMN=VALUE",
            many=True,
        ),
        CommandParameter(
            "--sure",
            "Also who may be a player already, and a COLUMN that is new.",
            form="flag",
        ),
    ),
    call=enter_player,
    mode="keeps",
)
