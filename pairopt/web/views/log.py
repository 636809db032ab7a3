"""Log: each step on the event with its time, and the way back to any of them."""

import re
from collections.abc import Sequence
from itertools import groupby

from starlette.datastructures import FormData

from pairopt.folder import Done, undo
from pairopt.folder.journal import Step, trail
from pairopt.folder.open_folder import OpenFolder
from pairopt.messages import Note, Passage, message, with_heading
from pairopt.web.view import (
    SURE,
    Context,
    PageConfirmationError,
    PageRequest,
    View,
    number,
    text_of,
)


def context(asked: PageRequest) -> Context:
    """The steps by rounds, the latest first; `made` are those that made the files what they are."""
    steps = asked.desk.journal.steps()
    made, parts = trail(steps), parts_of(steps)
    return {
        "parts": [
            (name, [*own])
            for name, own in groupby(steps[::-1], lambda s: parts[s.number])
        ],
        "made": {step.number for step in made},
        "now": made[0].number if made else None,
    }


def parts_of(steps: Sequence[Step]) -> dict[int, str]:
    """The part of the event that each step belongs to, by number: a round begins as it is paired,
    and whoever goes back is in the round of that step again.
    """
    now, found = "Before round 1", dict[int, str]()
    for step in steps:
        if step.verb == "pair" and (turn := re.search(r"round (\d+)", str(step.did))):
            now = f"Round {turn[1]}"
        now = "The cut" if step.verb == "bracket" else found.get(step.at, now)
        found[step.number] = now
    return found


def undone(desk: OpenFolder, form: FormData) -> Done:
    """Go back to the files after a step; what that undoes is named and asked first."""
    step = number(text_of(form, "step") or "", "step")
    would = undo(desk.rehearsed(), to=step)
    if SURE not in form and would.step is not None:
        raise PageConfirmationError(*(_taken_back(each) for each in would.said))
    return undo(desk, to=step)


def _taken_back(said: Note) -> Note:
    """Return the question whether a step is to be taken back."""
    if not isinstance(said, Passage) or said.kind != "step.undone":
        return said
    _, *step = said.messages
    name, did = step
    step_named = with_heading(name, did, mark=", ")
    return with_heading(message("step.take_back"), step_named, end="?")


VIEW = View("log", "Log", context, {"undo": undone}, weight=8, rare=True)
