"""Two sections in one evening on one page, phones and a screen; a league; next week."""

from __future__ import annotations

import re
from fractions import Fraction

from flows import (
    founded,
    kept,
    paired,
    played,
    points_of,
    printed,
    slips,
    standings_hold,
)
from judged import Evening, ImpossibleError
from lists import people
from organisers import Hand, Room

sections = Evening("two sections in one evening")
SENIORS, JUNIORS = people(12), people(10, start=40)
PHONE = "+49 170 5550123"


def section(room: Room, hand: Hand, title: str) -> None:
    """Go to a section by its name above the page."""
    menu = hand.page.get_by_role("navigation", name="Sections")
    hand.away(hand.door(menu.get_by_role("link", name=title), f"no section {title}"))


@sections.task("W6", "the whole evening by the page alone")
def _(room: Room) -> None:
    hand = room.desk()
    for title, there in (("Open", SENIORS), ("Juniors", JUNIORS)):
        if title == "Juniors":
            hand.view("Events")
        hand.write("Name", title)
        hand.press("Create event")
        founded(
            hand,
            title=title,
            players="\n".join(each.name for each in there),
            game="chess",
            rounds=3,
        )
    for number in (1, 2, 3):
        for title in ("Open", "Juniors"):
            section(room, hand, title)
            played(room, hand, title, number)
    for title in ("Open", "Juniors"):
        section(room, hand, title)
        standings_hold(room, hand, title)
        printed(room, hand, title, "Pairings by table", "Pairings by name", "Standings")
        kept(room, hand, title, "csv")


@sections.task(
    62,
    "two sections on one page and on phones: one clock, message and search, running tables",
)
def _(room: Room) -> None:
    for folder, there, first in (
        ("a", SENIORS, 1),
        ("b", JUNIORS, 1 + len(SENIORS) // 2),
    ):
        room.write(
            f"{folder}.csv",
            "player,phone\n"
            + "\n".join(f"{each.name},{PHONE}" for each in there)
            + "\n",
        )
        how = f"--title Group-{folder.upper()} --points 1-½-0 --sides white,black"
        how += f" --first-table {first}"
        room.shell.run(f"new {folder} --players {folder}.csv {how}")
    serving = room.serve("a", "b", share=True)
    hand = room.desk("a", "b")
    for folder in ("a", "b"):
        section(room, hand, f"Group-{folder.upper()}")
        paired(hand, 1)
    phone = room.phone(serving.phones[0])
    phone.open()
    menu = phone.page.get_by_role("navigation", name="Sections")
    phone.door(menu, "a phone has no sections")
    name = JUNIORS[4].name
    phone.write(re.compile("Name|Find"), name)
    phone.press("Find")
    room.wish(
        phone.has(phone.page.get_by_text(name)),
        "names of the other section are not found on phones",
    )
    tables = [int(row["table"]) for folder in "ab" for row in room.matches(folder, 1)]
    room.wish(
        len(set(tables)) == len(tables), "both sections have tables of the same numbers"
    )
    section(room, hand, "Group-A")
    hand.view("Clock and screens")
    hand.write("Message on all screens", "Pizza is here")
    hand.press("Show message")
    section(room, hand, "Group-B")
    hand.view("Clock and screens")
    room.wish(
        hand.field("Message on all screens").first.input_value() == "Pizza is here",
        "a message reaches one section",
    )


@sections.task(74, "phones: a name, the pairings, no telephone numbers")
def _(room: Room) -> None:
    serving = room.serve("a", "b", share=True)
    phone = room.phone(serving.phones[0])
    for typed in (
        SENIORS[8].name,
        f"{SENIORS[8].last} {SENIORS[8].first}".lower(),
        "ozturk",
        "Elif Ozturk",
    ):
        phone.open()
        phone.write(re.compile("Name|Find"), typed)
        phone.press("Find")
        phone.page.locator("main").get_by_text(SENIORS[8].last).first.wait_for()
    row = next(
        row
        for row in room.matches("a", 1)
        if SENIORS[8].name in (row["player1"], row["player2"])
    )
    other = row["player1"] if row["player2"] == SENIORS[8].name else row["player2"]
    link = phone.page.get_by_role("link", name=re.compile(SENIORS[8].last))
    if phone.has(link):
        phone.click(link.first)
    phone.sees(other)
    phone.sees(re.compile(rf"table {row['table']}", re.IGNORECASE))
    for path in ("", "pairings", "standings", f"?name={SENIORS[8].first}"):
        phone.open(path)
        assert PHONE not in phone.page.content(), f"a telephone number at /{path}"
    wide = phone.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1], f"{wide[0]} px in {wide[1]}"


@sections.task(75, "the hall's screen and the clock")
def _(room: Room) -> None:
    hand = room.desk("a", "b")
    section(room, hand, "Group-A")
    hand.view("Clock and screens")
    hand.write("Minutes", "50")
    hand.press(re.compile("^Start"))
    hand.sees(re.compile(r"\b(50|49):\d\d"))
    screen = room.desk("a", "b", who="screen", viewport={"width": 1920, "height": 1080})
    screen.open("screen")
    screen.sees(re.compile(r"\b(50|49):\d\d"))
    row = room.matches("a", 1)[0]
    screen.sees(row["player1"])
    slips(hand, [f"{row['table']} 1"])
    hand.sees(re.compile(f"table {row['table']}:"))
    screen.sees(re.compile("1.?-.?0"))
    height = screen.page.evaluate(
        """Math.max(...[...document.querySelectorAll('main td, main li')]
          .map((each) => parseFloat(getComputedStyle(each).fontSize)))"""
    )
    assert height >= 1080 / 40, f"letters of {height} px on a screen of 1080"


@sections.task(63, "a league over three evenings, the worst left out")
def _(room: Room) -> None:
    there = [each.name for each in SENIORS[:8]]
    room.write("league.csv", "player\n" + "\n".join(there) + "\n")
    total: dict[str, list[Fraction]] = {}
    for number in (1, 2, 3):
        folder = f"evening{number}"
        room.shell.run(f"new {folder} --players league.csv --points 3-1-0")
        room.shell.run(f"pair {folder}")
        room.score(folder, ("3-0", "1-1", "0-3"))
        for name, points in points_of(room, folder).items():
            total.setdefault(name, []).append(points)
    said = room.shell.run("standings evening1 evening2 evening3 --format csv")
    assert _league(said.out) == {name: sum(each) for name, each in total.items()}, (
        said.out
    )
    help_ = room.shell.run("standings --help").out
    option = re.search(r"--(drop|best|worst|count|leave)[\w-]*", help_)
    if option is None:
        raise ImpossibleError("no option leaves the worst evening out")
    keep = "2" if option[0].startswith(("--best", "--count")) else "1"
    said = room.shell.run(
        f"standings evening1 evening2 evening3 {option[0]} {keep} --format csv"
    )
    assert _league(said.out) == {
        name: sum(each) - min(each) for name, each in total.items()
    }, said.out


def _league(text: str) -> dict[str, Fraction]:
    """Names and sums of a table."""
    lines = [line.split(",") for line in text.strip().splitlines()]
    heads = [each.lower() for each in lines[0]]
    name = next(k for k, each in enumerate(heads) if each in ("player", "name"))
    points = next(
        k for k, each in enumerate(heads) if each in ("points", "score", "total")
    )
    return {row[name]: Fraction(row[points]) for row in lines[1:]}


@sections.task(
    65,
    "next week from this week's event: the same people, another draw, nobody met again",
)
def _(room: Room) -> None:
    first = {
        frozenset((row["player1"], row["player2"]))
        for row in room.matches("evening1", 1)
    }
    room.shell.run("new next --players evening1/players.csv --points 3-1-0")
    assert sorted(room.players("next")) == sorted(room.players("evening1"))
    assert not room.matches("next")
    assert room.settings("next")["seed"] != room.settings("evening1")["seed"], (
        "the same draw again"
    )
    hand = room.desk("evening1")
    found = hand.button(re.compile("[Nn]ext (evening|week|event)|[Nn]ew event"))
    if not hand.has(found):
        for view in ("Backup and export", "Settings"):
            hand.view(view)
            if hand.has(found):
                break
    room.wish(hand.has(found), "the page offers no next evening")
    assert first
