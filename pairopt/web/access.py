"""Protect the organiser's pages from other web sites, and give players' phones read access.

A page of another site can send requests to this machine. With a host name of its own that
points here (DNS rebinding) it can read the answers too. So the host must be one of ours,
and a request that changes something must come from one of our own pages. If the event is
shared on the network, everybody may read there, and whoever has the secret may change it.
"""

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
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

# The path of the link for an organiser's second laptop.
ORGANISER = "organiser"
METHODS = ("GET", "HEAD", "POST")
NOT_ALLOWED = 405
ALLOW = {"allow": ", ".join(METHODS)}
SECURITY: Mapping[str, str] = read_package_toml("pairopt.web", "security.toml")


NOT_FOUND = 404
NOWHERE = (
    Path(__file__).with_name("templates").joinpath("nowhere.html").read_text("utf-8")
)


def refuse(status: int, reason: str) -> Response:
    """Return the answer to a refused request: the reason as plain text.

    Status 404 gets the page "no such page" instead, and 405 also names the methods.
    """
    if status == NOT_FOUND:
        return HTMLResponse(NOWHERE, status)
    method_headers = ALLOW if status == NOT_ALLOWED else None
    return PlainTextResponse(reason, status, method_headers)


def show_nowhere(_request: Request, _error: Exception) -> Response:
    """Return the page "no such page" with status 404, whatever was asked.

    It is an error handler for applications that have no such page of their own.
    """
    return HTMLResponse(NOWHERE, NOT_FOUND)


class RequestGuard:
    """ASGI middleware that refuses unsafe requests and secures answers by headers.

    It refuses requests to a host that is not among `hosts` (names with ports), other
    methods than METHODS, requests that another site sends, bodies without a length or
    that are too large, and numbers in the address that are out of range. `refuse` gets
    the HTTP status and the reason, and builds the answer. Without `has_pages` the
    application has no pages of its own, and only programs may post to it.
    `largest_bodies` are the most bytes of a multipart body by the paths of forms for
    large files; all others have LARGEST_BODY.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Container[str],
        refuse: Callable[[int, str], Response] = refuse,
        has_pages: bool = True,
        largest_bodies: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self.app = app
        self.largest_bodies = largest_bodies
        self.hosts = hosts
        self.refuse = refuse
        self.has_pages = has_pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request; pass anything else on to the application unchanged.

        A request that is refused does not reach the application.
        """
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            """Send a message of the answer, with the security headers."""
            if message["type"] == "http.response.start":
                answer_headers = MutableHeaders(scope=message)
                for header_name, header_value in SECURITY.items():
                    answer_headers[header_name] = header_value
                answer_headers.setdefault("cache-control", "no-store")
            await send(message)

        status_and_reason = self._find_refusal(scope)
        answering_app = (
            self.app if status_and_reason is None else self.refuse(*status_and_reason)
        )
        await answering_app(scope, receive, send_with_headers)

    def _find_refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return the HTTP status and the reason to refuse a request, or None.

        `scope` is the request's ASGI scope. None means that it is safe. It checks the
        host, the method, the origin, the size of the body, and numbers in the address.
        """
        request_headers = Headers(scope=scope)
        requested_host = request_headers.get("host", "")
        if requested_host not in self.hosts:
            return 421, "This address is not served here."
        if scope["method"] not in METHODS:
            return NOT_ALLOWED, "This cannot be done here."

        origin_refusal = self._find_origin_refusal(
            scope["method"], requested_host, request_headers
        )
        if origin_refusal is not None:
            return origin_refusal

        # A body in chunks does not say its length.
        if "transfer-encoding" in request_headers:
            return 411, "This has to say how long it is."
        request_path = scope["path"].removeprefix(scope.get("root_path", ""))
        most_bytes = LARGEST_BODY
        # Only the files of a multipart form are written to the disk while they arrive.
        if (
            request_headers.get("content-type", "")
            .lower()
            .startswith("multipart/form-data")
        ):
            most_bytes = self.largest_bodies.get(request_path, LARGEST_BODY)
        if parse_digits(request_headers.get("content-length", "0"), most_bytes) is None:
            return 413, f"This is too large: at most {most_bytes >> 20} MB are taken."
        if _has_bad_number(QueryParams(scope["query_string"])):
            return NOT_FOUND, "There is no such page."
        return None

    def _find_origin_refusal(
        self, method: str, host: str, headers: Headers
    ) -> tuple[int, str] | None:
        """Return the HTTP status and the reason if another site sent the request.

        None if it did not. A POST has to come from this site's pages, or without
        `has_pages` from no page at all. Other requests are refused if another site
        loads them, for example as a picture; a link from another site is no reason to
        refuse. `host` is that of the request, with its port.
        """
        fetch_site = headers.get("sec-fetch-site")
        if method == "POST":
            expected_origin = f"http://{host}" if self.has_pages else None
            is_same_origin = headers.get("origin") == expected_origin
            if not is_same_origin or fetch_site not in (None, "same-origin"):
                return 403, "Only this page itself may change something."
            return None

        is_from_other_site = fetch_site in ("cross-site", "same-site")
        if is_from_other_site and headers.get("sec-fetch-dest") != "document":
            return 403, "Other pages may only link to this one."
        return None


def _has_bad_number(query: QueryParams) -> bool:
    """Return whether a number in the query of an address is out of its range.

    Text that is no number counts, too. `IN_ADDRESSES` has the ranges by parameter;
    other parameters, and empty ones, are ignored.
    """
    for parameter_name, number_text in query.multi_items():
        if not number_text or parameter_name not in IN_ADDRESSES:
            continue
        if parse_integer_in(number_text, IN_ADDRESSES[parameter_name]) is None:
            return True
    return False


def guarded_application(
    routes: Sequence[BaseRoute],
    hosts: Container[str],
    largest_bodies: Mapping[str, int] = MappingProxyType({}),
    **options: Any,
) -> Starlette:
    """Return a Starlette application with a request guard and compressed answers.

    Parameters
    ----------
    routes : sequence of BaseRoute
        The routes of the application.
    hosts : container of str
        The names, with ports, that requests may be addressed to.
    largest_bodies : mapping of str to int
        The most bytes of a body by the paths of forms for large files.
    **options
        Further options of Starlette, but for `routes` and `middleware`.
    """
    guard_middleware = [
        Middleware(RequestGuard, hosts=hosts, largest_bodies=largest_bodies),
        Middleware(GZipMiddleware, compresslevel=5),
    ]
    return Starlette(routes=routes, middleware=guard_middleware, **options)


@dataclass(frozen=True)
class NetworkShare:
    """The port on which the event is shared on the network, and the organiser's secret.

    `port` is the one that all phones use. `secret` is a random text that makes a
    browser the organiser's; by default a new one is made.
    """

    port: int
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)

    @property
    def address(self) -> str:
        """The address at which phones on the network find the event, for this moment.

        It has this machine's IP address, which can change.
        """
        return f"http://{find_network_address()}:{self.port}/"

    @property
    def cookie(self) -> str:
        """The name of the cookie with the secret, for this port alone.

        Browsers send the cookies of a host to all of its ports.
        """
        return f"{ORGANISER}-{self.port}"

    @property
    def link(self) -> str:
        """The link that makes another laptop the organiser's, with the secret in it.

        Players must not see it.
        """
        return f"{self.address}{ORGANISER}/{self.secret}"

    def is_secret(self, text: str) -> bool:
        """Return whether this text is the secret, in a time that reveals nothing of it."""
        return hmac.compare_digest(text.encode(), self.secret.encode())


@dataclass(frozen=True, slots=True)
class AllowedHosts(Container[str]):
    """Hosts at which a shared port may be asked: IP addresses, this machine's names.

    `port` is the shared port. A page of another site can let a host name of its own
    point here, but not an IP address. `other_hosts` are allowed, too; they have ports
    of their own.
    """

    port: int
    other_hosts: frozenset[str] = frozenset()

    def __contains__(self, host: object) -> bool:
        """Return whether requests may be addressed to a host, written "name:port".

        IP addresses, localhost and this machine's name are allowed with the port.
        """
        host_name, _, host_port = str(host).rpartition(":")
        if host in self.other_hosts:
            return True
        if host_port != str(self.port):
            return False

        try:
            ipaddress.ip_address(host_name.strip("[]"))
        except ValueError:
            machine_name = socket.gethostname().casefold()
            return host_name.casefold() in (
                "localhost",
                machine_name,
                f"{machine_name}.local",
            )
        return True


@dataclass(frozen=True, slots=True)
class PageAccess:
    """ASGI application that chooses between the organiser's pages and the phones'.

    `organiser` and `phones` are the two applications, and `share` has the port and the
    secret. On the shared port only a browser with the secret in its cookie gets the
    organiser's pages.
    """

    organiser: ASGIApp
    phones: ASGIApp
    share: NetworkShare

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request with the organiser's pages, or with those of the phones.

        Which of them depends on whether the request is from the organiser.
        """
        answering_app = (
            self.organiser if self._is_from_organiser(scope) else self.phones
        )
        await answering_app(scope, receive, send)

    def _is_from_organiser(self, scope: Scope) -> bool:
        """Return whether a request has the secret, or came to the organiser's own port.

        The link with the secret itself is False: the phones' pages answer it.
        """
        if scope["type"] != "http" or scope["server"][1] != self.share.port:
            return True
        if scope["path"].startswith(f"/{ORGANISER}/"):
            return False
        sent_secret = HTTPConnection(scope).cookies.get(self.share.cookie, "")
        return self.share.is_secret(sent_secret)


def find_network_address() -> str:
    """Return this machine's IP address on its network, as text.

    It is "127.0.0.1" without a network. Nothing is sent.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe_socket:
        try:
            # Nothing is sent: the system only chooses an address to send from.
            probe_socket.connect(("10.255.255.255", 9))
        except OSError:
            return "127.0.0.1"
        return str(probe_socket.getsockname()[0])
