"""Hall: the screens for the room, the clock of the round, and a line of words for everybody."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from starlette.datastructures import FormData

from pairopt.errors import UsageError
from pairopt.folder import Done
from pairopt.folder.desk import Desk
from pairopt.show.web.hall import LONGEST, Clock, Hall, read_hall, write_hall
from pairopt.show.web.view import Asked, Change, Context, View, number_of, text_of
from pairopt.wording import counted
from pairopt.words import tell

USUAL = 60
"""Minutes that are offered."""


def context(asked: Asked) -> Context:
    """What is shown now."""
    return {"share": asked.site.share, "usual": USUAL, "longest": LONGEST}


def change(make: Callable[[Hall, FormData], tuple[Hall, str]]) -> Change:
    """A change of what is shown, and what is said of it."""

    def changed(desk: Desk, form: FormData) -> Done:
        folder = desk.journal.folder
        hall, said = make(read_hall(folder), form)
        write_hall(folder, hall)
        return Done("hall", (tell(said),), None)

    return changed


def message(hall: Hall, form: FormData) -> tuple[Hall, str]:
    """Another line of words, or none."""
    words = " ".join((text_of(form, "message") or "").split())
    if len(words) > LONGEST:
        raise UsageError(f"the message has {len(words)} letters: at most {LONGEST} are shown")
    said = "The message is shown." if words else "No message is shown."
    return replace(hall, message=words), said


def start(hall: Hall, form: FormData) -> tuple[Hall, str]:
    """A new clock of so many minutes."""
    minutes = _minutes(form)
    clock = Clock(60.0 * minutes, time.time())
    return replace(hall, clock=clock), f"The clock has {counted(minutes, 'minute', 'minutes')}."


def pause(hall: Hall, _: FormData) -> tuple[Hall, str]:
    """The clock stands."""
    return replace(hall, clock=_clock(hall).paused(time.time())), "The clock stands."


def resume(hall: Hall, _: FormData) -> tuple[Hall, str]:
    """The clock goes on."""
    return replace(hall, clock=_clock(hall).going(time.time())), "The clock goes on."


def add(hall: Hall, form: FormData) -> tuple[Hall, str]:
    """The clock has some minutes more."""
    minutes = _minutes(form)
    clock = _clock(hall).added(minutes, time.time())
    return replace(hall, clock=clock), f"{counted(minutes, 'minute', 'minutes')} more."


def away(hall: Hall, _: FormData) -> tuple[Hall, str]:
    """No clock."""
    return replace(hall, clock=None), "No clock is shown."


def _clock(hall: Hall) -> Clock:
    if hall.clock is None:
        raise UsageError("there is no clock: start one")
    return hall.clock


def _minutes(form: FormData) -> int:
    minutes = number_of(form, "minutes")
    if minutes is None:
        raise UsageError("expected minutes")
    return minutes


VIEW = View(
    "hall",
    "Hall",
    context,
    {each.__name__: change(each) for each in (message, start, pause, resume, add, away)},
    place=7,
    rare=True,
    beside=True,
)
