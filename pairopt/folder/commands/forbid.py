"""Command `forbid`: two players may not meet."""

from __future__ import annotations

from pairopt.folder.commands import CommandParameter, FolderCommand

VERB = FolderCommand(
    "forbid",
    group="Players",
    line="Forbid a match between two players.",
    words="""
    Forbid a match between two players.

    Examples:
      pairopt forbid friday "Ann Lee" Bob
      pairopt forbid friday "Ann Lee" Bob --rounds 1-3
      pairopt forbid friday "Ann Lee" Bob --off    allow the match again

    Without --rounds, the two players do not meet in any later round.
    """,
    params=(
        CommandParameter("player", "Name of the first player.", required=True),
        CommandParameter("other", required=True),
        CommandParameter(
            "--rounds",
            "Rounds in which the match is forbidden, for example 3 or 2-4. Default: all later rounds.",
            metavar="N-M",
        ),
        CommandParameter("--off", "Allow the match again.", form="flag"),
    ),
    mode="leaves",
)
