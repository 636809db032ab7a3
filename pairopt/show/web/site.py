"""Site: what the pages of one event folder share."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, cast
from uuid import uuid4

from pairopt.files.folder import is_folder
from pairopt.folder.desk import Desk, seen
from pairopt.show.web.guard import Share
from pairopt.show.web.presence import Presence
from pairopt.show.web.sections import Section
from pairopt.words import Said

T = TypeVar("T")
MOST_KEPT = 32
MOST_NOTICES = 100


@dataclass
class _Answer:
    """Worked out by the first who asks; the others wait for it."""

    lock: Lock = field(default_factory=Lock)
    value: tuple[Any] | None = None


@dataclass
class Kept:
    """Answers that took time, each worked out once, however many ask; the latest are kept."""

    most: int = MOST_KEPT
    _answers: OrderedDict[Hashable, _Answer] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def known(self, asked: Hashable) -> Any:
        """The answer to this question, None where it is not kept."""
        with self._lock:
            found = self._answers.get(asked)
        return found.value[0] if found and found.value else None

    def answer(self, asked: Hashable, work: Callable[[], T]) -> T:
        """What `work` hands back for this question. An error is raised to all, and not kept."""
        with self._lock:
            found = self._answers.setdefault(asked, _Answer())
            self._answers.move_to_end(asked)
            while len(self._answers) > self.most:
                self._answers.popitem(last=False)
        with found.lock:
            if found.value is None:
                found.value = (work(),)
            return cast(T, found.value[0])


@dataclass
class Site:
    """An event folder, what was said of the last changes on it, and what took time.

    All else is read from the files at each request, so that nothing is lost with the process.
    """

    folder: Path
    share: Share | None = None
    presence: Presence = field(default_factory=lambda: Presence(Path()))
    sections: tuple[Section, ...] = ()
    kept: Kept = field(default_factory=Kept)
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    _desk: Desk | None = None
    _notices: OrderedDict[str, tuple[Said, ...]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    @property
    def founded(self) -> bool:
        """Whether the folder holds an event."""
        return is_folder(self.folder)

    def desk(self) -> Desk:
        """The event as it is now, to read. Raises UsageError where there is none yet."""
        found, known = seen(self.folder), self._desk
        if known is not None and known.state == found.state:
            return known  # with its event, which takes time to build
        self._desk = found
        return found

    def notice(self, said: Sequence[Said]) -> str:
        """Keep what was said for the page that comes next; by the name that is handed back."""
        name = uuid4().hex
        with self._lock:
            self._notices[name] = tuple(said)
            while len(self._notices) > MOST_NOTICES:
                self._notices.popitem(last=False)
        return name

    def noticed(self, name: str) -> tuple[Said, ...]:
        """What was kept by this name; once."""
        with self._lock:
            return self._notices.pop(name, ())
