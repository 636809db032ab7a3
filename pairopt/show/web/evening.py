"""Evening: several events at one address, which lead to each other; and how one more is begun."""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath

from starlette.applications import Starlette
from starlette.datastructures import FormData
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from pairopt.bounds import LARGEST_FORM_FILE
from pairopt.errors import PairoptError, UsageError
from pairopt.event.event import Event
from pairopt.event.standings import league, league_notes
from pairopt.folder.desk import Done
from pairopt.folder.founding import following, new, restored
from pairopt.show.web.guard import (
    NOT_FOUND,
    ORGANISER,
    Addresses,
    Guard,
    Share,
    show_nowhere,
)
from pairopt.show.web.pages import SEE_OTHER, Refused, onward, posted, rendered
from pairopt.show.web.phones import ALL
from pairopt.show.web.site import ROOT, Evening, Site
from pairopt.show.web.uploads import Upload
from pairopt.show.web.view import text_of
from pairopt.show.web.views.hall import joined
from pairopt.wording import decimal_text
from pairopt.words import tell


@dataclass(frozen=True, slots=True)
class Fork:
    """Leads a request to the event whose root it begins with; the rest to one without, or home."""

    evening: Evening
    app: Callable[[Site], ASGIApp]
    own: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        within = [
            each for each in self.evening.sites if path.startswith(f"{each.root}/")
        ]
        if not within or path in OWN or path.startswith(f"/{ORGANISER}/"):
            await self.own(scope, receive, send)
            return
        site = within[-1]  # the one without a root is the first of all
        await self.app(site)({**scope, "root_path": site.root}, receive, send)


def front(evening: Evening, static: BaseRoute, hosts: Container[str]) -> Starlette:
    site = Site(evening.home, evening.share, evening=evening)
    return _own(
        evening,
        hosts,
        static,
        Route("/", lambda _: RedirectResponse(ROOT, SEE_OTHER)),
        Route(ROOT, partial(_events, site)),
        Route(LEAGUE, partial(_league, site)),
        *(
            Route(f"{ROOT}/{name}", partial(_begun, site, make), methods=["POST"])
            for name, make in MADE.items()
        ),
    )


def entrance(evening: Evening, static: BaseRoute, share: Share) -> Starlette:
    """The way in for phones: any event finds the names of all."""
    link = Route(f"/{ORGANISER}/{{secret}}", partial(_entered, share), methods=["GET"])
    onward = Route("/", partial(_onward, evening, "/"), methods=["GET"])
    return _own(evening, Addresses(share.port), static, onward, link)


def _own(evening: Evening, hosts: Container[str], *routes: BaseRoute) -> Starlette:
    screen = Route("/screen", partial(_onward, evening, ALL), methods=["GET"])
    return Starlette(
        routes=[*routes, screen],
        middleware=[Middleware(Guard, hosts=hosts)],
        exception_handlers={NOT_FOUND: show_nowhere},
    )


def _entered(share: Share, request: Request) -> Response:
    """Make another laptop the organiser's, which every page of it then is."""
    page = RedirectResponse("/", SEE_OTHER)
    if share.knows(request.path_params["secret"]):
        page.set_cookie(share.cookie, share.secret, samesite="lax", httponly=True)
    return page


def _onward(evening: Evening, path: str, _: Request) -> Response:
    there = [each.root for each in evening.sites if each.founded] or [ROOT]
    return RedirectResponse(f"{there[0]}{path}", SEE_OTHER)


def _events(site: Site, request: Request, refused: Refused | None = None) -> Response:
    """All events of the evening, those to come, and how another is begun."""
    return rendered(
        site,
        request,
        "event.html",
        refused.status if refused else 200,
        title="Events",
        events=site.evening.sites,
        refused=refused,
        token="",
        path=ROOT,
        most=LARGEST_FORM_FILE,
        asked_of=request.query_params.get("of", ""),
    )


def _league(site: Site, request: Request) -> Response:
    """One table of all events here: the sums of the players' points, by their names."""
    titles, events, unread = (
        list[str](),
        list[Event](),
        list[tuple[str, PairoptError]](),
    )
    for each in site.evening.sites:
        if not each.founded:
            continue
        try:
            events.append(each.desk().event)
            titles.append(each.title)
        except PairoptError as error:
            unread.append((each.title, error))

    most = max(len(events) - 1, 0)
    given = request.query_params.get("drop", "")
    drop = (
        min(int(given), most)
        if given.isascii() and given.isdigit() and len(given) < 4
        else 0
    )
    lines = []
    for rank, name, points, *parts in league(events, drop):
        texts = ["" if part is None else decimal_text(part) for part in parts]
        lines.append((rank, name, decimal_text(points), texts))
    return rendered(
        site,
        request,
        "league.html",
        title="League table",
        titles=titles,
        unread=unread,
        lines=lines,
        notes=league_notes(events, titles),
        drop=drop,
        most=most,
    )


async def _begun(site: Site, make: "Make", request: Request) -> Response:
    """A further event: its page says how it was made, or asks for the players."""

    def then(made: tuple[Path, Done]) -> Response:
        other = site.evening.with_site(made[0])
        joined(other)
        return onward(other, request, "/", made[1])

    return await posted(
        request, partial(make, site.evening), partial(_events, site), then
    )


def _next(evening: Evening, form: FormData) -> tuple[Path, Done]:
    last = [
        each
        for each in evening.sites
        if each.founded and each.root == form.get("of", "")
    ]
    if not last:
        raise UsageError("upload.nobody")
    path, apart = evening.beside(text_of(form, "name") or ""), "apart" in form
    event = following(last[0].folder, apart=apart)
    new(path, event, sure=True)
    said = tell("new.following", count=len(event.players), title=last[0].title)
    return path, Done("next", (said, *event.notes[: int(apart)]), None)


def _back(evening: Evening, form: FormData) -> tuple[Path, Done]:
    given = Upload.of(form)
    path = evening.beside(text_of(form, "name") or PurePath(given.name).stem)
    return path, restored(path, given.raw, given.name)


Make = Callable[[Evening, FormData], tuple[Path, Done]]
MADE: Mapping[str, Make] = {
    "another": lambda evening, form: (
        evening.beside(text_of(form, "name") or ""),
        Done("new", (), None),
    ),
    "next": _next,
    "back": _back,
}
"""How a further event is made, by the address that its form is sent to."""
LEAGUE = f"{ROOT}/league"
OWN = frozenset([ROOT, LEAGUE, *(f"{ROOT}/{name}" for name in MADE)])
