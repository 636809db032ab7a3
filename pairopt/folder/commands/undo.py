"""Command `undo`: undo the last steps on an event folder."""

from __future__ import annotations

from pairopt.folder.commands import CommandParameter, FolderCommand

VERB = FolderCommand(
    "undo",
    group="Run an event",
    line="Undo the last changes of an event.",
    words="""
    Undo the last changes of an event.

    Examples:
      pairopt undo friday              undo the last change
      pairopt undo friday --steps 3    undo the last three changes
      pairopt undo friday --to 12      go back to the state after step 12

    Each change that a command makes to the event is a step. The file log.csv in the
    event folder lists all steps with their numbers, also steps that you undid.
    """,
    params=(
        CommandParameter(
            "--steps",
            "Number of steps to undo.",
            metavar="N",
            allowed="step",
            default=1,
        ),
        CommandParameter(
            "--to",
            "Go back to the state after step N of log.csv. You can also go forward to a step that you undid.",
            metavar="N",
            allowed="step",
        ),
    ),
    mode="notes",
)
