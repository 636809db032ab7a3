"""Command `forbid`: two players may not meet."""

from __future__ import annotations

from pairopt.folder.commands import CommandParameter, FolderCommand

VERB = FolderCommand(
    "forbid",
    group="People",
    line="Two players may not meet.",
    words="PLAYER and OTHER may not meet in the rounds of FOLDER to come.",
    params=(
        CommandParameter("player", "Who is meant.", required=True),
        CommandParameter("other", required=True),
        CommandParameter(
            "--rounds", "In these alone, as 2-4, or 3. Default: all.", metavar="N-M"
        ),
        CommandParameter("--off", "They may meet again.", form="flag"),
    ),
    mode="leaves",
)
