"""Log: each step on the event with its time, and the way back to any of them."""

from __future__ import annotations

from starlette.datastructures import FormData

from pairopt.errors import UsageError
from pairopt.folder import Done, undo
from pairopt.folder.desk import Desk
from pairopt.folder.journal import trail
from pairopt.show.web.view import SURE, Asked, AskError, Context, View, number_of


def context(asked: Asked) -> Context:
    """The steps, the latest first; `made` are those that made the files what they are."""
    steps = asked.desk.journal.steps()
    made = trail(steps)
    return {
        "steps": steps[::-1],
        "made": {step.number for step in made},
        "now": made[0].number if made else None,
    }


def undone(desk: Desk, form: FormData) -> Done:
    """Go back to the files after a step; what that undoes is named and asked first."""
    number = number_of(form, "step")
    if number is None:
        raise UsageError("expected a step")
    would = undo(desk.rehearsed(), to=number)
    if SURE not in form and would.step is not None:
        raise AskError(*would.said)
    return undo(desk, to=number)


VIEW = View("log", "Log", context, {"undo": undone}, weight=8, rare=True)
