"""Guard: what no page of somebody else may do with this one.

A page of another site can send requests to this machine, and with a name of its own that points
here (DNS rebinding) read the answers too. So the host must be one of ours, and what changes
something must come from one of our own pages. Where there is a second door to the network, all may
read there, and who has the secret may do more.
"""

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pairopt.common.limits import (
    IN_ADDRESSES,
    LARGEST_BODY,
    parse_digits,
    parse_integer_in,
)
from pairopt.common.serialization import read_package_toml

ORGANISER = "organiser"  # the path of the link for an organiser's second laptop
METHODS = ("GET", "HEAD", "POST")
NOT_ALLOWED, ALLOW = 405, {"allow": ", ".join(METHODS)}
SECURITY: Mapping[str, str] = read_package_toml("pairopt.web", "security.toml")


NOT_FOUND = 404
NOWHERE = (
    Path(__file__).with_name("templates").joinpath("nowhere.html").read_text("utf-8")
)


def refuse(code: int, why: str) -> Response:
    """Answer a request that is not in order: in a sentence, or with the page for no page."""
    if code == NOT_FOUND:
        return HTMLResponse(NOWHERE, code)
    return PlainTextResponse(why, code, ALLOW if code == NOT_ALLOWED else None)


def show_nowhere(_request: Request, _error: Exception) -> Response:
    """Answer an address that there is not, for applications without pages of their own for it."""
    return HTMLResponse(NOWHERE, NOT_FOUND)


class RequestGuard:
    """Passes on the requests that are in order, and adds what browsers must keep to. `hosts` are
    the names with ports under which they may ask; `refused` answers the others. Without `pages`
    of ours only programs may.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Container[str],
        refused: Callable[[int, str], Response] = refuse,
        pages: bool = True,
    ) -> None:
        self.app, self.hosts, self.refused, self.pages = app, hosts, refused, pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request; anything but http is the server's own business."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        why = self._refusal(scope)
        await (self.app if why is None else self.refused(*why))(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Status and reason for a request that is not in order, None for one that is."""
        headers = Headers(scope=scope)
        host, site = headers.get("host", ""), headers.get("sec-fetch-site")
        if host not in self.hosts:
            return 421, "This address is not served here."
        if scope["method"] not in METHODS:
            return NOT_ALLOWED, "This cannot be done here."
        if scope["method"] == "POST":
            own = headers.get("origin") == (f"http://{host}" if self.pages else None)
            if not own or site not in (None, "same-origin"):
                return 403, "Only this page itself may change something."
        elif (
            site in ("cross-site", "same-site")
            and headers.get("sec-fetch-dest") != "document"
        ):
            return 403, "Other pages may only link to this one."
        if "transfer-encoding" in headers:  # a body whose end nobody knows
            return 411, "This has to say how long it is."
        if parse_digits(headers.get("content-length", "0"), LARGEST_BODY) is None:
            return 413, "This is too large: at most 5 MB are taken."
        for name, text in QueryParams(scope["query_string"]).multi_items():
            if (
                text
                and name in IN_ADDRESSES
                and parse_integer_in(text, IN_ADDRESSES[name]) is None
            ):
                return NOT_FOUND, "There is no such page."
        return None


def guarded_application(
    routes: Sequence[BaseRoute], hosts: Container[str], **more: Any
) -> Starlette:
    """The application of these routes, guarded, whose pages are sent compressed."""
    first = [
        Middleware(RequestGuard, hosts=hosts),
        Middleware(GZipMiddleware, compresslevel=5),
    ]
    return Starlette(routes=routes, middleware=first, **more)


@dataclass(frozen=True)
class NetworkShare:
    """A door to the network: its port, and the secret of an organiser's link."""

    port: int
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)

    @property
    def address(self) -> str:
        return f"http://{own_address()}:{self.port}/"

    @property
    def cookie(self) -> str:
        """The cookie that the link sets, of this port alone: browsers do not keep ports apart."""
        return f"{ORGANISER}-{self.port}"

    @property
    def link(self) -> str:
        """What makes another laptop the organiser's; to be kept from players."""
        return f"{self.address}{ORGANISER}/{self.secret}"

    def knows(self, secret: str) -> bool:
        """Whether this is the secret, in a time that tells nothing of it."""
        return hmac.compare_digest(secret.encode(), self.secret.encode())


@dataclass(frozen=True, slots=True)
class AllowedHosts(Container[str]):
    """The hosts under which a shared door may be asked for: any number, and this machine's name. A
    page of somebody else can point a name of its own here, but not a number. `more` are others.
    """

    port: int
    more: frozenset[str] = frozenset()

    def __contains__(self, host: object) -> bool:
        name, _, port = str(host).rpartition(":")
        if host in self.more or port != str(self.port):
            return host in self.more
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            own = socket.gethostname().casefold()
            return name.casefold() in ("localhost", own, f"{own}.local")
        return True


@dataclass(frozen=True, slots=True)
class PageAccess:
    """Which pages answer: on the shared port the phones', but for who has the secret."""

    organiser: ASGIApp
    phones: ASGIApp
    share: NetworkShare

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self.organiser if self._organises(scope) else self.phones
        await app(scope, receive, send)

    def _organises(self, scope: Scope) -> bool:
        if scope["type"] != "http" or scope["server"][1] != self.share.port:
            return True
        if scope["path"].startswith(f"/{ORGANISER}/"):
            return False
        return self.share.knows(
            HTTPConnection(scope).cookies.get(self.share.cookie, "")
        )


def own_address() -> str:
    """This machine's address on its network; that of the machine itself where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(
                ("10.255.255.255", 9)
            )  # nothing is sent: it only picks an address
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])
