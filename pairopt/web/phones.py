"""Serve read-only pages to phones and screens, each rendered once per state of the event.

A page asks every few seconds whether there is a newer one. If nothing in it has changed,
the answer is only that; otherwise it is the part of the page that can change.
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
from pairopt.event.elimination import BracketLine, bracket_lines
from pairopt.event.standings import Standing, rank_players, tie_breaks_of
from pairopt.folder.open_folder import OpenFolder
from pairopt.folder.top_cut import load_bracket
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
from pairopt.web.pages import current_milliseconds, load_page_templates
from pairopt.web.proofs import find_proof_download
from pairopt.web.site import EventSite, download
from pairopt.web.view import PART, Context, select_part, select_standings_part
from pairopt.web.views.hall import VenueState, read_hall

# Seconds for which a snapshot of the files counts as up to date.
SECONDS = 1.0
MOST_PAGES = 2000
NOT_FOUND, NOT_MODIFIED = 404, 304
# Around the part of a page that can change.
BEGIN, END = '<div id="live">', "</div><!-- live -->"
# The screen with all events of a group; each of its events has this address.
ALL = "/screen/all"
# The parameters of addresses; all others are ignored.
ASKED = ("name", "id", "other", "by", PART)
Query = Mapping[str, str]


@dataclass(frozen=True)
class EventSnapshot:
    """An event as it is now, with values for several pages that are computed once.

    `desk` has the files that were read, and `site` the caches of its pages.
    """

    desk: OpenFolder
    site: EventSite

    @cached_property
    def rounds(self) -> list[RoundView]:
        """The views of all paired rounds, from round 1 on; empty before round 1."""
        round_numbers = range(1, self.desk.rounds() + 1)
        return [
            round_view(self.desk.event, round_number) for round_number in round_numbers
        ]

    @property
    def number(self) -> int:
        """The round that is played now, 0 before round 1.

        It is the last paired round, but in a round robin the first one with a missing
        result.
        """
        return self.desk.current_round()

    @property
    def current(self) -> RoundView | None:
        """The view of the last paired round; None before round 1.

        In a round robin it is the round that is played now.
        """
        return self.rounds[self.number - 1] if self.rounds else None

    @cached_property
    def seats(self) -> list[Mapping[str, SeatView]]:
        """For each round, from round 1 on, the players' seats by displayed name.

        Players who are not in a round have no seat in it.
        """
        return [
            {seat_view.name: seat_view for seat_view in paired_round.seats}
            for paired_round in self.rounds
        ]

    @cached_property
    def standing(self) -> tuple[int, Mapping[str, Standing]]:
        """The number of the last finished round, and the standings after it by player.

        Players are identifiers. While the last round has open results, these are the
        standings after the round before: ranks would mean little, and change on all
        phones with each result. It is (0, {}) if results of earlier rounds are missing,
        too. In a round robin it is always the number of all rounds, and the standings
        as they are now.
        """
        finished_round_count = len(self.rounds)
        if self.desk.event.settings.is_round_robin:
            return finished_round_count, self.desk.standing
        if self.rounds and any(match_line.open for match_line in self.rounds[-1].lines):
            finished_round_count -= 1
        if finished_round_count == len(self.rounds):
            return finished_round_count, self.desk.standing

        # This fails if results of earlier rounds are missing.
        with suppress(PairoptError):
            event = self.desk.event.at_round(finished_round_count + 1)
            ranked_standings = rank_players(event, tie_breaks_of(event))
            return finished_round_count, {
                standing.player: standing for standing in ranked_standings
            }
        return 0, {}

    @cached_property
    def bracket(self) -> list[BracketLine]:
        """The matches of the bracket that have to be played, in the order of play.

        It is empty without a bracket, or if bracket.csv has faults.
        """
        with suppress(PairoptError):
            return bracket_lines(load_bracket(self.desk), self.desk.event.called)
        return []

    @cached_property
    def cut(self) -> Mapping[str, list[tuple[str, SeatView]]]:
        """The bracket's matches of each player, by displayed name; {} without one.

        Each match is its round's title and the player's seat, in the order of the
        bracket.
        """
        seats_by_name: dict[str, list[tuple[str, SeatView]]] = {}
        for bracket_line in self.bracket:
            for player_side, opponent_side in (
                bracket_line.chairs,
                bracket_line.chairs[::-1],
            ):
                score_text = f"{player_side.points}-{opponent_side.points}".strip("-")
                player_seat = SeatView(
                    player_side.name,
                    bracket_line.match,
                    "",
                    opponent_side.name,
                    score_text,
                    ending_of(score_text),
                )
                seats_by_name.setdefault(player_side.name, []).append(
                    (bracket_line.title, player_seat)
                )
        return seats_by_name


PageMaker = Callable[[EventSnapshot, Query], Context]
"""Returns the values of a page's template."""


@dataclass(frozen=True, slots=True)
class PhonePage:
    """A rendered page, the part of it that can change, and the tag of this version.

    `body` is the whole page, `live` the part, and `status` the HTTP status. `values`
    are those of its template. As long as they stay the same, the page is not rendered
    again.
    """

    values: Mapping[str, object]
    tag: str
    body: bytes
    live: bytes
    status: int


@dataclass
class PhonePages:
    """The phones' pages of an event; while its files have faults, the last good state.

    `snapshot` is the event of `site` as it was read last, at the time `read_at`;
    `pages` are the rendered pages by address, and `old_pages` those to be rendered
    again. `hall` is the message and the clock, and `other_states` are those of the
    group's other events. `lock` is held while a page is rendered, `why_lock` for a page
    that solves a round.
    """

    site: EventSite
    snapshot: EventSnapshot | None = None
    other_states: Sequence[str] = ()
    hall: VenueState = field(default_factory=VenueState)
    pages: dict[str, PhonePage] = field(default_factory=dict)
    old_pages: dict[str, PhonePage] = field(default_factory=dict)
    read_at: float = -SECONDS
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    why_lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def page(self, address: str, path: str, query: Query) -> PhonePage:
        """Return the page at an address: a stored one, or one that is rendered now.

        If the last look at the event's files is more than SECONDS seconds ago, the
        files are read first. `address` has the query and is the key of the stored
        pages; `path` is the key in PAGES.

        One page is rendered at a time, so that pairing goes on. The pages that answer
        "Why?" pair rounds; they have a lock of their own and delay no other page. A
        player's page, of which there are many, is faster than the switch to a thread.
        """
        async with self.lock:
            if time.monotonic() - self.read_at > SECONDS:
                await run_in_threadpool(self._read_files)
                self.read_at = time.monotonic()
            snapshot = self.snapshot
            stored_pages = self.pages

        async with self.why_lock if path == "/why" else self.lock:
            if address in stored_pages:
                return stored_pages[address]
            if len(stored_pages) >= MOST_PAGES:
                stored_pages.clear()
            render_in_thread = partial(
                _render_page, self, snapshot, path, query, self.old_pages.get(address)
            )
            if path == "/player":
                phone_page = render_in_thread()
            else:
                phone_page = await run_in_threadpool(render_in_thread)
            stored_pages[address] = phone_page
            return phone_page

    def _read_files(self) -> None:
        """Read the event's files again; if anything has changed, all pages become old.

        "Anything" is the event, the hall's message and clock, or another event of the
        group. If the files have faults, the snapshot stays as it is.
        """
        venue_state = read_hall(self.site.folder)
        other_states = [
            desk.state for _, desk in self.site.group.readable_events(self.site)
        ]
        if (venue_state, other_states) != (self.hall, self.other_states):
            self.hall = venue_state
            self.other_states = other_states
            self._set_pages_aside()

        with suppress(PairoptError):
            desk = self.site.desk()
            if self.snapshot is not None and desk.version == self.snapshot.desk.version:
                return
            snapshot = EventSnapshot(desk, self.site)
            # Raises if the files have faults.
            snapshot.seats, snapshot.standing, desk.standing  # noqa: B018
            self.snapshot = snapshot
            self._set_pages_aside()

    def _set_pages_aside(self) -> None:
        """Move all pages to `old_pages`, so that each is rendered again on request.

        An old page is only compared with the new one. If there are more than
        MOST_PAGES, all are discarded.
        """
        self.old_pages = {**self.old_pages, **self.pages}
        self.pages = {}
        if len(self.old_pages) > MOST_PAGES:
            self.old_pages = {}


def build_phone_app(
    pages: PhonePages, share: NetworkShare, static: list[BaseRoute]
) -> ASGIApp:
    """Return the application for phones on the network, which can only read.

    `pages` are those of one event. `static` are the routes of styles and scripts.
    """
    page_routes = [
        Route(page_path, partial(answer_phone, pages, page_path), methods=["GET"])
        for page_path in PAGES
    ]
    proof_route = Route(
        proofs.PATH, partial(download, pages.site, proofs.find_proof), methods=["GET"]
    )
    return guarded_application(
        [*page_routes, proof_route, *static],
        AllowedHosts(share.port),
        exception_handlers={NOT_FOUND: show_nowhere},
    )


def find_players(snapshot: EventSnapshot, query: Query) -> Context:
    """Return the template's values for the list of players whose names fit the query.

    The query's "name" is what was typed; without it all players are listed, by name.
    Each has the seat in the last round, or in the bracket if the player has a match
    there. A long list is split, and only the part in the address is shown. "sure" is
    False if names fit only approximately. Players of other events of the group are
    added if their names fit.
    """
    typed_name = query.get("name", "")
    event = snapshot.desk.event
    seat_by_name = {}
    if snapshot.seats:
        seat_by_name = dict(snapshot.seats[snapshot.number - 1])
    for player_name, cut_matches in snapshot.cut.items():
        seat_by_name[player_name] = cut_matches[-1][1]

    player_positions, is_sure_match = event.search_players(typed_name)
    player_positions = sorted(
        player_positions,
        key=lambda player_position: alphabetical_key(event.shown[player_position]),
    )
    player_links = [
        "/player?" + urlencode({"id": event.players[player_position]})
        for player_position in player_positions
    ]
    player_seats = [
        seat_by_name.get(
            event.shown[player_position], SeatView(event.shown[player_position])
        )
        for player_position in player_positions
    ]
    seats_with_links = [*zip(player_seats, player_links, strict=True)]
    shown_part = select_part(seats_with_links, "/", query, lambda entry: entry[0].name)
    return {
        "typed": typed_name,
        "chosen": shown_part.items,
        "part": shown_part,
        "sure": is_sure_match,
        "in_others": snapshot.site.group.find_in_other_events(
            snapshot.site, typed_name
        ),
    }


def phone_player_context(snapshot: EventSnapshot, query: Query) -> Context:
    """Return the values of a player's page: table, points, and matches so far.

    The player is the "id" of the query. "rounds" are all rounds and the matches of the
    bracket, the latest first, each with a title and the player's seat (None without
    one). In a round robin without a bracket, the next open game comes first, and all
    others in their order. "rank" is 0 if there is none yet, and "over" the last
    finished round. Raises UsageError for an unknown player.
    """
    event = snapshot.desk.event
    player_position = event.position(query.get("id", ""))
    shown_name = event.shown[player_position]
    titled_seats = [
        (f"Round {round_number}", seat_by_name.get(shown_name))
        for round_number, seat_by_name in enumerate(snapshot.seats, 1)
    ]
    titled_seats = [*titled_seats, *snapshot.cut.get(shown_name, ())][::-1]
    is_round_robin = event.settings.is_round_robin
    if is_round_robin and not snapshot.cut:
        titled_seats = _order_from_next_game(titled_seats[::-1])
    standing = snapshot.desk.standing[event.players[player_position]]
    finished_rounds, standings_by_player = snapshot.standing
    has_rank = finished_rounds and standing.player in standings_by_player
    return {
        "id": standing.player,
        "name": shown_name,
        "rounds": titled_seats,
        "over": finished_rounds,
        "round_robin": is_round_robin,
        "rank": standings_by_player[standing.player].rank if has_rank else 0,
        "active": standing.active,
        "points": decimal_text(standing.points),
        "rating": event.shown_rating(player_position),
        "sided": event.sided,
    }


def _order_from_next_game(
    titled_seats: Sequence[tuple[str, SeatView | None]],
) -> list[tuple[str, SeatView | None]]:
    """Return a player's rounds with the next game without a result first.

    `titled_seats` has them from round 1 on. Each is a title and the player's seat, None
    in a round without a seat. The others follow in the order of the rounds. If no game
    is open, the last round comes first.
    """
    next_position = next(
        (
            round_index
            for round_index, (_, seat_in_round) in enumerate(titled_seats)
            if seat_in_round is not None
            and seat_in_round.line is not None
            and seat_in_round.line.open
        ),
        len(titled_seats) - 1,
    )
    return [
        *titled_seats[next_position : next_position + 1],
        *titled_seats[:next_position],
        *titled_seats[next_position + 1 :],
    ]


def why_context(snapshot: EventSnapshot, query: Query) -> Context:
    """Return the values of the page that explains a player's pairing in the last round.

    `query` has the player's "id" and, optionally, the "other" player who was not the
    opponent. Raises UsageError for an unknown player, and in a round robin.
    """
    return player_questions.explain_pairing(
        snapshot.desk, query.get("id", ""), query.get("other", "")
    )


def pairings_context(snapshot: EventSnapshot, query: Query) -> Context:
    """Return the values of the page with the pairings of the last round.

    "number" is the round, in a round robin the one that is played now. "paired" has its
    lines, of a long list only the part in the address, and "part" is that part. "proof"
    is a proof of the round to download, None without one. Before the first round, the
    number is 0 and there are no lines.
    """
    round_number = snapshot.number
    last_round = snapshot.current or RoundView(("", ""), ())
    shown_part = select_part(
        last_round.lines, "/pairings", query, lambda line: line.table or line.one
    )
    return {
        "number": round_number,
        "paired": replace(last_round, lines=tuple(shown_part.items)),
        "part": shown_part,
        "proof": find_proof_download(snapshot.desk, round_number),
    }


def standings_context(snapshot: EventSnapshot, query: Query) -> Context:
    """Return the values of the page with the standings so far.

    "standings" is a view of them; chess and events without sides have no column for
    side biases. A long list is split; "standings" then has only the part in the
    address, and "part" is that part. Raises UsageError if the part is no number.
    """
    standings_view = standings_of(snapshot.desk.event, bias=False)
    return select_standings_part(standings_view, "/standings", query)


def bracket_context(snapshot: EventSnapshot, _: Query) -> Context:
    """Return the values of the page with the bracket, by its parts.

    The query does not matter. Raises UsageError without a bracket.
    """
    if not snapshot.bracket:
        raise UsageError("There is no top cut yet.")
    return {"parts": bracket_parts(snapshot.bracket)}


def screen_context(snapshot: EventSnapshot, query: Query) -> Context:
    """Return the values of the screen for the room.

    "by" says what it shows: what the address asks for with "by", by default "table",
    until all results of the last round are there, and then "standings". Once there is a
    bracket, it is "bracket", unless the address asks for standings. Before the first
    round it is "nothing": the screen has only the number of players. The other values
    are for these parts.
    """
    desk = snapshot.desk
    last_round = snapshot.current
    has_open_matches = last_round is not None and any(
        match_line.open for match_line in last_round.lines
    )

    requested_kind = query.get("by", "table")
    shown_content = requested_kind
    if last_round is not None and not has_open_matches:
        shown_content = "standings"
    if snapshot.bracket and requested_kind != "standings":
        shown_content = "bracket"
    elif last_round is None:
        shown_content = "nothing"
    return {
        "by": shown_content,
        "number": snapshot.number,
        "paired": last_round,
        "bracket": snapshot.bracket,
        "players": len(desk.event.players),
        "rounds": desk.event.settings.rounds,
        "standing": [
            (standing, decimal_text(standing.points))
            for standing in desk.standing.values()
        ],
        "open": has_open_matches,
    }


def sections_context(snapshot: EventSnapshot, _: Query) -> Context:
    """Return the values of the screen for the room with all events of the group.

    "parts" has for each event the values of its screen, with its "title" and its
    "hall", the message and clock. Events whose files have faults are left out. The
    "hall" of the whole screen is that of all events, empty if they differ. The query
    does not matter.
    """
    screens_of_events: list[dict[str, object]] = []
    for event_site, desk in snapshot.site.group.readable_events():
        # The files of one event may have faults.
        with suppress(PairoptError):
            screen_values = screen_context(EventSnapshot(desk, event_site), {})
            venue_state = read_hall(event_site.folder)
            screens_of_events.append(
                {**screen_values, "title": event_site.title, "hall": venue_state}
            )
    venue_states = {screen_values["hall"] for screen_values in screens_of_events}
    return {
        "parts": screens_of_events,
        "hall": venue_states.pop() if len(venue_states) == 1 else VenueState(),
    }


PAGES: Mapping[str, tuple[PageMaker, str, str]] = {
    "/": (find_players, "phone_found.html", "Find my name"),
    "/pairings": (pairings_context, "phone_pairings.html", "Pairings"),
    "/standings": (standings_context, "phone_standings.html", "Standings"),
    "/bracket": (bracket_context, "phone_eliminations.html", "Bracket"),
    "/player": (phone_player_context, "phone_player.html", ""),
    "/why": (why_context, "phone_why.html", ""),
    "/screen": (screen_context, "phone_screen.html", ""),
    ALL: (sections_context, "phone_sections.html", ""),
}
"""The function, the template and the menu's name of each page; "" for not in the menu."""


async def answer_phone(pages: PhonePages, path: str, request: Request) -> Response:
    """Answer a request for a page, or for the part of it that can change.

    `path` is the page's key in PAGES. A request for the part has the header `live`. The
    answer is 304 if the client has the current version. Parameters of the address that
    no page knows are ignored.
    """
    known_parameters = {
        parameter_name: parameter_value
        for parameter_name, parameter_value in request.query_params.items()
        if parameter_name in ASKED
    }
    page_address = request.url.path + (
        f"?{urlencode(known_parameters)}" if known_parameters else ""
    )
    phone_page = await pages.page(page_address, path, known_parameters)
    response_headers = {
        "etag": phone_page.tag,
        "cache-control": "no-cache",
        "now": str(current_milliseconds()),
    }
    if request.headers.get("if-none-match", "").removeprefix("W/") == phone_page.tag:
        return Response(status_code=NOT_MODIFIED, headers=response_headers)

    wants_live_part = "live" in request.headers
    if wants_live_part:
        # A browser would show a stored part as if it were the page.
        response_headers["cache-control"] = "no-store"
    return HTMLResponse(
        phone_page.live if wants_live_part else phone_page.body,
        phone_page.status,
        response_headers,
    )


def _render_page(
    pages: PhonePages,
    snapshot: EventSnapshot | None,
    path: str,
    query: Query,
    old_page: PhonePage | None,
) -> PhonePage:
    """Render the page at a path, or return `old_page` if its values are the same.

    `path` is the page's key in PAGES, and `query` has the parameters of the address. If
    the page cannot be shown, for example of an unknown player, it is the page "not
    found" with status 404. If `snapshot` is None, because the event's files could never
    be read, the page says with status 200 that the event has not started.
    """
    event_title = ""
    template_name = "phone_nothing.html"
    http_status = 200
    menu_links: list[tuple[str, str]] = []
    page_context: Context = {}
    if snapshot is not None:
        event_title = pages.site.title
        menu_links = [
            (page_path, page_label)
            for page_path, (_, _, page_label) in PAGES.items()
            if page_label and (page_path != "/bracket" or snapshot.bracket)
        ]
        make_context, page_template, _ = PAGES[path]
        try:
            page_context = make_context(snapshot, query)
            template_name = page_template
        except PairoptError:
            http_status = NOT_FOUND

    template_values = {
        "event_title": event_title,
        "root": pages.site.root,
        "path": path,
        "menu": menu_links,
        "founded": snapshot is not None,
        "hall": pages.hall,
        "share": pages.site.share,
        "status": http_status,
        "sections": pages.site.group.links(pages.site),
        **page_context,
    }
    if old_page is not None and old_page.values == template_values:
        return old_page

    page_html = (
        load_page_templates().get_template(template_name).render(template_values)
    )
    live_html = page_html.partition(BEGIN)[2].partition(END)[0]
    page_tag = f'"{hashlib.sha256(page_html.encode()).hexdigest()[:32]}"'
    # The first such place is the attribute, because names have their quotes escaped.
    tagged_html = page_html.replace('data-tag=""', f"data-tag='{page_tag}'", 1)
    return PhonePage(
        template_values, page_tag, tagged_html.encode(), live_html.encode(), http_status
    )
