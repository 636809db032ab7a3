"""Serve the JSON API for programs on a port of this machine.

The server keeps no state. It answers many requests at once, each of them by itself and
within a time limit.
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

# More than one thread, so that a small round does not wait for a large one.
WORKERS = 2
# Requests that are being answered or wait for a thread.
MOST_AT_ONCE = 64
# Seconds beyond a request's own time limit in which it may still be answered.
GRACE = 1.0


@dataclass
class ApiApplication:
    """ASGI application that answers the requests of the JSON API in a pool of threads.

    `waiting` counts the requests that are not answered yet, and `pool` has the threads
    that compute the answers.
    """

    waiting: int = 0
    pool: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(WORKERS)
    )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or refuse it.

        It is refused with 404 if it is no POST to PATH, and with 503 if MOST_AT_ONCE
        requests wait already.
        """
        if scope["path"] != PATH or scope["method"] != "POST":
            http_response = refuse_with_json(404, f"Requests are posted to {PATH}.")
        elif self.waiting >= MOST_AT_ONCE:
            busy_error = InputError("", "request.busy", most=MOST_AT_ONCE)
            http_response = _make_json_response(503, refusal(busy_error))
        else:
            self.waiting += 1
            try:
                http_response = await self._answer(await Request(scope, receive).body())
            finally:
                self.waiting -= 1
        await http_response(scope, receive, send)

    async def _answer(self, body: bytes) -> Response:
        """Return the answer to the body of a request.

        The status is 200 for a result, 422 for a faulty request, 503 if time was up,
        and 500 for an internal error, which is also printed to stderr.
        """
        try:
            pool_computation = asyncio.get_running_loop().run_in_executor(
                self.pool, reply_to, body
            )
            computed_reply = await asyncio.wait_for(pool_computation, SECONDS + GRACE)
        except TimeoutError:
            answer_error = InputError("", "request.time_up", seconds=SECONDS)
            return _make_json_response(503, refusal(answer_error))
        # The client does not learn the details of an internal error.
        except Exception:
            traceback.print_exc()
            return _make_json_response(500, refusal(InputError("", "request.internal")))
        return _make_json_response(
            200 if computed_reply.result else 422, computed_reply
        )


def _make_json_response(status: int, reply: ApiResponse) -> Response:
    """Return a reply of the API as an HTTP response with this status."""
    return Response(reply.text, status, media_type="application/json")


def refuse_with_json(status: int, reason: str) -> Response:
    """Return the answer to a refused request, with the reason as JSON.

    `status` is the HTTP status, and `reason` a sentence.
    """
    refusal_error = InputError("", "request.refused", why=reason)
    return _make_json_response(status, refusal(refusal_error))


def build_api(hosts: Container[str]) -> ASGIApp:
    """Return the application of the JSON API as it is served, with its guard.

    `hosts` are the names, with ports, that requests may be addressed to.
    """
    return RequestGuard(ApiApplication(), hosts, refuse_with_json, has_pages=False)
