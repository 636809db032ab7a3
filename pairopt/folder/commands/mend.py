"""Command `mend`: make a damaged event folder whole again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pairopt.folder.commands import CommandParameter, FolderCommand


def recover(_values: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return "mend" without arguments; the command line has asked the user before."""
    return "mend", {}


VERB = FolderCommand(
    "mend",
    group="An evening",
    line="Make a damaged event folder whole again.",
    words="""
    Bring FOLDER back to its last whole state: say what is damaged, ask, and do it.

    No result is lost that a whole file has. What is damaged, or another event's, is kept beside it
    (log.damaged.csv). Exit code 1: there is something to mend, and nothing is done.
    """,
    params=(CommandParameter("--yes", "Do it, and do not ask.", form="flag"),),
    call=recover,
    mode="leaves",
)
