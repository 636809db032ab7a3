"""Evening: several events at one address, which lead to each other; and how one more is begun."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
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
from pairopt.show.web.phones import entered
from pairopt.show.web.site import ROOT, Evening, Site

SEE_OTHER = 303
ANOTHER = f"{ROOT}/another"


@dataclass(frozen=True, slots=True)
class Fork:
    """Leads what is asked for to the event whose root it begins with, and that event's answers back
    below its root; the rest to the event that has none, or to the evening's own pages."""

    evening: Evening
    app: Callable[[Site], ASGIApp]
    own: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        path = scope.get("path", "")
        within = [each for each in self.evening.sites if path.startswith(f"{each.root}/")]
        if not within or path in (ROOT, ANOTHER):
            await self.own(scope, receive, send)
            return
        site = within[-1]  # the one without a root is the first of all

        async def rooted(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name in {"location", "hx-push-url"} & {*headers}:
                    if headers[name].startswith("/") and not headers[name].startswith(ROOT):
                        headers[name] = f"{site.root}{headers[name]}"
            await send(message)

        await self.app(site)({**scope, "path": path[len(site.root) :]}, receive, rooted)


def front(evening: Evening, static: BaseRoute, hosts: Container[str]) -> Starlette:
    """The organiser's pages of the evening itself."""
    site = Site(evening.home, evening.share, evening=evening)
    return _own(evening, static, hosts, [
        Route("/", lambda _: RedirectResponse(ROOT, SEE_OTHER)),
        Route(ROOT, partial(_events, site)),
        Route(ANOTHER, partial(_another, evening), methods=["POST"]),
    ])  # fmt: skip


def entrance(evening: Evening, static: BaseRoute, share: Share) -> Starlette:
    """The way in for phones: any event finds the names of all."""
    link = Route(f"/{ORGANISER}/{{secret}}", partial(entered, share), methods=["GET"])
    onward = Route("/", partial(_onward, evening), methods=["GET"])
    return _own(evening, static, Addresses(share.port), [onward, link])


def _own(
    evening: Evening, static: BaseRoute, hosts: Container[str], routes: list[BaseRoute]
) -> Starlette:
    routes += [static, Route("/screen", partial(_onward, evening), methods=["GET"])]
    return Starlette(routes=routes, middleware=[Middleware(Guard, hosts=hosts)])


def _onward(evening: Evening, request: Request) -> Response:
    """To the same page of the first event."""
    there = [each.root for each in evening.sites if each.founded] or [ROOT]
    return RedirectResponse(f"{there[0]}{request.url.path}", SEE_OTHER)


def _events(site: Site, request: Request) -> Response:
    """All events of the evening, and how another is begun."""
    there = [each for each in site.evening.sites if each.founded]
    return rendered(site, request, "event.html", title="Events", events=there)


async def _another(evening: Evening, request: Request) -> Response:
    """A further event: its page asks for the players."""
    name = str((await request.form()).get("name", "")).strip()
    return RedirectResponse(f"{evening.begun(name).root}/new", SEE_OTHER)
