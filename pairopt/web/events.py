"""Serve several events at one address, with pages that list them and make further ones."""

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
from pairopt.folder.create import build_next_event, new, restore_from_zip
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
from pairopt.web.pages import (
    SEE_OTHER,
    RejectedForm,
    handle_form,
    redirect_with_messages,
    render_page,
)
from pairopt.web.phones import ALL
from pairopt.web.site import ROOT, EventGroup, EventSite
from pairopt.web.uploads import Upload
from pairopt.web.view import read_text
from pairopt.web.views.hall import copy_venue_state


@dataclass(frozen=True, slots=True)
class EventRouter:
    """ASGI application that passes a request on to the event whose root its path begins with.

    `app` builds the application of an event. `group_app` answers all other requests.
    """

    group: EventGroup
    app: Callable[[EventSite], ASGIApp]
    group_app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request with the application of its event, or of the group.

        An event's application gets the event's root as `root_path`. Paths of the group,
        and those of no event, belong to the group.
        """
        request_path = scope.get("path", "")
        fitting_sites = [
            event_site
            for event_site in self.group.sites
            if request_path.startswith(f"{event_site.root}/")
        ]
        is_of_group = request_path in GROUP_PATHS or request_path.startswith(
            f"/{ORGANISER}/"
        )
        if not fitting_sites or is_of_group:
            await self.group_app(scope, receive, send)
            return

        # An event with an empty root fits every path, and comes before all others.
        event_site = fitting_sites[-1]
        await self.app(event_site)(
            {**scope, "root_path": event_site.root}, receive, send
        )


def build_front(
    group: EventGroup, static: BaseRoute, hosts: Container[str]
) -> Starlette:
    """Return the organiser's application of a group: events, league, new events.

    `static` is the route of styles and scripts. `hosts` are the names, with ports, that
    requests may be addressed to.
    """
    home_site = EventSite(group.home, group.share, group=group)
    new_event_routes = [
        Route(
            f"{ROOT}/{maker_name}",
            partial(_post_further_event, home_site, make_event),
            methods=["POST"],
        )
        for maker_name, make_event in MAKERS.items()
    ]
    return _build_group_app(
        group,
        hosts,
        static,
        Route("/", lambda _: RedirectResponse(ROOT, SEE_OTHER)),
        Route(ROOT, partial(_render_events, home_site)),
        Route(LEAGUE, partial(_render_league, home_site)),
        *new_event_routes,
    )


def build_phone_entrance(
    group: EventGroup, static: BaseRoute, share: NetworkShare
) -> Starlette:
    """Return the phones' application of a group, for the addresses of no event.

    It redirects to the first event, which finds the players of all events. The
    organiser's secret link (`share`) is answered here, too.
    """
    link_route = Route(
        f"/{ORGANISER}/{{secret}}", partial(_enter_share_link, share), methods=["GET"]
    )
    home_route = Route("/", partial(_redirect_to_event, group, "/"), methods=["GET"])
    return _build_group_app(
        group, AllowedHosts(share.port), static, home_route, link_route
    )


def _build_group_app(
    group: EventGroup, hosts: Container[str], *routes: BaseRoute
) -> Starlette:
    """Return a guarded application with these routes and the screen of all events.

    `hosts` are the names, with ports, that requests may be addressed to.
    """
    screen_route = Route(
        "/screen", partial(_redirect_to_event, group, ALL), methods=["GET"]
    )
    return Starlette(
        routes=[*routes, screen_route],
        middleware=[Middleware(RequestGuard, hosts=hosts)],
        exception_handlers={NOT_FOUND: show_nowhere},
    )


def _enter_share_link(share: NetworkShare, request: Request) -> Response:
    """Redirect to "/", and set the organiser's cookie if the link is right.

    With a wrong secret there is no cookie, and so the phones' pages follow instead of
    the organiser's.
    """
    redirect_response = RedirectResponse("/", SEE_OTHER)
    if share.is_secret(request.path_params["secret"]):
        redirect_response.set_cookie(
            share.cookie, share.secret, samesite="lax", httponly=True
        )
    return redirect_response


def _redirect_to_event(group: EventGroup, path: str, _: Request) -> Response:
    """Redirect to a page of the first event; without one, to the page of the group.

    `path` is the page's address without the event's root. The request does not matter.
    """
    event_roots = [
        group_site.root for group_site in group.sites if group_site.has_event
    ] or [ROOT]
    return RedirectResponse(f"{event_roots[0]}{path}", SEE_OTHER)


def _render_events(
    site: EventSite, request: Request, refused: RejectedForm | None = None
) -> Response:
    """Return the page with all events of the group and the forms for further ones.

    `refused` is one of these forms whose event was not made; the page says why and has
    its status.
    """
    return render_page(
        site,
        request,
        "event.html",
        refused.status if refused else 200,
        title="Events",
        events=site.group.sites,
        refused=refused,
        token="",
        path=ROOT,
        most=LARGEST_FORM_FILE,
        asked_of=request.query_params.get("of", ""),
    )


def _render_league(site: EventSite, request: Request) -> Response:
    """Return the page of the league table: each player's points in all events, summed.

    Players are the same if their names are. Events whose files have faults are left
    out, and the page says so. The address can ask to drop each player's lowest scores.
    """
    event_titles: list[str] = []
    league_events: list[Event] = []
    unreadable_events: list[tuple[str, PairoptError]] = []
    for event_site in site.group.sites:
        if not event_site.has_event:
            continue
        try:
            league_events.append(event_site.desk().event)
            event_titles.append(event_site.title)
        except PairoptError as error:
            unreadable_events.append((event_site.title, error))

    most_dropped = max(len(league_events) - 1, 0)
    dropped_scores = _read_drop(request, most_dropped)
    table_rows = []
    for league_rank, player_name, points_in_all, *points_by_event in rank_league(
        league_events, dropped_scores
    ):
        event_points = [
            "" if points_in_event is None else decimal_text(points_in_event)
            for points_in_event in points_by_event
        ]
        table_rows.append(
            (league_rank, player_name, decimal_text(points_in_all), event_points)
        )
    return render_page(
        site,
        request,
        "league.html",
        title="League table",
        titles=event_titles,
        unread=unreadable_events,
        lines=table_rows,
        notes=league_notes(league_events, event_titles),
        drop=dropped_scores,
        most=most_dropped,
    )


def _read_drop(request: Request, most: int) -> int:
    """Return how many of each player's lowest scores to drop, at most `most`.

    It is the parameter "drop" of the address; 0 if that is no number of at most three
    digits.
    """
    drop_text = request.query_params.get("drop", "")
    is_short_number = drop_text.isascii() and drop_text.isdigit() and len(drop_text) < 4
    return min(int(drop_text), most) if is_short_number else 0


async def _post_further_event(
    site: EventSite, make: "EventMaker", request: Request
) -> Response:
    """Make a further event and redirect to it; it asks for players if it has none.

    `make` makes it from the group and the form. If the event cannot be made, the page
    with all events says why.
    """

    def show_new_event(result: tuple[Path, Done]) -> Response:
        """Add the new event to the group, and return a redirect to it.

        `result` has its folder and what was done. The event gets the message and the
        clock of the group's other events.
        """
        new_folder, creation_outcome = result
        new_site = site.group.add_site(new_folder)
        copy_venue_state(new_site)
        return redirect_with_messages(new_site, request, "/", creation_outcome)

    return await handle_form(
        request,
        partial(make, site.group),
        partial(_render_events, site),
        show_new_event,
    )


def _make_empty(group: EventGroup, form: FormData) -> tuple[Path, Done]:
    """Return a folder for a further event, and an empty outcome; nothing is made yet.

    The folder's name is that in the form, or a similar one that is free. The page of
    this folder asks for players.
    """
    new_folder = group.find_new_folder(read_text(form, "name") or "")
    return new_folder, Done("new", (), None)


def _make_following(group: EventGroup, form: FormData) -> tuple[Path, Done]:
    """Make the next event with the players of another; return its folder and outcome.

    The field "of" has the root of the other event, and "name" is for the new folder.
    With "apart", players who met in the other event do not meet in round 1. Raises
    UsageError if no event of the group has this root.
    """
    other_sites = [
        event_site
        for event_site in group.sites
        if event_site.has_event and event_site.root == form.get("of", "")
    ]
    if not other_sites:
        raise UsageError("upload.nobody")

    new_folder = group.find_new_folder(read_text(form, "name") or "")
    keeps_apart = "apart" in form
    next_event = build_next_event(other_sites[0].folder, apart=keeps_apart)
    new(new_folder, next_event, sure=True)
    following_message = message(
        "new.following", count=len(next_event.players), title=other_sites[0].title
    )
    rematch_notes = next_event.notes[:1] if keeps_apart else ()
    return new_folder, Done("next", (following_message, *rematch_notes), None)


def _make_restored(group: EventGroup, form: FormData) -> tuple[Path, Done]:
    """Restore an event from an uploaded zip; return its folder and the outcome.

    The folder is called as the form says, otherwise as the zip is. Raises UsageError
    without a file, and for a zip that has no event.
    """
    upload = Upload.of(form)
    event_name = read_text(form, "name") or PurePath(upload.name).stem
    new_folder = group.find_new_folder(event_name)
    return new_folder, restore_from_zip(new_folder, upload.raw, upload.name)


EventMaker = Callable[[EventGroup, FormData], tuple[Path, Done]]
MAKERS: Mapping[str, EventMaker] = {
    "another": _make_empty,
    "next": _make_following,
    "back": _make_restored,
}
"""The functions that make a further event, by the last part of their form's address."""
LEAGUE = f"{ROOT}/league"
GROUP_PATHS = frozenset([ROOT, LEAGUE, *(f"{ROOT}/{name}" for name in MAKERS)])
"""The paths that belong to the group although they begin like an event's root."""
