"""Command `remove`: remove a player who has never been paired."""

from __future__ import annotations

from pairopt.folder.commands import CommandParameter, FolderCommand

VERB = FolderCommand(
    "remove",
    group="People",
    line="Remove a player who has never been paired.",
    words="""
    Remove PLAYER, who has never been paired, from the files of FOLDER.

    Use it for a row of the list that is not a player, or for somebody who never came. It removes their
    requested byes, too. pairopt never removes a player who has been paired: use pairopt drop for them.
    """,
    params=(CommandParameter("player", "Who is meant.", required=True),),
    mode="keeps",
)
