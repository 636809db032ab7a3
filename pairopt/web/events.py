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

from pairopt.common.limits import LARGEST_FORM_FILE
from pairopt.errors import PairoptError, UsageError
from pairopt.event.event import Event
from pairopt.event.standings import league_notes, rank_league
from pairopt.folder.create import following, new, restore_from_zip
from pairopt.folder.open_folder import Done
from pairopt.messages import message
from pairopt.messages.formatting import decimal_text
from pairopt.web.access import (
    NOT_FOUND,
    ORGANISER,
    AllowedHosts,
    NetworkShare,
    RequestGuard,
    show_nowhere,
)
from pairopt.web.pages import SEE_OTHER, RejectedForm, handle_form, onward, render_page
from pairopt.web.phones import ALL
from pairopt.web.site import ROOT, EventGroup, EventSite
from pairopt.web.uploads import Upload
from pairopt.web.view import text_of
from pairopt.web.views.hall import copy_venue_state


@dataclass(frozen=True, slots=True)
class EventRouter:
    """Leads a request to the event whose root it begins with; the rest to one without, or home."""

    evening: EventGroup
    app: Callable[[EventSite], ASGIApp]
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


def front(evening: EventGroup, static: BaseRoute, hosts: Container[str]) -> Starlette:
    site = EventSite(evening.home, evening.share, evening=evening)
    return _own(
        evening,
        hosts,
        static,
        Route("/", lambda _: RedirectResponse(ROOT, SEE_OTHER)),
        Route(ROOT, partial(_events, site)),
        Route(LEAGUE, partial(_league, site)),
        *(
            Route(
                f"{ROOT}/{name}",
                partial(_post_further_event, site, make),
                methods=["POST"],
            )
            for name, make in MADE.items()
        ),
    )


def entrance(evening: EventGroup, static: BaseRoute, share: NetworkShare) -> Starlette:
    """The way in for phones: any event finds the names of all."""
    link = Route(
        f"/{ORGANISER}/{{secret}}", partial(_enter_share_link, share), methods=["GET"]
    )
    onward = Route("/", partial(_onward, evening, "/"), methods=["GET"])
    return _own(evening, AllowedHosts(share.port), static, onward, link)


def _own(evening: EventGroup, hosts: Container[str], *routes: BaseRoute) -> Starlette:
    screen = Route("/screen", partial(_onward, evening, ALL), methods=["GET"])
    return Starlette(
        routes=[*routes, screen],
        middleware=[Middleware(RequestGuard, hosts=hosts)],
        exception_handlers={NOT_FOUND: show_nowhere},
    )


def _enter_share_link(share: NetworkShare, request: Request) -> Response:
    """Make another laptop the organiser's, which every page of it then is."""
    page = RedirectResponse("/", SEE_OTHER)
    if share.knows(request.path_params["secret"]):
        page.set_cookie(share.cookie, share.secret, samesite="lax", httponly=True)
    return page


def _onward(evening: EventGroup, path: str, _: Request) -> Response:
    there = [each.root for each in evening.sites if each.founded] or [ROOT]
    return RedirectResponse(f"{there[0]}{path}", SEE_OTHER)


def _events(
    site: EventSite, request: Request, refused: RejectedForm | None = None
) -> Response:
    """All events of the evening, those to come, and how another is begun."""
    return render_page(
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


def _league(site: EventSite, request: Request) -> Response:
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
    for rank, name, points, *parts in rank_league(events, drop):
        texts = ["" if part is None else decimal_text(part) for part in parts]
        lines.append((rank, name, decimal_text(points), texts))
    return render_page(
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


async def _post_further_event(
    site: EventSite, make: "Make", request: Request
) -> Response:
    """A further event: its page says how it was made, or asks for the players."""

    def then(made: tuple[Path, Done]) -> Response:
        other = site.evening.with_site(made[0])
        copy_venue_state(other)
        return onward(other, request, "/", made[1])

    return await handle_form(
        request, partial(make, site.evening), partial(_events, site), then
    )


def _next(evening: EventGroup, form: FormData) -> tuple[Path, Done]:
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
    said = message("new.following", count=len(event.players), title=last[0].title)
    return path, Done("next", (said, *event.notes[: int(apart)]), None)


def _back(evening: EventGroup, form: FormData) -> tuple[Path, Done]:
    given = Upload.of(form)
    path = evening.beside(text_of(form, "name") or PurePath(given.name).stem)
    return path, restore_from_zip(path, given.raw, given.name)


Make = Callable[[EventGroup, FormData], tuple[Path, Done]]
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
