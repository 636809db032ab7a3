"""Random events with everything that a report can have, for round trips.

Nobody pairs their rounds: opponents are drawn, so that thousands of events take minutes. What is in
an event depends on the seed alone.
"""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from pairopt.cli.fide.generate import SYSTEMS
from pairopt.event.berger import build_berger_table, find_bye
from pairopt.event.chosen_ratings import with_chosen_ratings
from pairopt.event.column_layout import RATED, RATING_RESULT
from pairopt.event.event import Event
from pairopt.event.forbidden_pairs import ForbiddenMeeting
from pairopt.event.settings import EventSettings
from pairopt.files.build_event import PlayerTable, ReadOptions, build_event
from pairopt.files.csv_schema import MatchRow, PlayerRow
from pairopt.files.formats.trf.records import build_points
from pairopt.messages.formatting import decimal_text

WORDS = (
    "North",
    "Łódź",
    "São Paulo",
    "Open",
    "Ωmega",
    "Club 21",
    "Dvořák",
    "a;b,c",
    "90'",
)
FEDERATIONS = ("GER", "POL", "BRA", "FID", "NED")
TITLES = ("", "", "", "GM", "WIM", "FM", "WCM")
TIME_CONTROLS = (
    "5400+30",
    "900",
    "40/6000+30:900+30",
    "W300-B240",
    "40/7200:20/3600:900",
)
TIE_BREAKS = ("BH/C1", "BH", "SB", "WON", "DE", "PS", "ARO", "BPG")
RESULTS = (("W", "L"), ("L", "W"), ("D", "D"), ("L", "L"), ("D", "L"), ("L", "D"))
FORFEITS = (("FW", "FL"), ("FL", "FW"), ("FL", "FL"))
BYES = ("HPB", "ZPB", "FPB")


class Drawing:
    """Random draws of one event."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(f"report {seed}")

    def happens(self, chance: float) -> bool:
        return self.rng.random() < chance

    def choose(self, items: Any) -> Any:
        return items[int(self.rng.random() * len(items))]

    def words(self) -> str:
        return " ".join(
            self.choose(WORDS) for _ in range(1 + int(self.rng.random() * 3))
        )

    def arbiter(self) -> str:
        name = f"{self.choose(WORDS)}, {self.choose(WORDS)}"
        return (
            f"{name} ({self.rng.randrange(10**5, 10**9)})"
            if self.happens(0.8)
            else name
        )


ROUND_ROBIN_EVERY = 5
"""Of so many seeds, one gives a round robin."""


def report_event(seed: int) -> Event:
    """Return a random event that a TRF can hold without loss."""
    event = _draw_event(seed)
    # These draws are apart, so that the rest of an event does not depend on them.
    rng = random.Random(f"national {seed}")
    if rng.random() < 0.75 or not event.settings.federation:
        return event
    national = [
        "" if rng.random() < 0.3 else str(rng.randrange(900, 2800))
        for _ in event.players
    ]
    choice = rng.choice((None, "fide", "national", "national-first", "larger"))
    facts = [
        line for line in event.origin.facts["trf"] if line[:3] not in ("172", "GER")
    ]
    columns = {
        **event.columns,
        "rating": tuple(map(event.rating_text, range(len(event.players)))),
        "national_rating": tuple(national),
    }
    event = replace(
        event,
        columns=columns,
        settings=replace(
            event.settings, rating_choice=choice if any(national) else None
        ),
        origin=replace(event.origin, facts={"trf": facts}),
    )
    return with_chosen_ratings(event, choice)


def _draw_event(seed: int) -> Event:
    """Return a random event without national ratings."""
    draw = Drawing(seed)
    if seed % ROUND_ROBIN_EVERY == ROUND_ROBIN_EVERY - 1:
        return _round_robin_event(draw)
    player_count, rounds = (
        3 + int(draw.rng.random() * 14),
        1 + int(draw.rng.random() * 6),
    )
    points = draw.choose((*SYSTEMS, SYSTEMS[0], SYSTEMS[0]))
    played = rounds if draw.happens(0.6) else int(draw.rng.random() * (rounds + 1))
    rows, unrated, corrected = _draw_rows(draw, player_count, played, points)
    roster = _draw_roster(draw, player_count, rounds)
    options = ReadOptions(penalties=True, any_results=True)
    event = build_event("report", rows, roster, options).with_sides(("white", "black"))
    cells = {
        name: marks
        for name, marks in ((RATED, unrated), (RATING_RESULT, corrected))
        if any(marks)
    }
    settings = EventSettings(
        title=draw.words(),
        rounds=rounds,
        model=draw.choose(("fide-dutch", "fide-burstein")),
        points=build_points(points),
        tie_breaks=draw.choose((None, TIE_BREAKS[:3], TIE_BREAKS[2:6], TIE_BREAKS[5:])),
        **_draw_head(draw, rounds),
    )
    facts = _draw_lines(draw, player_count, played)
    origin = replace(event.origin, cells=cells, chess=True, facts={"trf": facts})
    return replace(
        event,
        settings=settings,
        origin=origin,
        initial_side=draw.choose((0, 1)),
        prohibited=tuple(_draw_prohibited(draw, player_count, rounds)),
    )


def _round_robin_event(draw: Drawing) -> Event:
    """Return a random round robin: open games, forfeits, withdrawals, other colours."""
    count = 3 + int(draw.rng.random() * 10)
    cycles, is_reversed = draw.choose((1, 1, 2)), draw.happens(0.3)
    table = build_berger_table(count, cycles=cycles, is_reversed=is_reversed)
    points = {**draw.choose((*SYSTEMS, SYSTEMS[0], SYSTEMS[0])), "PAB": Decimal(0)}
    played_share = draw.choose((0, 0.3, 0.8, 1, 1))
    withdrawn = {number for number in range(1, count + 1) if draw.happens(0.1)}
    withdrawn &= set(range(1, count)) if draw.happens(0.5) else set()
    rows: list[MatchRow] = []
    unrated: list[str] = []
    corrected: list[str] = []
    for turn, boards in enumerate(table, 1):
        for table_number, (white, black) in enumerate(boards, 1):
            is_exchanged = draw.happens(0.05)
            row = MatchRow(
                turn,
                str(white),
                str(black),
                table_number,
                "black" if is_exchanged else "white",
            )
            # A player who withdrew has no open games.
            gone = withdrawn & {white, black}
            is_played = draw.happens(played_share * (0.4 if gone else 1))
            is_forfeit = bool(gone) or draw.happens(0.08)
            mark = result = ""
            if is_played:
                kinds = draw.choose(RESULTS[:3])
                row = replace(row, score1=points[kinds[0]], score2=points[kinds[1]])
                others = [pair for pair in RESULTS[:3] if pair != kinds]
                if draw.happens(0.1) and not gone:
                    amounts = (Fraction(points[kind]) for kind in draw.choose(others))
                    result = "-".join(map(decimal_text, amounts))
                mark = "false" if draw.happens(0.1) else ""
            elif is_forfeit:
                kinds = (
                    ("FL" if white in withdrawn else "FW"),
                    ("FL" if black in withdrawn or not gone else "FW"),
                )
                row = replace(
                    row,
                    score1=points[kinds[0]],
                    score2=points[kinds[1]],
                    status="forfeit",
                )
            rows.append(row)
            unrated.append(mark)
            corrected.append(result)
        bye = find_bye(boards, count)
        if bye is not None:
            rows.append(MatchRow(turn, str(bye), score1=Decimal(0), status="bye"))
            unrated.append("")
            corrected.append("")
    roster = _draw_roster(draw, count, len(table))
    # Neither virtual points nor penalties are usual here.
    players = [
        replace(row, adjusted=(), virtual=(), active=int(row.player) not in withdrawn)
        for row in roster.players
    ]
    columns = {**roster.columns}
    if withdrawn:
        columns["active"] = ["true" if row.active else "false" for row in players]
    roster = replace(roster, players=players, columns=columns)
    options = ReadOptions(penalties=True, any_results=True, all_rounds_open=True)
    event = build_event("report", rows, roster, options).with_sides(("white", "black"))
    head = _draw_head(draw, len(table))
    if "tournament_type" in head:
        head["tournament_type"] = f"Individual: Round-Robin {draw.words()}"
    settings = EventSettings(
        title=draw.words(),
        rounds=len(table),
        format="round-robin",
        cycles=2 if cycles == 2 else None,
        reversed=is_reversed or None,
        numbers="start",
        points=build_points(points),
        tie_breaks=draw.choose((None, ("SB/P", "KS"), ("DE/P", "WIN"))),
        **head,
    )
    cells = {
        name: marks
        for name, marks in ((RATED, unrated), (RATING_RESULT, corrected))
        if any(marks)
    }
    origin = replace(event.origin, cells=cells, chess=True, facts={"trf": []})
    return replace(event, settings=settings, origin=origin)


def _draw_head(draw: Drawing, rounds: int) -> dict[str, Any]:
    first = date(2026, 1, 1) + timedelta(days=int(draw.rng.random() * 900))
    every = {
        "city": draw.words(),
        "federation": draw.choose(FEDERATIONS),
        "first_day": first,
        "last_day": first + timedelta(days=rounds),
        "round_days": tuple(
            first + timedelta(days=turn // 2) for turn in range(rounds)
        ),
        "chief_arbiter": draw.arbiter(),
        "deputies": tuple(
            draw.arbiter() for _ in range(1 + int(draw.rng.random() * 3))
        ),
        "organiser": draw.words(),
        "time_control": draw.choose(TIME_CONTROLS),
        "time_control_words": draw.words(),
        "rating_kind": draw.choose(("standard", "rapid", "blitz")),
        "tournament_type": f"Individual: Swiss-System {draw.words()}",
    }
    return {key: value for key, value in every.items() if draw.happens(0.8)}


def _draw_roster(draw: Drawing, count: int, rounds: int) -> PlayerTable:
    names = [f"{draw.choose(WORDS)}, {number}"[:33] for number in range(1, count + 1)]
    has_adjusted, has_virtual = draw.happens(0.25), draw.happens(0.25)
    rows = []
    for number, name in enumerate(names, 1):
        adjusted: tuple[Decimal, ...] = ()
        if has_adjusted and draw.happens(0.3):
            turn = int(draw.rng.random() * rounds)
            adjusted = (Decimal(0),) * turn + (
                Decimal(draw.choose(("-1", "0.5", "1"))),
            )
        virtual = (Decimal(1), Decimal("0.5"))[:rounds] if number <= count / 2 else ()
        rows.append(
            PlayerRow(
                str(number),
                name,
                Decimal(draw.rng.randrange(1000, 2900)) if draw.happens(0.9) else None,
                start=number,
                adjusted=adjusted,
                virtual=virtual if has_virtual else (),
            )
        )
    columns = {
        "fide_id": [
            str(draw.rng.randrange(10**5, 10**8) * 100 + k) for k in range(count)
        ],
        "federation": [draw.choose(FEDERATIONS) for _ in names],
        "title": [draw.choose(TITLES) for _ in names],
        "sex": [draw.choose(("m", "w", "")) for _ in names],
        "birth": [
            f"{draw.rng.randrange(1930, 2020)}-0{draw.rng.randrange(1, 9)}-11"
            for _ in names
        ],
        "start": [str(row.start) for row in rows],
    }
    return PlayerTable("players", rows, columns)


def _draw_rows(
    draw: Drawing, count: int, played: int, points: Any
) -> tuple[list[MatchRow], list[str], list[str]]:
    rows: list[MatchRow] = []
    unrated: list[str] = []
    corrected: list[str] = []

    def add(row: MatchRow, is_unrated: str = "", result: str = "") -> None:
        rows.append(row)
        unrated.append(is_unrated)
        corrected.append(result)

    for turn in range(1, played + 1):
        players = [*range(1, count + 1)]
        draw.rng.shuffle(players)
        while len(players) > 2 and draw.happens(0.2):
            kind = draw.choose(BYES)
            add(
                MatchRow(
                    turn, str(players.pop()), score1=points[kind], status="requested"
                )
            )
        if len(players) % 2:
            add(MatchRow(turn, str(players.pop()), score1=points["PAB"], status="bye"))
        for one, two in zip(players[::2], players[1::2], strict=True):
            is_forfeit = draw.happens(0.08)
            kinds = (
                draw.choose(FORFEITS)
                if is_forfeit
                else draw.choose(RESULTS[: 3 + 3 * draw.happens(0.1)])
            )
            score1, score2 = (points[kind] for kind in kinds)
            result = ""
            others = [pair for pair in RESULTS[:3] if pair != kinds]
            if not is_forfeit and draw.happens(0.1):
                amounts = (Fraction(points[kind]) for kind in draw.choose(others))
                result = "-".join(map(decimal_text, amounts))
            row = MatchRow(
                turn,
                str(one),
                str(two),
                None,
                draw.choose(("white", "black")),
                score1,
                score2,
                "forfeit" if is_forfeit else "",
            )
            add(row, "false" if not is_forfeit and draw.happens(0.1) else "", result)
    return rows, unrated, corrected


def _draw_prohibited(draw: Drawing, count: int, rounds: int) -> list[ForbiddenMeeting]:
    meetings = {}
    for _ in range(int(draw.rng.random() * 3)):
        one, two = sorted(draw.rng.sample(range(count), 2))
        first = 1 + int(draw.rng.random() * rounds)
        last = first + int(draw.rng.random() * (rounds - first + 1))
        whole = (first, last) == (1, rounds)
        meetings[one, two] = ForbiddenMeeting(
            one, two, None if whole else (first, last)
        )
    return [*meetings.values()]


def _draw_lines(draw: Drawing, count: int, played: int) -> list[str]:
    number = 1 + int(draw.rng.random() * count)
    lines = {
        "172 GER OTHER": 0.3,
        "182 Another Program 2.1": 0.4,
        f"### As played @ Round {max(played, 1)}: 1-2 => 2-1": 0.3,
        "### MPA @ Round 1: 1-3 => 3-1": 0.3,
        f"GER {number:>4}{'':40}{draw.rng.randrange(800, 2700):>4} GER": 0.3,
    }
    return [line for line, chance in lines.items() if draw.happens(chance)]
