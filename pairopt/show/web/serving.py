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
from pairopt.show.web.site import LOCAL, Evening
from pairopt.whole import EXIT_INTERRUPTED, INTERRUPTED

NETWORK = "0.0.0.0"  # noqa: S104 - with --share alone
PORT, EVENTS = 8440, 10
"""The usual one, so that a page that was left open goes on after a restart; so many events beside
each other have usual ones, two apart."""
BACKLOG = 512
KEEP_ALIVE = 30
"""Seconds; longer than a phone waits before it asks again."""


def serve(
    folder: str | Path, say: Callable[[str], None], *, beside: Sequence[str | Path] = (),
    port: int | None = None, browser: bool = True, shared: bool = False,
    share_port: int | None = None,
) -> None:  # fmt: skip
    """Serve the pages of an event folder; never comes back.

    The folder need not be there yet; one that holds event folders is all of these. Those `beside`
    it are further events, at the same address, whose pages link to each other. The port is by
    default the usual one, or where that is in use any that is free. Phones on the network may read
    it where it is `shared`, by default on the port after the other one. `say` is told the address,
    and the end. Raises UsageError where a port is in use, or a folder holds something else, or is
    given twice."""
    folders = [Path(folder), *map(Path, beside)]
    if len({each.resolve() for each in folders}) < len(folders):
        raise UsageError("a folder is given twice")
    doors = [_door(port)]
    number, share = doors[0].getsockname()[1], None
    if shared:
        doors.append(_door(share_port or (port and port + 1), NETWORK, number + 1))
        share = Share(doors[1].getsockname()[1])
    evening = Evening.of(folders, share, f"http://{LOCAL[0]}:{number}/")
    for each in evening.sites:
        if not is_folder(each.folder):
            require_room(each.folder)
    app = application(evening, {f"{name}:{number}" for name in LOCAL}, share)
    say(f"{folder} is at {evening.address} (Ctrl-C ends)")
    for each in evening.sites:
        if other := each.presence.elsewhere():
            say(f"note: another pairopt serve has {each.folder.name} open, at {other}")
    if share is not None:
        say(f"phones on this network read it at {share.address}")
        say(f"an organiser's second laptop, to be kept from players: {share.link}")
    if browser:
        threading.Thread(target=webbrowser.open, args=(evening.address,), daemon=True).start()
    threading.Thread(target=engines.load_default, daemon=True).start()
    config = uvicorn.Config(
        staged(app), log_config=None, access_log=False, server_header=False, lifespan="off",
        ws="none", http="h11", backlog=BACKLOG, timeout_keep_alive=KEEP_ALIVE,
    )  # fmt: skip
    _Server(config, say, *doors[1:]).run(sockets=doors[:1])


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
    its doors come as many as leave room for who comes to the other one, which is to the network."""

    def __init__(
        self, config: uvicorn.Config, say: Callable[[str], None],
        network: socket.socket | None = None,
    ) -> None:  # fmt: skip
        super().__init__(config)
        self.say, self.network = say, network
        self.crowds: list[asyncio.Task[None]] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open the doors."""
        await super().startup([])
        room = descriptors() - KEPT
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
