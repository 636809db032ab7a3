"""HTTP connections with the limits that uvicorn lacks.

uvicorn refuses requests once a server has `limit_concurrency` connections, and closes a
connection that has been answered and asks for nothing more. But it waits without end for
a client that is silent, or that sends a request letter by letter. So each connection here
has a stage, and a limited time in it. When a server is full, it closes connections that
it isn't answering, first those of the address with the most of them. There is no other
limit per address: all phones of a hall may have the same one.
"""

import asyncio
import socket
from collections import Counter
from contextlib import suppress
from enum import IntEnum, auto
from typing import cast

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS_PER_HEAD = 5.0
"""Until the head of a request has arrived."""
SECONDS_PER_TRANSFER = 60.0
"""Until the body of a request has arrived, or a client has read an answer."""
QUEUE = 512
"""Connections that the system keeps until the server accepts them."""


class ConnectionStage(IntEnum):
    """Stage of a connection: what it waits for.

    A full server closes connections in an early stage first.
    """

    # The last request has been answered; uvicorn has a time limit for this.
    NEXT_REQUEST = auto()
    HEAD = auto()
    # The rest of a body is awaited, or a client reads an answer slowly.
    TRANSFER = auto()
    # pairopt is at work; such a connection is never closed.
    ANSWER = auto()


class LimitedConnection(H11Protocol):
    """A connection that is closed when it is too slow, or when its server needs room.

    `stage` is what it waits for, and `since` the time when that began. It answers one
    request at a time. Browsers never send the next request before they have the answer;
    whoever does gets one answer, and the connection is closed.
    """

    stage = ConnectionStage.HEAD
    since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a new connection; if the server is full, close others or this one.

        Others are closed first, but none that is being answered. uvicorn calls it once
        for each connection.
        """
        super().connection_made(transport)
        self.since = self.loop.time()
        self.last_cycle = self.cycle
        # Otherwise each answer on a kept connection waits 40 ms for an acknowledgement.
        with suppress(OSError):
            client_socket = transport.get_extra_info("socket")
            client_socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        all_connections = cast(set[LimitedConnection], self.connections)
        connection_limit = self.limit_concurrency
        if connection_limit is None or len(all_connections) < connection_limit:
            return
        make_room(all_connections, self)
        if len(all_connections) >= connection_limit:
            close(all_connections, self)

    def data_received(self, data: bytes) -> None:
        """Read a part of a request, as uvicorn does.

        If another request follows before the answer, the connection is closed after it.
        """
        super().data_received(data)
        is_answering = self.cycle is not None and not self.cycle.response_complete
        has_whole_request = self.conn.their_state is h11.DONE
        if is_answering and has_whole_request and self.conn.trailing_data[0]:
            self.cycle.keep_alive = False

    @property
    def address(self) -> str:
        """The network address of the client, without its port; "" if it is unknown."""
        return self.client[0] if self.client else ""

    def update_stage(self) -> None:
        """Update `stage`; if it or the request is new, its time (`since`) starts now."""
        present_stage = self._find_stage()
        if present_stage is not self.stage or self.cycle is not self.last_cycle:
            self.stage = present_stage
            self.last_cycle = self.cycle
            self.since = self.loop.time()

    def _find_stage(self) -> ConnectionStage:
        """Return what the connection waits for now, without storing it in `stage`.

        This may be the head of a request, the next request, an answer, or the transfer
        of data in either direction.
        """
        if self.flow.write_paused:
            return ConnectionStage.TRANSFER
        if self.cycle is None or self.cycle.response_complete:
            waits_for_next_request = self.timeout_keep_alive_task is not None
            return (
                ConnectionStage.NEXT_REQUEST
                if waits_for_next_request
                else ConnectionStage.HEAD
            )
        if self.cycle.more_body:
            return ConnectionStage.TRANSFER
        return ConnectionStage.ANSWER


def close(connections: set[LimitedConnection], connection: LimitedConnection) -> None:
    """Close a connection without waiting for its client, and remove it from the set.

    `connections` is changed; a connection that is not in it is closed all the same.
    """
    connections.discard(connection)
    connection.transport.abort()


def make_room(connections: set[LimitedConnection], newcomer: LimitedConnection) -> None:
    """Close a sixteenth of all connections, and one more, but none being answered.

    Those of the address with the most closable connections are first, of these the ones
    in an early stage, and of these the oldest. `newcomer` is never closed.
    """
    closable_connections = []
    for connection in connections - {newcomer}:
        connection.update_stage()
        if connection.stage is not ConnectionStage.ANSWER:
            closable_connections.append(connection)

    closable_by_address = Counter(
        connection.address for connection in closable_connections
    )
    closable_connections.sort(
        key=lambda connection: (
            -closable_by_address[connection.address],
            connection.stage,
            connection.since,
        )
    )
    for connection in closable_connections[: len(connections) // 16 + 1]:
        close(connections, connection)


def close_slow(connections: set[LimitedConnection]) -> None:
    """Close the connections that have been in their stage for too long.

    `connections` is changed. Only heads and transfers have a limit here; uvicorn has
    one for the next request.
    """
    most_seconds_by_stage = {
        ConnectionStage.HEAD: SECONDS_PER_HEAD,
        ConnectionStage.TRANSFER: SECONDS_PER_TRANSFER,
    }
    for connection in list(connections):
        connection.update_stage()
        seconds_in_stage = connection.loop.time() - connection.since
        if (
            connection.stage in most_seconds_by_stage
            and seconds_in_stage > most_seconds_by_stage[connection.stage]
        ):
            close(connections, connection)


class LimitedServer(uvicorn.Server):
    """A uvicorn server that closes slow connections, and accepts a few at once.

    All its connections are `LimitedConnection`s. It looks for slow ones about once a
    second.
    """

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept connections, `Config.backlog` at once.

        `sockets` listen already; the queue of each gets QUEUE places, so that the
        system queues more connections.
        """
        await super().startup(sockets)
        for listening_socket in sockets or ():
            listening_socket.listen(QUEUE)

    async def on_tick(self, counter: int) -> bool:
        """Close slow connections at every tenth tick, about once a second.

        `counter` counts the ticks. Return whether the server should end, as uvicorn
        says.
        """
        if counter % 10 == 0:
            close_slow(cast(set[LimitedConnection], self.server_state.connections))
        return await super().on_tick(counter)
