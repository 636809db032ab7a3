"""What goes wrong in an evening: two scorers, a laptop without power, garbage in a file."""

from __future__ import annotations

import re
import shutil

from flows import action, all_there, open_tables, out, slips
from judged import Evening
from lists import people
from organisers import Room, result_of
from playwright.sync_api import expect

rough = Evening("what goes wrong")
CLUB = people(16)


def made(room: Room, folder: str, rounds: int = 1, count: int = 16) -> str:
    """An event of the shell, with rounds paired and all but the last played."""
    listed = room.write(
        "club.csv",
        "player,rating\n"
        + "".join(f'"{each.turned}",{each.rating}\n' for each in CLUB[:count]),
    )
    room.shell.run(
        f"new {folder} --players {listed.name} --points 1-½-0 --sides white,black"
    )
    for number in range(1, rounds + 1):
        if number > 1:
            room.score(folder)
        room.shell.run(f"pair {folder}")
    return folder


@rough.task(79, "the check-in by keys alone")
def _(room: Room) -> None:
    made(room, "checkin", rounds=0)
    hand = room.desk("checkin")
    hand.view("Players")
    hand.press("Start check-in")
    hand.sees(re.compile("0 of 16"))
    here = [each for k, each in enumerate(CLUB) if k % 4]
    search = hand.page.get_by_role("searchbox")
    hand.click(search)
    clicks = hand.tally.clicks
    for number, each in enumerate(here, 1):
        expect(search).to_be_focused()
        hand.key("Control+A")
        hand.type(each.last.lower()[:6])
        hand.key("Enter")
        hand.page.locator(
            f"button:focus[aria-label*='{each.last}'], [data-row]:focus-within"
        ).first.wait_for()
        hand.key("Enter")
        hand.sees(re.compile(f"{number} of 16"))
    assert hand.tally.clicks == clicks
    active = [
        row["player"]
        for row in room.rows("checkin/players.csv")
        if row["active"] == "true"
    ]
    assert sorted(active) == sorted(each.turned for each in here), active


@rough.task(66, "two scorers, two tables")
def _(room: Room) -> None:
    made(room, "two")
    one, two = room.desk("two"), room.desk("two", who="second")
    tables = open_tables(room, "two", 1)
    for hand in (one, two):
        hand.view("Results")
        hand.lane()
    for k in range(0, 6, 2):
        one.slip(f"{tables[k]} 1")
        two.slip(f"{tables[k + 1]} 3")
    for hand in (one, two):
        hand.sees(re.compile("2 of 8"))
        assert hand.page.locator(".refused, .asks").count() == 0
    found = {row["table"]: result_of(row) for row in room.matches("two", 1)}
    assert found == {
        table: ("1-0", "0-1")[k % 2] if k < 6 else "" for k, table in enumerate(tables)
    }, found


@rough.task(67, "two scorers, one table, two results: the second is asked")
def _(room: Room) -> None:
    one, two = room.desk("two"), room.desk("two", who="second")
    table = open_tables(room, "two", 1)[0]
    two.page.route("**/state*", lambda route: route.fulfill(status=304))
    one.slip(f"{table} 1")
    one.sees(re.compile("1 of 8"))
    two.slip(f"{table} 3")
    two.page.locator(".refused, .asks").first.wait_for()
    assert (
        "1-0" in two.told() or "meantime" in two.told() or "Meanwhile" in two.told()
    ), two.told()
    (row,) = (row for row in room.matches("two", 1) if row["table"] == table)
    assert result_of(row) == "1-0", "the second has overwritten the first"
    two.page.unroute("**/state*")


@rough.task(69, "the program is killed with a slip typed: it is sent after the restart")
def _(room: Room) -> None:
    made(room, "killed")
    serving = room.serve("killed")
    hand = room.desk("killed")
    hand.view("Results")
    hand.lane()
    hand.slip("1 1")
    hand.sees(re.compile("table 1:"))
    serving.stop()
    hand.slip("2 3")
    hand.slip("3 2")
    hand.page.wait_for_timeout(300)
    assert result_of(room.matches("killed", 1)[1]) == ""
    again = room.serve("killed")
    assert again.address == serving.address, (
        f"another address: {again.address}, not {serving.address}"
    )
    hand.sees(re.compile("table 3:"))
    found = [result_of(row) for row in room.matches("killed", 1)[:4]]
    assert found == ["1-0", "0-1", "0.5-0.5", ""], found


@rough.task(70, "a second server on the folder says so")
def _(room: Room) -> None:
    first = room.serve("killed")
    second = room.serve("./killed")
    assert second.address != first.address
    hand = room.desk("./killed")
    assert first.address in hand.text(), (
        "the page does not say that another has it open"
    )
    second.stop()


@rough.task(71, "the folder is copied, and moved to a place with ö")
def _(room: Room) -> None:
    (room.place / "Schöne Abende").mkdir()
    shutil.copytree(room.place / "killed", room.place / "Schöne Abende" / "Übung 1")
    room.shell.run('result "Schöne Abende/Übung 1" 4 1-0')
    assert result_of(room.matches("Schöne Abende/Übung 1", 1)[3]) == "1-0"
    assert result_of(room.matches("killed", 1)[3]) == ""
    hand = room.desk("Schöne Abende/Übung 1")
    tables = open_tables(room, "Schöne Abende/Übung 1", 1)
    slips(hand, [f"{table} 1" for table in tables])
    all_there(hand)


@rough.task(73, "a row of garbage in matches.csv: named, and mended")
def _(room: Room) -> None:
    made(room, "garbage", rounds=2)
    path = room.place / "garbage" / "matches.csv"
    before = path.read_bytes()
    path.write_bytes(before + b"2,99,%%%,,,,\xff,\n")
    said = room.shell.refused("standings garbage")
    assert said.code == 3, said
    row = before.decode().count("\n") + 1
    assert "matches.csv" in said.err, said.err
    assert str(row) in said.err or "row" in said.err or "byte" in said.err, said.err
    hand = room.desk("garbage")
    hand.view("Round") if hand.has(hand.button("Round")) else hand.open("round")
    assert "matches.csv" in hand.text(), hand.text()[:300]
    room.shell.run("mend garbage --yes")
    assert path.read_bytes() == before, "mended to something else"
    room.shell.run("standings garbage")


@rough.task(77, "settings: points that are none; tie-breaks are chosen")
def _(room: Room) -> None:
    made(room, "settings")
    hand = room.desk("settings")
    hand.view("Settings")
    hand.write("Event name", "Another title")
    hand.write("Points for win, draw and loss", "3,1,0")
    hand.press("Save settings")
    hand.page.locator("[aria-invalid=true], .refused, [role=alert]").filter(
        visible=True
    ).first.wait_for()
    assert hand.field("Event name").first.input_value() == "Another title", (
        "what was typed is gone"
    )
    assert hand.field("Points for win, draw and loss").first.input_value() == "3,1,0"
    assert room.settings("settings")["title"] == "settings"
    text = hand.page.locator("main").inner_text()
    assert "3,1,0" in text or "points" in text.lower(), text[:300]
    wrong = hand.page.locator("[aria-invalid=true]")
    room.wish(wrong.count() == 1, "the field is not marked")
    at = wrong.first.evaluate("each => each === document.activeElement")
    room.wish(at, "the focus is elsewhere")
    beside = wrong.first.evaluate("each => each.closest('form').innerText")
    room.wish(re.search("3-1-0", beside + hand.told()), "what it may be is not said")
    hand.within(wrong, "the field")
    hand.write("Points for win, draw and loss", "3-1-0")
    hand.field("Tie-break 1").select_option(label="Buchholz")
    hand.field("Tie-break 2").select_option(label="Sonneborn-Berger")
    hand.press("Save settings")
    hand.sees(re.compile("Another title"))
    assert room.settings("settings")["tie_breaks"] == ["BH", "SB"], room.settings(
        "settings"
    )


@rough.task(78, "Files during a round: one sentence")
def _(room: Room) -> None:
    hand = room.desk("settings")
    hand.view("Backup and export")
    text = hand.page.locator("main").inner_text()
    assert "row" not in re.sub("rows? of", "", text) or text.count("row ") <= 1, (
        f"{text.count('row ')} rows of files are named"
    )
    assert (
        "/" not in re.sub(r"[(,] ?\w+/\w+|\w/\w", "", text) or len(text.split()) < 250
    ), f"{len(text.split())} words"
    assert re.search(r"\b8 (open tables|results|tables)|open tables|round 1", text), (
        text[:300]
    )


@rough.task(81, "edit --set ratng=1500: no new column without a word")
def _(room: Room) -> None:
    heads = list(room.rows("settings/players.csv")[0])
    said = room.shell.try_(f'edit settings "{CLUB[0].turned}" --set ratng=1500')
    if said.code == 0:
        assert "ratng" in said.text, "a new column, and no word"
        assert re.search("new|column", said.text), said.text
    else:
        assert list(room.rows("settings/players.csv")[0]) == heads
        assert "rating" in said.err, said.err


@rough.task(83, "another name, a table of one's own, who may not meet, back in")
def _(room: Room) -> None:
    made(room, "people", rounds=1)
    room.score("people")
    hand = room.desk("people")
    one, two, three = (each.turned for each in CLUB[:3])
    action(hand, one, "Edit")
    hand.page.wait_for_url("**/edit*")
    new = f"{one} Jr"
    hand.write(re.compile("^(Name|Player)"), new)
    hand.press("Save")
    hand.sees(new)
    assert new in room.players("people"), room.players("people")
    hand.view("Round")
    hand.sees(new)
    room.shell.run(f'edit people "{two}" --table 1')
    assert (
        next(row for row in room.rows("people/players.csv") if row["player"] == two)[
            "table"
        ]
        == "1"
    )
    out(hand, three)
    hand.page.locator(f"[data-row]:has-text('{three}')").wait_for()
    action(hand, three, f"Reinstate {three}")
    hand.sees(re.compile(rf"{re.escape(three)}.*(is back|plays on|is in|in again)"))
    fourth = CLUB[3].turned
    room.shell.run(f'forbid people "{three}" "{fourth}"')
    hand.view("Players")
    hand.sees(re.compile("may meet again|Allow again"))
    room.shell.run("pair people")
    round_ = room.matches("people", 2)
    pairs = [{row["player1"], row["player2"]} for row in round_]
    assert {three, fourth} not in pairs
    assert any(three in pair for pair in pairs), "who is back is not paired"
    (at,) = (row["table"] for row in round_ if two in (row["player1"], row["player2"]))
    assert at == "1", f"the own table 1 became {at}"
