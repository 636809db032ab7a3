"""Hold what the pages of one event, or of a group of events, share: caches and addresses."""

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
# The most letters of a new folder's name.
LONGEST = 60
MOST_NOTICES = 100
UNKNOWN = "application/octet-stream"
LOCAL = ("127.0.0.1", "localhost")
# The addresses of one event of several begin with this.
ROOT = "/event"
LOCK, ADDRESS = "served.lock", "served.txt"
"""A lock held as long as a server runs, by its process, and the file with its address."""


@dataclass
class ServerPresence:
    """Record of which server has an event folder open: a locked file, and its address.

    `folder` is the event folder, and `address` that of this server; without it nothing
    is recorded. The first call of `find_other_server` that finds no other server takes
    the lock and writes this server's address, for other servers to find. The lock is
    held until the process ends.
    """

    folder: Path
    address: str = ""
    _held_lock: FileLock | None = None
    _mutex: Lock = field(default_factory=Lock)

    def find_other_server(self) -> str:
        """Return the address of another server that has the folder open, or "".

        If there is none, this server takes the folder's lock and writes its address.
        Also "" if this server has no address, or the folder has no event yet or cannot
        be written.
        """
        pairopt_folder = self.folder / HOME
        with self._mutex:
            is_held_or_unrecorded = self._held_lock is not None or not self.address
            if is_held_or_unrecorded or not pairopt_folder.is_dir():
                return ""

            folder_lock = FileLock(pairopt_folder / LOCK, thread_local=False)
            # A folder that cannot be written has no such record.
            with suppress(OSError):
                try:
                    folder_lock.acquire(timeout=0)
                except Timeout:
                    return (pairopt_folder / ADDRESS).read_text(encoding="utf-8")
                (pairopt_folder / ADDRESS).write_text(self.address, encoding="utf-8")
                self._held_lock = folder_lock
            return ""


@dataclass
class _CachedAnswer:
    """An answer, with the lock under which the first thread computes it.

    `value` is None until then, and afterwards a tuple of the answer alone.
    """

    lock: Lock = field(default_factory=Lock)
    value: tuple[Any] | None = None


@dataclass
class AnswerCache:
    """Thread-safe cache of the `most` latest answers, each computed only once.

    Threads that ask for an answer while it is computed wait for it.
    """

    most: int = MOST_KEPT
    _answers: OrderedDict[Hashable, _CachedAnswer] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def get(self, key: Hashable, *, remove: bool = False) -> Any:
        """Return the stored answer for a key, None if it is missing or not ready yet.

        With `remove` the answer is also deleted.
        """
        with self._lock:
            cached_answer = (
                self._answers.pop(key, None) if remove else self._answers.get(key)
            )
        return cached_answer.value[0] if cached_answer and cached_answer.value else None

    def get_or_compute(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the answer for a key; the first caller computes it, the others wait.

        If `compute` raises, nothing is stored, and the next caller computes again. With
        more than `most` answers, the one that was asked for here least recently is
        deleted.
        """
        with self._lock:
            cached_answer = self._answers.setdefault(key, _CachedAnswer())
            self._answers.move_to_end(key)
            while len(self._answers) > self.most:
                self._answers.popitem(last=False)
        with cached_answer.lock:
            if cached_answer.value is None:
                cached_answer.value = (compute(),)
            return cast(T, cached_answer.value[0])


class Notice(NamedTuple):
    """The `messages` about a change for the next page, and the number of its step.

    `step` is None if the change has none.
    """

    messages: tuple[AnyMessage, ...]
    step: int | None


NO_NOTICE = Notice((), None)


class RequiredTables(NamedTuple):
    """The tables that an event needs, to find those that two events need at once.

    `site` and `state` are the event's. `first` is the number of its first table. `open`
    are the tables without a result, and `every` all that it needs, for the open round
    and rounds to come.
    """

    site: EventSite
    state: str
    first: int
    open: set[int]
    every: set[int]


@dataclass
class EventGroup:
    """The events at one address; each has a root below it, unless it is the only one.

    `sites` are the events, in their order. New events get a folder in `home`. `address`
    is that of the server, and `share` the port for phones, if there is one.
    """

    home: Path
    share: NetworkShare | None = None
    address: str = ""
    sites: tuple[EventSite, ...] = ()

    @staticmethod
    def of(
        folders: Sequence[Path], share: NetworkShare | None = None, address: str = ""
    ) -> EventGroup:
        """Return the group of some event folders, in their order.

        A single folder that is no event stands for the event folders in it. The current
        directory can be such a folder although it has no event yet. `share` is the port
        for phones, if any, and `address` that of the pages.
        """
        first_folder = folders[0]
        event_subfolders = sorted(
            subfolder_path
            for subfolder_path in first_folder.glob("*")
            if is_folder(subfolder_path)
        )
        is_single_folder = len(folders) == 1
        is_parent_folder = (
            is_single_folder
            and not is_folder(first_folder)
            and (bool(event_subfolders) or first_folder == Path())
        )
        new_events_folder = (
            first_folder if is_parent_folder else first_folder.resolve().parent
        )
        event_group = EventGroup(new_events_folder, share, address)
        for event_folder in event_subfolders if is_parent_folder else folders:
            event_group.add_site(
                event_folder, alone=is_single_folder and not is_parent_folder
            )
        return event_group

    def add_site(self, folder: Path, alone: bool = False) -> EventSite:
        """Add an event folder, which need not exist yet, and return its site.

        A folder that is in the group already keeps its site, which is returned. An
        event that is `alone` has the root ""; all others get one made from the folder's
        name, for example "/event/my-cup".
        """
        for event_site in self.sites:
            if event_site.folder.resolve() == folder.resolve():
                return event_site

        address_stem = re.sub(
            "[^a-z0-9]+", "-", folder.resolve().name.casefold()
        ).strip("-")
        address_stem = address_stem or "event"
        used_roots = {event_site.root for event_site in self.sites}
        possible_roots = (
            f"{ROOT}/{address_stem}{root_number or ''}" for root_number in count()
        )
        site_root = (
            ""
            if alone
            else next(
                possible_root
                for possible_root in possible_roots
                if possible_root not in used_roots
            )
        )
        site_address = self.address and f"{self.address.rstrip('/')}{site_root}/"
        server_presence = ServerPresence(folder, site_address)
        event_site = EventSite(folder, self.share, server_presence, self, site_root)
        self.sites = (*self.sites, event_site)
        return event_site

    def find_new_folder(self, name: str) -> Path:
        """Return a folder in `home` for a further event of this name; nothing is made.

        It is the first of "name", "name1", … that does not exist yet. Characters that
        may be trouble in a path are left out of the name.
        """
        folder_stem = re.sub(r"[^\w -]+", "", name).strip()[:LONGEST] or "event"
        possible_folders = (
            self.home / f"{folder_stem}{folder_number or ''}"
            for folder_number in count()
        )
        event_folders = {
            event_site.folder for event_site in self.sites if event_site.has_event
        }
        return next(
            possible_folder
            for possible_folder in possible_folders
            if possible_folder not in event_folders and not possible_folder.exists()
        )

    def find_free_table(self, excluded: EventSite | None = None) -> int:
        """Return the first table above those that all events except `excluded` need.

        Each event is counted with room for one more player. It is 1 without events.
        """
        needed_tables = (
            required_tables.every
            for required_tables in self._required_tables(1)
            if required_tables.site is not excluded
        )
        return 1 + max({0}.union(*needed_tables))

    def shared_tables(
        self, site: EventSite
    ) -> Iterator[tuple[list[int], RequiredTables, RequiredTables, int]]:
        """Yield the tables that two events need at once, if one of them is this event.

        Each item has the numbers of the tables, the event that should keep them, the
        event that should move, and the first table free for the latter. For a site
        outside the group, all pairs of events are compared.
        """
        for two_events in combinations(self._required_tables(), 2):
            shared_numbers = sorted(two_events[0].every & two_events[1].every)
            is_about_site = site in (two_events[0].site, two_events[1].site)
            if shared_numbers and (is_about_site or site not in self.sites):
                # An event with open tables stays rather than one without.
                keeping_event, moving_event = sorted(
                    two_events, key=lambda required: (not required.open, required.first)
                )
                yield (
                    shared_numbers,
                    keeping_event,
                    moving_event,
                    self.find_free_table(moving_event.site),
                )

    def _required_tables(self, spare: int = 0) -> Iterator[RequiredTables]:
        """Yield the tables that each event needs, with room for `spare` more players.

        An event that is over, or in its top cut, only needs its open tables. Events
        whose files have faults are skipped.
        """
        for event_site, desk in self.readable_events():
            # The files of one event may have faults.
            with suppress(PairoptError):
                event = desk.event
                event_settings = event.settings
                first_table = event_settings.first_table or 1
                open_tables = set(desk.rows.table[desk.rows.open].tolist()) - {0}
                needed_tables = open_tables
                is_over = desk.rounds() >= (event_settings.rounds or MOST_ROUNDS)
                if not is_over and BRACKET not in desk.files:
                    end_table = first_table + (int(event.present.sum()) + spare) // 2
                    fixed_tables = event.fixed_table[event.present].tolist()
                    needed_tables = open_tables | {
                        *range(first_table, end_table),
                        *fixed_tables,
                    } - {0}
                yield RequiredTables(
                    event_site, desk.state, first_table, open_tables, needed_tables
                )

    def links(self, site: EventSite) -> list[tuple[str, str, bool]]:
        """Return each event's title and address, and whether it is the event of `site`.

        The address is that of the event's first page. Folders without an event are
        skipped, except that of `site`. The list is empty if there is only one event.
        """
        linked_sites = [
            group_site
            for group_site in self.sites
            if group_site.has_event or group_site is site
        ]
        if len(linked_sites) < 2:
            return []
        return [
            (group_site.title, f"{group_site.root}/", group_site is site)
            for group_site in linked_sites
        ]

    def readable_events(
        self, excluded: EventSite | None = None
    ) -> Iterator[tuple[EventSite, OpenFolder]]:
        """Yield the site and the current state of each event, except `excluded`.

        Events whose files cannot be read, and folders without an event, are skipped.
        """
        for event_site in self.sites:
            with suppress(PairoptError):
                if event_site is not excluded and event_site.has_event:
                    yield event_site, event_site.desk()

    def find_in_other_events(
        self, site: EventSite, typed: str
    ) -> list[tuple[str, str, str]]:
        """Return players of the group's other events whose names fit what was typed.

        Each is the event's title, the address of the player's page, and the name; at
        most MOST_FOUND per event. The list is empty if nothing was typed.
        """
        if not typed.strip():
            return []
        found_players = []
        for other_site, desk in self.readable_events(site):
            with suppress(PairoptError):
                event = desk.event
                player_page = f"{other_site.root}/player?"
                for player_position in event.search_players(typed)[0][:MOST_FOUND]:
                    player_address = player_page + urlencode(
                        {"id": event.players[player_position]}
                    )
                    found_players.append(
                        (other_site.title, player_address, event.shown[player_position])
                    )
        return found_players


@dataclass(eq=False)
class EventSite:
    """An event folder with the caches of its pages, and messages for the next page.

    All else is read from the files at each request, so that nothing is lost with the
    process. `answers` are what pages have computed, `drafts` forms that wait for a
    confirmation, and `notices` messages. `reading` is held while a file is found for a
    download. `group` has the other events at this address. The addresses of its pages
    begin with `root`. Templates write it before them; addresses in Python are without
    it.
    """

    folder: Path
    share: NetworkShare | None = None
    presence: ServerPresence = field(default_factory=lambda: ServerPresence(Path()))
    group: EventGroup = field(default_factory=lambda: EventGroup(Path()))
    root: str = ""
    answers: AnswerCache = field(default_factory=AnswerCache)
    drafts: AnswerCache = field(default_factory=lambda: AnswerCache(MOST_DRAFTS))
    notices: AnswerCache = field(default_factory=lambda: AnswerCache(MOST_NOTICES))
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    _desk: OpenFolder | None = None

    @property
    def title(self) -> str:
        """The event's title as event.toml has it, read from the file at each access.

        It is the folder's name if there is none, or it cannot be read.
        """
        with suppress(OSError, ValueError):
            event_settings = tomllib.loads((self.folder / EVENT).read_text("utf-8"))
            stated_title = event_settings.get("title")
            if stated_title and isinstance(stated_title, str):
                return stated_title
        return self.folder.resolve().name

    @property
    def has_event(self) -> bool:
        """Whether the folder has an event already, which is looked up at each access."""
        return is_folder(self.folder)

    def desk(self) -> OpenFolder:
        """Return the event as it is in its files now, to read it only.

        Commands on it are dry runs. While the files stay the same, this is one object.
        Raises UsageError without an event.
        """
        current_desk = read_folder_state(self.folder)
        cached_desk = self._desk
        # The cached one has built its event already, which takes time.
        if cached_desk is not None and cached_desk.version == current_desk.version:
            return cached_desk
        self._desk = current_desk
        return current_desk

    def keep_notice(
        self, messages: Sequence[AnyMessage], step: int | None = None
    ) -> str:
        """Store messages for the next page, and return a random name to get them by.

        `step` is the number of the step that they are about, None if there is none.
        """
        notice_name = uuid4().hex
        self.notices.get_or_compute(notice_name, lambda: Notice(tuple(messages), step))
        return notice_name

    # Extensions of version 1.0 use these names.
    founded = has_event
    notice = keep_notice

    @property
    def evening(self) -> EventGroup:
        """The `group`, by its name in version 1.0, for extensions."""
        return self.group

    @property
    def kept(self) -> AnswerCache:
        """The `answers`, by their name in version 1.0, for extensions."""
        return self.answers


async def download(
    site: EventSite,
    find: Callable[[EventSite, str], tuple[str, bytes] | None],
    request: Request,
) -> Response:
    """Return the file at the end of the request's address as a download.

    `find` gets the file's name and returns the download's name and content, None if
    there is no such file: then HTTPException 404 is raised. One file is found at a
    time, so that phones leave the threads to the organiser.
    """
    file_name = request.url.path.rpartition("/")[2]
    async with site.reading:
        found_file = await run_in_threadpool(find, site, file_name)
    if found_file is None:
        raise HTTPException(404, "There is no such file")

    download_name, file_content = found_file
    response_headers = {
        "content-disposition": f'attachment; filename="{download_name}"'
    }
    media_type = guess_type(download_name)[0] or UNKNOWN
    return Response(file_content, headers=response_headers, media_type=media_type)
