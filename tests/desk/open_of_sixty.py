"""An open of 60 players by the page alone, from an empty folder: a rating list, seven rounds, all
lists and reports, and static pages.

The script keeps an account of its own of who was entered and what was played. It reads every
list and report that the page gives, and compares each with this account.
"""

from __future__ import annotations

import csv
import io
import re
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from html.parser import HTMLParser
from itertools import chain, groupby, islice
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from flows import founded as create_event
from flows import number_of, out, paired, slips, sure
from judged import Evening
from organisers import PATIENCE, Hand, Room
from rating_files import Invented, text_list

sixty = Evening("an open of 60")
FOLDER, TITLE, ROUNDS = "harbour", "Harbour Masters Open", 7
LATE = (57, 58, 59)
"""Entrants, by their places in `ENTRANTS`, who come after round 1."""
HALF_LATE, WITHDRAWN, RESTING = 57, 20, 30
"""A late entrant with half a point, one who withdraws before round 4, and one who has half a point
without a game in round 4."""
FORFEIT_ROUND, REVERSED_ROUND, UNRATED_ROUND, REST_ROUND = 2, 3, 5, 4
HEAD = {
    "City": ("city", "Northhaven"),
    "Federation": ("federation", "NOR"),
    "First day": ("first_day", "2026-05-01"),
    "Last day": ("last_day", "2026-05-04"),
    "Days of the rounds": (
        "round_days",
        "2026-05-01,2026-05-02,2026-05-02,2026-05-03,2026-05-03,2026-05-04,2026-05-04",
    ),
    "Chief arbiter": ("chief_arbiter", "Moss, Alex (99999001)"),
    "Deputy chief arbiters": ("deputies", "Reed, Kim (99999002)"),
    "Organiser": ("organiser", "Harbour Chess Club"),
    "Time control in words": (
        "time_control_words",
        "90 minutes and 30 seconds per move",
    ),
}
TIME_CONTROL = "5400+30"
MAIN = (500, 300, 200, 120, 80)
GROUPS = {"U18": (70, 40), "Women": (70, 40)}
ONCE_2400 = 5
"""So many of the entrants have had a rating of 2400; the list alone knows that."""
YOUNGEST = 2009
"""The first year of birth in the group U18."""
ONSETS = [
    "b",
    "br",
    "d",
    "dr",
    "f",
    "g",
    "gr",
    "h",
    "j",
    "k",
    "kl",
    "m",
    "n",
    "p",
    "pr",
    "r",
    "s",
    "sch",
    "st",
    "t",
    "tr",
    "v",
    "w",
    "z",
]
VOWELS = ["a", "e", "i", "o", "u", "ae", "oe", "ie"]
ENDS = ["", "n", "r", "l", "s", "m", "ck", "nd", "rt", "tz"]
WOMEN = [
    "Alia",
    "Bria",
    "Cira",
    "Dela",
    "Elva",
    "Fira",
    "Gila",
    "Hela",
    "Inka",
    "Jola",
    "Kira",
    "Lina",
    "Mira",
    "Nela",
]
MEN = [
    "Aron",
    "Belo",
    "Cito",
    "Dano",
    "Edro",
    "Falk",
    "Garo",
    "Hemo",
    "Ivko",
    "Jorn",
    "Kalo",
    "Lemo",
    "Miko",
    "Noro",
]
FEDERATIONS = ["NOR", "SWE", "DEN", "FIN", "GER", "POL", "NED", "ISL"]
TITLES = {0: "GM", 1: "WGM", 2: "IM", 3: "FM", 4: "FM", 5: "WIM", 6: "CM", 9: "WFM"}
COUNTED = ("GM", "IM", "FM", "WGM", "WIM", "WFM")
SPECIAL = {
    40: "Twin, Dano",
    41: "Twin, Dano",
    44: "O'Drenn, Garo",
    46: "van der Klast, Miko",
}


def invent_name(draw: Random, is_woman: bool) -> str:
    """A name of syllables, which nobody has."""
    syllables = draw.choices((1, 2, 3), (2, 6, 2))[0]
    parts = [draw.choice(ONSETS) + draw.choice(VOWELS) for _ in range(syllables)]
    family = "".join(parts) + draw.choice(ENDS)
    return f"{family.capitalize()}, {draw.choice(WOMEN if is_woman else MEN)}"


def invent_entrants() -> list[Invented]:
    """The 60 who play: 15 women, 12 young ones, four without a rating, two of one name."""
    draw, persons = Random(60), []
    names = {*SPECIAL.values()}
    for place in range(60):
        is_woman = place % 4 == 1 and place not in SPECIAL
        name = SPECIAL.get(place, "")
        while not name or (place not in SPECIAL and name in names):
            name = invent_name(draw, is_woman)
        names.add(name)
        rating = 2430 - 17 * place if place not in (47, 51, 55, 59) else 0
        born = YOUNGEST + place % 7 if place % 5 == 2 else 1950 + place % 50
        is_young = 2026 - born <= 18 and rating < 2300
        k = 40 if is_young else 10 if place < ONCE_2400 else 20
        persons.append(
            Invented(
                99900000 + 7 * place,
                name,
                FEDERATIONS[place % len(FEDERATIONS)],
                "F" if is_woman else "M",
                TITLES.get(place, ""),
                (rating, max(0, rating - 40), 0),
                born,
                coefficients=(k, 20, 10),
            )
        )
    return persons


ENTRANTS = invent_entrants()


def invent_others(count: int) -> Iterator[Invented]:
    """So many others in the list of the federation, whose names are alike."""
    draw = Random(61)
    taken = {person.name for person in ENTRANTS}
    for place in range(count):
        is_woman = draw.random() < 0.18
        name = invent_name(draw, is_woman)
        rating = draw.randint(1400, 2650) if draw.random() < 0.41 else 0
        if name in taken:
            name = f"{name} {chr(65 + place % 26)}"
        yield Invented(
            90000000 + place,
            name,
            draw.choice(FEDERATIONS),
            "F" if is_woman else "M",
            "",
            (rating, 0, 0),
            draw.randint(1940, 2018),
        )


@dataclass(frozen=True)
class Game:
    """A game of a round as it was played: FIDE numbers, and White's score."""

    table: str
    white: int
    black: int
    score: Fraction
    is_forfeit: bool = False
    is_rated: bool = True


@dataclass
class Account:
    """What the script knows of the event by itself: games, and points without a game."""

    games: dict[int, list[Game]] = field(default_factory=dict)
    byes: dict[tuple[int, int], Fraction] = field(default_factory=dict)
    retyped: int = 0
    searches: list[float] = field(default_factory=list)
    """Milliseconds from a search of the rating list to its answer."""

    def points(self, last: int = ROUNDS) -> dict[int, Fraction]:
        """Everybody's points after a round, by FIDE numbers."""
        total = {person.number: Fraction(0) for person in ENTRANTS}
        for game in self.games_until(last):
            total[game.white] += game.score
            total[game.black] += 1 - game.score
        for (round_number, number), points in self.byes.items():
            if round_number <= last:
                total[number] += points
        return total

    def games_until(self, last: int = ROUNDS) -> Iterator[Game]:
        """All games of the rounds."""
        for round_number in range(1, last + 1):
            yield from self.games.get(round_number, [])

    def change(self, round_number: int, table: str, **how: Any) -> None:
        """Record that a game of a round was played differently."""
        games = self.games[round_number]
        ((place, game),) = [
            (place, game) for place, game in enumerate(games) if game.table == table
        ]
        games[place] = Game(**{**vars_of(game), **how})


def vars_of(game: Game) -> dict[str, Any]:
    """The fields of a game."""
    return {name: getattr(game, name) for name in game.__dataclass_fields__}


PERSON = {person.number: person for person in ENTRANTS}
account = Account()


def number_by_player(room: Room) -> dict[str, int]:
    """FIDE numbers by the identifiers in matches.csv."""
    return {
        row["player"]: int(row["fide_id"]) for row in room.rows(f"{FOLDER}/players.csv")
    }


LONG = 900_000
"""Milliseconds to store a list of 1.9 million persons on a busy machine."""
BUSY = 120_000
"""Milliseconds for an answer after 30 results or with 60 players on a busy machine."""


def shown(hand: Hand, locator: Any) -> Any:
    """The first of these, as soon as it can be seen."""
    locator.first.wait_for(timeout=BUSY)
    return locator.first


# The list, and the event


LIST_NAME = "players_list_foa.txt"
IN_A_CHUNK = 10_000
MANY_ALIKE = 100_000
"""In a list of so many invented persons, a few letters of a name do not find its person first."""


def write_list(room: Room) -> Path:
    """Write the list of the federation as FIDE publishes it: a text file in an archive."""
    path = room.place / "players_list.zip"
    persons = chain(ENTRANTS, invent_others(room.persons - len(ENTRANTS)))
    entry = zipfile.ZipInfo(LIST_NAME, (2026, 5, 1, 9, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    with (
        zipfile.ZipFile(path, "w") as archive,
        archive.open(entry, "w", force_zip64=True) as stream,
    ):
        is_first = True
        while chunk := [*islice(persons, IN_A_CHUNK)]:
            content = text_list(chunk)
            stream.write(content if is_first else content.partition(b"\r\n")[2])
            is_first = False
    return path


@sixty.task("O1", "from an empty folder: an event with a name alone, a rating list")
def _(room: Room) -> None:
    account.games.clear()
    account.byes.clear()
    account.searches.clear()
    account.retyped = 0
    path = write_list(room)
    hand = room.desk(FOLDER)
    start = time.perf_counter()
    create_event(hand, title=TITLE, game="fide", rounds=ROUNDS)
    found = room.settings(FOLDER)
    assert (found["model"], found["rounds"]) == ("fide-dutch", ROUNDS), found
    assert room.rows(f"{FOLDER}/players.csv") == []
    hand.sees("This event has no players yet. Add the players below.")
    created = time.perf_counter()
    hand.press("Use a rating list")
    hand.give(path, "File of the list")
    hand.tally.clicks += 1
    hand.button("Store the list").click(no_wait_after=True)
    hand.page.locator(".said").wait_for(timeout=LONG)
    hand.sees(re.compile(rf"FIDE list of May 2026 is stored, with {room.persons:,} "))
    stored = time.perf_counter()
    print(
        f"     event {created - start:.1f} s; {path.stat().st_size / 2**20:.1f} MB, "
        f"{room.persons:,} persons stored in {stored - created:.1f} s",
        flush=True,
    )


def check_players(room: Room, expected: Iterable[Invented]) -> None:
    """players.csv has these persons, with what the rating list has of each."""
    rows = {int(row["fide_id"]): row for row in room.rows(f"{FOLDER}/players.csv")}
    assert {*rows} == {person.number for person in expected}, len(rows)
    for number, row in rows.items():
        person = PERSON[number]
        cells = {
            "rating": str(person.ratings[0] or ""),
            "federation": person.fed,
            "title": person.title,
            "birth": str(person.born),
            "sex": {"F": "w", "M": "m"}[person.sex],
        }
        found = {key: row.get(key, "") for key in cells}
        assert (row.get("name") or row["player"]) == person.name, row
        assert found == cells, (found, cells)


def enter_listed(hand: Hand, person: Invented) -> None:
    """Find somebody in the rating list by typing, and press Enter twice."""
    field_ = hand.page.get_by_label("Find in the rating list")
    if not field_.evaluate("each => each === document.activeElement"):
        hand.tally.wish(False, "the focus is not in the search of the rating list")
        hand.click(field_)
    family, _, first = person.name.partition(", ")
    attempts = (f"{family[:6]} {first[:2]}", person.name, str(person.number))
    found = hand.page.locator("form[data-pick] [role=status] a").first
    for attempt, text in enumerate(attempts):
        if attempt:
            account.retyped += 1
            hand.key("Control+A")
        typed = text.casefold()
        hand.type(typed)
        hand.page.locator("form[data-pick]").evaluate(
            """async (form, typed) => {
              while (form.dataset.found !== typed) await new Promise(done => setTimeout(done, 20));
            }""",
            typed,
        )
        if str(person.number) in found.inner_text():
            break
    else:
        raise AssertionError(f"{person} is not found by {attempts}")
    hand.key("Enter")
    number = hand.page.locator("[name='cell.fide_id']")
    number.wait_for(timeout=PATIENCE)
    assert number.input_value() == str(person.number), person
    hand.page.locator("button:focus", has_text="Add player").wait_for(timeout=PATIENCE)
    hand.key("Enter")
    hand.sees(re.compile(rf"{re.escape(person.name)} plays from round"))
    hand.page.locator("form[data-pick] input:focus").wait_for(timeout=PATIENCE)


@sixty.task("O2", "57 players by typing and Enter, two of them of one name")
def _(room: Room) -> None:
    hand = room.desk(FOLDER)
    hand.page.on("requestfinished", clock_search)
    hand.press("Back to Players")
    early = [each for k, each in enumerate(ENTRANTS) if k not in LATE]
    Random(2).shuffle(early)
    for person in early:
        enter_listed(hand, person)
    check_players(room, early)
    if room.persons < MANY_ALIKE:
        room.wish(account.retyped <= 12, f"{account.retyped} searches typed again")
    hand.press("Update ratings")
    hand.sees("All players already have the data of the FIDE list of May 2026.")
    times = sorted(account.searches)
    print(
        f"     {len(times)} searches, {account.retyped} of them with more letters: "
        f"median {median(times):.0f} ms, "
        f"95% {times[len(times) * 95 // 100]:.0f} ms, longest {times[-1]:.0f} ms",
        flush=True,
    )


def clock_search(request: Any) -> None:
    """Add the time of a search of the rating list to the account."""
    if "players/listed/found" in request.url:
        timing = request.timing
        account.searches.append(timing["responseEnd"] - timing["requestStart"])


@sixty.task("O3", "the head of the report, groups and prizes by the Hort system")
def _(room: Room) -> None:
    hand = room.desk(FOLDER)
    hand.view("Settings")
    hand.write("Main prizes", ",".join(map(str, MAIN)))
    hand.write(
        "Prizes of groups",
        "; ".join(
            f"{name}: {first}, {second}" for name, (first, second) in GROUPS.items()
        ),
    )
    hand.choose(
        "Players with equal points", "Hort system: half by place, half in equal shares"
    )
    hand.unfold("More settings")
    hand.write("Groups", f"U18: born {YOUNGEST} or later; Women: sex is w")
    hand.unfold("For the report")
    for label, (_, text) in HEAD.items():
        hand.write(label, text)
    hand.write(re.compile(r"^\s*Time control(?! in)"), TIME_CONTROL)
    hand.press("Save settings")
    hand.page.locator(".said").wait_for(timeout=PATIENCE)
    found = room.settings(FOLDER)
    text = (room.place / FOLDER / "event.toml").read_text(encoding="utf-8")
    for _, value in HEAD.values():
        for part in value.split(","):
            assert part.strip() in text, (part, text)
    assert found["prizes"]["sharing"] == "hort", found["prizes"]


# Rounds


def play_round(room: Room, hand: Hand, round_number: int) -> None:
    """Pair a round and enter all results; account for what was typed."""
    paired(hand, round_number)
    numbers = number_by_player(room)
    draw = Random(round_number)
    games, lines = [], []
    for row in room.rows(f"{FOLDER}/matches.csv"):
        if int(row["round"]) != round_number:
            continue
        if not row["player2"]:
            if row["status"] == "bye":
                account.byes[round_number, numbers[row["player1"]]] = Fraction(1)
            continue
        pair = [numbers[row["player1"]], numbers[row["player2"]]]
        if row["side1"] == "black":
            pair.reverse()
        # The stronger player wins more often, as in any open.
        stronger = PERSON[pair[0]].ratings[0] - PERSON[pair[1]].ratings[0]
        key = draw.choice("11123" if stronger > 0 else "12333")
        score = {"1": Fraction(1), "2": Fraction(1, 2), "3": Fraction(0)}[key]
        games.append(Game(row["table"], *pair, score))
        lines.append(f"{row['table']} {key}")
    account.games[round_number] = games
    forfeited = games[-2].table if round_number == FORFEIT_ROUND else ""
    draw.shuffle(lines)
    slips(hand, [line for line in lines if line.split()[0] != forfeited])
    if forfeited:
        shown(hand, hand.page.get_by_text(re.compile(r"1 of \d+ results is missing")))
        row = hand.page.locator(f"#table-{forfeited}")
        hand.click(row.get_by_label(f"More for table {forfeited}"))
        hand.click(row.get_by_role("button", name=re.compile("wins by forfeit")))
        asks = shown(hand, hand.page.locator(".asks"))
        assert "because a forfeit is not a game" in asks.inner_text()
        hand.key("y")
        asks.wait_for(state="detached")
        account.change(round_number, forfeited, score=Fraction(1), is_forfeit=True)
    shown(hand, hand.page.get_by_text(re.compile(r"All \d+ results are in")))


def play_differently(hand: Hand, table: str, button: str) -> None:
    """Record on the page of a table what was different there."""
    row = hand.page.locator(f"#table-{table}")
    hand.click(row.get_by_label(f"More for table {table}"))
    hand.away(row.get_by_role("link", name="Played differently"))
    hand.press(button)
    if hand.has(hand.page.locator(".asks")):
        sure(hand)
        hand.key("y")
        hand.page.locator(".asks").wait_for(state="detached")
    hand.page.locator(".said").wait_for(timeout=PATIENCE)


def give_bye(room: Room, hand: Hand, place: int, round_number: int) -> None:
    """Give half a point for a round without a game."""
    person = ENTRANTS[place]
    hand.view("Players")
    form = hand.page.locator("form[action*='/players/bye']").filter(
        has=hand.page.locator("select[name=player]")
    )
    hand.tally.clicks += 2
    form.locator("select[name=player]").select_option(label=person.name)
    for label, text in (("Round", str(round_number)), ("Points", "½")):
        hand.click(form.get_by_label(label))
        hand.key("Control+A")
        hand.type(text)
    hand.click(form.get_by_role("button", name="Give bye"))
    hand.sees(re.compile(rf"{re.escape(person.name)}.*bye.*round {round_number}"))
    account.byes[round_number, person.number] = Fraction(1, 2)


@sixty.task(
    "O4", "seven rounds: late entries, a withdrawal, a forfeit, reversed colours"
)
def _(room: Room) -> None:
    hand = room.desk(FOLDER)
    for round_number in range(1, ROUNDS + 1):
        if round_number == 2:
            hand.view("Players")
            hand.click(hand.page.get_by_label("Find in the rating list"))
            for place in LATE:
                enter_listed(hand, ENTRANTS[place])
            give_bye(room, hand, HALF_LATE, 1)
        if round_number == REST_ROUND:
            out(hand, ENTRANTS[WITHDRAWN].name)
            give_bye(room, hand, RESTING, REST_ROUND)
        play_round(room, hand, round_number)
        table = account.games[round_number][3].table
        if round_number == REVERSED_ROUND:
            game = account.games[round_number][3]
            play_differently(hand, table, "Record reversed sides")
            account.change(
                round_number,
                table,
                white=game.black,
                black=game.white,
                score=1 - game.score,
            )
        if round_number == UNRATED_ROUND:
            play_differently(hand, table, "Don't rate this game")
            account.change(round_number, table, is_rated=False)
    hand.view("Round")
    main_button = shown(hand, hand.page.locator(".over .main"))
    assert main_button.inner_text() == "Show final standings", main_button.inner_text()
    check_players(room, ENTRANTS)
    mode = hand.page.locator("details.mode summary")
    room.wish(
        mode.count() and "In FIDE mode" in mode.inner_text(),
        f"not in FIDE mode: {mode.all_inner_texts()}",
    )
    pairs = [frozenset((game.white, game.black)) for game in account.games_until()]
    assert len({*pairs}) == len(pairs), "two players met twice"
    numbers = number_by_player(room)
    total: dict[int, Fraction] = defaultdict(Fraction)
    for row in room.rows(f"{FOLDER}/matches.csv"):
        for side in "12":
            if row[f"player{side}"] and row[f"score{side}"]:
                total[numbers[row[f"player{side}"]]] += Fraction(row[f"score{side}"])
    assert dict(total) == account.points()


# Lists


class Tables(HTMLParser):
    """The tables of a page, as rows of texts; the links of the page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.links: list[str] = []
        self._is_cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._is_cell = True
        self.links += [value or "" for name, value in attrs if name == "href"]

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._is_cell = False

    def handle_data(self, data: str) -> None:
        if self._is_cell:
            self.rows[-1][-1] += data


def squeezed(text: object) -> str:
    """A cell without blanks that only the layout has."""
    return " ".join(str("" if text is None else text).split())


def as_number(text: str) -> Fraction | str:
    """A cell as a number, if it is one: a workbook has 450 where CSV has 450.00."""
    return Fraction(text) if re.fullmatch(r"[+-]?\d+(\.\d+)?", text) else text


def read_list(room: Room, hand: Hand, title: str) -> list[dict[str, str]]:
    """A list of the page as CSV; the workbook and the page to print have the same cells.

    Prizes of the workbook are numbers with a format of money.
    """
    from openpyxl import load_workbook

    hand.view("Print")
    shown(hand, hand.button(f"{title} as CSV"))
    stem = re.sub("[^a-z0-9]+", "-", title.lower())
    path = hand.download(f"{title} as CSV", room.place / f"{stem}.csv")
    rows = [*csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig")))]
    book = hand.download(f"{title} as a workbook", room.place / f"{stem}.xlsx")
    sheet = load_workbook(book).active
    cells = [
        [squeezed(cell) for cell in row] for row in sheet.iter_rows(values_only=True)
    ]
    for head, *column in sheet.iter_cols():
        if head.value == "Amount":
            formats = {cell.number_format for cell in column if cell.value is not None}
            assert formats == {"#,##0.00"}, formats
    plain = [[squeezed(cell) for cell in row] for row in rows]
    for one, two in zip(cells[1:], plain[1:], strict=True):
        assert [*map(as_number, one)] == [*map(as_number, two)], (one, two)
    link = hand.page.get_by_role("main").get_by_role(
        "link", name=re.compile(rf"^{re.escape(title)}( of round \d+)?$")
    )
    hand.click(hand.door(link, f"nothing to print: {title}"))
    hand.door(hand.button("Print"), f"no button to print {title}", PATIENCE)
    on_paper = Tables(hand.page.content()).rows
    printed_rows = [[squeezed(cell) for cell in row] for row in on_paper]
    # On paper, a section is a row of its own instead of the first cell of each row.
    for row in plain[1:]:
        assert row in printed_rows or row[1:] in printed_rows, row
    hand.press("Back to all lists")
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def first_difference(one: Sequence[object], two: Sequence[object]) -> object:
    """The first rows that differ."""
    return next((pair for pair in zip(one, two, strict=False) if pair[0] != pair[1]), 0)


def number_by_start(room: Room, hand: Hand) -> dict[str, int]:
    """FIDE numbers by start numbers, from the starting list."""
    return {
        row["start"]: int(row["fide_id"])
        for row in read_list(room, hand, "Starting list")
    }


def is_member(number: int, group: str) -> bool:
    """Whether somebody is in a group, by the facts of the list."""
    person = PERSON[number]
    return person.born >= YOUNGEST if group == "U18" else person.sex == "F"


@sixty.task("O5", "starting list, pairings, ranking, cross table, rankings of groups")
def _(room: Room) -> None:
    hand = room.desk(FOLDER)
    numbers = number_by_start(room, hand)
    assert sorted(numbers.values()) == sorted(PERSON), "the starting list has others"
    strengths = [PERSON[numbers[str(start)]].ratings[0] for start in range(1, 61)]
    assert strengths == sorted(strengths, reverse=True), strengths

    boards = read_list(room, hand, "Pairings and results")
    games = {game.table: game for game in account.games[ROUNDS]}
    before = account.points(ROUNDS - 1)
    for row in boards:
        if row["table"] in games:
            game = games[row["table"]]
            assert numbers[row["white_start"]] == game.white, row
            assert numbers[row["black_start"]] == game.black, row
            assert number_of(row["white_points"]) == before[game.white], row
            scores = [number_of(each) for each in re.split("-", row["result"])]
            assert scores == [game.score, 1 - game.score], row
    assert {row["table"] for row in boards} >= {*games}

    points = account.points()
    ranking = read_list(room, hand, "Ranking")
    check_points(ranking, numbers, points)
    order = [numbers[row["start"]] for row in ranking]
    assert [points[each] for each in order] == sorted(points.values(), reverse=True)

    grouped = read_list(room, hand, "Ranking by group")
    key = next(iter(grouped[0]))
    for group in GROUPS:
        found = [numbers[row["start"]] for row in grouped if row[key] == group]
        assert found == [each for each in order if is_member(each, group)], group

    check_cross_table(read_list(room, hand, "Cross table"), order)


def check_points(
    rows: Sequence[dict[str, str]], numbers: dict[str, int], points: dict[int, Fraction]
) -> None:
    """Each row has the points of its player, and nobody is missing."""
    found = {numbers[row["start"]]: number_of(row["points"]) for row in rows}
    assert found == points, {
        number: (found.get(number), points[number])
        for number in points
        if found.get(number) != points[number]
    }


def check_cross_table(rows: Sequence[dict[str, str]], order: Sequence[int]) -> None:
    """Each cell is the game that was played, with the opponent by place."""
    halves = {Fraction(1): "1", Fraction(1, 2): "½", Fraction(0): "0"}
    place = {number: k for k, number in enumerate(order, 1)}
    for row, number in zip(rows, order, strict=True):
        for round_number in range(1, ROUNDS + 1):
            expected = (
                "-" + halves[account.byes.get((round_number, number), Fraction(0))]
            )
            for game in account.games[round_number]:
                sides = (
                    (game.white, game.black, "w", game.score),
                    (game.black, game.white, "b", 1 - game.score),
                )
                for player, opponent, side, score in sides:
                    if player == number:
                        mark = halves[score]
                        if game.is_forfeit:
                            mark = "+" if score else "-"
                        expected = f"{place[opponent]}{side}{mark}"
            assert row[f"round{round_number}"] == expected, (row, expected)


@sixty.task("O6", "the prize list: the sum, one prize per person, shares by Hort")
def _(room: Room) -> None:
    hand = room.desk(FOLDER)
    rows = read_list(room, hand, "Prizes")
    announced = sum(MAIN) + sum(sum(prizes) for prizes in GROUPS.values())
    paid = sum(Fraction(row["amount"]) for row in rows if row["amount"])
    assert paid == announced, (paid, announced)
    key = next(iter(rows[0]))
    winners = [(row["name"], row["rank"]) for row in rows if row["name"]]
    assert len({*winners}) == len(winners), Counter(winners).most_common(1)
    ranking = read_list(room, hand, "Ranking")
    takers = {row["rank"] for row in rows if row[key] in GROUPS and row["amount"]}
    left = [row for row in ranking if row["rank"] not in takers]
    expected = hort_shares([number_of(row["points"]) for row in left], MAIN)
    amounts = {
        (row["name"], row["rank"]): Fraction(row["amount"])
        for row in rows
        if row[key] not in GROUPS
    }
    for row, share in zip(left, expected, strict=True):
        paid_share = amounts.get((row["name"], row["rank"]), Fraction(0))
        assert abs(paid_share - share) <= Fraction(1, 100), (row, paid_share, share)


def hort_shares(points: Sequence[Fraction], prizes: Sequence[int]) -> list[Fraction]:
    """The Hort system: half of a prize by place, the other halves in equal shares."""
    by_place = [Fraction(prize) for prize in prizes]
    by_place += [Fraction(0)] * (len(points) - len(prizes))
    shares = []
    for _, places in groupby(range(len(points)), key=points.__getitem__):
        group = [by_place[place] for place in places]
        shares += [prize / 2 + sum(group) / len(group) / 2 for prize in group]
    return shares


@sixty.task("O7", "expected rating changes: games that count, and K times W less We")
def _(room: Room) -> None:
    hand = room.desk(FOLDER)
    numbers = number_by_start(room, hand)
    ranking = read_list(room, hand, "Ranking")
    rows = read_list(room, hand, "Expected rating change")
    for ranked, row in zip(ranking, rows, strict=True):
        assert ranked["name"] == row["name"], (ranked, row)
        number = numbers[ranked["start"]]
        own = PERSON[number].ratings[0]
        games, score, expected = 0, Fraction(0), 0.0
        for game in account.games_until():
            opponent = {game.white: game.black, game.black: game.white}.get(number)
            if opponent is None or game.is_forfeit or not game.is_rated:
                continue
            other = PERSON[opponent].ratings[0]
            if not other:
                continue
            games += 1
            score += game.score if game.white == number else 1 - game.score
            distance = max(-400, min(400, own - other))
            expected += 1 / (1 + 10 ** (-distance / 400))
        assert int(row["games"]) == games, (row, games)
        assert Fraction(row["score"] or 0) == score, (row, score)
        if not own or not games:
            continue
        table_score = Fraction(row["expected_score"])
        # The table of FIDE follows another curve, by less than this for each game.
        assert abs(float(table_score) - expected) <= 0.025 * games, (row, expected)
        change = int(row["k"]) * (score - table_score)
        assert Fraction(row["change"]) == change, (row, change)
        assert int(row["k"]) == PERSON[number].coefficients[0], row


@sixty.task("O8", "the counts for FIDE's tournament report (IT3)")
def _(room: Room) -> None:
    hand = room.desk(FOLDER)
    rows = read_list(room, hand, "Counts for FIDE's tournament report (IT3)")
    members = {
        "All": ENTRANTS,
        "Rated": [each for each in ENTRANTS if each.ratings[0]],
        "Unrated": [each for each in ENTRANTS if not each.ratings[0]],
        **{name: [each for each in ENTRANTS if each.title == name] for name in COUNTED},
    }
    for row in rows:
        persons = members.pop(row["class"])
        federations = {person.fed for person in persons}
        hosts = sum(person.fed == "NOR" for person in persons)
        found = (row["players"], row["federations"], row["from_host"])
        assert found == (str(len(persons)), str(len(federations)), str(hosts)), row
    assert not members, [*members]


# Files


@sixty.task("O9", "the pairings of all rounds as PGN")
def _(room: Room) -> None:
    hand = room.desk(FOLDER)
    hand.view("Backup and export")
    shown(hand, hand.button(re.compile(r"Open\.pgn$")))
    path = hand.download(re.compile(r"Open\.pgn$"), room.place / "open.pgn")
    found = []
    for text in path.read_text(encoding="utf-8").split("[Event ")[1:]:
        tags = dict(re.findall(r'^\[(\w+) "(.*)"\]$', text, re.MULTILINE))
        found.append(
            (
                int(tags["Round"]),
                tags["Board"],
                int(tags["WhiteFideId"]),
                int(tags["BlackFideId"]),
                tags["Result"],
                tags.get("Termination", "") == "unplayed",
            )
        )
    words = {Fraction(1): "1-0", Fraction(1, 2): "1/2-1/2", Fraction(0): "0-1"}
    expected = [
        (
            round_number,
            game.table,
            game.white,
            game.black,
            words[game.score],
            game.is_forfeit,
        )
        for round_number, games in account.games.items()
        for game in games
    ]
    assert sorted(found) == sorted(expected), first_difference(
        sorted(found), sorted(expected)
    )


@sixty.task(
    "O10", "the report for FIDE: nothing is missing, and it has what was played"
)
def _(room: Room) -> None:
    hand = room.desk(FOLDER)
    hand.view("Backup and export")
    shown(hand, hand.button(re.compile(r"Open\.trf$")))
    missing = hand.page.locator("details.missing")
    assert not missing.count(), missing.inner_text()
    path = hand.download(re.compile(r"Open\.trf$"), room.place / "open.trf")
    text = path.read_text(encoding="utf-8")
    lines = text.replace("\r", "\n").splitlines()
    for record, value in {
        "012": TITLE,
        "022": "Northhaven",
        "032": "NOR",
        "062": "60",
        "102": "Moss, Alex",
        "222": TIME_CONTROL,
    }.items():
        assert any(line.startswith(record) and value in line for line in lines), (
            f"{record} {value} is not in the report"
        )
    check_player_records([line for line in lines if line.startswith("001")])


def check_player_records(lines: Sequence[str]) -> None:
    """The 001 records have each person as in the list, and each round as it was played."""
    numbers = {int(line[4:8]): int(line[57:68]) for line in lines}
    assert sorted(numbers.values()) == sorted(PERSON)
    points = account.points()
    for line in lines:
        number = numbers[int(line[4:8])]
        person = PERSON[number]
        assert line[9] == {"F": "w", "M": "m"}[person.sex], line
        assert line[14:47].strip() == person.name, line
        assert int(line[48:52].strip() or 0) == person.ratings[0], line
        assert line[53:56] == person.fed, line
        assert line[69:79].strip().startswith(str(person.born)), line
        assert Fraction(line[80:84].strip()) == points[number], line
        cells = [line[at : at + 8] for at in range(91, 91 + 10 * ROUNDS, 10)]
        for round_number, cell in enumerate(cells, 1):
            found = (int(cell[:4].strip() or 0), cell[5:6].strip(), cell[7:8].strip())
            expected = expected_cell(number, round_number, numbers)
            assert found in expected, (line, round_number, found, expected)


def expected_cell(
    number: int, round_number: int, numbers: dict[int, int]
) -> list[tuple[int, str, str]]:
    """The ways to write a player's round: opponent, colour and result."""
    start = {fide_number: own for own, fide_number in numbers.items()}
    for game in account.games[round_number]:
        if number not in (game.white, game.black):
            continue
        is_white = number == game.white
        score = game.score if is_white else 1 - game.score
        letters = {Fraction(1): "1W", Fraction(1, 2): "=D", Fraction(0): "0L"}
        letter = letters[score][0 if game.is_rated else 1]
        if game.is_forfeit:
            letter = "+" if score else "-"
        opponent = game.black if is_white else game.white
        return [(start[opponent], "w" if is_white else "b", letter)]
    bye = account.byes.get((round_number, number))
    if bye is None:
        return [(0, "-", "Z"), (0, "", "")]
    return [(0, "-", "H" if bye == Fraction(1, 2) else "U")]


@sixty.task("O11", "static pages: whole, linked, and without private data")
def _(room: Room) -> None:
    hand = room.desk(FOLDER)
    hand.view("Print")
    archive = hand.download("Download the web pages", room.place / "pages.zip")
    with zipfile.ZipFile(archive) as zipped:
        zipped.extractall(room.place / "pages")
    pages = {path.name: path for path in (room.place / "pages").iterdir()}
    assert {f"round-{k}.html" for k in range(1, ROUNDS + 1)} <= {*pages}, [*pages]
    for name, path in pages.items():
        if not name.endswith(".html"):
            continue
        parsed = Tables(path.read_text(encoding="utf-8"))
        for link in parsed.links:
            assert link in pages or link.startswith("data:"), (name, link)
    ranked = Tables(pages["ranking.html"].read_text(encoding="utf-8")).rows
    assert len(ranked) == 61, len(ranked)
    for name in ("ranking.html", "starting-list.html"):
        cells = {cell for row in Tables(pages[name].read_text()).rows for cell in row}
        years = {str(person.born) for person in ENTRANTS} & cells
        # A rating or a number may look like a year.
        assert not years - {str(each.ratings[0]) for each in ENTRANTS}, (name, years)
