"""App: the pages of an event folder as one ASGI application."""

from __future__ import annotations

import mimetypes
from collections.abc import Container, Iterable
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

import pairopt.show.report
from pairopt.errors import PairoptError
from pairopt.folder.desk import Done, opened
from pairopt.show.web import founding
from pairopt.show.web.guard import LARGEST_BODY, Guard
from pairopt.show.web.pages import SAID, STATE, UNPROCESSABLE, Refused, address, rendered, view_page
from pairopt.show.web.phones import phones
from pairopt.show.web.sharing import Addresses, Doors, Share
from pairopt.show.web.site import Site
from pairopt.show.web.view import Change, View
from pairopt.show.web.views import known_views

mimetypes.add_type("font/woff2", ".woff2")  # not every system knows it
STATIC = Path(__file__).with_name("static")
STYLE = Path(pairopt.show.report.__file__).with_name("style.css")
FIRST, FOUNDING = "/players", "/new"
NO_CONTENT, SEE_OTHER, NOT_MODIFIED = 204, 303, 304
MOST_FIELDS = 5000


def application(folder: str | Path, hosts: Iterable[str], share: Share | None = None) -> ASGIApp:
    """The pages of an event folder.

    Args:
        folder: the event folder; it need not be there yet.
        hosts: the names, with ports, under which browsers may ask for them.
        share: the door to the network, if there is one.
    """
    site = Site(Path(folder), share)
    if share is None:
        return _organiser(site, frozenset(hosts))
    here = Addresses(share.port, frozenset(hosts))
    return Doors(_organiser(site, here), phones(site, share, _static()), share)


def _static() -> list[BaseRoute]:
    return [Route("/static/style.css", _style), Mount("/static", StaticFiles(directory=STATIC))]


def _organiser(site: Site, hosts: Container[str]) -> Starlette:
    """The pages that can do everything."""
    routes: list[BaseRoute] = [
        *_static(),
        Route("/", partial(_first, site)),
        Route("/state", partial(_state, site)),
        Route(FOUNDING, partial(_new, site)),
        Route(f"{FOUNDING}/event", partial(_found, site), methods=["POST"]),
        Route(f"{FOUNDING}/event", partial(_first, site)),
    ]
    for view in known_views():
        path = f"/{view.path}"
        routes.append(Route(path, partial(_shown, site, view)))
        for name, change in view.changes.items():
            change_path = f"{path}/{name}"
            routes.append(
                Route(change_path, partial(_changed, site, view, change), methods=["POST"])
            )
            routes.append(Route(change_path, partial(_back, view)))
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, hosts=hosts)],
        exception_handlers=dict.fromkeys(
            (HTTPException, PairoptError, 500), partial(_faulty, site)
        ),
    )


def _first(site: Site, _: Request) -> Response:
    return RedirectResponse(FIRST if site.founded else FOUNDING, SEE_OTHER)


def _state(site: Site, request: Request) -> Response:
    """Whether the event is still in the state that a page was made for: 304, or 204 for a newer."""
    state = f'"{site.desk().state if site.founded else ""}"'
    same = request.headers.get("if-none-match") == state
    return Response(status_code=NOT_MODIFIED if same else NO_CONTENT, headers={"etag": state})


def _style(_: Request) -> Response:
    """The report's style sheet, which is the pages' too."""
    return FileResponse(STYLE, media_type="text/css")


def _shown(site: Site, view: View, request: Request) -> Response:
    """A view; before there is an event, the page that makes one."""
    if not site.founded:
        return RedirectResponse(FOUNDING, SEE_OTHER)
    return view_page(site, request, view)


def _back(view: View, request: Request) -> Response:
    """To the view, from the address that its form was sent to: a reload of what was refused."""
    return RedirectResponse(address(request, f"/{view.path}"), SEE_OTHER)


async def _changed(site: Site, view: View, change: Change, request: Request) -> Response:
    """Make a change, and go to the page that comes next; or say why not, on the page itself."""
    form = await _form(request)
    expected = str(form.get(STATE, ""))

    def made() -> Response:
        if not site.founded:
            return RedirectResponse(FOUNDING, SEE_OTHER)
        try:
            with opened(site.folder, expected) as desk:
                done = change(desk, form)
        except PairoptError as error:
            return view_page(site, request, view, Refused.of(error, request, form))
        return _then(site, done, view.then or address(request, f"/{view.path}"))

    return await run_in_threadpool(made)


def _new(site: Site, request: Request, refused: Refused | None = None) -> Response:
    """The page that makes an event, as long as there is none."""
    if site.founded:
        return RedirectResponse(FIRST, SEE_OTHER)
    return rendered(
        site, request, "new.html", refused.status if refused else 200,
        title=founding.TITLE, refused=refused, token="", state="", path=FOUNDING,
        **founding.context(),
    )  # fmt: skip


async def _found(site: Site, request: Request) -> Response:
    form = await _form(request)

    def made() -> Response:
        try:
            done = founding.founded(site.folder, form)
        except PairoptError as error:
            return _new(site, request, Refused.of(error, request, form))
        return _then(site, done, FIRST)

    return await run_in_threadpool(made)


async def _form(request: Request) -> FormData:
    return await request.form(max_fields=MOST_FIELDS, max_part_size=LARGEST_BODY)


def _then(site: Site, done: Done, path: str) -> Response:
    """On to a page, which shows what was said."""
    answer = RedirectResponse(path, SEE_OTHER)
    answer.set_cookie(SAID, site.notice(done.said), max_age=60, samesite="strict", httponly=True)
    return answer


def _faulty(site: Site, request: Request, error: Exception) -> Response:
    """The page for what there is not, or cannot be read; a fault of ours goes to stderr too."""
    status, said = 500, "Internal error, please report it. The event is as it was."
    if isinstance(error, HTTPException):
        status, said = error.status_code, f"{error.detail}."
    elif isinstance(error, PairoptError):
        status, said = UNPROCESSABLE, str(error)
    return rendered(site, request, "faults.html", status, title="Error", faults=said.split("\n"))
