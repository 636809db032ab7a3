"""A task of an organiser: what judges it, and what it took.

A task is played from outside and asserts what the files, the answers and the screen say. What it
finds is the judgement: *wrong* where they say something else, *impossible* where there is no way
to ask for it, *awkward* where it takes more than it should, else *worked*.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from organisers import Room

WORKED, AWKWARD, WRONG, IMPOSSIBLE = "worked", "awkward", "wrong", "impossible"
WORST_LAST = (WORKED, AWKWARD, IMPOSSIBLE, WRONG)


class ImpossibleError(Exception):
    """There is no button, field, verb or option for it."""


@dataclass
class Tally:
    """What a task takes: clicks, keys, bytes there and back, seconds."""

    clicks: int = 0
    keys: int = 0
    sent: int = 0
    received: int = 0
    seconds: float = 0.0
    wishes: list[str] = field(default_factory=list)

    def wish(self, held: object, otherwise: str) -> None:
        """Awkward, unless this holds."""
        if not held:
            self.wishes.append(otherwise)


@dataclass(frozen=True)
class Judged:
    """A line of the table."""

    number: str
    evening: str
    task: str
    judged: str
    why: str
    clicks: int
    keys: int
    sent: int
    received: int
    ms: int


@dataclass(frozen=True)
class Task:
    number: str
    words: str
    play: Callable[[Room], None]


@dataclass
class Evening:
    """Tasks in their order, on folders of their own."""

    name: str
    tasks: list[Task] = field(default_factory=list)

    def task(
        self, number: int | str, words: str
    ) -> Callable[[Callable[[Room], None]], None]:
        """The function below is the task of this number."""

        def listed(play: Callable[[Room], None]) -> None:
            self.tasks.append(Task(str(number), words, play))

        return listed

    def played(
        self, room: Room, only: frozenset[str] = frozenset()
    ) -> Iterator[Judged]:
        """Every task, judged; only those of these numbers, where there are some.

        What comes before those in the same evening is played, as they stand on it.
        """
        last = max(
            (k for k, each in enumerate(self.tasks) if each.number in only),
            default=None,
        )
        if only and last is None:
            return
        for task in self.tasks if last is None else self.tasks[: last + 1]:
            line = judge(task, self.name, room)
            if not only or task.number in only:
                yield line


def judge(task: Task, evening: str, room: Room) -> Judged:
    """Play a task, and say how it went."""
    tally = Tally()
    verdict, why = WORKED, ""
    with room.counting(tally), _timed(tally):
        try:
            task.play(room)
        except ImpossibleError as error:
            verdict, why = IMPOSSIBLE, str(error)
        except AssertionError as error:
            verdict, why = WRONG, str(error)
        except Exception as error:  # it is told, and the others go on
            verdict, why = WRONG, f"{type(error).__name__}: {error}"
    if verdict == WORKED and tally.wishes:
        verdict, why = AWKWARD, "; ".join(tally.wishes)
    return Judged(
        task.number,
        evening,
        task.words,
        verdict,
        " ".join(why.split())[:300],
        tally.clicks,
        tally.keys,
        tally.sent,
        tally.received,
        round(tally.seconds * 1000),
    )


@contextmanager
def _timed(tally: Tally) -> Iterator[None]:
    start = time.perf_counter()
    try:
        yield
    finally:
        tally.seconds = time.perf_counter() - start
