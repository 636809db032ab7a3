"""Crowd: the connections of a door, never so many that the organiser's requests would suffer.

A process has only so many descriptors, on a Mac 256; each door has its part of them. When it is
used up, who only keeps a connection open gives way, the address with the most of them first. There
is no limit by address otherwise: all phones of a hall may come from one.
"""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from enum import IntEnum

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

KEPT = 64
"""Descriptors for all files that are read and written."""
FEWEST, OWN, WANTED = 16, 512, 4096
"""Connections that a door has in any case, and at most the organiser's; descriptors that are asked
for at the start."""
HEAD, SLOW = 5.0, 60.0
"""Seconds until the head of a request has come; until its body has, and its answer has gone."""
PAUSE, AT_ONCE = 0.02, 16


class Stage(IntEnum):
    """What a connection waits for; who is in an earlier stage gives way before others."""

    NEXT = 0
    """A next request: the last is answered."""
    HEAD = 1
    """The rest of a request's head, or all of it."""
    SLOW = 2
    """The rest of a body, or a reader who takes the time."""
    WORK = 3
    """This program."""


GRACE = {Stage.NEXT: 0.0, Stage.HEAD: 0.5, Stage.SLOW: HEAD, Stage.WORK: float("inf")}
"""Seconds in a stage before somebody gives way: who has just come may have asked already."""
HERE = {**GRACE, Stage.HEAD: 0.1}
"""The same on this machine, where what is asked comes with the connection."""


def descriptors() -> int:
    """How many this process may have, after asking for more."""
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


class Caller(H11Protocol):
    """A connection of a door, and since when it has been in its stage."""

    def __init__(self, crowd: Crowd) -> None:
        super().__init__(crowd.server.config, crowd.server.server_state, {})
        self.crowd, self.since = crowd, self.loop.time()

    @property
    def stage(self) -> Stage:
        """What it waits for."""
        if self.cycle is not None and not self.cycle.response_complete:
            slow = self.cycle.more_body or self.flow.write_paused
            return Stage.SLOW if slow else Stage.WORK
        if self.transport.get_write_buffer_size():
            return Stage.SLOW
        if self.cycle is None or self.conn.trailing_data[0]:
            return Stage.HEAD
        return Stage.NEXT

    @property
    def address(self) -> str:
        """Where it comes from."""
        return self.client[0] if self.client else ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """It has come."""
        super().connection_made(transport)
        self.crowd.callers.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """It has gone."""
        self.crowd.callers.discard(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A part of a request; letter by letter does not make its time longer."""
        before = self.stage
        super().data_received(data)
        if before is Stage.NEXT or self.stage is not before:
            self.since = self.loop.time()

    def on_response_complete(self) -> None:
        """Its request is answered."""
        super().on_response_complete()
        self.since = self.loop.time()


class Crowd:
    """Whoever comes to a door of a server, at most so many at once.

    `grace` has the seconds in each stage before somebody gives way.
    """

    def __init__(self, server: uvicorn.Server, most: int, grace: Mapping[Stage, float]) -> None:
        self.server, self.most, self.grace = server, most, grace
        self.callers: set[Caller] = set()

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
            connect = loop.connect_accepted_socket
            made = (connect(lambda: Caller(self), each) for each in come)
            await asyncio.gather(*made, return_exceptions=True)

    def _give_way(self) -> int:
        """Close the first sixteenth of those that can be closed; how many."""
        now = asyncio.get_running_loop().time()
        staged = [(each.stage, each) for each in self.callers]
        can = [(stage, each) for stage, each in staged if now - each.since >= self.grace[stage]]
        many = Counter(each.address for _, each in can)
        can.sort(key=lambda one: (-many[one[1].address], one[0], one[1].since))
        first = can[: self.most // 16 + 1]
        for _, each in first:
            each.transport.abort()
        return len(first)

    async def _sweep(self) -> None:
        """Close who takes too long, once a second."""
        limits = {Stage.HEAD: HEAD, Stage.SLOW: SLOW}
        while True:
            await asyncio.sleep(1)
            now = asyncio.get_running_loop().time()
            for each in [*self.callers]:
                if now - each.since > limits.get(each.stage, now):
                    each.transport.abort()
