"""Nine children, a game without sides: nobody wants to hear the name of a rule."""

from __future__ import annotations

import re

from flows import (
    agree,
    asked_for,
    founded,
    kept,
    paired,
    played,
    printed,
    standings_hold,
)
from judged import Evening
from lists import names
from organisers import Room, result_of

children = Evening("nine children")
NINE = names(9)
CODE = re.compile(r"\b(seed|level|arc|proven_by|no_\w+|\w+_\w+)\b|--\w+|/\w+/\w+")
"""What nobody at this table has to read: names of the code, options, paths."""


def plain(room: Room, text: str, where: str) -> None:
    """Awkward, unless it is in plain words."""
    found = CODE.findall(text) and CODE.search(text)
    room.wish(not found, f"{where} says {found and found[0]}")


@children.task("W4", "the whole afternoon by the page alone")
def _(room: Room) -> None:
    hand = room.desk("children")
    founded(hand, title="Children", players="\n".join(NINE), game="none", rounds=5)
    played(room, hand, "children", 1)
    paired(hand, 2)
    hand.view("Results")
    for row in room.matches("children", 2):
        line = hand.page.locator(f"#table-{row['table']}")
        hand.click(line.locator("button[name=score]").first)
        line.locator("[aria-pressed=true]").wait_for()
    assert all(result_of(row) for row in room.matches("children", 2))
    for number in (3, 4, 5):
        played(room, hand, "children", number)
    byes = [
        row["player1"]
        for row in room.rows("children/matches.csv")
        if row["status"] == "bye"
    ]
    assert len(set(byes)) == 5, f"byes of {byes}"
    met = [
        frozenset((row["player1"], row["player2"])) for row in room.matches("children")
    ]
    assert len(set(met)) == len(met) == 20, "two have met twice"
    standings_hold(room, hand, "children")
    printed(
        room, hand, "children", "Pairings by table", "Pairings by name", "Standings"
    )
    kept(room, hand, "children", "csv")


@children.task(53, "twelve rounds asked of nine: a word")
def _(room: Room) -> None:
    hand = room.desk("twelve")
    said = asked_for(
        hand, title="Twelve", players="\n".join(NINE), game="none", rounds=12
    )
    about = [
        line
        for line in said.splitlines()
        if "12" in line or "rematch" in line or "9 rounds" in line
    ]
    room.wish(
        any(
            re.search("rematch|meet|twice|at most|more than|only", line)
            for line in about
        ),
        "not a word of who meets twice",
    )
    agree(hand)
    assert room.settings("twelve")["rounds"] == 12


@children.task(55, "rematches, floats and the bye are in the headline of a round")
def _(room: Room) -> None:
    hand = room.desk("children")
    hand.view("Settings")
    hand.write("Rounds", "12")
    hand.press("Save settings")
    hand.sees(re.compile("12"))
    for number in (6, 7, 8, 9):
        played(room, hand, "children", number)
    hand.view("Round")
    rows = [row for row in room.rows("children/matches.csv") if row["round"] == "9"]
    assert sum(not row["player2"] for row in rows) == 1
    head = hand.page.locator(".overview").first.inner_text()
    assert re.search("1 bye", head), head
    hand.within(hand.page.locator(".overview"), "the headline")
    met = {
        frozenset((row["player1"], row["player2"]))
        for row in room.matches("children")
        if row["round"] != "9"
    }
    again = sum(
        frozenset((row["player1"], row["player2"])) in met
        for row in room.matches("children", 9)
    )
    assert bool(again) == ("rematch" in head), f"{again} rematches; {head}"


@children.task(54, "round 10 is impossible: the ways out in plain words")
def _(room: Room) -> None:
    hand = room.desk("children")
    hand.view("Round")
    hand.press("Pair round 10")
    hand.page.wait_for_url("**/round/draft*")
    hand.sees(re.compile("This is not possible"))
    text = hand.page.locator("main").inner_text()
    plain(room, text, "the page")
    ways = hand.page.get_by_role(
        "button", name=re.compile("Allow|Give|second|rematch|meet", re.IGNORECASE)
    )
    hand.click(hand.door(ways, "no way out is offered"))
    for _ in range(6):
        if hand.has(hand.button("Publish round 10"), 5000):
            break
        hand.click(hand.door(ways, "no way out is offered"))
    hand.press("Publish round 10")
    hand.sees(re.compile("round 10 is paired", re.IGNORECASE))
    rows = [row for row in room.rows("children/matches.csv") if row["round"] == "10"]
    assert sorted(
        name for row in rows for name in (row["player1"], row["player2"]) if name
    ) == sorted(NINE)


@children.task(86, "a child's page, and why this opponent")
def _(room: Room) -> None:
    hand = room.desk("children")
    row = room.matches("children", 10)[0]
    hand.view("Standings")
    hand.click(
        hand.door(
            hand.page.get_by_role("link", name=row["player1"], exact=True),
            "no link at a name",
        )
    )
    hand.sees(row["player2"])
    text = hand.page.locator("main").inner_text()
    played_ = [{each["player1"], each["player2"]} for each in room.matches("children")]
    opponents = [
        name
        for pair in played_
        if row["player1"] in pair
        for name in pair - {row["player1"]}
    ]
    assert len(opponents) == 9, opponents
    assert all(name in text for name in opponents), (
        f"not all of {opponents} on the page"
    )
    hand.view("Round")
    hand.click(
        hand.door(
            hand.page.get_by_role("link", name=re.compile("^Why")).or_(
                hand.page.locator("summary", has_text="Why?")
            ),
            "no why",
        )
    )
    if hand.has(hand.field("Player")):
        hand.choose("Player", row["player1"])
        hand.press("Explain")
    hand.sees(re.compile(f"{row['player1']}"))
    text = hand.page.locator("main").inner_text()
    assert row["player2"] in text, text[:300]


@children.task(82, "the points of a bye that is already given")
def _(room: Room) -> None:
    who = next(
        row["player1"]
        for row in room.rows("children/matches.csv")
        if row["round"] == "3" and row["status"] == "bye"
    )
    room.shell.run(f"result children --bye {who} 1 --round 3")
    (row,) = (
        row
        for row in room.rows("children/matches.csv")
        if row["round"] == "3" and not row["player2"]
    )
    assert (row["player1"], row["score1"]) == (who, "1"), row
    hand = room.desk("children")
    standings_hold(room, hand, "children")
