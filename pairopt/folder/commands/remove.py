"""Command `remove`: remove a player who has never been paired."""

from __future__ import annotations

from pairopt.folder.commands import CommandParameter, FolderCommand

VERB = FolderCommand(
    "remove",
    group="Players",
    line="Remove a player who has never been paired.",
    words="""
    Remove a player who has never been paired.

    Examples:
      pairopt remove friday "Zoe Lund"
      pairopt remove friday Total         a row of the list that is not a player
      pairopt drop friday "Zoe Lund"      for a player who has been paired

    pairopt also removes the player's requested byes.
    """,
    params=(
        CommandParameter("player", "Name of the player to remove.", required=True),
    ),
    mode="keeps",
)
