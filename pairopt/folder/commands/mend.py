"""Command `mend`: make a damaged event folder whole again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pairopt.folder.commands import CommandParameter, FolderCommand


def recover(_values: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return "mend", the function that recovers a folder, without arguments.

    The parameters do not matter: the command line has asked the user before.
    """
    return "mend", {}


VERB = FolderCommand(
    "mend",
    group="Run an event",
    line="Recover a damaged event folder.",
    words="""
    Recover a damaged event folder.

    Examples:
      pairopt mend friday          show what is damaged, and ask
      pairopt mend friday --yes    recover without a question

    pairopt restores the last intact state of the folder, and keeps every result that an
    intact file has. Damaged files stay in the folder under another name, for example
    log.damaged.csv.

    Exit codes:
      1  the folder is damaged, and pairopt did nothing
    """,
    params=(
        CommandParameter("--yes", "Recover the folder without asking.", form="flag"),
    ),
    call=recover,
    mode="leaves",
)
