"""Log: each step on the event with its time, and how to go back to any of them."""

import re
from collections.abc import Sequence
from itertools import groupby

from starlette.datastructures import FormData

from pairopt.folder import Done, undo
from pairopt.folder.journal import Step, trace_steps
from pairopt.folder.open_folder import OpenFolder, StaleStateError
from pairopt.messages import Note, Passage, message, with_heading
from pairopt.web.view import (
    SURE,
    Context,
    PageConfirmationError,
    PageRequest,
    View,
    parse_number,
    read_text,
)


def context(request: PageRequest) -> Context:
    """Return the page's values: the steps by part of the event, the latest first.

    "parts" has each part's title with its steps. "made" are the numbers of the steps
    that led to the files as they are now; the others were undone. "now" is the latest
    of them, None without steps.
    """
    all_steps = request.desk.journal.steps()
    effective_steps = trace_steps(all_steps)
    part_title_by_step = group_steps(all_steps)
    steps_by_part = groupby(
        all_steps[::-1],
        lambda effective_step: part_title_by_step[effective_step.number],
    )
    return {
        "parts": [
            (part_title, [*part_steps]) for part_title, part_steps in steps_by_part
        ],
        "made": {effective_step.number for effective_step in effective_steps},
        "now": effective_steps[0].number if effective_steps else None,
    }


def group_steps(steps: Sequence[Step]) -> dict[int, str]:
    """Return the part of the event that each step belongs to, by the step's number.

    A part is given by its title: "Before round 1", "Round 1" and so on, or "Top cut". A
    round begins when it is paired. After an undo, the steps belong to the part of the
    step that the event went back to.
    """
    current_title = "Before round 1"
    part_title_by_step: dict[int, str] = {}
    for step in steps:
        if step.verb == "pair":
            round_match = re.search(r"round (\d+)", str(step.did))
            if round_match:
                current_title = f"Round {round_match[1]}"
        current_title = (
            "Top cut"
            if step.verb == "bracket"
            else part_title_by_step.get(step.at, current_title)
        )
        part_title_by_step[step.number] = current_title
    return part_title_by_step


def post_undo(desk: OpenFolder, form: FormData) -> Done:
    """Go back to the files as they were after the step in the form.

    Return what was done. Without a confirmation raise PageConfirmationError, naming the
    steps to be undone, unless nothing would change.
    """
    step_number = parse_number(read_text(form, "step") or "", "step")
    rehearsal = undo(desk.rehearsed(), to=step_number)
    if SURE not in form and rehearsal.step is not None:
        raise PageConfirmationError(*map(_ask_to_take_back, rehearsal.said))
    return undo(desk, to=step_number)


def post_undo_last(desk: OpenFolder, form: FormData) -> Done:
    """Undo the step in the form, from the button in the message about it.

    Return what was done. Raise StaleStateError if it is not the last step any more.
    `reads.toml` refuses other changed files, but two later steps may have brought the
    same files back.
    """
    step_number = parse_number(read_text(form, "step") or "", "step")
    all_steps = desk.journal.steps()
    effective_steps = trace_steps(all_steps)
    if effective_steps and effective_steps[0].number != step_number:
        raise StaleStateError(step for step in all_steps if step.number > step_number)
    return undo(desk)


def _ask_to_take_back(note: Note) -> Note:
    """Return the question whether to undo a step, for the message that it was undone.

    Other messages are returned as they are.
    """
    if not isinstance(note, Passage) or note.kind != "step.undone":
        return note
    _, step_name, step_description = note.messages
    step_text = with_heading(step_name, step_description, mark=", ")
    return with_heading(message("step.take_back"), step_text, end="?")


CHANGES = {"undo": post_undo, "undo_last": post_undo_last}
VIEW = View("log", "Log", context, CHANGES, weight=8, rare=True)
