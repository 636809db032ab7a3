"""A chess club's weekly evening: a list from the treasurer, walk-ins, somebody who is missing."""

from __future__ import annotations

import re
from random import Random

from flows import (
    agree,
    all_there,
    asked_for,
    founded,
    kept,
    open_tables,
    out,
    paired,
    played,
    printed,
    repaired,
    results,
    slips,
    standings_hold,
    sure,
)
from judged import Evening
from lists import people, workbook
from organisers import Room, result_of
from playwright.sync_api import expect

weekly = Evening("a club's weekly")
MEMBERS = people(15)
ROUNDS = 5


def called(name: str) -> str:
    """Last, First as First Last."""
    last, comma, first = name.partition(", ")
    return f"{first} {last}" if comma else name


def everybody_came_in(room: Room, folder: str) -> None:
    rows = room.rows(f"{folder}/players.csv")
    found = {called(row.get("name") or row["player"]): row["rating"] for row in rows}
    assert found == {each.name: str(each.rating) for each in MEMBERS}, (
        f"players.csv has {found}"
    )


@weekly.task("W1", "the whole evening by the page alone")
def _(room: Room) -> None:
    hand = room.desk("friday")
    said = founded(
        hand,
        title="Friday",
        file=workbook(room.place / "members.xlsx", MEMBERS),
        game="chess",
        rounds=ROUNDS,
    )
    assert "15" in said
    everybody_came_in(room, "friday")
    played(room, hand, "friday", 1)
    paired(hand, 2)
    gone = room.matches("friday", 2)[2]["player2"]
    out(hand, gone)
    repaired(hand, 2)
    assert gone not in {
        name for row in room.matches("friday", 2) for name in row.values()
    }
    slips(hand, [f"{table} 1" for table in open_tables(room, "friday", 2)])
    all_there(hand)
    for number in range(3, ROUNDS + 1):
        played(room, hand, "friday", number)
    assert len(room.matches("friday")) == ROUNDS * 7
    standings_hold(room, hand, "friday")
    printed(
        room,
        hand,
        "friday",
        "Pairings by table",
        "Pairings by name",
        "Result sheet",
        "Standings",
    )
    kept(room, hand, "friday", "csv", "trf")


@weekly.task(1, "a workbook with title rows, Last-First and totals, by the shell")
def _(room: Room) -> None:
    file = workbook(room.place / "members.xlsx", MEMBERS)
    said = room.shell.run(
        f"new shell --players {file.name} --points 1-½-0 --sides white,black"
    )
    everybody_came_in(room, "shell")
    assert "Total" in said.err, "the row of totals is left out without a word"
    assert not (room.place / "shell" / "matches.csv").read_text().count("Total")


@weekly.task(2, "the same workbook on the page: what is asked is plain and in view")
def _(room: Room) -> None:
    hand = room.desk("page")
    said = asked_for(
        hand,
        title="Page",
        file=workbook(room.place / "members.xlsx", MEMBERS),
        game="chess",
        rounds=ROUNDS,
    )
    hand.within(hand.page.locator(".asks"), "the question")
    hand.within(hand.button("Create the event"), "Yes")
    plain = [line for line in said.splitlines() if line.strip()]
    room.wish(len(plain) <= 10, f"{len(plain)} lines are asked")
    for word in ("white", "½", "15 players"):
        room.wish(word in said.lower(), f"the question does not say {word}")
    room.wish("seed" not in said, "the question speaks of a seed")
    agree(hand)
    everybody_came_in(room, "page")


@weekly.task(3, "questions: a chess club without FIDE gets white and black, 1-½-0")
def _(room: Room) -> None:
    found = room.settings("page")
    assert found["sides"] == ["white", "black"], f"sides {found['sides']}"
    points = found["points"]
    assert (points["win"], points["draw"], points["loss"]) == (1, 0.5, 0), (
        f"points {points}"
    )


@weekly.task(7, "points and sides of one's own")
def _(room: Room) -> None:
    hand = room.desk("own")
    hand.write("Event name", "Own")
    hand.write(re.compile("^Players"), "\n".join(each.name for each in MEMBERS[:6]))
    own_rules(hand, points="2-1-0", sides="gold,silver")
    hand.press("Preview the event")
    sure(hand)
    agree(hand)
    hand.page.wait_for_url("**/players*")
    found = room.settings("own")
    assert found["sides"] == ["gold", "silver"], f"sides {found['sides']}"
    assert [found["points"][each] for each in ("win", "draw", "loss")] == [2, 1, 0], (
        found["points"]
    )


def own_rules(hand, points: str, sides: str) -> None:  # type: ignore[no-untyped-def]
    """Points and sides in the form of a new event."""
    hand.unfold("More settings")
    hand.write("Sides", sides)
    hand.write("Points for win, draw and loss", points)


@weekly.task(9, "two walk-ins before round 1")
def _(room: Room) -> None:
    file = workbook(room.place / "members.xlsx", MEMBERS)
    room.shell.run(
        f"new club --players {file.name} --points 1-½-0 --sides white,black --rounds 5"
    )
    hand = room.desk("club")
    for name, rating in (("Ida Walker", "1655"), ("Max Inn", "")):
        hand.view("Players")
        hand.write("Name", name)
        if rating:
            hand.write("Rating", rating)
        hand.press("Add player")
        hand.sees(re.compile(f"{name}"))
        hand.page.locator("[data-row]", has_text=name).wait_for()
    found = {row["player"]: row["rating"] for row in room.rows("club/players.csv")}
    assert (found["Ida Walker"], found["Max Inn"]) == ("1655", ""), found


@weekly.task(
    10, "somebody who is on the list comes in again as First Last: asked about before"
)
def _(room: Room) -> None:
    hand = room.desk("club")
    before = room.players("club")
    twin = MEMBERS[9]
    assert twin.turned in before, before
    hand.view("Players")
    hand.write("Name", twin.name)
    hand.press("Add player")
    hand.sees(twin.name)
    assert room.players("club") == before, f"{twin.turned} and {twin.name} are both in"
    assert twin.turned in hand.told(), f"not said who it may be: {hand.told()[:200]}"
    hand.within(hand.page.locator(".asks, .refused"), "the question")
    said = room.shell.refused(f'enter club "{twin.name}"')
    assert room.players("club") == before, "by the shell both are in"
    assert twin.turned in said.err, said.err


@weekly.task(11, "a player is found while one types")
def _(room: Room) -> None:
    hand = room.desk("club")
    hand.view("Players")
    place = hand.door(hand.page.get_by_role("searchbox"), "no search")
    hand.click(place)
    hand.type("ozturk eli")
    one = hand.page.locator("[data-row]:visible")
    typed = False
    for _ in range(20):
        hand.page.wait_for_timeout(50)
        if one.count() == 1:
            typed = True
            break
    if not typed:
        hand.key("Enter")
        hand.page.wait_for_url("**q=*")
    room.wish(typed, "the list filters on Enter only")
    assert one.count() == 1, f"{one.count()} are found"
    assert "Öztürk" in one.first.inner_text(), one.first.inner_text()


@weekly.task(13, "no-show after publication: told what waits")
def _(room: Room) -> None:
    hand = room.desk("club")
    hand.open("players")
    paired(hand, 1)
    row = room.matches("club", 1)[4]
    gone = row["player2"]
    out(hand, gone)
    told = hand.told()
    assert re.search(rf"table {row['table']}\b", told, re.IGNORECASE), (
        f"not said what waits: {told}"
    )
    hand.within(hand.page.locator(".said"), "what waits")


@weekly.task(14, "the repair is seen before: what has a result stays")
def _(room: Room) -> None:
    hand = room.desk("club")
    out_ = {
        row["player"]
        for row in room.rows("club/players.csv")
        if row["active"] != "true"
    }
    tables = [
        row["table"]
        for row in room.matches("club", 1)
        if not out_ & {row["player1"], row["player2"]}
    ][:4]
    slips(hand, [f"{table} {key}" for table, key in zip(tables, "1321", strict=False)])
    hand.sees(re.compile(f"table {tables[-1]}:"))
    before = results(room, "club", 1)
    assert len(before) == 4, before
    hand.view("Round")
    hand.unfold("Late or missing players")
    hand.press("Preview the changes")
    hand.sees(re.compile("Publish the new round 1"))
    shown = hand.page.locator("main tr").all_text_contents()
    for row in room.matches("club", 1):
        if result_of(row):
            (text,) = (
                text
                for text in shown
                if row["player1"] in text and row["player2"] in text
            )
            assert text.index(row["player1"]) < text.index(row["player2"]), (
                f"turned: {text}"
            )
    assert results(room, "club", 1) == before, "a preview has changed results"


@weekly.task(15, "the repair is published: every result stays, with its sides")
def _(room: Room) -> None:
    hand = room.desk("club")
    before = [row for row in room.matches("club", 1) if result_of(row)]
    repaired(hand, 1)
    after = room.matches("club", 1)
    assert all(row in after for row in before), "a row with a result is another"
    gone = {
        row["player"]
        for row in room.rows("club/players.csv")
        if row["active"] != "true"
    }
    there = [
        row[side]
        for row in room.rows("club/matches.csv")
        for side in ("player1", "player2")
    ]
    assert not gone & set(there), "who is out is paired"
    present = {
        row["player"]
        for row in room.rows("club/players.csv")
        if row["active"] == "true"
    }
    assert sorted(name for name in there if name) == sorted(present), (
        "somebody is missing, or twice"
    )


@weekly.task(33, "the log after the repair names who won")
def _(room: Room) -> None:
    hand = room.desk("club")
    table = open_tables(room, "club", 1)[0]
    slips(hand, [f"{table} 3"])
    hand.sees(re.compile(rf"table {table}:"))
    expected = {
        frozenset(pair): score for pair, score in results(room, "club", 1).items()
    }
    rows = [row for row in room.rows("club/log.csv") if row["verb"] == "result"]
    assert len(rows) == len(expected), f"{len(rows)} steps for {len(expected)} results"
    for row in rows:
        names = (row.get("name1") or row["player1"], row.get("name2") or row["player2"])
        score = results(room, "club", 1).get(names)  # type: ignore[call-overload]
        assert row["value"].replace("½", "0.5") == score, (
            f"{names} {row['value']}, in the files {score}"
        )
    hand.view("Log")
    text = hand.text()
    for (one, two), score in results(room, "club", 1).items():
        shown = score.replace("0.5", "½")
        assert f"{one} {shown} {two}" in text, f"not in the log: {one} {shown} {two}"


@weekly.task(18, "a slip: table and result")
def _(room: Room) -> None:
    hand = room.desk("club")
    table = open_tables(room, "club", 1)[0]
    hand.view("Results")
    hand.lane()
    hand.slip(f"{table} 1")
    hand.sees(re.compile(rf"table {table}:"))
    (row,) = (row for row in room.matches("club", 1) if row["table"] == table)
    assert result_of(row) == "1-0", row
    hand.within(hand.page.locator("#told"), "what was written down")


@weekly.task(19, "a slip by a name")
def _(room: Room) -> None:
    hand = room.desk("club")
    row = next(row for row in room.matches("club", 1) if not result_of(row))
    hand.view("Results")
    hand.lane()
    last = row["player2"].partition(",")[0]
    hand.type(last.lower())
    hand.page.locator("#found", has_text=row["player2"]).wait_for()
    hand.key("Enter")
    expect(hand.field("Quick entry")).to_have_value(f"{row['table']} ")
    hand.slip("2")
    hand.sees(re.compile(rf"table {row['table']}:"))
    (after,) = (
        each for each in room.matches("club", 1) if each["table"] == row["table"]
    )
    assert result_of(after) == "0.5-0.5", after


@weekly.task(25, "+-- and remis, as people write them")
def _(room: Room) -> None:
    hand = room.desk("words")
    founded(
        hand,
        title="Words",
        players="\n".join(each.name for each in MEMBERS[:8]),
        game="chess",
    )
    paired(hand, 1)
    slips(hand, ["1 +--"])
    if not hand.has(hand.page.locator(".asks")):
        room.wish(False, "+-- is not understood")
        assert (
            "+--" in hand.told() or "+--" in hand.field("Quick entry").input_value()
        ), "+-- is lost"
        hand.key("Escape")
        hand.open("results")
        hand.lane()
    else:
        hand.key("y")
        hand.page.locator(".asks").wait_for(state="detached")
        row = room.matches("words", 1)[0]
        assert (result_of(row), row["status"]) == ("1-0", "forfeit"), row
    hand.slip("2 remis")
    if not hand.has(hand.page.get_by_text(re.compile("table 2:"))):
        room.wish(False, "remis is not understood")
    else:
        assert result_of(room.matches("words", 1)[1]) == "0.5-0.5", room.matches(
            "words", 1
        )


@weekly.task(21, "the result of a wrong table is taken away, on the page")
def _(room: Room) -> None:
    hand = room.desk("club")
    row = next(row for row in room.matches("club", 1) if result_of(row) == "1-0")
    hand.view("Results")
    place = hand.page.locator(f"#table-{row['table']}")
    hand.click(place.locator("summary"))
    words = re.compile("remove result", re.IGNORECASE)
    hand.click(
        hand.door(
            place.get_by_role("button", name=words), "no way to take a result away"
        )
    )
    if hand.has(hand.page.locator(".asks")):
        agree(hand)
    hand.sees(re.compile(rf"table {row['table']}\b"))
    (after,) = (
        each for each in room.matches("club", 1) if each["table"] == row["table"]
    )
    assert (result_of(after), after["status"]) == ("", ""), after
    assert hand.page.locator(f"#table-{row['table']} [aria-pressed=true]").count() == 0
    slips(hand, [f"{table} 1" for table in open_tables(room, "club", 1)])
    all_there(hand)


@weekly.task(22, "the same by the shell")
def _(room: Room) -> None:
    row = next(row for row in room.matches("club", 1) if result_of(row))
    room.shell.run(f"result club {row['table']} --clear --round 1")
    (after,) = (
        each for each in room.matches("club", 1) if each["table"] == row["table"]
    )
    assert result_of(after) == "", after
    room.shell.run(f"result club {row['table']} {result_of(row).replace('0.5', '½')}")


@weekly.task(23, "the same in a spreadsheet: the cells of the score emptied")
def _(room: Room) -> None:
    room.score("club")
    hand = room.desk("club")
    path = room.place / "club" / "matches.csv"
    before = path.read_bytes()
    rows = room.rows("club/matches.csv")
    row = next(row for row in rows if row["player2"] and result_of(row))
    line = next(
        line
        for line in before.decode().splitlines()
        if line.startswith(f"1,{row['table']},")
    )
    empty = line.replace(f",{row['score1']},{row['score2']},", ",,,")
    path.write_bytes(before.decode().replace(line, empty).encode())
    hand.view("Results")
    hand.sees(re.compile(r"1 of \d+ results"))
    room.shell.run(f"result club {row['table']} 0-1")
    *_, taken, again = room.rows("club/log.csv")
    assert again["verb"] == "result", again
    assert row["player1"] in taken["value"], (
        f"the log does not name whose result was emptied: {taken}"
    )
    (after,) = (
        each for each in room.matches("club", 1) if each["table"] == row["table"]
    )
    assert result_of(after) == "0-1", after
    hand.view("Results")
    all_there(hand)


@weekly.task(31, "one step back; back to step 3; forward to the last")
def _(room: Room) -> None:
    hand = room.desk("club")
    room.shell.run(f'edit club "{MEMBERS[0].turned}" --set club=Harbour')
    files = {
        name: (room.place / "club" / name).read_bytes()
        for name in ("matches.csv", "players.csv")
    }
    steps = int(room.rows("club/log.csv")[-1]["step"])
    room.shell.run("undo club")
    assert any(
        (room.place / "club" / name).read_bytes() != files[name] for name in files
    )
    hand.view("Log")
    hand.press(re.compile(r"Go back to here: step 3\b|Back to .*step 3$"))
    agree(hand)
    assert len(room.matches("club")) == 0
    room.shell.run(f"undo club --to {steps}")
    for name, content in files.items():
        assert (room.place / "club" / name).read_bytes() == content, (
            f"{name} is another"
        )


@weekly.task(30, "the standings")
def _(room: Room) -> None:
    hand = room.desk("club")
    shown = standings_hold(room, hand, "club")
    points = [row["Points"] for row in shown]
    assert len(shown) == len(room.players("club")), f"{len(shown)} are shown"
    assert points == sorted(points, key=lambda each: -float(each.replace("½", ".5"))), (
        points
    )
    said = room.shell.run("standings club --format csv").out.splitlines()
    assert len(said) == len(shown) + 1


@weekly.task(26, "a wrong result is noticed two rounds later, by the shell")
def _(room: Room) -> None:
    room.score("club")
    hand = room.desk("club")
    for number in (2, 3):
        played(room, hand, "club", number)
    row = next(row for row in room.matches("club", 1) if result_of(row) == "1-0")
    later = room.matches("club", 2) + room.matches("club", 3)
    said = room.shell.run(f"result club {row['table']} 0-1 --round 1")
    (after,) = (
        each for each in room.matches("club", 1) if each["table"] == row["table"]
    )
    assert result_of(after) == "0-1", after
    assert room.matches("club", 2) + room.matches("club", 3) == later, (
        "later rounds are changed"
    )
    assert re.search(r"round(s)? 2", said.text), (
        f"later rounds are not named: {said.text}"
    )
    standings_hold(room, hand, "club")


@weekly.task(29, "drop with other letters, another order, no comma")
def _(room: Room) -> None:
    who = MEMBERS[11]
    assert who.turned in room.players("club")
    turned, loud = f"{who.last} {who.first}".lower(), f"{who.first.upper()} {who.last}"
    for typed in (turned, loud, "dvorak, zoe", f"{who.last[:-1]}, {who.first}"):
        said = room.shell.try_(f'drop club "{typed}"')
        (row,) = (
            row for row in room.rows("club/players.csv") if row["player"] == who.turned
        )
        if said.code == 0:
            assert row["active"] == "false", f"{typed}: somebody else is out"
            room.shell.run("undo club")
        else:
            room.wish(who.turned in said.err, f"{typed}: {said.err.strip()[:100]}")


@weekly.task(
    "S", "40 slips, shuffled, five of them mistyped: nobody looks for anything"
)
def _(room: Room) -> None:
    room.shell.run(
        f"new forty --players {workbook(room.place / 'eighty.xlsx', people(80)).name} "
        "--points 1-½-0 --sides white,black"
    )
    room.shell.run("pair forty")
    hand = room.desk("forty")
    draw = Random(36)
    right = {str(table): draw.choice("123") for table in range(1, 41)}
    lines = [f"{table} {key}" for table, key in right.items()]
    draw.shuffle(lines)
    wrong = {4: "999 1", 11: "1x 2", 17: "12 7", 26: "0 1", 33: "41 3"}
    for at, line in wrong.items():
        lines.insert(at, line)
    hand.view("Results")
    hand.lane()
    came_back = []
    field = hand.field("Quick entry")
    for line in lines:
        hand.slip(line)
        if line not in wrong.values():
            continue
        for _ in range(60):
            hand.page.wait_for_timeout(50)
            chosen = hand.page.evaluate("getSelection().toString()")
            if field.input_value() == line and chosen == line:
                came_back.append(line)
                break
        hand.within(
            hand.page.locator(".refused, .asks, #told").locator("visible=true"),
            f"{line}: why",
        )
        assert hand.page.evaluate("document.activeElement.id") == "slip", (
            f"{line}: the focus is gone"
        )
    assert came_back == list(wrong.values()), (
        f"came back: {came_back}; {hand.told()[:200]}"
    )
    all_there(hand)
    scores = {"1": "1-0", "2": "0.5-0.5", "3": "0-1"}
    found = {row["table"]: result_of(row) for row in room.matches("forty")}
    assert found == {table: scores[key] for table, key in right.items()}, (
        "not the forty results"
    )
