"""Serving: the pages on a port of this machine, until Ctrl-C."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType

import uvicorn

from pairopt import engines
from pairopt.errors import UsageError
from pairopt.files.folder import is_folder
from pairopt.folder.founding import require_room
from pairopt.show.web.app import application
from pairopt.show.web.crowd import FEWEST, KEPT, Crowd, descriptors
from pairopt.show.web.guard import Share
from pairopt.show.web.presence import Presence
from pairopt.whole import EXIT_INTERRUPTED, INTERRUPTED

HERE, NETWORK = "127.0.0.1", "0.0.0.0"  # noqa: S104 - with --share alone
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
    port: int | None = None,
    browser: bool = True,
    shared: bool = False,
    share_port: int | None = None,
) -> None:
    """Serve the pages of an event folder; never comes back.

    Args:
        folder: the event folder; it need not be there yet.
        say: told the address, and the end.
        port: by default the usual one, or where that is in use any that is free.
        browser: whether to open the page.
        shared: whether phones on the network may read.
        share_port: where they do; by default the port after the other one.

    Raises:
        UsageError: a port is in use, or the folder holds something else than an event.
    """
    if not is_folder(Path(folder)):
        require_room(Path(folder))
    doors = [_door(port)]
    number = doors[0].getsockname()[1]
    address = f"http://{HERE}:{number}/"
    share = None
    if shared:
        after = None if port is None else port + 1
        doors.append(_door(after if share_port is None else share_port, NETWORK, number + 1))
        share = Share(doors[1].getsockname()[1])
    presence = Presence(Path(folder), address)
    hosts = {f"{name}:{number}" for name in (HERE, "localhost")}
    app = application(folder, hosts, share, presence)
    say(f"{folder} is at {address} (Ctrl-C ends)")
    if other := presence.elsewhere():
        say(f"note: another pairopt serve has this folder open, at {other}")
    if share is not None:
        say(f"phones on this network read it at {share.address}")
        say(f"an organiser's second laptop, to be kept from players: {share.link}")
    if browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    threading.Thread(target=engines.load_default, daemon=True).start()
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, lifespan="off", ws="none",
        backlog=BACKLOG, timeout_keep_alive=KEEP_ALIVE,
    )  # fmt: skip
    _Server(config, say, *doors[1:]).run(sockets=doors[:1])


def _door(port: int | None, host: str = HERE, usual: int = PORT) -> socket.socket:
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

    At a second door, to the network, come as many as leave room for who comes to the first.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        say: Callable[[str], None],
        network: socket.socket | None = None,
    ) -> None:
        super().__init__(config)
        self.say, self.network = say, network
        self.crowd: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open the doors."""
        await super().startup(sockets)
        if self.network is not None:
            crowd = Crowd(self, max(FEWEST, descriptors() - KEPT))
            self.crowd = asyncio.create_task(crowd.serve(self.network))

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Ctrl-C, also in the middle of a pairing, whose threads would not end by themselves."""
        self.say(INTERRUPTED)
        sys.stdout.flush()
        os._exit(EXIT_INTERRUPTED if sig != signal.SIGTERM else 128 + signal.SIGTERM)
