"""Hall: the clock of the round and the line of words that all screens and phones show.

They are no steps of the event, so that going back a step leaves the clock alone; they are kept
beside the steps, and a restart goes on with them. Times are this machine's.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pairopt.files.folder import PENDING

FILE = PENDING.with_name("hall.json")
LONGEST = 300
LATEST = 1e11
"""Seconds of the epoch that a clock can have; more are taken for a damaged file."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock that has `left` seconds: since a time in seconds of the epoch, or None: it stands."""

    left: float
    since: float | None = None

    @property
    def ends(self) -> float | None:
        """The time at which it is over, None while it stands."""
        return None if self.since is None else self.since + self.left

    def at(self, now: float) -> Clock:
        """The same clock, told from now on."""
        return self if self.since is None else Clock(self.left - (now - self.since), now)

    def paused(self, now: float) -> Clock:
        """It stands."""
        return replace(self.at(now), since=None)

    def going(self, now: float) -> Clock:
        """It goes on."""
        return replace(self.at(now), since=now)

    def added(self, minutes: int, now: float) -> Clock:
        """With so many minutes more; they begin now where its time was over."""
        told = self.at(now)
        return replace(told, left=max(told.left, 0.0) + 60 * minutes)


@dataclass(frozen=True, slots=True)
class Hall:
    """What screens and phones show beside the event."""

    message: str = ""
    clock: Clock | None = None


def read_hall(folder: Path) -> Hall:
    """What is kept in an event folder; nothing where that cannot be read."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        kept = json.loads((folder / FILE).read_bytes())
        clock = None if kept["clock"] is None else Clock(**kept["clock"])
        if clock is None or abs(float(clock.left)) + abs(float(clock.since or 0)) < LATEST:
            return Hall(str(kept["message"])[:LONGEST], clock)
    return Hall()


def write_hall(folder: Path, hall: Hall) -> None:
    """Keep it in an event folder, whole or not at all."""
    place = folder / FILE
    place.parent.mkdir(exist_ok=True)
    beside = place.with_suffix(".new")
    beside.write_text(json.dumps(asdict(hall)), encoding="utf-8")
    beside.replace(place)
