"""Phones: pages that can only be read, each made once for a state of the event.

A page asks every few seconds whether there is a newer one; as long as there is none, the answer
is that alone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from pairopt.errors import PairoptError
from pairopt.event.elimination import lines as bracket_lines
from pairopt.event.event import folded
from pairopt.files.folder import BRACKET
from pairopt.folder import bracket
from pairopt.folder.desk import Desk
from pairopt.show.report.page import parts
from pairopt.show.shown import Seat, known_round, standings_of
from pairopt.show.web import asked
from pairopt.show.web.guard import ORGANISER, Addresses, Guard, Share
from pairopt.show.web.pages import page_templates
from pairopt.show.web.proofs import PATH, download, offered
from pairopt.show.web.site import Site
from pairopt.show.web.view import Context
from pairopt.wording import alphabetical, decimal_text

SECONDS = 1.0
"""How long the files are taken to be as they were."""
MOST_PAGES = 2000
NOT_FOUND, NOT_MODIFIED, SEE_OTHER = 404, 304, 303

Query = Mapping[str, str]
PageMaker = Callable[[Desk, Query], Context]
"""What makes a page by the template of its name."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it is sent, and the state it was made for."""

    state: str
    body: bytes
    status: int


@dataclass
class Board:
    """The pages of the event as it is; while its files have faults, as it was before."""

    site: Site
    now: Desk | None = None
    pages: dict[str, Page] = field(default_factory=dict)
    looked: float = -SECONDS
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def page(
        self, address: str, make: Callable[[Desk | None], Page], asks: bool = False
    ) -> Page:
        """The page at an address, made if need be: one at a time, so that pairing goes on.

        Those that ask, for which rounds are paired, keep no other page waiting.
        """
        async with self.lock:
            if time.monotonic() - self.looked > SECONDS:
                await run_in_threadpool(self._look)
                self.looked = time.monotonic()
            now, pages = self.now, self.pages
        async with self.asking if asks else self.lock:
            if address not in pages:
                if len(pages) >= MOST_PAGES:
                    pages.clear()
                pages[address] = await run_in_threadpool(make, now)
            return pages[address]

    def _look(self) -> None:
        with suppress(PairoptError):
            desk = self.site.desk()
            if self.now is None or desk.state != self.now.state:
                desk.event  # noqa: B018 - raises for files with faults
                self.now, self.pages = desk, {}


def phones(site: Site, share: Share, static: list[BaseRoute]) -> Starlette:
    """The application of the shared door, none of whose pages changes anything.

    `static` are the routes of style and script.
    """
    board = Board(site)
    pages = [Route(path, partial(_answer, board, kind), methods=["GET"])
             for path, (kind, _) in PAGES.items()]  # fmt: skip
    entrance = Route(f"/{ORGANISER}/{{secret}}", partial(_entered, share), methods=["GET"])
    return Starlette(
        routes=[*pages, Route(PATH, partial(download, site), methods=["GET"]), entrance, *static],
        middleware=[Middleware(Guard, hosts=Addresses(share.port))],
    )


def found(now: Desk, query: Query) -> Context:
    """All names, or those that have what was typed in them, with their places."""
    typed, event = query.get("name", ""), now.event
    there = {seat.name: seat for seat in known_round(event, now.rounds()).seats}
    chosen = [
        (event.players[p], there.get(name, Seat(name)))
        for p, name in enumerate(event.shown)
        if folded(typed) in folded(name) or alphabetical(typed)[0] in alphabetical(name)[0]
    ]
    chosen.sort(key=lambda each: alphabetical(each[1].name))
    links = ["/player?" + urlencode({"id": player}) for player, _ in chosen]
    places = [seat for _, seat in chosen]
    return {"typed": typed, "chosen": places, "links": links, "sided": event.sided}


def player(now: Desk, query: Query) -> Context:
    """Where somebody plays, what they have, and their matches so far.

    Raises UsageError for who is no player of this event.
    """
    event = now.event
    position = event.position(query.get("id", ""))
    name = event.shown[position]
    rounds = []
    for number in range(now.rounds(), 0, -1):
        seats = known_round(event, number, position).seats
        rounds.append((number, next((seat for seat in seats if seat.name == name), None)))
    standing = now.standing[event.players[position]]
    return {"id": event.players[position], "name": name, "rounds": rounds,
            "rank": standing.rank, "active": standing.active,
            "points": decimal_text(standing.points), "sided": event.sided}  # fmt: skip


def why(now: Desk, query: Query) -> Context:
    """Why somebody's last round is as it is, or why they do not meet another.

    Raises UsageError for who is no player of this event.
    """
    return asked.why(now, query.get("id", ""), query.get("other", ""))


def pairings(now: Desk, _: Query) -> Context:
    """The last round by table."""
    number = now.rounds()
    paired = known_round(now.event, number)
    return {"number": number, "paired": paired, "proof": offered(now, number)}


def standings(now: Desk, _: Query) -> Context:
    """The standings with all results so far."""
    return {"standings": standings_of(now.event, bias=False)}


def eliminations(now: Desk, _: Query) -> Context:
    """The bracket. Raises UsageError before there is one."""
    made = bracket(now).bracket
    assert made is not None
    return {"parts": parts(bracket_lines(made, now.event.called))}


PAGES: Mapping[str, tuple[PageMaker, str]] = {
    "/": (found, "Find my name"),
    "/pairings": (pairings, "Pairings"),
    "/standings": (standings, "Standings"),
    "/bracket": (eliminations, "Bracket"),
    "/player": (player, ""),
    "/why": (why, ""),
}
"""What a page is made by, and what it is called in the menu: nothing where it is not there."""


async def _answer(board: Board, kind: PageMaker, request: Request) -> Response:
    query = {
        name: value
        for name, value in request.query_params.items()
        if name in ("name", "id", "other")
    }
    address = request.url.path + (f"?{urlencode(query)}" if query else "")
    made = partial(_made, board, kind, query, address)
    page = await board.page(address, made, asks=kind is why)
    headers = {"etag": page.state, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == page.state:
        return Response(status_code=NOT_MODIFIED, headers=headers)
    return HTMLResponse(page.body, page.status, headers)


def _made(board: Board, kind: PageMaker, query: Query, address: str, now: Desk | None) -> Page:
    """A page by the template of its kind; an address that there is not says so."""
    title, name, status, state = "", "phone_nothing.html", 200, '""'
    menu: list[tuple[str, str]] = []
    context: Context = {}
    if now is not None:
        title, state = (
            now.event.settings.title or board.site.folder.resolve().name,
            f'"{now.state}"',
        )
        menu = [(path, called) for path, (_, called) in PAGES.items()
                if called and (path != "/bracket" or BRACKET in now.files)]  # fmt: skip
        try:
            context, name = kind(now, query), f"phone_{kind.__name__}.html"
        except PairoptError:
            status = NOT_FOUND
    text = (
        page_templates()
        .get_template(name)
        .render(
            event_title=title,
            address=address,
            etag=state,
            founded=now is not None,
            menu=menu,
            **context,
        )
    )
    return Page(state, text.encode(), status)


def _entered(share: Share, request: Request) -> Response:
    """Make another laptop the organiser's, which every page of it then is."""
    answer = RedirectResponse("/", SEE_OTHER)
    if share.knows(request.path_params["secret"]):
        answer.set_cookie(ORGANISER, share.secret, samesite="lax", httponly=True)
    return answer
