"""Hall: the screens for the room, the clock of the round, and a line of words for everybody.

Clock and words are no steps of the event, so that going back a step leaves the clock alone; they
are kept beside the steps, and a restart goes on with them. Times are this machine's.
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
from pairopt.messages import message as tell
from pairopt.messages.formatting import count_noun, quote_for_shell
from pairopt.web.site import EventSite
from pairopt.web.view import Context, PageRequest, View, number, text_of

FILE = PENDING.with_name("hall.json")
LONGEST = 300
LATEST = 1e11  # seconds of the epoch that a clock can have; more are taken for a damaged file
USUAL = 60  # minutes that are offered


@dataclass(frozen=True, slots=True)
class RoundClock:
    """A clock that has `left` seconds: since a time in seconds of the epoch, or None: it stands."""

    left: float
    since: float | None = None

    @property
    def ends(self) -> float | None:
        return None if self.since is None else self.since + self.left

    def at(self, now: float, *, goes: bool = False) -> "RoundClock":
        """The same clock, told from now on; it `goes` on if it stands."""
        if self.since is None:
            return replace(self, since=now) if goes else self
        return RoundClock(self.left - (now - self.since), now)

    def paused(self, now: float) -> "RoundClock":
        return replace(self.at(now), since=None)

    def added(self, minutes: int, now: float) -> "RoundClock":
        """With so many minutes more; they begin now where its time was over."""
        told = self.at(now)
        return replace(told, left=max(told.left, 0.0) + 60 * minutes)


@dataclass(frozen=True, slots=True)
class VenueState:
    """What screens and phones show beside the event."""

    message: str = ""
    clock: RoundClock | None = None


def read_hall(folder: Path) -> VenueState:
    """What is kept in an event folder; nothing where that cannot be read."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        kept = json.loads((folder / FILE).read_bytes())
        clock = None if kept["clock"] is None else RoundClock(**kept["clock"])
        if (
            clock is None
            or abs(float(clock.left)) + abs(float(clock.since or 0)) < LATEST
        ):
            return VenueState(str(kept["message"])[:LONGEST], clock)
    return VenueState()


def write_hall(folder: Path, hall: VenueState) -> None:
    place = folder / FILE
    place.parent.mkdir(exist_ok=True)
    beside = place.with_suffix(".new")
    beside.write_text(json.dumps(asdict(hall)), encoding="utf-8")
    beside.replace(place)


def spread(site: EventSite) -> None:
    """All events of an evening have the clock and the message of this one."""
    for each in site.evening.sites:
        if site.founded and each.founded and each is not site:
            write_hall(each.folder, read_hall(site.folder))


def copy_venue_state(site: EventSite) -> None:
    """A new event has the clock and the message of those that are there."""
    there = [each for each in site.evening.sites if each.founded and each is not site]
    if site.founded and there:
        write_hall(site.folder, read_hall(there[0].folder))


def context(asked: PageRequest) -> Context:
    """Where players find their pages, None where none is shared; and what can be shown."""
    folder_name = quote_for_shell(asked.site.folder.resolve().name)
    return {
        "share": asked.site.share,
        "folder_name": folder_name,
        "usual": USUAL,
        "longest": LONGEST,
    }


def done(
    make: Callable[[VenueState, FormData], tuple[VenueState, str]],
    desk: OpenFolder,
    form: FormData,
) -> Done:
    folder = desk.journal.folder
    hall, said = make(read_hall(folder), form)
    write_hall(folder, hall)
    return Done("hall", (tell(said),), None)


def message(hall: VenueState, form: FormData) -> tuple[VenueState, str]:
    words = " ".join((text_of(form, "message") or "").split())
    if len(words) > LONGEST:
        raise UsageError(
            f"the message has {len(words)} letters: at most {LONGEST} are shown"
        )
    said = "The message is shown." if words else "No message is shown."
    return replace(hall, message=words), said


def start(hall: VenueState, form: FormData) -> tuple[VenueState, str]:
    """A new clock of so many minutes."""
    minutes = number(text_of(form, "minutes") or "", "minutes")
    clock = RoundClock(60.0 * minutes, time.time())
    return replace(
        hall, clock=clock
    ), f"The clock has {count_noun(minutes, 'minute', 'minutes')}."


def add(hall: VenueState, form: FormData) -> tuple[VenueState, str]:
    """The clock has some minutes more."""
    minutes = number(text_of(form, "minutes") or "", "minutes")
    clock = _clock(hall).added(minutes, time.time())
    return replace(
        hall, clock=clock
    ), f"{count_noun(minutes, 'minute', 'minutes')} more."


def _clock(hall: VenueState) -> RoundClock:
    if hall.clock is None:
        raise UsageError("there is no clock: start one")
    return hall.clock


CHANGES: Mapping[str, Callable[[VenueState, FormData], tuple[VenueState, str]]] = {
    "message": message,
    "start": start,
    "add": add,
    "pause": lambda hall, _: (
        replace(hall, clock=_clock(hall).paused(time.time())),
        "The clock stands.",
    ),
    "resume": lambda hall, _: (
        replace(hall, clock=_clock(hall).at(time.time(), goes=True)),
        "The clock goes on.",
    ),
    "away": lambda hall, _: (replace(hall, clock=None), "No clock is shown."),
}
VIEW = View(
    "hall",
    "Hall",
    context,
    {name: partial(done, make) for name, make in CHANGES.items()},
    weight=7,
    rare=True,
    beside=True,
)

PHONES = View("phones", "Phones", context, weight=6, rare=True)
