"""Serve the pages or the JSON API on ports of this machine, until Ctrl-C.

The organiser's pages and those of phones have a server each, in one process. A process may
open only so many files and connections, on a Mac 256 by default. So each server has its
share of them, and phones cannot take the organiser's.
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
from pairopt.folder.create import require_empty_folder
from pairopt.web.access import NetworkShare
from pairopt.web.app import application
from pairopt.web.connections import QUEUE, LimitedConnection, LimitedServer
from pairopt.web.site import LOCAL, EventGroup

NETWORK = "0.0.0.0"  # noqa: S104 - with --share alone
PORT = 8440
"""The usual port, so that a page that was left open goes on after a restart."""
EVENTS = 10
"""So many events served at the same time have usual ports, two apart."""
# Seconds until an idle connection is closed: more than between a phone's requests.
KEEP_ALIVE = 30


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
    """Serve the pages of an event folder, or of several; never return.

    Parameters
    ----------
    folder : str or Path
        The event folder, which need not exist yet, or a folder with event folders.
    say : callable
        Shows a line to the user: the addresses, notes, and the end.
    beside : sequence of str or Path
        Further events at the same address, whose pages link to each other.
    port : int, optional
        The port; by default the usual one, or any free one if that is in use.
    browser : bool
        Whether to open the page in a browser.
    shared : bool
        Whether phones on the network may read the pages.
    share_port : int, optional
        The port for phones; by default the one after the other port.

    Raises
    ------
    UsageError
        If a port is in use, or a folder has other contents or is given twice.
    """
    event_folders = [Path(folder), *map(Path, beside)]
    if len({folder_path.resolve() for folder_path in event_folders}) < len(
        event_folders
    ):
        raise UsageError("a folder is given twice")

    listening_sockets = [_open_socket(port)]
    page_port = listening_sockets[0].getsockname()[1]
    network_share = None
    if shared:
        wanted_port = share_port or (port and port + 1)
        listening_sockets.append(_open_socket(wanted_port, NETWORK, page_port + 1))
        network_share = NetworkShare(listening_sockets[1].getsockname()[1])

    event_group = EventGroup.of(
        event_folders, network_share, f"http://{LOCAL[0]}:{page_port}/"
    )
    for event_site in event_group.sites:
        if not is_folder(event_site.folder):
            require_empty_folder(event_site.folder)
    web_application = application(
        event_group, {f"{host_name}:{page_port}" for host_name in LOCAL}, network_share
    )

    say(f"{folder} is at {event_group.address} (Ctrl-C ends)")
    for event_site in event_group.sites:
        other_address = event_site.presence.find_other_server()
        if other_address:
            say(
                f"note: another pairopt serve has {event_site.folder.name} open, at {other_address}"
            )
    if network_share is not None:
        say(f"phones on this network read it at {network_share.address}")
        say(
            f"an organiser's second laptop, to be kept from players: {network_share.link}"
        )
    if browser:
        _start_thread(webbrowser.open, event_group.address)
    _start_thread(engines.preload_engines)
    _run(web_application, say, *listening_sockets)


def serve_programs(say: Callable[[str], None], port: int | None = None) -> None:
    """Serve the JSON API for programs on a port of this machine; never return.

    `say` shows a line to the user: the address, and the end. Without `port` it is the
    usual port, or any free one if that is in use. Raises UsageError if the given port
    is in use.
    """
    from pairopt.web.api_server import PATH, build_api

    listening_socket = _open_socket(port)
    open_port = listening_socket.getsockname()[1]
    say(f"requests are answered at http://{LOCAL[0]}:{open_port}{PATH} (Ctrl-C ends)")
    engines.preload_engines()
    _run(
        build_api({f"{host_name}:{open_port}" for host_name in LOCAL}),
        say,
        listening_socket,
    )


def _start_thread(function: Callable[..., object], *arguments: object) -> None:
    """Call a function in a thread of its own, without waiting for its end.

    The thread does not keep the process alive.
    """
    threading.Thread(target=function, args=arguments, daemon=True).start()


def _run(
    app: ASGIApp,
    say: Callable[[str], None],
    organiser: socket.socket,
    network: socket.socket | None = None,
) -> None:
    """Serve the organiser's socket, and that of the network if given; never return.

    `app` answers the requests of both. Each server has its own limit of connections.
    `say` is called with what the user should read, such as that the server ends.
    """
    all_connections = raise_descriptor_limit() - FILES
    organiser_limit = organiser_share(all_connections)
    sockets_with_limits = [(organiser, organiser_limit)]
    if network is not None:
        sockets_with_limits.append(
            (network, max(FEWEST, all_connections - organiser_limit))
        )

    async def serve_all() -> None:
        """Run one server for each socket, at the same time, until the process ends.

        Each has its own limit of connections.
        """
        await asyncio.gather(
            *(
                _build_server(app, say, connection_limit).serve(
                    sockets=[listening_socket]
                )
                for listening_socket, connection_limit in sockets_with_limits
            )
        )

    asyncio.run(serve_all())


def _build_server(
    app: ASGIApp, say: Callable[[str], None], descriptors: int
) -> "_Server":
    """Return a server that never has more than `descriptors` connections.

    Its limit leaves room for connections that are being accepted or closed, so that
    there are not more even for a moment. `say` shows the user that it ends.
    """
    # A connection that is accepted or closed still counts during the next turns of the loop.
    connections_at_once = max(1, descriptors // 16)
    server_config = uvicorn.Config(
        ignore_disconnects(app),
        http=LimitedConnection,
        limit_concurrency=descriptors - 4 * connections_at_once,
        backlog=connections_at_once,
        timeout_keep_alive=KEEP_ALIVE,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
    )
    return _Server(server_config, say)


def _open_socket(
    port: int | None, host: str = LOCAL[0], first_usual_port: int = PORT
) -> socket.socket:
    """Return a listening socket at a port; for None at a usual one, or any free one.

    `host` is the address to listen at, by default that of this machine alone. Usual
    ports are every second one from `first_usual_port`. Raises UsageError if the given
    port cannot be used.
    """
    if port is None:
        for usual_port in range(first_usual_port, first_usual_port + 2 * EVENTS, 2):
            with suppress(OSError, OverflowError):
                return socket.create_server((host, usual_port), backlog=QUEUE)
        return socket.create_server((host, 0), backlog=QUEUE)
    try:
        return socket.create_server((host, port), backlog=QUEUE)
    except (OSError, OverflowError) as error:
        socket_reason = getattr(error, "strerror", None) or error
        raise UsageError(f"port {port} cannot be used: {socket_reason}") from None


class _Server(LimitedServer):
    """Server that ends its process at once on Ctrl-C.

    `say` is then called with a message for the user. Whoever opens the folder next
    finishes a step that was interrupted.
    """

    def __init__(self, config: uvicorn.Config, say: Callable[[str], None]) -> None:
        super().__init__(config)
        self.say = say

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Say that the server ends, and end the process at once; called for a signal.

        This is so also during pairing, whose threads would not end by themselves. The
        exit code is 143 for SIGTERM.
        """
        self.say(INTERRUPTED)
        sys.stdout.flush()
        os._exit(EXIT_INTERRUPTED if sig != signal.SIGTERM else 128 + signal.SIGTERM)


def organiser_share(connections: int) -> int:
    """Return how many of all connections are reserved for the organiser.

    It is a third of them, but at least FEWEST and at most MOST_OF_ORGANISER.
    """
    return max(FEWEST, min(MOST_OF_ORGANISER, connections // 3))


# File descriptors for all files that are read and written.
FILES = 64
FEWEST, MOST_OF_ORGANISER = 16, 512
"""The fewest connections of any server, and the most of the organiser's."""
WANTED = 4096
"""The number of file descriptors to ask the system for."""


def raise_descriptor_limit() -> int:
    """Raise this process's limit of file descriptors to WANTED, and return the limit.

    The system may allow fewer. On Windows there is no such limit, and WANTED is
    returned.
    """
    try:
        import resource
    except ImportError:
        # On Windows connections have no such limit.
        return WANTED

    soft_limit, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    possible_limit = (
        WANTED if hard_limit == resource.RLIM_INFINITY else min(hard_limit, WANTED)
    )
    if 0 <= soft_limit < possible_limit:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (possible_limit, hard_limit))
            return possible_limit
    return soft_limit if soft_limit >= 0 else WANTED


def ignore_disconnects(app: ASGIApp) -> ASGIApp:
    """Wrap an application so that it stops quietly if a client leaves.

    Other errors are raised as they are.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; ignore that its client has left."""
        with suppress(ClientDisconnect):
            await app(scope, receive, send)

    return answer
