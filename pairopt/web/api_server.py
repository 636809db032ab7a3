"""API: the door for programs on a port of this machine. It keeps no state: each request is answered
by itself, so many at once, and none for longer than a limit.
"""

import asyncio
import traceback
from collections.abc import Container
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from pairopt.api.request import SECONDS
from pairopt.api.response import ApiResponse, refusal, reply_to
from pairopt.errors import InputError
from pairopt.web.access import RequestGuard

PATH = "/pair"
WORKERS, MOST_AT_ONCE = 2, 64
"""Threads, so that a large round is not waited for; requests, of which others wait for these."""
GRACE = 1.0  # seconds after those that a request has, in which it may still be answered


@dataclass
class ApiApplication:
    """The application."""

    waiting: int = 0
    pool: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(WORKERS)
    )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] != PATH or scope["method"] != "POST":
            answer = refused(404, f"Requests are posted to {PATH}.")
        elif self.waiting >= MOST_AT_ONCE:
            answer = _told(
                503, refusal(InputError("", "request.busy", most=MOST_AT_ONCE))
            )
        else:
            self.waiting += 1
            try:
                answer = await self._answer(await Request(scope, receive).body())
            finally:
                self.waiting -= 1
        await answer(scope, receive, send)

    async def _answer(self, raw: bytes) -> Response:
        try:
            paired = asyncio.get_running_loop().run_in_executor(
                self.pool, reply_to, raw
            )
            reply = await asyncio.wait_for(paired, SECONDS + GRACE)
        except TimeoutError:
            return _told(
                503, refusal(InputError("", "request.time_up", seconds=SECONDS))
            )
        except Exception:  # a fault of ours is not told in full
            traceback.print_exc()
            return _told(500, refusal(InputError("", "request.internal")))
        return _told(200 if reply.result else 422, reply)


def _told(status: int, reply: ApiResponse) -> Response:
    return Response(reply.text, status, media_type="application/json")


def refused(status: int, why: str) -> Response:
    return _told(status, refusal(InputError("", "request.refused", why=why)))


def api(hosts: Container[str]) -> ASGIApp:
    """The application as it is served; `hosts` are the names, with ports, of its addresses."""
    return RequestGuard(ApiApplication(), hosts, refused, pages=False)
