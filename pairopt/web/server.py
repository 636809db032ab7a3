"""Serving: the pages on a port of this machine, until Ctrl-C.

The organiser's pages and those of phones have a server each, in one process. A process may open
only so many files and connections, on a Mac 256 by default. So each server has its share of them,
and phones cannot take the organiser's.
"""

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
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from pairopt import engines
from pairopt.common.atomic_write import EXIT_INTERRUPTED, INTERRUPTED
from pairopt.errors import UsageError
from pairopt.files.event_folder import is_folder
from pairopt.folder.create import require_room
from pairopt.web.access import NetworkShare
from pairopt.web.app import application
from pairopt.web.connections import QUEUE, LimitedConnection, LimitedServer
from pairopt.web.site import LOCAL, EventGroup

NETWORK = "0.0.0.0"  # noqa: S104 - with --share alone
PORT, EVENTS = 8440, 10
"""The usual one, so that a page that was left open goes on after a restart; so many events beside
each other have usual ones, two apart."""
KEEP_ALIVE = 30  # seconds; longer than a phone waits before it asks again


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

    The folder need not be there yet; one that holds event folders is all of these. Those `beside`
    it are further events, at the same address, whose pages link to each other. The port is by
    default the usual one, or where that is in use any that is free. Phones on the network may read
    it where it is `shared`, by default on the port after the other one. `say` is told the address,
    and the end. Raises UsageError where a port is in use, or a folder holds something else, or is
    given twice.
    """
    folders = [Path(folder), *map(Path, beside)]
    if len({each.resolve() for each in folders}) < len(folders):
        raise UsageError("a folder is given twice")
    doors = [_door(port)]
    number, share = doors[0].getsockname()[1], None
    if shared:
        doors.append(_door(share_port or (port and port + 1), NETWORK, number + 1))
        share = NetworkShare(doors[1].getsockname()[1])
    evening = EventGroup.of(folders, share, f"http://{LOCAL[0]}:{number}/")
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
        threading.Thread(
            target=webbrowser.open, args=(evening.address,), daemon=True
        ).start()
    threading.Thread(target=engines.preload_default_engine, daemon=True).start()
    _run(app, say, *doors)


def serve_programs(say: Callable[[str], None], port: int | None = None) -> None:
    """Answer the requests of programs on a port of this machine, the usual one by default, or any
    that is free; never comes back. Raises UsageError where it is in use.
    """
    from pairopt.web.api_server import PATH, api

    door = _door(port)
    number = door.getsockname()[1]
    say(f"requests are answered at http://{LOCAL[0]}:{number}{PATH} (Ctrl-C ends)")
    engines.preload_default_engine()
    _run(api({f"{name}:{number}" for name in LOCAL}), say, door)


def _run(
    app: ASGIApp,
    say: Callable[[str], None],
    own: socket.socket,
    network: socket.socket | None = None,
) -> None:
    """Serve the organiser's socket and that of the network, each with its own limits."""
    connections = descriptors() - FILES
    servers = [(own, organiser_share(connections))]
    if network is not None:
        servers.append(
            (network, max(FEWEST, connections - organiser_share(connections)))
        )

    async def serve_all() -> None:
        await asyncio.gather(
            *(_server(app, say, limit).serve(sockets=[each]) for each, limit in servers)
        )

    asyncio.run(serve_all())


def _server(app: ASGIApp, say: Callable[[str], None], descriptors: int) -> "_Server":
    """A server that never has more than so many connections, even for a moment."""
    # A connection that is accepted or closed still counts during the next turns of the loop.
    at_once = max(1, descriptors // 16)
    config = uvicorn.Config(
        ignore_disconnects(app),
        http=LimitedConnection,
        limit_concurrency=descriptors - 4 * at_once,
        backlog=at_once,
        timeout_keep_alive=KEEP_ALIVE,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
    )
    return _Server(config, say)


def _door(port: int | None, host: str = LOCAL[0], usual: int = PORT) -> socket.socket:
    """A socket on this machine, or the network, at the port, a usual one, or any that is free."""
    if port is None:
        for each in range(usual, usual + 2 * EVENTS, 2):
            with suppress(OSError, OverflowError):
                return socket.create_server((host, each), backlog=QUEUE)
        return socket.create_server((host, 0), backlog=QUEUE)
    try:
        return socket.create_server((host, port), backlog=QUEUE)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"port {port} cannot be used: {why}") from None


class _Server(LimitedServer):
    """Ends at once: a step that was begun is finished by whoever opens the folder next."""

    def __init__(self, config: uvicorn.Config, say: Callable[[str], None]) -> None:
        super().__init__(config)
        self.say = say

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Ctrl-C, also in the middle of a pairing, whose threads would not end by themselves."""
        self.say(INTERRUPTED)
        sys.stdout.flush()
        os._exit(EXIT_INTERRUPTED if sig != signal.SIGTERM else 128 + signal.SIGTERM)


def organiser_share(connections: int) -> int:
    """How many of all connections are kept for the organiser."""
    return max(FEWEST, min(MOST_OF_ORGANISER, connections // 3))


FILES = 64  # descriptors for all files that are read and written
FEWEST, MOST_OF_ORGANISER, WANTED = 16, 512, 4096
"""Connections that a server has in any case, the organiser's at most; descriptors asked for."""


def descriptors() -> int:
    try:
        import resource
    except ImportError:  # Windows, where connections have no such limit
        return WANTED
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    more = WANTED if hard == resource.RLIM_INFINITY else min(hard, WANTED)
    if 0 <= soft < more:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (more, hard))
            return more
    return soft if soft >= 0 else WANTED


def ignore_disconnects(app: ASGIApp) -> ASGIApp:
    """An application that stops quietly when a client leaves in the middle of a request."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(ClientDisconnect):
            await app(scope, receive, send)

    return answer
