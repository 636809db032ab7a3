"""Command `enter`: a new player comes in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pairopt.errors import UsageError
from pairopt.folder.commands import CommandParameter, FolderCommand, parse_cells


def enter_player(values: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return the function that adds a player, typed or from a rating list.

    It is "enter", or with a FIDE number "enter_listed", and its arguments, with cells
    of players.csv. `values` are the parameters by name. Raises UsageError without a
    name and a FIDE number, and for a list without a FIDE number.
    """
    cell_by_column = parse_cells(values["set"])
    function_arguments = {
        "player": values["player"],
        "columns": cell_by_column,
        "sure": values["sure"],
    }
    if values["fide"] is not None:
        return "enter_listed", {
            **function_arguments,
            "fide_number": values["fide"],
            "list_name": values["list"],
        }
    if values["player"] is None:
        raise UsageError("verb.nobody_to_enter")
    if values["list"] is not None:
        raise UsageError("rating_list.list_without_number")
    return "enter", function_arguments


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
      pairopt enter friday --fide 91009999               from a rating list

    The new player takes part from the next round on. To bring back a player who
    dropped, use pairopt drop FOLDER PLAYER --off. With --fide, a rating list fills in
    name, title, federation, year of birth, sex and rating. See pairopt lists.
    """,
    params=(
        CommandParameter("player", "The new player's name."),
        CommandParameter(
            "--fide",
            "FIDE number of the player, whose data come from a rating list.",
            metavar="NUMBER",
        ),
        CommandParameter(
            "--list",
            "Rating list, for example fide-2026-11. Default: the newest one with ratings of the event's kind of games, and not newer than the first day of the event.",
            metavar="NAME",
        ),
        CommandParameter(
            "--set",
            "Value for a column of players.csv, for example rating=1500, club=Riga or start=3. Repeatable.",
            form="cells",
            metavar="COLUMN=VALUE",
            many=True,
        ),
        CommandParameter(
            "--sure",
            "Confirm that the new player is not a player with a similar name, or that players.csv gets a new column.",
            form="flag",
        ),
    ),
    call=enter_player,
    mode="keeps",
    lists=True,
)
