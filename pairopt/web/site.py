"""Site: what the pages of one event folder share, and what others are told of its server."""

from __future__ import annotations

import asyncio
import re
import tomllib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations, count
from mimetypes import guess_type
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeVar, cast
from urllib.parse import urlencode
from uuid import uuid4

from filelock import FileLock, Timeout
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pairopt.common.limits import MOST_ROUNDS
from pairopt.errors import PairoptError
from pairopt.files.event_folder import BRACKET, EVENT, HOME, is_folder
from pairopt.folder.open_folder import OpenFolder, read_folder_state
from pairopt.messages import AnyMessage
from pairopt.web.access import NetworkShare

T = TypeVar("T")
MOST_KEPT = 32
MOST_DRAFTS = 8
MOST_FOUND = 8
LONGEST = 60  # letters of a folder's name
MOST_NOTICES = 100
UNKNOWN = "application/octet-stream"
LOCAL = ("127.0.0.1", "localhost")
ROOT = "/event"  # what the addresses of one event of several begin with
LOCK, ADDRESS = "served.lock", "served.txt"
"""Held as long as a server runs, and where it is; a lock ends with its process."""


@dataclass
class ServerPresence:
    """Which server has a folder open, and where: "" for none that anybody has to know of."""

    folder: Path
    address: str = ""
    _held: FileLock | None = None
    _one: Lock = field(default_factory=Lock)

    def elsewhere(self) -> str:
        """The address of another server that has the folder open; "" where it is this one."""
        home = self.folder / HOME
        with self._one:
            if self._held is not None or not self.address or not home.is_dir():
                return ""
            lock = FileLock(home / LOCK, thread_local=False)
            with suppress(OSError):  # a folder that cannot be written has no such note
                try:
                    lock.acquire(timeout=0)
                except Timeout:
                    return (home / ADDRESS).read_text(encoding="utf-8")
                (home / ADDRESS).write_text(self.address, encoding="utf-8")
                self._held = lock
            return ""


@dataclass
class _CachedAnswer:
    """Worked out by the first who asks; the others wait for it."""

    lock: Lock = field(default_factory=Lock)
    value: tuple[Any] | None = None


@dataclass
class AnswerCache:
    """Answers that took time, each worked out once, however many ask; the latest are kept."""

    most: int = MOST_KEPT
    _answers: OrderedDict[Hashable, _CachedAnswer] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def known(self, asked: Hashable, *, once: bool = False) -> Any:
        """The answer, None before there is one; told `once` it is not kept."""
        with self._lock:
            found = (self._answers.pop if once else self._answers.get)(asked, None)
        return found.value[0] if found and found.value else None

    def answer(self, asked: Hashable, work: Callable[[], T]) -> T:
        """What `work` hands back for this question. An error is raised to all, and not kept."""
        with self._lock:
            found = self._answers.setdefault(asked, _CachedAnswer())
            self._answers.move_to_end(asked)
            while len(self._answers) > self.most:
                self._answers.popitem(last=False)
        with found.lock:
            if found.value is None:
                found.value = (work(),)
            return cast(T, found.value[0])


class RequiredTables(NamedTuple):
    """The tables of an event that are open, and with those of rounds to come all that it needs."""

    site: EventSite
    state: str
    first: int
    open: set[int]
    every: set[int]


@dataclass
class EventGroup:
    """The events of one address, each below a root unless it is alone; new ones in `home`."""

    home: Path
    share: NetworkShare | None = None
    address: str = ""
    sites: tuple[EventSite, ...] = ()

    @staticmethod
    def of(
        given: Sequence[Path], share: NetworkShare | None = None, address: str = ""
    ) -> EventGroup:
        """That of some folders; of one that holds events and is none, those beneath it."""
        one, beneath = (
            given[0],
            sorted(path for path in given[0].glob("*") if is_folder(path)),
        )
        parent = len(given) == 1 and not is_folder(one) and (beneath or one == Path())
        made = EventGroup(one if parent else one.resolve().parent, share, address)
        for folder in beneath if parent else given:
            made.with_site(folder, alone=len(given) == 1 and not parent)
        return made

    def with_site(self, folder: Path, alone: bool = False) -> EventSite:
        """A further event, which need not be there yet; one of a folder that is known is that."""
        for each in self.sites:
            if each.folder.resolve() == folder.resolve():
                return each
        stem = (
            re.sub("[^a-z0-9]+", "-", folder.resolve().name.casefold()).strip("-")
            or "event"
        )
        taken = {each.root for each in self.sites}
        roots = (f"{ROOT}/{stem}{number or ''}" for number in count())
        root = "" if alone else next(each for each in roots if each not in taken)
        presence = ServerPresence(
            folder, self.address and f"{self.address.rstrip('/')}{root}/"
        )
        site = EventSite(folder, self.share, presence, self, root)
        self.sites = (*self.sites, site)
        return site

    def beside(self, name: str) -> Path:
        """The folder of a further event beside the others: that of one that is not begun yet and
        has this name, or one that is not there yet.
        """
        stem = re.sub(r"[^\w -]+", "", name).strip()[:LONGEST] or "event"
        folders = (self.home / f"{stem}{number or ''}" for number in count())
        begun = {each.folder for each in self.sites if each.founded}
        return next(path for path in folders if path not in begun and not path.exists())

    def free_table(self, but: EventSite | None = None) -> int:
        """The first table beyond those that the events need, but one, which are not over."""
        needed = (each.every for each in self._needed(1) if each.site is not but)
        return 1 + max({0}.union(*needed))

    def shared(
        self, here: EventSite
    ) -> Iterator[tuple[list[int], RequiredTables, RequiredTables, int]]:
        """Where two events, one of them this one if it is any, need the same tables: these, the
        two, and from which table on the second, which rather can move, would be alone.
        """
        for pair in combinations(self._needed(), 2):
            both = sorted(pair[0].every & pair[1].every)
            if both and (
                here in (pair[0].site, pair[1].site) or here not in self.sites
            ):
                stays, moves = sorted(
                    pair, key=lambda each: (not each.open, each.first)
                )
                yield both, stays, moves, self.free_table(moves.site)

    def _needed(self, spare: int = 0) -> Iterator[RequiredTables]:
        """What the events need, with room for more players; of one that is over what it has."""
        for site, desk in self.others():
            with suppress(PairoptError):  # the files of one have faults
                event, own = desk.event, desk.event.settings
                first, now = (
                    own.first_table or 1,
                    {*desk.rows.table[desk.rows.open].tolist()} - {0},
                )
                every, over = now, desk.rounds() >= (own.rounds or MOST_ROUNDS)
                if not over and BRACKET not in desk.files:
                    last = first + (int(event.present.sum()) + spare) // 2
                    fixed = event.fixed_table[event.present].tolist()
                    every = now | {*range(first, last), *fixed} - {0}
                yield RequiredTables(site, desk.state, first, now, every)

    def links(self, here: EventSite) -> list[tuple[str, str, bool]]:
        """The titles and addresses of all events, and whether it is this one; of one alone none."""
        there = [each for each in self.sites if each.founded or each is here]
        return [
            (each.title, f"{each.root}/", each is here)
            for each in there
            if len(there) > 1
        ]

    def others(
        self, here: EventSite | None = None
    ) -> Iterator[tuple[EventSite, OpenFolder]]:
        """The other events that can be read, as they are now; all of them beside none."""
        for each in self.sites:
            with suppress(PairoptError):
                if each is not here and each.founded:
                    yield each, each.desk()

    def elsewhere(self, here: EventSite, typed: str) -> list[tuple[str, str, str]]:
        """Who may be meant in other events: the event's title, the address and name of a player."""
        found = []
        for site, desk in self.others(here) if typed.strip() else ():
            with suppress(PairoptError):
                event, to = desk.event, f"{site.root}/player?"
                found += [
                    (
                        site.title,
                        to + urlencode({"id": event.players[p]}),
                        event.shown[p],
                    )
                    for p in event.search_players(typed)[0][:MOST_FOUND]
                ]
        return found


@dataclass(eq=False)
class EventSite:
    """An event folder, what was said of the last changes on it, and what took time. All else is
    read from the files at each request, so that nothing is lost with the process. Its addresses
    begin with `root`, which its templates put before them: in Python they are those of an event
    alone.
    """

    folder: Path
    share: NetworkShare | None = None
    presence: ServerPresence = field(default_factory=lambda: ServerPresence(Path()))
    evening: EventGroup = field(default_factory=lambda: EventGroup(Path()))
    root: str = ""
    kept: AnswerCache = field(default_factory=AnswerCache)
    drafts: AnswerCache = field(default_factory=lambda: AnswerCache(MOST_DRAFTS))
    notices: AnswerCache = field(default_factory=lambda: AnswerCache(MOST_NOTICES))
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    _desk: OpenFolder | None = None

    @property
    def title(self) -> str:
        """The event's title, the folder's name where it has none that can be read."""
        with suppress(OSError, ValueError):
            told = tomllib.loads((self.folder / EVENT).read_text("utf-8")).get("title")
            if told and isinstance(told, str):
                return told
        return self.folder.resolve().name

    @property
    def founded(self) -> bool:
        return is_folder(self.folder)

    def desk(self) -> OpenFolder:
        """The event as it is now, to read. Raises UsageError where there is none yet."""
        found, known = read_folder_state(self.folder), self._desk
        if known is not None and known.state == found.state:
            return known  # with its event, which takes time to build
        self._desk = found
        return found

    def notice(self, said: Sequence[AnyMessage]) -> str:
        """Keep what was said for the page that comes next; by the name that is handed back."""
        name = uuid4().hex
        self.notices.answer(name, lambda: tuple(said))
        return name


async def download(
    site: EventSite,
    find: Callable[[EventSite, str], tuple[str, bytes] | None],
    request: Request,
) -> Response:
    """The file, by name and content, that the end of an address means; 404 where there is none. One
    is found at a time, so that phones that ask leave the threads to the organiser.
    """
    async with site.reading:
        found = await run_in_threadpool(find, site, request.url.path.rpartition("/")[2])
    if found is None:
        raise HTTPException(404, "There is no such file")
    headers = {"content-disposition": f'attachment; filename="{found[0]}"'}
    return Response(
        found[1], headers=headers, media_type=guess_type(found[0])[0] or UNKNOWN
    )
