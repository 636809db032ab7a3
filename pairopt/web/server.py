"""Serving: the pages on a port of this machine, until Ctrl-C.

The connections of a door are never so many that the organiser's requests would suffer. A process
has only so many descriptors, on a Mac 256; each door has its part of them. When it is used up, who
only keeps a connection open gives way, the address with the most of them first. There is no limit
by address otherwise: all phones of a hall may come from one."""

import asyncio
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from enum import IntEnum, auto
from pathlib import Path
from types import FrameType
from typing import Any, cast

import uvicorn
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pairopt import engines
from pairopt.common.atomic_write import EXIT_INTERRUPTED, INTERRUPTED
from pairopt.errors import UsageError
from pairopt.files.event_folder import is_folder
from pairopt.folder.create import require_room
from pairopt.web.access import NetworkShare
from pairopt.web.app import application
from pairopt.web.site import LOCAL, EventGroup

NETWORK = "0.0.0.0"  # noqa: S104 - with --share alone
PORT, EVENTS = 8440, 10
"""The usual one, so that a page that was left open goes on after a restart; so many events beside
each other have usual ones, two apart."""
BACKLOG = 512
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
    given twice."""
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
    that is free; never comes back. Raises UsageError where it is in use."""
    from pairopt.web.api_server import PATH, api

    door = _door(port)
    number = door.getsockname()[1]
    say(f"requests are answered at http://{LOCAL[0]}:{number}{PATH} (Ctrl-C ends)")
    engines.preload_default_engine()
    _run(api({f"{name}:{number}" for name in LOCAL}), say, door)


def _run(app: ASGIApp, say: Callable[[str], None], *doors: socket.socket) -> None:
    config = uvicorn.Config(
        track_connection_stages(app),
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        http="h11",
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE,
    )
    _Server(config, say, *doors[1:]).run(sockets=list(doors[:1]))


def _door(port: int | None, host: str = LOCAL[0], usual: int = PORT) -> socket.socket:
    """A socket on this machine, or the network, at the port, a usual one, or any that is free."""
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
        self,
        config: uvicorn.Config,
        say: Callable[[str], None],
        network: socket.socket | None = None,
    ) -> None:
        super().__init__(config)
        self.say, self.network = say, network
        self.crowds: list[asyncio.Task[None]] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup([])
        room = descriptors() - KEPT
        own = max(FEWEST, min(OWN, room // 3))
        doors = [(door, ConnectionLimiter(self, own, HERE)) for door in sockets or ()]
        if self.network is not None:
            doors.append(
                (self.network, ConnectionLimiter(self, max(FEWEST, room - own), GRACE))
            )
        self.crowds = [asyncio.create_task(crowd.serve(door)) for door, crowd in doors]

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Ctrl-C, also in the middle of a pairing, whose threads would not end by themselves."""
        self.say(INTERRUPTED)
        sys.stdout.flush()
        os._exit(EXIT_INTERRUPTED if sig != signal.SIGTERM else 128 + signal.SIGTERM)


KEPT = 64  # descriptors for all files that are read and written
FEWEST, OWN, WANTED = 16, 512, 4096
"""Connections that a door has in any case, the organiser's at most; descriptors asked for."""
HEAD, SLOW = 5.0, 60.0
"""Seconds until the head of a request has come; until its body has, and its answer has gone."""
PAUSE, AT_ONCE = 0.02, 16


class ConnectionStage(IntEnum):
    """What a connection waits for; who is in an earlier stage gives way before others."""

    NEXT = auto()  # a next request: the last is answered
    HEAD = auto()  # the rest of a request's head, or all of it
    SLOW = auto()  # the rest of a body, or a reader who takes the time
    WORK = auto()  # this program


GRACE = {
    ConnectionStage.NEXT: 0.0,
    ConnectionStage.HEAD: 0.5,
    ConnectionStage.SLOW: HEAD,
    ConnectionStage.WORK: float("inf"),
}
"""Seconds in a stage before somebody gives way: who has just come may have asked already."""
HERE = {**GRACE, ConnectionStage.HEAD: 0.1}
"""The same on this machine, where what is asked comes with the connection."""


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


class Connection:
    """A connection of a door, as its server's own protocol has it, and since when in its stage."""

    def __init__(self, crowd: "ConnectionLimiter") -> None:
        config, state = crowd.server.config, crowd.server.server_state
        kind = cast(Any, config.http_protocol_class)
        self.served = kind(config=config, server_state=state, app_state={})
        self.crowd, self.loop = crowd, asyncio.get_running_loop()
        self.stage, self.since = ConnectionStage.HEAD, self.loop.time()

    def __getattr__(self, name: str) -> Any:
        """What is not looked at here is the server's business alone."""
        return getattr(self.served, name)

    def turn(self, stage: ConnectionStage) -> None:
        """It waits for this from now on, unless it does already."""
        if stage is not self.stage:
            self.stage, self.since = stage, self.loop.time()

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.transport, self.address = (
            transport,
            transport.get_extra_info("peername")[0],
        )
        self.crowd.callers.add(self)
        self.served.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.crowd.callers.discard(self)
        self.served.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A part of a request; letter by letter does not make its time longer."""
        if self.stage is ConnectionStage.NEXT:
            self.turn(ConnectionStage.HEAD)
        CALLER.set(self)  # the task that answers has this context
        self.served.data_received(data)


CALLER: ContextVar[Connection] = ContextVar("caller")


def track_connection_stages(app: ASGIApp) -> ASGIApp:
    """An application whose callers know what their requests wait for."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        caller, more = CALLER.get(), True

        async def received() -> Message:
            nonlocal more
            if more:
                caller.turn(ConnectionStage.SLOW)
            message = await receive()
            if not (more := bool(message.get("more_body"))):
                caller.turn(ConnectionStage.WORK)
            return message

        async def sent(message: Message) -> None:
            caller.turn(ConnectionStage.SLOW)
            await send(message)
            caller.turn(ConnectionStage.WORK)

        caller.turn(ConnectionStage.WORK)
        try:
            with suppress(ClientDisconnect):  # nobody waits for an answer
                await app(scope, received, sent)
        finally:
            caller.turn(ConnectionStage.NEXT)

    return answer


class ConnectionLimiter:
    """Who comes to a door, so many at once; `grace`: seconds of a stage until one gives way."""

    def __init__(
        self, server: uvicorn.Server, most: int, grace: Mapping[ConnectionStage, float]
    ) -> None:
        self.server, self.most, self.grace = server, most, grace
        self.callers: set[Connection] = set()

    async def serve(self, door: socket.socket) -> None:
        """Take whoever comes to the door, for good."""
        door.setblocking(False)
        await asyncio.gather(self._admit(door), self._sweep())

    async def _admit(self, door: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            while len(self.callers) >= self.most:
                gone = self._give_way()
                await asyncio.sleep(0 if gone else PAUSE)
            come = []
            try:
                come.append((await loop.sock_accept(door))[0])
                while len(come) < min(AT_ONCE, self.most - len(self.callers)):
                    come.append(door.accept()[0])
            except BlockingIOError:
                pass  # that was all
            except OSError:  # one is gone again, or the system has no more descriptors
                await asyncio.sleep(PAUSE)
            for each in come:
                each.setblocking(False)
                with suppress(OSError):  # who is gone again
                    each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connect = loop.connect_accepted_socket
            made = (connect(lambda: cast(Any, Connection(self)), each) for each in come)
            await asyncio.gather(*made, return_exceptions=True)

    def _give_way(self) -> int:
        """Close the first sixteenth of those that can be closed; how many."""
        now = asyncio.get_running_loop().time()
        can = [
            each for each in self.callers if now - each.since >= self.grace[each.stage]
        ]
        many = Counter(each.address for each in can)
        can.sort(key=lambda each: (-many[each.address], each.stage, each.since))
        first = can[: self.most // 16 + 1]
        for each in first:
            each.transport.abort()
        return len(first)

    async def _sweep(self) -> None:
        limits = {ConnectionStage.HEAD: HEAD, ConnectionStage.SLOW: SLOW}
        while True:
            await asyncio.sleep(1)
            now = asyncio.get_running_loop().time()
            for each in [*self.callers]:
                if now - each.since > limits.get(each.stage, now):
                    each.transport.abort()
