"""Who is let go at the shared door, and when: seconds made short, in one process."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import uvicorn

from pairopt.show.web import serving
from pairopt.show.web.serving import GRACE, Crowd, staged

HEAD, SLOW = 0.4, 1.6
GET, POST = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n", b"POST / HTTP/1.1\r\nhost: x\r\n"
LONG, BIG = "/long", "/big"
Line = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def site(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Answers when all of a request has come; LONG takes its time, BIG is much to read."""
    while (await receive()).get("more_body"):
        pass
    if scope["path"] == LONG:
        await asyncio.sleep(2 * SLOW)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(300 if scope["path"] == BIG else 1):
        await send({"type": "http.response.body", "body": b"x" * 2**16, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def ended(line: Line) -> float:
    """Seconds until the other end has gone, with all that it has said before."""
    begun = asyncio.get_running_loop().time()
    try:
        while await line[0].read(2**16):
            pass
    except ConnectionError:
        pass
    return asyncio.get_running_loop().time() - begun


async def dripping(line: Line, part: bytes) -> float:
    """The same while a part is said again and again."""
    left = asyncio.ensure_future(ended(line))
    while not left.done():
        line[1].write(part)
        await asyncio.wait([left], timeout=0.05)
    return left.result()


async def silent(line: Line) -> float:
    return await ended(line)


async def letter_by_letter(line: Line) -> float:
    return await dripping(line, b"G")


async def letter_by_letter_once_answered(line: Line) -> float:
    line[1].write(GET)
    answer = b""
    while not answer.endswith(b"\r\n0\r\n\r\n"):
        answer += await line[0].read(2**16)
    return await dripping(line, b"G")


async def body_by_body(line: Line) -> float:
    line[1].write(POST + b"content-length: 99999\r\n\r\n")
    return await dripping(line, b"x")


async def unread(line: Line) -> float:
    """Who asks for much, and reads none of it for longer than anybody may take."""
    line[1].write(GET.replace(b"/ ", BIG.encode() + b" "))
    line[1].transport.pause_reading()  # type: ignore[attr-defined]
    await asyncio.sleep(SLOW + 2)
    line[1].transport.resume_reading()  # type: ignore[attr-defined]
    return SLOW + 2 + await ended(line)


async def waiting(line: Line) -> float:
    line[1].write(GET.replace(b"/ ", LONG.encode() + b" "))
    said = await line[0].readuntil(b"\r\n")
    assert b"200" in said, "who waits for this program is not let go"
    return 2 * SLOW


KINDS: dict[Callable[[Line], Awaitable[float]], float] = {
    silent: HEAD, letter_by_letter: HEAD, letter_by_letter_once_answered: HEAD,
    body_by_body: SLOW, unread: SLOW, waiting: 2 * SLOW,
}  # fmt: skip
"""After how many seconds each is let go, or a little later."""
NEVER = 20


async def all_at_once() -> dict[str, float]:
    config = uvicorn.Config(staged(site), http="h11", log_config=None, lifespan="off", ws="none",
                            timeout_keep_alive=10 * NEVER)  # type: ignore[arg-type]  # fmt: skip
    config.load()
    with socket.create_server(("127.0.0.1", 0)) as door:
        serving = asyncio.create_task(Crowd(uvicorn.Server(config), 64, GRACE).serve(door))
        lines = [await asyncio.open_connection(*door.getsockname(), limit=2**14) for _ in KINDS]
        each = [asyncio.wait_for(kind(line), NEVER)
                for kind, line in zip(KINDS, lines, strict=True)]  # fmt: skip
        taken = await asyncio.gather(*each)
        for _, writer in lines:
            writer.close()
        serving.cancel()
    return {kind.__name__: seconds for kind, seconds in zip(KINDS, taken, strict=True)}


def test_who_takes_too_long_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "HEAD", HEAD)
    monkeypatch.setattr(serving, "SLOW", SLOW)
    with ThreadPoolExecutor(1) as apart:  # the browser of other tests has a loop in this thread
        taken = apart.submit(asyncio.run, all_at_once()).result()
    for kind, least in KINDS.items():
        assert taken[kind.__name__] >= least - 0.1, kind.__name__


async def called() -> int:
    config = uvicorn.Config(staged(site), http="h11", log_config=None, lifespan="off", ws="none")  # type: ignore[arg-type]
    config.load()
    crowd = Crowd(uvicorn.Server(config), 64, GRACE)
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
