"""App: the pages of an event folder as one ASGI application."""

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
from pairopt.folder.concurrent_changes import last_change
from pairopt.folder.open_folder import Done, open_folder
from pairopt.messages.interfaces import PAGE
from pairopt.problem.model import load_model, model_names
from pairopt.web import pages, proofs
from pairopt.web.access import (
    AllowedHosts,
    NetworkShare,
    PageAccess,
    guarded_application,
)
from pairopt.web.conflict_checks import apply_change
from pairopt.web.events import EventRouter, entrance, front
from pairopt.web.pages import (
    RejectedForm,
    handle_form,
    onward,
    redirect_to,
    render_page,
    view_page,
)
from pairopt.web.phones import ALL, PhonePages, answer, phones
from pairopt.web.site import EventGroup, EventSite, download
from pairopt.web.uploads import QUESTIONS, create_event
from pairopt.web.view import PageRequest, View, text_of
from pairopt.web.views import files, known_views
from pairopt.web.views.hall import copy_venue_state, spread

add_type("font/woff2", ".woff2")  # not every system knows it
STATIC = Path(__file__).with_name("static")
STYLE = Path(pairopt.report.__file__).with_name("style.css")
DESK = (
    "page",
    "place",
    "newer",
    "lane",
    "find",
    "clock",
)  # one answer for the organiser
FIRST, FOUNDING, ASKED = "/players", "/new", "asked"
NO_CONTENT, NOT_MODIFIED, NOT_FOUND = 204, 304, 404
NOTHING_SAID = "Not Found."
"""What the framework says of an address that no route has."""


def application(
    folder: str | Path | EventGroup,
    hosts: Iterable[str],
    share: NetworkShare | None = None,
) -> ASGIApp:
    """The pages of an event folder, which need not be there yet, or of all events of an evening.

    `hosts` are the names, with ports, under which browsers may ask for them, and `share` the door
    to the network.
    """
    evening = (
        folder
        if isinstance(folder, EventGroup)
        else EventGroup.of([Path(folder)], share)
    )
    static, known = _static(), frozenset(hosts)
    here = known if share is None else AllowedHosts(share.port, known)
    board = cache(PhonePages)
    organiser = cache(lambda site: _organiser(site, board(site), [static], here))
    organisers = EventRouter(evening, organiser, front(evening, static, here))
    if share is None:
        return organisers
    reader = cache(lambda site: phones(board(site), share, [static]))
    return PageAccess(
        organisers,
        EventRouter(evening, reader, entrance(evening, static, share)),
        share,
    )


def _static() -> BaseRoute:
    """Style and scripts, read once: they take no descriptors, however many ask."""
    paths = {
        path.name: path for path in (STYLE, *STATIC.iterdir())
    }  # the report's style is ours
    contents = {
        name: path.read_bytes() for name, path in paths.items() if path.is_file()
    }
    contents["desk.js"] = b"".join(contents[f"{name}.js"] for name in DESK)
    tags = {
        name: f'"{sha256(content).hexdigest()[:32]}"'
        for name, content in contents.items()
    }

    async def one(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in contents:
            raise HTTPException(NOT_FOUND)
        headers = {"etag": tags[name], "cache-control": "no-cache"}
        if request.headers.get("if-none-match", "").removeprefix("W/") == tags[name]:
            return Response(status_code=NOT_MODIFIED, headers=headers)
        return Response(contents[name], headers=headers, media_type=guess_type(name)[0])

    return Route("/static/{name}", one)


def _organiser(
    site: EventSite, board: PhonePages, static: list[BaseRoute], hosts: Container[str]
) -> ASGIApp:
    routes: list[BaseRoute] = [
        *static,
        *(Route(path, partial(answer, board, path)) for path in ("/screen", ALL)),
        Route("/", partial(_first, site)),
        Route("/state", partial(_state, site)),
        Route("/desk", partial(_called, site), methods=["POST"]),
        Route(proofs.PATH, partial(download, site, proofs.kept_as)),
        Route(files.PATH, partial(download, site, files.offered_as)),
        Route(FOUNDING, partial(_new, site)),
        Route(f"{FOUNDING}/event", partial(_post_new_event, site), methods=["POST"]),
        Route(f"{FOUNDING}/event", partial(_first, site)),
    ]
    for view in known_views():
        path = f"/{view.path}"
        routes.append(Route(path, partial(_get_view, site, view)))
        for name in view.changes:
            made = partial(_post_change, site, view, name)
            routes.append(Route(f"{path}/{name}", made, methods=["POST"]))
            routes.append(Route(f"{path}/{name}", partial(_back, site, view)))
    faulty = dict.fromkeys((HTTPException, PairoptError, 500), partial(_faulty, site))
    return guarded_application(routes, hosts, exception_handlers=faulty)


def _first(site: EventSite, _: Request) -> Response:
    return redirect_to(site, FIRST if site.founded else FOUNDING)


def _state(site: EventSite, request: Request) -> Response:
    """Whether the event is in the state of a page still: 304, or 204 with who did what last."""
    desk = site.desk() if site.founded else None
    state = f'"{desk.state if desk else ""}"'
    if request.headers.get("if-none-match") == state:
        return Response(status_code=NOT_MODIFIED, headers={"etag": state})
    told = (
        ""
        if desk is None
        else quote(pages.PageMessages(site.folder).said(last_change(desk)))
    )
    return Response(status_code=NO_CONTENT, headers={"etag": state, "told": told})


async def _called(site: EventSite, request: Request) -> Response:
    """The desk of this browser gets a name, by which the log calls it; "" takes it away."""
    answer, name = (
        redirect_to(site, "/log"),
        text_of(await request.form(), "name") or "",
    )
    answer.set_cookie(
        pages.cookie(request, pages.DESK),
        quote(name[: pages.LONGEST_NAME]),
        max_age=pages.SECONDS_NAMED,
        samesite="strict",
        httponly=True,
    )
    return answer


def _get_view(
    site: EventSite, view: View, request: Request, refused: RejectedForm | None = None
) -> Response:
    if not site.founded:
        return redirect_to(site, FOUNDING)
    return view_page(site, request, view, refused)


def _back(site: EventSite, view: View, request: Request) -> Response:
    """To the view, from the address that its form was sent to: a reload of what was refused."""
    return redirect_to(site, pages.address(request, f"/{view.path}"))


async def _post_change(
    site: EventSite, view: View, name: str, request: Request
) -> Response:
    """Make a change, and go to the page that comes next; or say why not, on the page itself. A page
    that asks only for what is new has it at once.
    """

    def made(form: FormData) -> Done:
        with open_folder(site.folder) as desk:
            done = apply_change(
                view, name, PageRequest(site, desk, request.query_params), form
            )
        if view.beside:
            spread(site)
        return done

    def then(done: Done) -> Response:
        if pages.SINCE in request.headers:
            return view_page(site, request, view, said=done.said)
        return onward(
            site, request, view.then or pages.address(request, f"/{view.path}"), done
        )

    return await handle_form(request, made, partial(_get_view, site, view), then)


def _new(
    site: EventSite, request: Request, refused: RejectedForm | None = None
) -> Response:
    """The page that makes an event, as long as there is none; or asks, or says what is wrong."""
    refused = refused or site.drafts.known(request.query_params.get(ASKED))
    if site.founded and (refused is None or refused.asks):
        return redirect_to(site, FIRST)
    return render_page(
        site,
        request,
        "new.html",
        refused.status if refused else 200,
        title="A new event",
        refused=refused,
        token="",
        state="",
        here_to=f"{FOUNDING}/event",
        models=[(name, load_model(name).title) for name in model_names()],
        questions=QUESTIONS,
        most=LARGEST_FORM_FILE,
        free_table=site.evening.free_table(),
    )


async def _post_new_event(site: EventSite, request: Request) -> Response:
    """Make the event. What is asked has an address: neither the way back nor on loses any of it."""

    def asked(request: Request, refused: RejectedForm | None) -> Response:
        if refused is None or not refused.asks:
            return _new(site, request, refused)
        name = uuid4().hex
        site.drafts.answer(name, lambda: refused)
        return redirect_to(site, f"{FOUNDING}?{ASKED}={name}")

    def made(form: FormData) -> Done:
        done, folders = create_event(site.folder, form, site.evening.beside)
        for folder in folders:
            copy_venue_state(
                site if folder == site.folder else site.evening.with_site(folder)
            )
        return done

    return await handle_form(
        request, made, asked, partial(onward, site, request, FIRST)
    )


def _faulty(site: EventSite, request: Request, error: Exception) -> Response:
    """The page for what there is not, or cannot be read; a fault of ours goes to stderr too."""
    status, said = 500, "Internal error, please report it. The event is as it was."
    if isinstance(error, HTTPException):
        status, said = error.status_code, f"{error.detail}."
        if said == NOTHING_SAID:
            said = "There is no such page. The address may be mistyped, or the page may be gone."
    elif isinstance(error, PairoptError):
        status, said = pages.UNPROCESSABLE, error.format_with(PAGE)
    title = "No such page" if status == NOT_FOUND else "Error"
    return render_page(
        site,
        request,
        "faults.html",
        status,
        title=title,
        faults=said.split("\n"),
        back=status == NOT_FOUND,
    )
