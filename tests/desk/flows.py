"""What every evening has, by the page: a new event, rounds, results, prints and files."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from browser import pdf_pages
from organisers import PATIENCE, SOON, Hand, NotSeenError, Room, result_of

GAMES = {
    "chess": "Chess, unrated",
    "fide": "Chess, FIDE-rated",
    "netrunner": "Netrunner, two games per match",
    "magic": "Magic",
    "none": "A game without sides",
}
"""What is answered to: what is played?"""


def asked_for(
    hand: Hand,
    *,
    title: str,
    players: str = "",
    file: Path | None = None,
    game: str = "",
    rounds: int | None = None,
) -> str:
    """Fill in a new event and send it; what is to be said yes to."""
    hand.write("Event name", title)
    if players:
        hand.write(re.compile("^Players"), players)
    if file is not None:
        hand.give(file)
    if game:
        hand.tick(GAMES[game])
    if rounds is not None:
        hand.write("Rounds", str(rounds))
    hand.press("Preview the event")
    return sure(hand)


def sure(hand: Hand) -> str:
    """What is asked; there has to be a question."""
    place = hand.page.locator(".asks")
    try:
        place.first.wait_for()
    except NotSeenError:
        raise AssertionError(f"nothing is asked; but: {hand.told()[:250]}") from None
    return str(place.first.inner_text())


def agree(hand: Hand) -> None:
    """Yes."""
    yes = hand.button(re.compile("Yes, do it|Create the event"))
    hand.click(hand.door(yes, "no button to agree", PATIENCE))
    hand.page.locator(".asks").first.wait_for(state="detached")


def founded(hand: Hand, **what: Any) -> str:
    """A new event; what was agreed to."""
    said = asked_for(hand, **what)
    agree(hand)
    hand.page.wait_for_url("**/players*")
    return said


def drafted(hand: Hand, number: int) -> None:
    """Pair a round, and look at it."""
    hand.view("Round")
    hand.press(f"Pair round {number}")
    hand.door(
        hand.button(f"Publish round {number}"),
        f"round {number} is not paired: {hand.told()[:200]}",
        PATIENCE,
    )


def paired(hand: Hand, number: int) -> None:
    """Pair a round and publish it."""
    drafted(hand, number)
    hand.press(f"Publish round {number}")
    hand.sees(re.compile(f"round {number} is paired", re.IGNORECASE))


def slips(hand: Hand, lines: Sequence[str]) -> None:
    """The results of slips, one after another, until all are there."""
    hand.view("Results")
    hand.lane()
    for line in lines:
        hand.slip(line)


def all_there(hand: Hand) -> None:
    """Every result of the round is."""
    hand.sees(re.compile(r"All \d+ results are in"))


def drawn(
    tables: Sequence[str], seed: int, keys: Sequence[str] = ("1", "3", "1", "2")
) -> list[str]:
    """Slips for these tables, shuffled."""
    draw = Random(seed)
    lines = [f"{table} {draw.choice(keys)}" for table in tables]
    draw.shuffle(lines)
    return lines


def played(room: Room, hand: Hand, folder: str, number: int, **how: Any) -> None:
    """A whole round, by slips in any order."""
    paired(hand, number)
    lines = drawn(open_tables(room, folder, number), number, **how)
    slips(hand, lines)
    all_there(hand)


def open_tables(room: Room, folder: str, number: int) -> list[str]:
    """Tables of a round that have no result yet."""
    return [row["table"] for row in room.matches(folder, number) if not result_of(row)]


def action(hand: Hand, player: str, name: str) -> None:
    """Press what is to be done with a player, in their row or in its menu, found by typing."""
    hand.view("Players")
    row = hand.page.locator("tr[data-row], li[data-row]").filter(has_text=player).first
    hand.door(row, f"{player} is not in the list")
    how = {"name": name, "include_hidden": True}
    button = row.get_by_role("button", **how).or_(row.get_by_role("link", **how))
    hand.click(hand.unfolded(button, f"no {name} for {player}"))


def out(hand: Hand, player: str) -> None:
    """Somebody goes."""
    action(hand, player, f"Drop {player}")
    hand.sees(re.compile(f"{re.escape(player)}.* (has )?dropped"))


def points_of(room: Room, folder: str, win: int = 0) -> dict[str, Fraction]:
    """Everybody's points by matches.csv alone."""
    total: dict[str, Fraction] = defaultdict(Fraction)
    for row in room.rows(f"{folder}/matches.csv"):
        for side in "12":
            if row[f"player{side}"] and row[f"score{side}"]:
                total[row[f"player{side}"]] += Fraction(row[f"score{side}"])
    return dict(total)


def number_of(text: str) -> Fraction:
    """2½, 2.5 or 3."""
    text = text.strip().replace("½", ".5")
    return Fraction(f"0{text}" if text.startswith(".") else text)


def table_of(hand: Hand) -> list[dict[str, str]]:
    """The widest table of the page, a row a mapping from its headings."""
    heads, rows = hand.page.evaluate(
        """() => {
          const all = [...document.querySelectorAll("main table")];
          const table = all.sort((a, b) => b.rows.length - a.rows.length)[0];
          const cells = (row) => [...row.cells].map((cell) => cell.innerText.trim());
          if (!table) return [[], []];
          return [cells(table.tHead.rows[0]), [...table.tBodies[0].rows].map(cells)];
        }"""
    )
    return [dict(zip(heads, row, strict=False)) for row in rows]


def standings_hold(room: Room, hand: Hand, folder: str) -> list[dict[str, str]]:
    """The standings on the page have the points that the matches give."""
    hand.view("Standings")
    shown = table_of(hand)
    names = {
        row["player"]: row.get("name") or row["player"]
        for row in room.rows(f"{folder}/players.csv")
    }
    expected = {
        names[player]: points for player, points in points_of(room, folder).items()
    }
    found: dict[str, Fraction] = {}
    for row in shown:
        name = next((name for name in expected if name in row["Name"]), row["Name"])
        found[name] = number_of(row["Points"])
    wrong = {
        name: (str(found.get(name)), str(points))
        for name, points in expected.items()
        if found.get(name) != points
    }
    assert not wrong, f"points in the standings: {wrong}"
    return shown


def printed(room: Room, hand: Hand, folder: str, *sheets: str) -> None:
    """Each sheet has a page to print with everybody on it who belongs there."""
    last = max(int(row["round"]) for row in room.rows(f"{folder}/matches.csv"))
    names = {
        row["player"]: row.get("name") or row["player"]
        for row in room.rows(f"{folder}/players.csv")
    }
    there = [
        names[row[side]]
        for row in room.matches(folder, last)
        for side in ("player1", "player2")
    ]
    for sheet in sheets:
        hand.view("Print")
        link = hand.page.get_by_role("main").get_by_role("link", name=sheet, exact=True)
        hand.click(hand.door(link, f"nothing to print: {sheet}"))
        hand.door(hand.button("Print"), f"no button to print {sheet}", PATIENCE)
        text = (
            " ".join(pdf_pages(hand.page.pdf())) if sheet == sheets[0] else hand.text()
        )
        missing = [name for name in there if letters(name) not in letters(text)]
        assert not missing, f"not on {sheet}: {missing[:3]}"
        hand.press("Back to all lists")


def letters(text: str) -> str:
    """Those that every font has; a PDF may hold others in pieces."""
    return "".join(re.findall("[A-Za-z0-9]", text))


def kept(room: Room, hand: Hand, folder: str, *suffixes: str) -> dict[str, Path]:
    """The files of the event as the page gives them; the folder's zip holds the folder's files."""
    hand.view("Backup and export")
    found = {}
    for suffix in ("zip", *suffixes):
        name = re.compile(rf"\.{suffix}$")
        found[suffix] = hand.download(name, room.place / f"{folder}-got.{suffix}")
    with zipfile.ZipFile(found["zip"]) as zipped:
        inside = {
            name.rpartition("/")[2]: name
            for name in zipped.namelist()
            if ".pairopt" not in name
        }
        for name in ("matches.csv", "players.csv", "event.toml"):
            same = (
                zipped.read(inside[name]) == (room.place / folder / name).read_bytes()
            )
            assert same, f"{name} in the zip is another"
    return found


def read_csv(path: Path) -> list[dict[str, str]]:
    """A table from a file that the page gave."""
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))


def settles(hand: Hand) -> None:
    """The page has answered, and no new answer comes."""
    hand.page.wait_for_load_state("networkidle", timeout=10 * SOON)


def repaired(hand: Hand, number: int, asked: bool = False) -> str:
    """The open round paired again, after somebody came or went; what the preview says. In FIDE
    mode it is `asked` once: the tables that stay are not those of the rules."""
    hand.view("Round")
    hand.unfold("Late or missing players")
    hand.press("Preview the changes")
    hand.door(
        hand.button(re.compile(f"^Publish (the new )?round {number}")),
        "no repair of the round",
        PATIENCE,
    )
    said = hand.text()
    hand.press(re.compile(f"^Publish (the new )?round {number}"))
    if asked:
        question = sure(hand)
        assert "the event's report will name the change" in question, question
        hand.within(hand.page.locator(".asks"), "the question")
        agree(hand)
    hand.sees(re.compile("is re-paired"))
    return said


def results(
    room: Room, folder: str, number: int | None = None
) -> dict[tuple[str, str], str]:
    """Results by their players, each from the first one's side."""
    return {
        (row["player1"], row["player2"]): result_of(row)
        for row in room.matches(folder, number)
        if result_of(row)
    }


def winners(of: Mapping[tuple[str, str], str]) -> dict[frozenset[str], str]:
    """Who won each match; "" for a draw."""
    found = {}
    for (one, two), score in of.items():
        first, second = (Fraction(each) for each in score.split("-"))
        found[frozenset((one, two))] = (
            one if first > second else two if second > first else ""
        )
    return found
