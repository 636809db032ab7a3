"""A chess open from a federation's start list: a late entry, an appeal, the report at the end."""

from __future__ import annotations

import re

from flows import (
    founded,
    kept,
    open_tables,
    out,
    paired,
    played,
    printed,
    repaired,
    slips,
    standings_hold,
)
from judged import Evening
from lists import people, trf, workbook
from organisers import Room, result_of

chess = Evening("a chess open")
ENTRANTS = people(24)
LATE = people(26)[25]
HEAD = ("012", "022", "032", "042", "052", "102", "112", "122")


def head(text: str) -> dict[str, str]:
    """The lines above the players of a report, by their numbers."""
    lines = text.replace("\r", "\n").splitlines()
    return {
        line[:3]: line[4:].rstrip()
        for line in lines
        if line[:3].isdigit() and line[:3] != "001"
    }


def in_report(text: str) -> list[str]:
    """Its lines of players."""
    return [
        line for line in text.replace("\r", "\n").splitlines() if line.startswith("001")
    ]


@chess.task("W3", "the whole open by the page alone, with a late entry and an appeal")
def _(room: Room) -> None:
    file = room.write("start.trf", trf(ENTRANTS, 5))
    hand = room.desk("open")
    founded(hand, title="Harbour Open", file=file, rounds=5)
    assert len(room.players("open")) == 24
    played(room, hand, "open", 1)
    late_entry(hand)
    for number in (2, 3):
        played(room, hand, "open", number)
    row = next(row for row in room.matches("open", 2) if result_of(row) == "1-0")
    corrected(hand, 2, row["table"], "3")
    (after,) = (
        each for each in room.matches("open", 2) if each["table"] == row["table"]
    )
    assert result_of(after) == "0-1", after
    for number in (4, 5):
        played(room, hand, "open", number)
    standings_hold(room, hand, "open")
    printed(room, hand, "open", "Pairings by table", "Pairings by name", "Standings")
    got = kept(room, hand, "open", "trf", "csv")
    assert len(in_report(got["trf"].read_text())) == 25


LEAVING = re.compile("This change ends FIDE mode permanently")


def late_entry(hand) -> None:  # type: ignore[no-untyped-def]
    """Somebody comes after round 1, for which they have half a point."""
    hand.view("Players")
    hand.write("Name", LATE.turned)
    hand.write("Rating", str(LATE.rating))
    hand.press("Add player")
    hand.page.locator("[data-row]", has_text=LATE.turned).first.wait_for()
    half_point(hand, LATE.turned, 1)


def half_point(hand, player: str, number: int) -> None:  # type: ignore[no-untyped-def]
    """A bye of half a point in a round that somebody missed."""
    hand.view("Players")
    form = hand.page.locator("form[action*='/players/bye']").filter(
        has=hand.page.locator("[name=round]")
    )
    if not hand.has(form.get_by_label("Points")):
        hand.unfold("Give a bye")
    hand.tally.clicks += 2
    place = form.locator("select[name=player], input[name=player]").first
    if place.evaluate("each => each.localName") == "select":
        place.select_option(label=player)
    else:
        place.fill(player)
    for label, text in (("Round", str(number)), ("Points", "½")):
        place = form.get_by_label(label)
        hand.click(place)
        hand.key("Control+A")
        hand.type(text)
    hand.click(form.get_by_role("button", name=re.compile("Give bye")))
    hand.sees(re.compile(rf"{re.escape(player)}.*bye.*round {number}"))


def corrected(  # type: ignore[no-untyped-def]
    hand, number: int, table: str, key: str, *leaving: re.Pattern[str]
) -> str:
    """Another result for a table of an earlier round, by the page; what it asks. Where that leaves
    FIDE mode it asks twice, the second time so."""
    hand.view("Results")
    hand.press(f"Round {number}")
    hand.page.locator(f"[aria-current=page]:text('Round {number}')").wait_for()
    hand.lane()
    hand.slip(f"{table} {key}")
    hand.page.locator(".asks").wait_for()
    said = str(hand.page.locator(".asks").inner_text())
    hand.within(hand.page.locator(".asks"), "the question")
    hand.key("y")
    for words in leaving:
        hand.sees(words)
        hand.key("y")
    hand.page.locator(".asks").wait_for(state="detached")
    hand.sees(re.compile(rf"table {table}:.*was"))
    return said


@chess.task(5, "questions: chess by FIDE's rules")
def _(room: Room) -> None:
    hand = room.desk("fide")
    file = workbook(room.place / "rated.xlsx", ENTRANTS[:8])
    founded(hand, title="Rated", file=file, game="fide", rounds=3)
    found = room.settings("fide")
    assert found["model"] == "fide-dutch", found["model"]
    assert found["sides"] == ["white", "black"], found["sides"]
    assert (found["points"]["win"], found["points"]["draw"]) == (1, 0.5), found[
        "points"
    ]


@chess.task(42, "a report's start list: its head is kept")
def _(room: Room) -> None:
    given = trf(ENTRANTS, 5)
    room.write("start.trf", given)
    room.shell.run("new report --players start.trf")
    assert room.settings("report").get("rounds") == 5, room.settings("report")
    room.shell.run("pair report")
    room.score("report")
    room.shell.run("convert report report.trf")
    written = (room.place / "report.trf").read_text()
    expected, found = head(given), head(written)
    assert {key: found.get(key) for key in HEAD} == {
        key: expected[key] for key in HEAD
    }, found
    for one, two in zip(in_report(given), in_report(written), strict=True):
        assert one[:79].split()[2:] == two[:79].split()[2:], f"{one} became {two}"


SHIFTED = (
    r"line 15, column (48|53): '.' can't be here, because this column between two fields"
    r"|24 of 24 player lines are shifted"
)


@chess.task(43, "a report whose columns are shifted: refused, and it is said where")
def _(room: Room) -> None:
    for shift in (-1, 1, 2):
        room.write("shifted.trf", trf(ENTRANTS, 5, shift))
        said = room.shell.try_("new shifted --players shifted.trf")
        assert said.code == 3, f"taken: {room.rows('shifted/players.csv')[0]}"
        assert re.search(SHIFTED, said.err), said.err[:300]
        assert not (room.place / "shifted").exists()


@chess.task(45, "a late entry in round 2 with half a point for round 1")
def _(room: Room) -> None:
    room.write("start.trf", trf(ENTRANTS, 5))
    room.shell.run("new cup --players start.trf")
    hand = room.desk("cup")
    played(room, hand, "cup", 1)
    late_entry(hand)
    who = next(
        row["player"]
        for row in room.rows("cup/players.csv")
        if LATE.turned in row.values()
    )
    bye = [row for row in room.rows("cup/matches.csv") if row["player1"] == who]
    assert [(row["round"], row["score1"], row["status"]) for row in bye] == [
        ("1", "0.5", "requested")
    ], bye
    paired(hand, 2)
    assert any(
        who in (row["player1"], row["player2"])
        for row in room.rows("cup/matches.csv")
        if row["round"] == "2"
    ), "who came late is not paired"


@chess.task(46, "the number of FIDE of who came late stands in the report")
def _(room: Room) -> None:
    room.score("cup")
    room.shell.run(
        'enter cup "Late, Lena" --set fideid=12345678 --set rating=1801 --set fed=NED'
    )
    room.shell.run("pair cup")
    room.score("cup")
    room.shell.run("convert cup cup.trf")
    (line,) = (
        line
        for line in in_report((room.place / "cup.trf").read_text())
        if "Late, Lena" in line
    )
    assert line[57:68].strip() == "12345678", line
    assert line[48:52].strip() == "1801", line
    assert line[53:56] == "NED", line


@chess.task(
    47, "an appeal: a result of round 1 is changed; what of round 2 differs is named"
)
def _(room: Room) -> None:
    hand = room.desk("cup")
    row = next(row for row in room.matches("cup", 1) if result_of(row) == "1-0")
    later = room.matches("cup", 2)
    said = corrected(hand, 1, row["table"], "3", LEAVING)
    assert "0-1" in said, said
    assert "FIDE mode has ended" in said, said
    assert re.search(r"round(s)? 2", said), f"round 2 is not named: {said}"
    (after,) = (
        each for each in room.matches("cup", 1) if each["table"] == row["table"]
    )
    assert result_of(after) == "0-1", after
    assert room.matches("cup", 2) == later, "round 2 is another"


@chess.task(49, "the report for the federation: as many players as it lists")
def _(room: Room) -> None:
    room.shell.run("convert cup federation.trf --overwrite")
    text = (room.place / "federation.trf").read_text()
    found = head(text)
    assert found["062"].split()[0] == str(len(in_report(text))), (
        f"062 {found['062']}, {len(in_report(text))} listed"
    )


@chess.task(50, "the report read and written again: the same")
def _(room: Room) -> None:
    room.shell.run("convert federation.trf again.trf")
    one, two = (
        (room.place / name).read_bytes() for name in ("federation.trf", "again.trf")
    )
    assert one == two, "the report that was read is written as another"


@chess.task(51, "CSV, TRF in the middle of a round")
def _(room: Room) -> None:
    hand = room.desk("cup")
    paired(hand, 4)
    tables = open_tables(room, "cup", 4)
    slips(hand, [f"{table} 1" for table in tables[:3]])
    hand.sees(re.compile(f"table {tables[2]}:"))
    hand.view("Backup and export")
    report = hand.download(re.compile(r"\.trf$"), room.place / "middle.trf").read_text()
    played_ = [
        line for line in in_report(report) if re.search(r"[wb] [10=]", line[121:131])
    ]
    assert len(played_) == 6, (
        f"{len(played_)} of 6 results of the open round are in the report"
    )
    room.shell.run("convert cup middle-shell.csv")
    rows = [
        row
        for row in room.rows("middle-shell.csv")
        if row["round"] == "4" and row["player2"]
    ]
    assert len(rows) == len(room.matches("cup", 4)), (
        "tables of the open round are missing"
    )
    assert sum(bool(row["score1"]) for row in rows) == 3, (
        "results of the open round are missing"
    )


@chess.task(17, "a repair by the Dutch System with 60 tables and results in")
def _(room: Room) -> None:
    room.write("large.trf", trf(people(120), 7))
    room.shell.run("new large --players large.trf")
    hand = room.desk("large")
    paired(hand, 1)
    tables = room.matches("large", 1)
    slips(hand, [f"{row['table']} {1 + k % 3}" for k, row in enumerate(tables[:20])])
    hand.sees(re.compile(f"table {tables[19]['table']}:"))
    before = [row for row in room.matches("large", 1) if result_of(row)]
    assert len(before) == 20
    names = {
        row["player"]: row.get("name") or row["player"]
        for row in room.rows("large/players.csv")
    }
    out(hand, names[tables[40]["player1"]])
    said = repaired(hand, 1, asked=True)
    after = room.matches("large", 1)
    assert all(row in after for row in before), "a row with a result is another"
    same = {frozenset((row["player1"], row["player2"])) for row in tables}
    changed = [
        row for row in after if frozenset((row["player1"], row["player2"])) not in same
    ]
    assert len(changed) <= 1, f"{len(changed)} tables change"
    assert re.search(r"\d+ (tables?|match(es)?) stay|\d+ stay as published", said), (
        said[:300]
    )


@chess.task(27, "round 1 of 120 players corrected: no wall of names")
def _(room: Room) -> None:
    room.score("large")
    hand = room.desk("large")
    paired(hand, 2)
    row = next(row for row in room.matches("large", 1) if result_of(row) == "1-0")
    said = corrected(hand, 1, row["table"], "3")
    told = hand.page.locator("#told, .said").filter(visible=True).all_inner_texts()
    length = max(map(len, [said, *told]))
    room.wish(length <= 700, f"{length} letters are said")
    hand.within(hand.page.locator("#told"), "what was written down")
    assert "2" in said + " ".join(told), "round 2 is not named"


@chess.task(85, "Out in row 77 of 120: the place and the focus stay")
def _(room: Room) -> None:
    hand = room.desk("large")
    hand.view("Players")
    row = hand.page.locator("tr[data-row]").nth(76)
    name = row.locator("td").first.inner_text().splitlines()[0].strip()
    row.scroll_into_view_if_needed()
    button = row.get_by_role("button", name=f"Drop {name}")
    if not button.first.is_visible():
        hand.click(row.locator("summary"))
    top, place = hand.page.evaluate("scrollY"), row.bounding_box()
    hand.click(button)
    hand.sees(re.compile(f"{re.escape(name)} has dropped"))
    hand.page.wait_for_timeout(200)
    after = hand.page.locator("tr[data-row]").nth(76)
    moved = abs(after.bounding_box()["y"] - place["y"])
    assert moved < 60, (
        f"the row has moved by {moved} px; the page from {top} to {hand.page.evaluate('scrollY')}"
    )
    focused = hand.page.evaluate(
        "document.activeElement.closest('[data-row]')?.id ?? ''"
    )
    assert focused == after.get_attribute("id"), (
        f"the focus is at {focused or 'nothing'}"
    )
    hand.within(hand.page.locator(".said"), "what was done")
