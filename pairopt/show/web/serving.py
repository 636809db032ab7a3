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
from pathlib import Path
from types import FrameType

import uvicorn

from pairopt import engines
from pairopt.errors import UsageError
from pairopt.files.folder import is_folder
from pairopt.folder.founding import require_room
from pairopt.show.web.app import application
from pairopt.show.web.crowd import FEWEST, GRACE, HERE, KEPT, OWN, Crowd, descriptors, staged
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

    The folder need not be there yet; those `beside` it are further sections, whose pages link to
    each other. The port is by default the usual one, or where that is in use any that is free;
    further sections have those after it, two apart. Phones on the network may read it where it is
    `shared`, by default on the port after the other one. `say` is told the address, and the end.
    Raises UsageError where a port is in use, or a folder holds something else, or is given twice.
    """
    folders = [Path(folder), *map(Path, beside)]
    if len({each.resolve() for each in folders}) < len(folders):
        raise UsageError("a folder is given twice")
    for each in folders:
        if not is_folder(each):
            require_room(each)
    opened = [_opened(each, port, share_port, shared, 2 * k) for k, each in enumerate(folders)]
    sections = [section for section, _ in opened] if beside else []
    servers = [_server(section, doors, sections, say) for section, doors in opened]
    if browser:
        address = opened[0][0].address
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    threading.Thread(target=engines.load_default, daemon=True).start()
    for (_, doors), server in zip(opened[1:], servers[1:], strict=True):
        threading.Thread(target=server.run, args=(doors[:1],), daemon=True).start()
    servers[0].run(sockets=opened[0][1][:1])


def _opened(
    folder: Path, port: int | None, share_port: int | None, shared: bool, after: int
) -> tuple[Section, list[socket.socket]]:
    """A folder with its door, and that to the network; given ports are so many further on."""
    doors = [_door(port and port + after)]
    number, share = doors[0].getsockname()[1], None
    if shared:
        theirs = share_port or (port and port + 1)
        doors.append(_door(theirs and theirs + after, NETWORK, number + 1))
        share = Share(doors[1].getsockname()[1])
    return Section(folder, f"http://{LOCAL[0]}:{number}/", share), doors


def _server(
    own: Section, doors: Sequence[socket.socket], every: Sequence[Section],
    say: Callable[[str], None],
) -> _Server:  # fmt: skip
    """The server of a folder, and where it is."""
    presence = Presence(own.folder, own.address)
    hosts = {f"{name}:{doors[0].getsockname()[1]}" for name in LOCAL}
    app = application(own.folder, hosts, own.share, presence, every)
    say(f"{own.folder} is at {own.address} (Ctrl-C ends)")
    if other := presence.elsewhere():
        say(f"note: another pairopt serve has this folder open, at {other}")
    if own.share is not None:
        say(f"phones on this network read it at {own.share.address}")
        say(f"an organiser's second laptop, to be kept from players: {own.share.link}")
    config = uvicorn.Config(
        staged(app), log_config=None, access_log=False, server_header=False, lifespan="off",
        ws="none", http="h11", backlog=BACKLOG, timeout_keep_alive=KEEP_ALIVE,
    )  # fmt: skip
    return _Server(config, say, max(1, len(every)), *doors[1:])


def _door(port: int | None, host: str = LOCAL[0], usual: int = PORT) -> socket.socket:
    """A socket on this machine alone, or on the network. Without a port it has a usual one, or
    where these are in use any that is free."""
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
    """Ends at once: a step that was begun is finished by whoever opens the folder next. At each of
    its doors come as many as leave room for who comes to the other one, which is to the network,
    and for the other sections."""

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
