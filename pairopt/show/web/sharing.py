"""Sharing: a second door to the network, where all may read and who has the secret may do more."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Container
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

ORGANISER = "organiser"
"""The cookie of an organiser's second laptop, and the path of the link that sets it."""


@dataclass(frozen=True)
class Share:
    """A door to the network: its port, and the secret of an organiser's link."""

    port: int
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)

    @property
    def address(self) -> str:
        """Where phones find the pages."""
        return f"http://{own_address()}:{self.port}/"

    @property
    def link(self) -> str:
        """What makes another laptop the organiser's; to be kept from players."""
        return f"{self.address}{ORGANISER}/{self.secret}"

    def knows(self, secret: str) -> bool:
        """Whether this is the secret, in a time that tells nothing of it."""
        return hmac.compare_digest(secret.encode(), self.secret.encode())


@dataclass(frozen=True, slots=True)
class Addresses(Container[str]):
    """The hosts under which a shared door may be asked for: any number, and this machine's name.

    A page of somebody else can point a name of its own here, but not a number. `more` are others.
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
class Doors:
    """Which pages answer: on the shared port the phones', but for who has the secret."""

    organiser: ASGIApp
    phones: ASGIApp
    share: Share

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        app = self.organiser if self._organises(scope) else self.phones
        await app(scope, receive, send)

    def _organises(self, scope: Scope) -> bool:
        if scope["type"] != "http" or scope["server"][1] != self.share.port:
            return True
        if scope["path"].startswith(f"/{ORGANISER}/"):
            return False
        try:
            cookies = SimpleCookie(Headers(scope=scope).get("cookie", ""))
        except CookieError:
            return False
        return ORGANISER in cookies and self.share.knows(cookies[ORGANISER].value)


def own_address() -> str:
    """This machine's address on its network; that of the machine itself where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("10.255.255.255", 9))  # nothing is sent: it only picks an address
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])
