"""Undoing: back to the files as they were before the last steps."""

from __future__ import annotations

from pairopt.errors import UsageError
from pairopt.folder.desk import Done, Folder, opened


def undo(folder: Folder, steps: int = 1) -> Done:
    """Undo the last steps; an undo is itself a step in the log, but is never undone.

    Raises UsageError where there are not so many.
    """
    if steps < 1:
        raise UsageError("expected 1 step or more")
    with opened(folder) as desk:
        step, undone = desk.journal.undo(steps)
        said = [f"undone: step {each.number}, {each.verb} {each.what}".rstrip() for each in undone]
        return Done("undo", tuple(said), step.number)
