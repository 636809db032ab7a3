"""Put the pages of one or several events together into one ASGI application."""

from collections.abc import Container, Iterable
from functools import cache, partial
from hashlib import sha256
from mimetypes import add_type, guess_type
from pathlib import Path
from urllib.parse import quote
from uuid import uuid4

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

import pairopt.report
from pairopt.common.limits import LARGEST_FORM_FILE
from pairopt.errors import PairoptError
from pairopt.folder.concurrent_changes import describe_last_change
from pairopt.folder.open_folder import Done, open_folder
from pairopt.messages.interfaces import PAGE
from pairopt.problem.model import model_names
from pairopt.web import pages, proofs
from pairopt.web.access import (
    AllowedHosts,
    NetworkShare,
    PageAccess,
    guarded_application,
)
from pairopt.web.conflict_checks import apply_change
from pairopt.web.events import EventRouter, build_front, build_phone_entrance
from pairopt.web.labels import menu_title
from pairopt.web.list_uploads import ADD_PATH, LARGEST_BODIES, store_uploaded_list
from pairopt.web.pages import (
    RejectedForm,
    handle_form,
    redirect_to,
    redirect_with_messages,
    render_page,
    render_view,
)
from pairopt.web.phones import ALL, PhonePages, answer_phone, build_phone_app
from pairopt.web.site import EventGroup, EventSite, download
from pairopt.web.uploads import QUESTIONS, create_event
from pairopt.web.view import PageRequest, View, read_text
from pairopt.web.views import files, known_views
from pairopt.web.views.hall import copy_venue_state, spread_venue_state
from pairopt.web.views.listed import LISTS

# Not every system knows the media type of these fonts.
add_type("font/woff2", ".woff2")
STATIC = Path(__file__).with_name("static")
STYLE = Path(pairopt.report.__file__).with_name("style.css")
# The scripts that the organiser's pages load as one file, desk.js.
DESK = ("page", "place", "newer", "lane", "find", "clock")
FIRST, FOUNDING, ASKED = "/players", "/new", "asked"
THEN = "then"
"""The parameter of a form's address with the view to show after the change."""
NO_CONTENT, NOT_MODIFIED, NOT_FOUND = 204, 304, 404
NOTHING_SAID = "Not Found."
"""The detail that Starlette gives for an address without a route."""


def application(
    folder: str | Path | EventGroup,
    hosts: Iterable[str],
    share: NetworkShare | None = None,
) -> ASGIApp:
    """Return the application with all pages of one event, or of a group of events.

    The application of each event is built at its first request, and then kept.

    Parameters
    ----------
    folder : str, Path or EventGroup
        An event folder, which need not exist yet, or a group of events.
    hosts : iterable of str
        The names, with ports, that browsers may use for this machine.
    share : NetworkShare, optional
        The port on which phones on the network may read the events. Without it, there
        are no pages for phones.
    """
    if isinstance(folder, EventGroup):
        event_group = folder
    else:
        event_group = EventGroup.of([Path(folder)], share)

    static_route = _build_static_route()
    local_hosts = frozenset(hosts)
    organiser_hosts: Container[str] = local_hosts
    if share is not None:
        organiser_hosts = AllowedHosts(share.port, local_hosts)

    phone_pages = cache(PhonePages)
    organiser_app = cache(
        lambda site: _build_organiser_app(
            site, phone_pages(site), [static_route], organiser_hosts
        )
    )
    organiser_router = EventRouter(
        event_group,
        organiser_app,
        build_front(event_group, static_route, organiser_hosts),
    )
    if share is None:
        return organiser_router

    phone_app = cache(
        lambda site: build_phone_app(phone_pages(site), share, [static_route])
    )
    phone_router = EventRouter(
        event_group, phone_app, build_phone_entrance(event_group, static_route, share)
    )
    return PageAccess(organiser_router, phone_router, share)


def _build_static_route() -> BaseRoute:
    """Return the route of styles, scripts and fonts, which are read now, once.

    So answers need no file descriptors, however many clients ask. "desk.js" is made of
    several scripts.
    """
    # The pages share the style sheet of the report.
    path_by_name = {
        static_path.name: static_path for static_path in (STYLE, *STATIC.iterdir())
    }
    content_by_name = {
        static_name: static_path.read_bytes()
        for static_name, static_path in path_by_name.items()
        if static_path.is_file()
    }
    content_by_name["desk.js"] = b"".join(
        content_by_name[f"{static_name}.js"] for static_name in DESK
    )
    tag_by_name = {
        static_name: f'"{sha256(file_content).hexdigest()[:32]}"'
        for static_name, file_content in content_by_name.items()
    }

    async def answer_static(request: Request) -> Response:
        """Return a static file, or 304 if the browser has this version.

        Raises HTTPException 404 for an unknown name.
        """
        file_name = request.path_params["name"]
        if file_name not in content_by_name:
            raise HTTPException(NOT_FOUND)
        response_headers = {"etag": tag_by_name[file_name], "cache-control": "no-cache"}
        if (
            request.headers.get("if-none-match", "").removeprefix("W/")
            == tag_by_name[file_name]
        ):
            return Response(status_code=NOT_MODIFIED, headers=response_headers)
        return Response(
            content_by_name[file_name],
            headers=response_headers,
            media_type=guess_type(file_name)[0],
        )

    return Route("/static/{name}", answer_static)


def _build_organiser_app(
    site: EventSite,
    phone_pages: PhonePages,
    static: list[BaseRoute],
    hosts: Container[str],
) -> ASGIApp:
    """Return the application with the organiser's pages of one event.

    `phone_pages` are for the screens, `static` are the routes of styles and scripts,
    and `hosts` are the names, with ports, that requests may be addressed to.
    """
    screen_routes = [
        Route(screen_path, partial(answer_phone, phone_pages, screen_path))
        for screen_path in ("/screen", ALL)
    ]
    new_event_path = f"{FOUNDING}/event"
    organiser_routes: list[BaseRoute] = [
        *static,
        *screen_routes,
        Route("/", partial(_redirect_to_first_page, site)),
        Route("/state", partial(_answer_state, site)),
        Route("/desk", partial(_post_desk_name, site), methods=["POST"]),
        Route(proofs.PATH, partial(download, site, proofs.find_proof)),
        Route(files.PATH, partial(download, site, files.find_file)),
        Route(FOUNDING, partial(_render_new_event, site)),
        Route(new_event_path, partial(_post_new_event, site), methods=["POST"]),
        Route(new_event_path, partial(_redirect_to_first_page, site)),
        Route(ADD_PATH, partial(_post_list, site), methods=["POST"]),
        Route(ADD_PATH, partial(_redirect_to_view, site, LISTS)),
    ]
    for known_view in known_views():
        view_path = f"/{known_view.path}"
        organiser_routes.append(Route(view_path, partial(_get_view, site, known_view)))
        for change_name in known_view.changes:
            post_change = partial(_post_change, site, known_view, change_name)
            organiser_routes.append(
                Route(f"{view_path}/{change_name}", post_change, methods=["POST"])
            )
            organiser_routes.append(
                Route(
                    f"{view_path}/{change_name}",
                    partial(_redirect_to_view, site, known_view),
                )
            )

    show_error = partial(_render_error, site)
    error_handlers = dict.fromkeys((HTTPException, PairoptError, 500), show_error)
    return guarded_application(
        organiser_routes, hosts, LARGEST_BODIES, exception_handlers=error_handlers
    )


def _redirect_to_first_page(site: EventSite, _: Request) -> Response:
    """Redirect to the list of players; without an event, to the page for a new one.

    It returns the redirect response. The request itself does not matter.
    """
    return redirect_to(site, FIRST if site.has_event else FOUNDING)


def _answer_state(site: EventSite, request: Request) -> Response:
    """Return 304 if the event is in the state that a page asks about, otherwise 204.

    A page names its state in the header "if-none-match". The header `told` of a 204
    says who made the last change; the response has no body.
    """
    desk = site.desk() if site.has_event else None
    state_tag = f'"{desk.state if desk else ""}"'
    if request.headers.get("if-none-match") == state_tag:
        return Response(status_code=NOT_MODIFIED, headers={"etag": state_tag})

    last_change = ""
    if desk is not None:
        last_change = quote(
            pages.PageMessages(site.folder).format_message(describe_last_change(desk))
        )
    return Response(
        status_code=NO_CONTENT, headers={"etag": state_tag, "told": last_change}
    )


async def _post_desk_name(site: EventSite, request: Request) -> Response:
    """Set the cookie with this browser's name for the log; an empty name removes it.

    The name is cut at LONGEST_NAME characters. The response redirects to the log.
    """
    desk_name = read_text(await request.form(), "name") or ""
    redirect_response = redirect_to(site, "/log")
    redirect_response.set_cookie(
        pages.cookie_name(request, pages.DESK),
        quote(desk_name[: pages.LONGEST_NAME]),
        max_age=pages.SECONDS_NAMED,
        samesite="strict",
        httponly=True,
    )
    return redirect_response


def _get_view(
    site: EventSite, view: View, request: Request, refused: RejectedForm | None = None
) -> Response:
    """Return the page of a view, or without an event redirect to that for a new one.

    `refused` is a form of this view whose change was not made: the page shows why.
    """
    if not site.has_event:
        return redirect_to(site, FOUNDING)
    return render_view(site, request, view, refused)


def _redirect_to_view(site: EventSite, view: View, request: Request) -> Response:
    """Redirect from the address of a form to its view, with the same query.

    Browsers ask for this address when the page of a refused form is reloaded.
    """
    return redirect_to(site, pages.with_query(request, f"/{view.path}"))


async def _post_change(
    site: EventSite, view: View, name: str, request: Request
) -> Response:
    """Make a change and redirect to the next page, or show on the form's page why not.

    The change is the one of this `name` among those of the `view`. A page that asks
    only for its new parts gets them in this response.
    """

    def make_change(form: FormData) -> Done:
        """Make the change under the folder's lock, and return what was done.

        If it is a hall's message or clock, all events of the group get it, too.
        """
        with open_folder(site.folder) as desk:
            page_request = PageRequest(site, desk, request.query_params)
            change_outcome = apply_change(view, name, page_request, form)
        if view.beside:
            spread_venue_state(site)
        return change_outcome

    def show_next_page(outcome: Done) -> Response:
        """Return the new parts of the page if it asks for them, otherwise redirect.

        The next page is the view's own unless it declares another one.
        """
        if pages.SINCE in request.headers and THEN not in request.query_params:
            return render_view(site, request, view, outcome=outcome)
        next_page = _find_next_page(view, request)
        return redirect_with_messages(site, request, next_page, outcome)

    show_refusal = partial(_get_view, site, view)
    return await handle_form(request, make_change, show_refusal, show_next_page)


async def _post_list(site: EventSite, request: Request) -> Response:
    """Store the rating list of a form, and redirect to the stored lists, or say why not.

    This takes up to a minute. The event's folder is not locked, because the lists are
    outside of it.
    """
    lists_page = f"/{LISTS.path}"
    show_next_page = partial(redirect_with_messages, site, request, lists_page)
    show_refusal = partial(_get_view, site, LISTS)
    return await handle_form(request, store_uploaded_list, show_refusal, show_next_page)


def _find_next_page(view: View, request: Request) -> str:
    """Return the address of the page after a change, without the event's root.

    The address of a form can name the view to return to, as "Undo" does. Otherwise it
    is the page that the view declares, or the view itself with the same query.
    """
    wanted_path = request.query_params.get(THEN)
    if wanted_path in {known_view.path for known_view in known_views()}:
        return f"/{wanted_path}"
    return view.then or pages.with_query(request, f"/{view.path}")


def _render_new_event(
    site: EventSite, request: Request, refused: RejectedForm | None = None
) -> Response:
    """Return the page that makes an event; it asks to confirm, or shows what is wrong.

    `refused` is a form that was not accepted. Without it the page shows the question
    whose name is in the address, if any. Once there is an event, redirect to its
    players, unless a form was refused for a fault.
    """
    refused = refused or site.drafts.get(request.query_params.get(ASKED))
    if site.has_event and (refused is None or refused.asks):
        return redirect_to(site, FIRST)
    return render_page(
        site,
        request,
        "new.html",
        refused.status if refused else 200,
        title="New event",
        refused=refused,
        token="",
        state="",
        here_to=f"{FOUNDING}/event",
        models=[(model_name, menu_title(model_name)) for model_name in model_names()],
        questions=QUESTIONS,
        most=LARGEST_FORM_FILE,
        free_table=site.group.find_free_table(),
    )


async def _post_new_event(site: EventSite, request: Request) -> Response:
    """Make the event, or ask to confirm it first.

    The question has an address of its own, so going back and on in the browser loses
    nothing that was typed.
    """

    def show_refusal(request: Request, refused: RejectedForm | None) -> Response:
        """Redirect to the address of the question, or show what is wrong.

        A question is stored in the site's drafts, under the random name in that
        address. Without a refused form the page is shown as it is at first.
        """
        if refused is None or not refused.asks:
            return _render_new_event(site, request, refused)
        draft_name = uuid4().hex
        site.drafts.get_or_compute(draft_name, lambda: refused)
        return redirect_to(site, f"{FOUNDING}?{ASKED}={draft_name}")

    def make_event(form: FormData) -> Done:
        """Make the event, or one per section, and return what was done.

        Each folder gets the message and the clock of the hall, too.
        """
        creation_outcome, event_folders = create_event(
            site.folder, form, site.group.find_new_folder
        )
        for event_folder in event_folders:
            if event_folder == site.folder:
                copy_venue_state(site)
            else:
                copy_venue_state(site.group.add_site(event_folder))
        return creation_outcome

    show_next_page = partial(redirect_with_messages, site, request, FIRST)
    return await handle_form(request, make_event, show_refusal, show_next_page)


def _render_error(site: EventSite, request: Request, error: Exception) -> Response:
    """Return the page for an unknown address, unreadable files, or an internal error.

    The status is that of the HTTPException, 422 for unreadable files, and otherwise
    500. Starlette also writes an internal error to stderr.
    """
    http_status = 500
    error_text = "pairopt has made an error. Your event is unchanged. Go back and try again, and please report the error."
    if isinstance(error, HTTPException):
        http_status = error.status_code
        error_text = f"{error.detail}."
        if error_text == NOTHING_SAID:
            error_text = "Check the address. If you followed a link, the page may no longer exist."
    elif isinstance(error, PairoptError):
        http_status = pages.UNPROCESSABLE
        error_text = error.format_with(PAGE)

    page_title = "Page not found" if http_status == NOT_FOUND else "Error"
    return render_page(
        site,
        request,
        "faults.html",
        http_status,
        title=page_title,
        faults=error_text.split("\n"),
        back=http_status == NOT_FOUND,
    )
