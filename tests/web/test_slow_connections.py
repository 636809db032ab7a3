"""Who is let go at the shared door: each by the limit of its own stage, in one process."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import uvicorn
from waiting import PATIENCE

from pairopt.web import server
from pairopt.web.server import GRACE, ConnectionLimiter, track_connection_stages

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


async def let_go(expected: set[str]) -> set[str]:
    """Who has been let go once all of those expected have been."""
    config = uvicorn.Config(
        track_connection_stages(site),
        http="h11",
        log_config=None,
        lifespan="off",
        ws="none",
        timeout_keep_alive=PATIENCE,
    )  # type: ignore[arg-type]
    config.load()
    crowd = ConnectionLimiter(uvicorn.Server(config), 64, GRACE)

    def gone() -> set[str]:
        """Of the connections so far, those that the server has no more."""
        here = {each.transport.get_extra_info("peername")[1] for each in crowd.callers}
        return {name for name, port in ports.items() if port not in here}

    ports = dict[str, int]()
    with socket.create_server(("127.0.0.1", 0)) as door:
        tasks, lines = [asyncio.create_task(crowd.serve(door))], []
        for kind in KINDS:
            line = await asyncio.open_connection(*door.getsockname(), limit=2**14)
            while len(crowd.callers) + len(gone()) <= len(ports):
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


@pytest.mark.parametrize(
    ("head", "slow", "expected"),
    [(SHORT, NEVER, names(OF_HEAD)), (NEVER, SHORT, names(OF_SLOW))],
    ids=["head", "body and answer"],
)
def test_each_is_let_go_by_the_limit_of_its_stage(
    head: float, slow: float, expected: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who waits for this program is never let go."""
    monkeypatch.setattr(server, "HEAD", head)
    monkeypatch.setattr(server, "SLOW", slow)
    with ThreadPoolExecutor(
        1
    ) as apart:  # the browser of other tests has a loop in this thread
        assert apart.submit(asyncio.run, let_go(expected)).result() == expected


async def called() -> int:
    config = uvicorn.Config(
        track_connection_stages(site),
        http="h11",
        log_config=None,
        lifespan="off",
        ws="none",
    )  # type: ignore[arg-type]
    config.load()
    crowd = ConnectionLimiter(uvicorn.Server(config), 64, GRACE)
    with socket.create_server(("127.0.0.1", 0)) as door:
        serving = asyncio.create_task(crowd.serve(door))
        _, writer = await asyncio.open_connection(*door.getsockname())
        while not crowd.callers:
            await asyncio.sleep(0.01)
        (caller,) = crowd.callers
        own = caller.transport.get_extra_info("socket")
        writer.close()
        serving.cancel()
        return int(own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))


def test_a_kept_connection_is_answered_without_a_wait_for_its_acknowledgement() -> None:
    with ThreadPoolExecutor(1) as apart:
        assert apart.submit(asyncio.run, called()).result()
