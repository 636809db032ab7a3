"""Serving: the pages on a port of this machine, until Ctrl-C."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import uvicorn

from pairopt import engines
from pairopt.errors import UsageError
from pairopt.files.folder import is_folder
from pairopt.folder.founding import require_room
from pairopt.show.web.app import application
from pairopt.show.web.crowd import FEWEST, GRACE, HERE, KEPT, OWN, Crowd, descriptors
from pairopt.show.web.guard import Share
from pairopt.show.web.site import LOCAL, Presence, Section
from pairopt.whole import EXIT_INTERRUPTED, INTERRUPTED

NETWORK = "0.0.0.0"  # noqa: S104 - with --share alone
PORT, EVENTS = 8440, 10
"""The usual one, so that a page that was left open goes on after a restart; so many events beside
each other have usual ones, two apart."""
BACKLOG = 512
KEEP_ALIVE = 30
"""Seconds; longer than a phone waits before it asks again."""


@dataclass(frozen=True)
class _Opened:
    """A folder with its doors, and where they are."""

    section: Section
    doors: tuple[socket.socket, ...]

    @property
    def number(self) -> int:
        """The port of the organiser's door."""
        return int(self.doors[0].getsockname()[1])


def serve(
    folder: str | Path,
    say: Callable[[str], None],
    *,
    beside: Sequence[str | Path] = (),
    port: int | None = None,
    browser: bool = True,
    shared: bool = False,
    share_port: int | None = None,
) -> None:
    """Serve the pages of an event folder; never comes back.

    Args:
        folder: the event folder; it need not be there yet.
        say: told the address, and the end.
        beside: folders of further sections, whose pages link to each other.
        port: by default the usual one, or where that is in use any that is free. Further sections
            have those after it, two apart.
        browser: whether to open the page.
        shared: whether phones on the network may read.
        share_port: where they do; by default the port after the other one.

    Raises:
        UsageError: a port is in use, a folder holds something else than an event, or is given
            twice.
    """
    folders = [Path(folder), *map(Path, beside)]
    if len({each.resolve() for each in folders}) < len(folders):
        raise UsageError("a folder is given twice")
    for each in folders:
        if not is_folder(each):
            require_room(each)
    opened = [
        _opened(each, _after(port, 2 * k), _after(share_port, 2 * k), shared)
        for k, each in enumerate(folders)
    ]
    sections = [each.section for each in opened] if beside else []
    servers = [_server(each, sections, say) for each in opened]
    if browser:
        address = opened[0].section.address
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    threading.Thread(target=engines.load_default, daemon=True).start()
    for one, server in zip(opened[1:], servers[1:], strict=True):
        threading.Thread(target=server.run, args=([one.doors[0]],), daemon=True).start()
    servers[0].run(sockets=[opened[0].doors[0]])


def _after(port: int | None, more: int) -> int | None:
    return None if port is None else port + more


def _opened(folder: Path, port: int | None, share_port: int | None, shared: bool) -> _Opened:
    """A folder's door, and that to the network."""
    doors = [_door(port)]
    number = doors[0].getsockname()[1]
    share = None
    if shared:
        doors.append(_door(share_port or _after(port, 1), NETWORK, number + 1))
        share = Share(doors[1].getsockname()[1])
    return _Opened(Section(folder, f"http://{LOCAL[0]}:{number}/", share), tuple(doors))


def _server(opened: _Opened, sections: Sequence[Section], say: Callable[[str], None]) -> _Server:
    """The server of a folder, and where it is."""
    folder, address, share = (
        opened.section.folder, opened.section.address, opened.section.share
    )  # fmt: skip
    presence = Presence(folder, address)
    hosts = {f"{name}:{opened.number}" for name in LOCAL}
    app = application(folder, hosts, share, presence, sections)
    say(f"{folder} is at {address} (Ctrl-C ends)")
    if other := presence.elsewhere():
        say(f"note: another pairopt serve has this folder open, at {other}")
    if share is not None:
        say(f"phones on this network read it at {share.address}")
        say(f"an organiser's second laptop, to be kept from players: {share.link}")
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, lifespan="off", ws="none",
        backlog=BACKLOG, timeout_keep_alive=KEEP_ALIVE,
    )  # fmt: skip
    return _Server(config, say, max(1, len(sections)), *opened.doors[1:])


def _door(port: int | None, host: str = LOCAL[0], usual: int = PORT) -> socket.socket:
    """A socket on this machine alone, or on the network.

    Without a port it has a usual one, or where these are in use any that is free.
    """
    if port is None:
        for each in range(usual, usual + 2 * EVENTS, 2):
            with suppress(OSError, OverflowError):
                return socket.create_server((host, each), backlog=BACKLOG)
        return socket.create_server((host, 0), backlog=BACKLOG)
    try:
        return socket.create_server((host, port), backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"port {port} cannot be used: {why}") from None


class _Server(uvicorn.Server):
    """Ends at once: a step that was begun is finished by whoever opens the folder next.

    At each of its doors come as many as leave room for who comes to the other one, which is to the
    network, and for the other sections.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        say: Callable[[str], None],
        sections: int = 1,
        network: socket.socket | None = None,
    ) -> None:
        super().__init__(config)
        self.say, self.sections, self.network = say, sections, network
        self.crowds: list[asyncio.Task[None]] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open the doors."""
        await super().startup([])
        room = (descriptors() - KEPT) // self.sections
        own = max(FEWEST, min(OWN, room // 3))
        doors = [(door, Crowd(self, own, HERE)) for door in sockets or ()]
        if self.network is not None:
            doors.append((self.network, Crowd(self, max(FEWEST, room - own), GRACE)))
        self.crowds = [asyncio.create_task(crowd.serve(door)) for door, crowd in doors]

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Ctrl-C, also in the middle of a pairing, whose threads would not end by themselves."""
        self.say(INTERRUPTED)
        sys.stdout.flush()
        os._exit(EXIT_INTERRUPTED if sig != signal.SIGTERM else 128 + signal.SIGTERM)
