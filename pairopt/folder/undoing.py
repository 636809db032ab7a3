"""Undoing: to the files as they were after an earlier step."""

from __future__ import annotations

from collections.abc import Sequence

from pairopt.errors import UsageError
from pairopt.folder.desk import Done, Folder, opened
from pairopt.folder.journal import Step


def undo(folder: Folder, steps: int = 1, *, to: int | None = None) -> Done:
    """Undo the last steps; an undo is itself a step in the log, but is never undone.

    Args:
        folder: the event folder.
        steps: how many.
        to: go to the files after this step instead, of any that there were. Those since are
            undone; where it was undone itself, it and what it was done on are done again.

    Raises:
        UsageError: there are not so many, or there is no such step.
    """
    if steps < 1:
        raise UsageError("expected 1 step or more")
    with opened(folder) as desk:
        step, undone, again = desk.journal.undo(steps, to)
        if step is None:
            return Done("undo", (f"the event is as after step {to} already",), None)
        return Done("undo", tuple(_said(undone, again)), step.number)


def _said(undone: Sequence[Step], again: Sequence[Step]) -> list[str]:
    said = [f"undone: step {step.number}, {step.verb} {step.what}" for step in undone]
    said += [f"again: step {step.number}, {step.verb} {step.what}" for step in reversed(again)]
    return [line.rstrip() for line in said]
