"""Command `undo`: undo the last steps on an event folder."""

from __future__ import annotations

from pairopt.folder.commands import CommandParameter, FolderCommand

VERB = FolderCommand(
    "undo",
    group="An evening",
    line="Undo the last steps on an event folder.",
    words="Undo the last steps on FOLDER: its files are as they were before; log.csv has them all.",
    params=(
        CommandParameter("--steps", metavar="N", allowed="step", default=1),
        CommandParameter(
            "--to",
            "To the files after step N of log.csv, also where it was undone.",
            metavar="N",
            allowed="step",
        ),
    ),
    mode="notes",
)
