"""Evening: several events at one address, which lead to each other; and how one more is begun."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, field
from functools import partial

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pairopt.show.web.guard import ORGANISER, Addresses, Guard, Share
from pairopt.show.web.pages import rendered
from pairopt.show.web.phones import Board, entered
from pairopt.show.web.site import ROOT, Evening, Site

SEE_OTHER = 303
ANOTHER = f"{ROOT}/another"


@dataclass(frozen=True, slots=True)
class Fork:
    """Leads what is asked for to the event whose root it begins with, and that event's answers back
    below its root; the rest to the event that has none, or to the evening's own pages."""

    evening: Evening
    made: Callable[[Site, Board], ASGIApp]
    own: ASGIApp
    boards: dict[str, Board] = field(default_factory=dict)
    apps: dict[str, ASGIApp] = field(default_factory=dict)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        path = scope.get("path", "")
        within = [each for each in self.evening.sites if path.startswith(f"{each.root}/")]
        site = max(within, key=lambda each: len(each.root), default=None)
        if site is None or path in (ROOT, ANOTHER):
            await self.own(scope, receive, send)
            return
        if site.root not in self.apps:
            board = self.boards.setdefault(site.root, Board(site))
            self.apps[site.root] = self.made(site, board)

        async def rooted(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name in ("location", "hx-push-url"):
                    to = headers.get(name, "")
                    if to.startswith("/") and not to.startswith(ROOT):
                        headers[name] = f"{site.root}{to}"
            await send(message)

        inner = {**scope, "path": path[len(site.root) :], "raw_path": None}
        await self.apps[site.root](inner, receive, rooted)


def front(evening: Evening, static: BaseRoute, hosts: Container[str]) -> Starlette:
    """The organiser's pages of the evening itself."""
    site = Site(evening.home, evening.share, evening=evening)
    routes = [
        Route("/", lambda _: RedirectResponse(ROOT, SEE_OTHER)),
        Route("/screen", partial(_onward, evening)),
        Route(ROOT, partial(_events, site)),
        Route(ANOTHER, partial(_another, evening), methods=["POST"]),
        static,
    ]
    return Starlette(routes=routes, middleware=[Middleware(Guard, hosts=hosts)])


def entrance(evening: Evening, share: Share, static: BaseRoute) -> Starlette:
    """The way in for phones: any event finds the names of all."""
    routes = [
        Route("/", partial(_onward, evening), methods=["GET"]),
        Route("/screen", partial(_onward, evening), methods=["GET"]),
        Route(f"/{ORGANISER}/{{secret}}", partial(entered, share), methods=["GET"]),
        static,
    ]
    return Starlette(routes=routes, middleware=[Middleware(Guard, hosts=Addresses(share.port))])


def _onward(evening: Evening, request: Request) -> Response:
    """To the same page of the first event."""
    there = [each.root for each in evening.sites if each.founded] or [ROOT]
    return RedirectResponse(f"{there[0]}{request.url.path}", SEE_OTHER)


def _events(site: Site, request: Request) -> Response:
    """All events of the evening, and how another is begun."""
    there = [each for each in site.evening.sites if each.founded]
    return rendered(site, request, "event.html", title="Events", events=there, refused=None)


async def _another(evening: Evening, request: Request) -> Response:
    """A further event: its page asks for the players."""
    form = await request.form()
    name = str(form.get("name", "")).strip()
    site = evening.begun(name)
    return RedirectResponse(f"{site.root}/new", SEE_OTHER)
