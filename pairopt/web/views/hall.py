"""Hall: screens for the room, the clock of the round, and a message for everybody.

Clock and message are no steps of the event, so undoing a step leaves the clock alone. They
are in a file of the event folder, so they survive a restart. Times are this machine's.
"""

import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from starlette.datastructures import FormData

from pairopt.errors import UsageError
from pairopt.files.event_folder import PENDING
from pairopt.folder import Done
from pairopt.folder.open_folder import OpenFolder
from pairopt.messages import message
from pairopt.messages.formatting import count_noun, quote_for_shell
from pairopt.web.site import EventSite
from pairopt.web.view import Context, PageRequest, View, parse_number, read_text

FILE = PENDING.with_name("hall.json")
LONGEST = 300
# The largest sum of a clock's seconds; a file with more is damaged.
LATEST = 1e11
# The minutes that the page proposes for a clock.
USUAL = 60


@dataclass(frozen=True, slots=True)
class RoundClock:
    """A countdown with `left` seconds at the time `since`, or paused if that is None.

    `since` is in seconds since the epoch. `left` is negative after the end.
    """

    left: float
    since: float | None = None

    @property
    def ends(self) -> float | None:
        """The time when the clock reaches zero; None while it is paused."""
        return None if self.since is None else self.since + self.left

    def at(self, moment: float, *, goes: bool = False) -> "RoundClock":
        """Return the clock with its seconds left at a moment; negative after its end.

        A paused clock stays as it is, or with `goes` starts again at that moment.
        """
        if self.since is None:
            return replace(self, since=moment) if goes else self
        return RoundClock(self.left - (moment - self.since), moment)

    def paused(self, moment: float) -> "RoundClock":
        """Return a copy of the clock that is paused at a moment.

        It keeps the seconds that are left then. A paused clock stays as it is.
        """
        return replace(self.at(moment), since=None)

    def with_more_minutes(self, minutes: int, moment: float) -> "RoundClock":
        """Return a copy of the clock with more minutes.

        If the clock has reached zero already, they count from `moment`, a time in
        seconds since the epoch. A paused clock stays paused.
        """
        longer_clock = self.at(moment)
        return replace(longer_clock, left=max(longer_clock.left, 0.0) + 60 * minutes)


@dataclass(frozen=True, slots=True)
class VenueState:
    """The message and the clock that screens and phones show.

    `message` is "" for none, and `clock` None for none.
    """

    message: str = ""
    clock: RoundClock | None = None


def read_hall(folder: Path) -> VenueState:
    """Return message and clock of an event folder.

    If its file is missing or damaged, the message is "" and there is no clock.
    """
    with suppress(OSError, ValueError, TypeError, KeyError):
        stored_values = json.loads((folder / FILE).read_bytes())
        stored_clock = None
        if stored_values["clock"] is not None:
            stored_clock = RoundClock(**stored_values["clock"])
            seconds_sum = abs(float(stored_clock.left)) + abs(
                float(stored_clock.since or 0)
            )
            # This is also so for NaN, which is not below anything.
            if not seconds_sum < LATEST:
                return VenueState()
        return VenueState(str(stored_values["message"])[:LONGEST], stored_clock)
    return VenueState()


def write_hall(folder: Path, hall: VenueState) -> None:
    """Write message and clock into an event folder, replacing the file in one step.

    The journal's folder is made if it is missing.
    """
    hall_file = folder / FILE
    hall_file.parent.mkdir(exist_ok=True)
    new_file = hall_file.with_suffix(".new")
    new_file.write_text(json.dumps(asdict(hall)), encoding="utf-8")
    new_file.replace(hall_file)


def spread_venue_state(site: EventSite) -> None:
    """Write this event's message and clock into all other events of the group.

    They replace those that are there. Folders without an event are skipped, and nothing
    is written if this one has none.
    """
    for other_site in site.group.sites:
        if site.has_event and other_site.has_event and other_site is not site:
            write_hall(other_site.folder, read_hall(site.folder))


def copy_venue_state(site: EventSite) -> None:
    """Write the message and clock of the group's first other event into a new event.

    Nothing is written if there is no other event, or the new one does not exist yet.
    """
    other_sites = [
        other_site
        for other_site in site.group.sites
        if other_site.has_event and other_site is not site
    ]
    if site.has_event and other_sites:
        write_hall(site.folder, read_hall(other_sites[0].folder))


def context(request: PageRequest) -> Context:
    """Return the values of the organiser's page of message and clock.

    "share" says where players find their pages (None if not shared). "folder_name" is
    the folder's name for a shell, "usual" the usual minutes of the clock, and "longest"
    the most characters of a message.
    """
    folder_name = quote_for_shell(request.site.folder.resolve().name)
    return {
        "share": request.site.share,
        "folder_name": folder_name,
        "usual": USUAL,
        "longest": LONGEST,
    }


HallChange = Callable[[VenueState, FormData], tuple[VenueState, str]]
"""Returns the state after a change, and a sentence that says what was done."""


def post_hall_change(change: HallChange, desk: OpenFolder, form: FormData) -> Done:
    """Make a change of the message or the clock, and write it into the event folder.

    `change` gets the present state and the form. The outcome has the sentence that it
    returns; no step is made.
    """
    event_folder = desk.journal.folder
    changed_hall, change_sentence = change(read_hall(event_folder), form)
    write_hall(event_folder, changed_hall)
    return Done("hall", (message(change_sentence),), None)


def set_message(hall: VenueState, form: FormData) -> tuple[VenueState, str]:
    """Return the state with the message in the form, and a sentence for the page.

    Line ends in the message become blanks. An empty message shows none. Raises
    UsageError if it has more than LONGEST characters.
    """
    new_message = " ".join((read_text(form, "message") or "").split())
    if len(new_message) > LONGEST:
        raise UsageError(
            f"The message has {len(new_message)} characters. Shorten it to {LONGEST}."
        )
    message_sentence = (
        "The message is on all screens and phones."
        if new_message
        else "The message is removed."
    )
    return replace(hall, message=new_message), message_sentence


def start_clock(hall: VenueState, form: FormData) -> tuple[VenueState, str]:
    """Return the state with a new clock of the form's minutes, which starts now.

    The second value is a sentence for the page. An old clock is replaced. Raises
    UsageError for an impossible number of minutes.
    """
    typed_minutes = parse_number(read_text(form, "minutes") or "", "minutes")
    running_clock = RoundClock(60.0 * typed_minutes, time.time())
    clock_sentence = (
        f"The clock is running: {count_noun(typed_minutes, 'minute', 'minutes')}."
    )
    return replace(hall, clock=running_clock), clock_sentence


def add_minutes(hall: VenueState, form: FormData) -> tuple[VenueState, str]:
    """Return the state with the form's minutes added to the clock.

    The second value is a sentence for the page. Raises UsageError without a clock, and
    for an impossible number of minutes.
    """
    typed_minutes = parse_number(read_text(form, "minutes") or "", "minutes")
    changed_clock = _require_clock(hall).with_more_minutes(typed_minutes, time.time())
    clock_sentence = f"{count_noun(typed_minutes, 'minute', 'minutes')} added."
    return replace(hall, clock=changed_clock), clock_sentence


def pause_clock(hall: VenueState, _: FormData) -> tuple[VenueState, str]:
    """Return the state with the clock paused now, and a sentence for the page.

    Raises UsageError without a clock.
    """
    paused_clock = _require_clock(hall).paused(time.time())
    return replace(hall, clock=paused_clock), "The clock is paused."


def resume_clock(hall: VenueState, _: FormData) -> tuple[VenueState, str]:
    """Return the state with the clock running again from now, and a sentence.

    A running clock goes on. Raises UsageError without a clock.
    """
    running_clock = _require_clock(hall).at(time.time(), goes=True)
    return replace(hall, clock=running_clock), "The clock is running again."


def remove_clock(hall: VenueState, _: FormData) -> tuple[VenueState, str]:
    """Return the state without a clock, and a sentence for the page.

    It is no error if there was none.
    """
    return replace(hall, clock=None), "The clock is removed."


def _require_clock(hall: VenueState) -> RoundClock:
    """Return the clock of the state; raise UsageError if there is none."""
    if hall.clock is None:
        raise UsageError("There is no clock. Start one first.")
    return hall.clock


CHANGES: Mapping[str, HallChange] = {
    "message": set_message,
    "start": start_clock,
    "add": add_minutes,
    "pause": pause_clock,
    "resume": resume_clock,
    "away": remove_clock,
}
VIEW = View(
    "hall",
    "Clock and screens",
    context,
    {name: partial(post_hall_change, change) for name, change in CHANGES.items()},
    weight=7,
    rare=True,
    beside=True,
)

PHONES = View("phones", "Phones", context, weight=6, rare=True)
