"""Who is let go at the shared door: each by the limit of its own stage, in one process."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import pytest
import uvicorn
from waiting import PATIENCE

from pairopt.web import connections
from pairopt.web.connections import LimitedConnection, LimitedServer

T = TypeVar("T")
SHORT, NEVER = 0.4, float("inf")
GET, POST = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n", b"POST / HTTP/1.1\r\nhost: x\r\n"
LONG, BIG = "/long", "/big"
Line = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def site(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Answers when all of a request has come; LONG never does, BIG is much to read."""
    while (await receive()).get("more_body"):
        pass
    if scope["path"] == LONG:
        await asyncio.sleep(PATIENCE)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(300 if scope["path"] == BIG else 1):
        await send(
            {"type": "http.response.body", "body": b"x" * 2**16, "more_body": True}
        )
    await send({"type": "http.response.body", "body": b""})


async def dripping(line: Line, part: bytes) -> None:
    """Say a part again and again."""
    while True:
        line[1].write(part)
        await asyncio.sleep(0.05)


async def silent(line: Line) -> None:
    """Say nothing."""


async def letter_by_letter(line: Line) -> None:
    await dripping(line, b"G")


async def letter_by_letter_once_answered(line: Line) -> None:
    line[1].write(GET)
    answer = b""
    while not answer.endswith(b"\r\n0\r\n\r\n"):
        answer += await line[0].read(2**16)
    await dripping(line, b"G")


async def body_by_body(line: Line) -> None:
    line[1].write(POST + b"content-length: 99999\r\n\r\n")
    await dripping(line, b"x")


async def unread(line: Line) -> None:
    """Ask for much, and read none of it."""
    line[1].write(GET.replace(b"/ ", BIG.encode() + b" "))
    line[1].transport.pause_reading()  # type: ignore[attr-defined]


async def waiting(line: Line) -> None:
    """Wait for an answer that this program has not made yet."""
    line[1].write(GET.replace(b"/ ", LONG.encode() + b" "))


OF_HEAD = [silent, letter_by_letter, letter_by_letter_once_answered]
OF_SLOW = [body_by_body, unread]
KINDS: list[Callable[[Line], Awaitable[None]]] = [*OF_HEAD, *OF_SLOW, waiting]


def names(kinds: list[Callable[[Line], Awaitable[None]]]) -> set[str]:
    return {kind.__name__ for kind in kinds}


@asynccontextmanager
async def started(
    limit: int = 64,
) -> AsyncIterator[tuple[LimitedServer, socket.socket]]:
    """A server of the site, with at most so many connections, and its socket."""
    config = uvicorn.Config(
        site,  # type: ignore[arg-type]
        http=LimitedConnection,
        limit_concurrency=limit,
        log_config=None,
        lifespan="off",
        ws="none",
        timeout_keep_alive=PATIENCE,
    )
    server = LimitedServer(config)
    with socket.create_server(("127.0.0.1", 0)) as door:
        serving = asyncio.create_task(server.serve(sockets=[door]))
        try:
            while not server.started:
                await asyncio.sleep(0)
            yield server, door
        finally:
            serving.cancel()


async def let_go(expected: set[str]) -> set[str]:
    """Who has been let go once all of those expected have been."""
    ports = dict[str, int]()
    tasks = []
    lines = []
    async with started() as (server, door):
        here = server.server_state.connections

        def gone() -> set[str]:
            """Of the connections so far, those that the server has no more."""
            present = {each.client[1] for each in here if each.client}
            return {name for name, port in ports.items() if port not in present}

        for kind in KINDS:
            line = await asyncio.open_connection(*door.getsockname(), limit=2**14)
            while len(here) + len(gone()) <= len(ports):
                await asyncio.sleep(0)
            ports[kind.__name__] = line[1].get_extra_info("sockname")[1]
            lines.append(line)
            tasks.append(asyncio.create_task(kind(line)))
        async with asyncio.timeout(PATIENCE / 5):
            while not expected <= gone():
                await asyncio.sleep(0.02)
        found = gone()
        for task in tasks:
            task.cancel()
        for _, writer in lines:
            writer.close()
    return found


@pytest.mark.long
@pytest.mark.parametrize(
    ("head", "slow", "expected"),
    [(SHORT, NEVER, names(OF_HEAD)), (NEVER, SHORT, names(OF_SLOW))],
    ids=["head", "body and answer"],
)
def test_each_is_let_go_by_the_limit_of_its_stage(
    head: float, slow: float, expected: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who waits for this program is never let go."""
    monkeypatch.setattr(connections, "SECONDS_PER_HEAD", head)
    monkeypatch.setattr(connections, "SECONDS_PER_TRANSFER", slow)
    assert run(let_go(expected)) == expected


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run it in a thread of its own: the browser of other tests has a loop in this one."""
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(asyncio.run, work).result()


async def find_nodelay() -> int:
    async with started() as (server, door):
        _, writer = await asyncio.open_connection(*door.getsockname())
        while not server.server_state.connections:
            await asyncio.sleep(0.01)
        (connection,) = server.server_state.connections
        own = connection.transport.get_extra_info("socket")
        found = int(own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()
        return found


def test_a_kept_connection_is_answered_without_a_wait_for_its_acknowledgement() -> None:
    assert run(find_nodelay())


async def count_answers(requests: int, at_once: bool) -> int:
    """Send requests on one connection, all in advance or each after an answer."""
    async with started() as (_, door):
        reader, writer = await asyncio.open_connection(*door.getsockname(), limit=2**17)
        if at_once:
            last = GET.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n")
            writer.write((requests - 1) * GET + last)
            answers = (await reader.read()).count(b"200 OK")
        else:
            answers = 0
            for _ in range(requests):
                writer.write(GET)
                answer = await reader.readuntil(b"\r\n0\r\n\r\n")
                answers += answer.count(b"200 OK")
        writer.close()
        return answers


def test_requests_sent_in_advance_get_one_answer() -> None:
    assert run(count_answers(5, at_once=True)) == 1
    assert run(count_answers(5, at_once=False)) == 5


async def fill(limit: int, head: bytes) -> tuple[int, bytes]:
    """Fill a server. Returns its connections then, and how it answers a newcomer."""
    writers = []
    async with started(limit) as (server, door):
        for _ in range(3 * limit):
            _, writer = await asyncio.open_connection(*door.getsockname())
            writer.write(head)
            writers.append(writer)
        async with asyncio.timeout(PATIENCE / 5):
            while len(server.server_state.connections) < limit // 2:
                await asyncio.sleep(0.02)
        count = len(server.server_state.connections)
        reader, writer = await asyncio.open_connection(*door.getsockname())
        writer.write(GET)
        writers.append(writer)
        try:
            answer = await reader.read(12)
        except ConnectionResetError:
            answer = b""
        for writer in writers:
            writer.close()
        return count, answer


@pytest.mark.long
@pytest.mark.parametrize(
    ("head", "answer"),
    [
        (b"", b"HTTP/1.1 200"),
        (b"GET /", b"HTTP/1.1 200"),
        (POST + b"content-length: 9\r\n\r\n", b"HTTP/1.1 200"),
        (GET.replace(b"/ ", LONG.encode() + b" "), b""),
    ],
    ids=["silent", "head", "body", "waiting"],
)
def test_a_full_server_closes_who_does_not_wait_for_it(
    head: bytes, answer: bytes
) -> None:
    count, found = run(fill(32, head))
    assert count <= 32
    assert found == answer
