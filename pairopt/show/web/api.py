"""API: the door for programs on a port of this machine. It keeps no state: each request is answered
by itself, so many at once, and none for longer than a limit."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Container
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pairopt.errors import InputError
from pairopt.show.door.answer import Reply, refusal, reply_to
from pairopt.show.door.request import SECONDS
from pairopt.show.web.guard import Guard

PATH = "/pair"
WORKERS, MOST_AT_ONCE = 2, 64
"""Threads, so that a large round is not waited for; requests, of which others wait for these."""
GRACE = 1.0  # seconds after those that a request has, in which it may still be answered
UNPROCESSABLE, INTERNAL, BUSY = 422, 500, 503


def api(hosts: Container[str]) -> Starlette:
    """The application; `hosts` are the names, with ports, under which it may be asked."""
    pool, waiting = ThreadPoolExecutor(WORKERS, "pairing"), set[Request]()
    return Starlette(
        routes=[Route(PATH, partial(_pair, pool, waiting), methods=["POST"])],
        middleware=[Middleware(Guard, hosts=hosts, refused=_refused, pages=False)],
        exception_handlers={HTTPException: _none_such},
    )  # fmt: skip


async def _pair(pool: ThreadPoolExecutor, waiting: set[Request], request: Request) -> Response:
    if len(waiting) >= MOST_AT_ONCE:
        return _said(BUSY, refusal(InputError("", "request.busy", most=MOST_AT_ONCE)))
    waiting.add(request)
    try:
        asked = asyncio.get_running_loop().run_in_executor(pool, reply_to, await request.body())
        reply = await asyncio.wait_for(asked, SECONDS + GRACE)
    except TimeoutError:
        error = InputError("", "request.time_up", seconds=SECONDS)
        return _said(BUSY, refusal(error))
    except Exception:  # a fault of ours is not told in full
        traceback.print_exc()
        return _said(INTERNAL, refusal(InputError("", "request.internal")))
    finally:
        waiting.discard(request)
    return _said(200 if reply.result else UNPROCESSABLE, reply)


def _said(status: int, reply: Reply) -> Response:
    return Response(reply.text, status, media_type="application/json")


def _refused(status: int, text: str) -> Response:
    return _said(status, refusal(InputError("", "request.refused", why=text)))


def _none_such(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _refused(error.status_code, error.detail)
