"""Phones: pages that can only be read, each made once for a state of the event; screens too.

A page asks every few seconds whether there is a newer one; as long as its own words are the same,
the answer is that alone, else the part of it that changes.
"""

import asyncio
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from pairopt.errors import PairoptError, UsageError
from pairopt.event.elimination import BracketLine
from pairopt.event.elimination import bracket_lines as bracket_lines
from pairopt.event.standings import Standing, rank_players, tie_breaks_of
from pairopt.folder.open_folder import OpenFolder
from pairopt.folder.top_cut import held
from pairopt.messages.formatting import alphabetical_key, decimal_text
from pairopt.report.page import bracket_parts
from pairopt.report.views import (
    RoundView,
    SeatView,
    ending_of,
    round_view,
    standings_of,
)
from pairopt.web import player_questions, proofs
from pairopt.web.access import (
    AllowedHosts,
    NetworkShare,
    guarded_application,
    show_nowhere,
)
from pairopt.web.pages import milliseconds, page_templates
from pairopt.web.proofs import proof_download
from pairopt.web.site import EventSite, download
from pairopt.web.view import PART, Context, part_of, standings_part
from pairopt.web.views.hall import VenueState, read_hall

SECONDS = 1.0  # how long the files are taken to be as they were
MOST_PAGES = 2000
NOT_FOUND, NOT_MODIFIED = 404, 304
BEGIN, END = (
    '<div id="live">',
    "</div><!-- live -->",
)  # around the part of a page that changes

ALL = (
    "/screen/all"  # the screen of all sections of an evening; each of its events has it
)
ASKED = ("name", "id", "other", "by", PART)  # what addresses may ask for
Query = Mapping[str, str]


@dataclass(frozen=True)
class EventSnapshot:
    """An event as it is now, and what several pages need of it, worked out once."""

    desk: OpenFolder
    site: EventSite

    @cached_property
    def rounds(self) -> list[RoundView]:
        numbers = range(1, self.desk.rounds() + 1)
        return [round_view(self.desk.event, number) for number in numbers]

    @cached_property
    def seats(self) -> list[Mapping[str, SeatView]]:
        return [{seat.name: seat for seat in paired.seats} for paired in self.rounds]

    @cached_property
    def standing(self) -> tuple[int, Mapping[str, Standing]]:
        """The standings after the last round that is over, and which one that is. While results
        come in, ranks say nothing, and would change on all phones with each.
        """
        over = len(self.rounds) - any(
            line.open for each in self.rounds[-1:] for line in each.lines
        )
        if over == len(self.rounds):
            return over, self.desk.standing
        with suppress(PairoptError):  # results of earlier rounds are missing
            before = self.desk.event.at_round(over + 1)
            return over, {
                each.player: each
                for each in rank_players(before, tie_breaks_of(before))
            }
        return 0, {}

    @cached_property
    def bracket(self) -> list[BracketLine]:
        """The matches of the bracket, none before there is one, or while bracket.csv has faults."""
        with suppress(PairoptError):
            return bracket_lines(held(self.desk), self.desk.event.called)
        return []

    @cached_property
    def cut(self) -> Mapping[str, list[tuple[str, SeatView]]]:
        """The matches of the bracket by the name that is shown, with the titles of their rounds."""
        made: dict[str, list[tuple[str, SeatView]]] = {}
        for line in self.bracket:
            for one, two in (line.chairs, line.chairs[::-1]):
                own = f"{one.points}-{two.points}".strip("-")
                seat = SeatView(one.name, line.match, "", two.name, own, ending_of(own))
                made.setdefault(one.name, []).append((line.title, seat))
        return made


PageMaker = Callable[
    [EventSnapshot, Query], Context
]  # what makes a page by the template of its name


@dataclass(frozen=True, slots=True)
class PhonePage:
    """A page as it is sent, the part of it that changes, and what tells it from a newer one. It was
    made of `values`: while these are the same it is made no second time.
    """

    values: Mapping[str, object]
    tag: str
    body: bytes
    live: bytes
    status: int


@dataclass
class PhonePages:
    """The pages of the event as it is; while its files have faults, as it was before."""

    site: EventSite
    now: EventSnapshot | None = None
    others: Sequence[str] = ()
    hall: VenueState = field(default_factory=VenueState)
    pages: dict[str, PhonePage] = field(default_factory=dict)
    before: dict[str, PhonePage] = field(default_factory=dict)
    looked: float = -SECONDS
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def page(self, address: str, path: str, query: Query) -> PhonePage:
        """The page at an address, made if need be: one at a time, so that pairing goes on. Those
        that ask why, for which rounds are paired, keep no other page waiting; a player's, of which
        there are many, takes less than the way to a thread.
        """
        async with self.lock:
            if time.monotonic() - self.looked > SECONDS:
                await run_in_threadpool(self._look)
                self.looked = time.monotonic()
            now, pages = self.now, self.pages
        async with self.asking if path == "/why" else self.lock:
            if address not in pages:
                if len(pages) >= MOST_PAGES:
                    pages.clear()
                make = partial(
                    _make_page, self, now, path, query, self.before.get(address)
                )
                pages[address] = (
                    make() if path == "/player" else await run_in_threadpool(make)
                )
            return pages[address]

    def _look(self) -> None:
        hall = read_hall(self.site.folder)
        others = [desk.state for _, desk in self.site.evening.others(self.site)]
        if (hall, others) != (self.hall, self.others):
            self.hall, self.others = hall, others
            self._newer()
        with suppress(PairoptError):
            desk = self.site.desk()
            if self.now is None or desk.state != self.now.desk.state:
                now = EventSnapshot(desk, self.site)
                now.seats, now.standing, desk.standing  # noqa: B018 - raises for files with faults
                self.now = now
                self._newer()

    def _newer(self) -> None:
        self.before, self.pages = {**self.before, **self.pages}, {}
        if len(self.before) > MOST_PAGES:
            self.before = {}


def phones(board: PhonePages, share: NetworkShare, static: list[BaseRoute]) -> ASGIApp:
    """The application of the shared door, which changes nothing; `static` are style and script."""
    pages = [
        Route(path, partial(answer, board, path), methods=["GET"]) for path in PAGES
    ]
    proof = Route(
        proofs.PATH, partial(download, board.site, proofs.kept_as), methods=["GET"]
    )
    routes = [*pages, proof, *static]
    return guarded_application(
        routes, AllowedHosts(share.port), exception_handlers={NOT_FOUND: show_nowhere}
    )


def found(now: EventSnapshot, query: Query) -> Context:
    """All names, or those that somebody may mean by what was typed, with their places."""
    typed, event = query.get("name", ""), now.desk.event
    there = {
        **(now.seats[-1] if now.seats else {}),
        **{name: matches[-1][1] for name, matches in now.cut.items()},
    }
    positions, sure = event.search_players(typed)
    positions = sorted(positions, key=lambda p: alphabetical_key(event.shown[p]))
    links = ["/player?" + urlencode({"id": event.players[p]}) for p in positions]
    places = [there.get(event.shown[p], SeatView(event.shown[p])) for p in positions]
    part = part_of(
        [*zip(places, links, strict=True)], "/", query, lambda each: each[0].name
    )
    return {
        "typed": typed,
        "chosen": part.items,
        "part": part,
        "sure": sure,
        "in_others": now.site.evening.elsewhere(now.site, typed),
    }


def player(now: EventSnapshot, query: Query) -> Context:
    """Where somebody plays, their points and matches so far. Raises UsageError for no player."""
    event = now.desk.event
    position = event.position(query.get("id", ""))
    name = event.shown[position]
    rounds = [(f"Round {k}", seats.get(name)) for k, seats in enumerate(now.seats, 1)]
    rounds = [*rounds, *now.cut.get(name, ())][::-1]
    standing, (over, ranks) = now.desk.standing[event.players[position]], now.standing
    rank = ranks[standing.player].rank if over and standing.player in ranks else 0
    return {
        "id": standing.player,
        "name": name,
        "rounds": rounds,
        "over": over,
        "rank": rank,
        "active": standing.active,
        "points": decimal_text(standing.points),
        "rating": event.shown_rating(position),
        "sided": event.sided,
    }


def why(now: EventSnapshot, query: Query) -> Context:
    """Why somebody's last round is so, or why not another. Raises UsageError for no player."""
    return player_questions.why(now.desk, query.get("id", ""), query.get("other", ""))


def pairings(now: EventSnapshot, query: Query) -> Context:
    number, paired = (
        len(now.rounds),
        now.rounds[-1] if now.rounds else RoundView(("", ""), ()),
    )
    part = part_of(
        paired.lines, "/pairings", query, lambda line: line.table or line.one
    )
    return {
        "number": number,
        "paired": replace(paired, lines=tuple(part.items)),
        "part": part,
        "proof": proof_download(now.desk, number),
    }


def standings(now: EventSnapshot, query: Query) -> Context:
    return standings_part(standings_of(now.desk.event, bias=False), "/standings", query)


def eliminations(now: EventSnapshot, _: Query) -> Context:
    """The bracket. Raises UsageError before there is one."""
    if not now.bracket:
        raise UsageError("the cut is not made yet")
    return {"parts": bracket_parts(now.bracket)}


def screen(now: EventSnapshot, query: Query) -> Context:
    """For the room: the last round until its results are there, then the standings."""
    by, desk = query.get("by", "table"), now.desk
    number, paired = len(now.rounds), now.rounds[-1] if now.rounds else None
    open_ = paired is not None and any(line.open for line in paired.lines)
    if by == "standings" or (paired is not None and not open_):
        by = "standings"
    if now.bracket and query.get("by") != "standings":
        by = "bracket"
    elif paired is None:
        by = "nothing"
    return {
        "by": by,
        "number": number,
        "paired": paired,
        "bracket": now.bracket,
        "players": len(desk.event.players),
        "rounds": desk.event.settings.rounds,
        "standing": [
            (each, decimal_text(each.points)) for each in desk.standing.values()
        ],
        "open": open_,
    }


def sections(now: EventSnapshot, _: Query) -> Context:
    """For the room: all sections of the evening, the tables of those that play, else the standings
    of all. A clock or a message that they do not share stands with each.
    """
    every: list[dict[str, object]] = []
    for site, desk in now.site.evening.others():
        with suppress(PairoptError):  # the files of one have faults
            shown = screen(EventSnapshot(desk, site), {})
            every.append({**shown, "title": site.title, "hall": read_hall(site.folder)})
    halls = {part["hall"] for part in every}
    return {"parts": every, "hall": halls.pop() if len(halls) == 1 else VenueState()}


PAGES: Mapping[str, tuple[PageMaker, str]] = {
    "/": (found, "Find my name"),
    "/pairings": (pairings, "Pairings"),
    "/standings": (standings, "Standings"),
    "/bracket": (eliminations, "Bracket"),
    "/player": (player, ""),
    "/why": (why, ""),
    "/screen": (screen, ""),
    ALL: (sections, ""),
}
"""What a page is made by, and what it is called in the menu: nothing where it is not there."""


async def answer(board: PhonePages, path: str, request: Request) -> Response:
    """A page, or for a page that asks for its newest part, that: nothing where it has it."""
    given = request.query_params.items()
    query = {name: value for name, value in given if name in ASKED}
    address = request.url.path + (f"?{urlencode(query)}" if query else "")
    page = await board.page(address, path, query)
    headers = {
        "etag": page.tag,
        "cache-control": "no-cache",
        "now": str(milliseconds()),
    }
    if request.headers.get("if-none-match", "").removeprefix("W/") == page.tag:
        return Response(status_code=NOT_MODIFIED, headers=headers)
    part = "live" in request.headers
    if part:
        headers["cache-control"] = "no-store"  # a browser would show it as the page
    return HTMLResponse(page.live if part else page.body, page.status, headers)


def _make_page(
    board: PhonePages,
    now: EventSnapshot | None,
    path: str,
    query: Query,
    before: PhonePage | None,
) -> PhonePage:
    """A page by the template of its kind; an address that there is not says so."""
    title, name, status = "", "phone_nothing.html", 200
    menu: list[tuple[str, str]] = []
    context: Context = {}
    if now is not None:
        title = board.site.title
        menu = [
            (path, called)
            for path, (_, called) in PAGES.items()
            if called and (path != "/bracket" or now.bracket)
        ]
        try:
            kind = PAGES[path][0]
            context, name = kind(now, query), f"phone_{kind.__name__}.html"
        except PairoptError:
            status = NOT_FOUND
    values = {
        "event_title": title,
        "root": board.site.root,
        "path": path,
        "menu": menu,
        "founded": now is not None,
        "hall": board.hall,
        "share": board.site.share,
        "status": status,
        "sections": board.site.evening.links(board.site),
        **context,
    }
    if before is not None and before.values == values:
        return before
    text = page_templates().get_template(name).render(values)
    live = text.partition(BEGIN)[2].partition(END)[0]
    tag = f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'
    body = text.replace(
        'data-tag=""', f"data-tag='{tag}'", 1
    )  # no name has quotes there
    return PhonePage(values, tag, body.encode(), live.encode(), status)
