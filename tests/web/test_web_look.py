"""What people see: words and no code, marks, proof, one main thing to do, and messages in view."""

from __future__ import annotations

import html
import io
import re
from pathlib import Path
from typing import Any

import browser
import pytest
from organiser import HOST, client, event, fields, said, scored, served
from PIL import Image
from starlette.testclient import TestClient

from pairopt.cli import COMMANDS
from pairopt.folder import bracket, new, pair
from pairopt.folder.open_folder import read_folder_state
from pairopt.folder.results import result
from pairopt.folder.roster import drop, forbid
from pairopt.problem.model import load_model, model_names
from pairopt.report.page import make_legible
from pairopt.report.views import round_view
from pairopt.rules.constraints import CONSTRAINTS
from pairopt.web.access import NetworkShare
from pairopt.web.app import application
from pairopt.web.phones import PAGES
from pairopt.web.views import known_views

CODE = re.compile(
    rf"\bpairopt (?:{'|'.join(map(re.escape, COMMANDS))})\b|"
    r"--[a-z]|\b(?:event\.toml|matches\.csv|proofs/)|"
    + "|".join(rf"\b{kind}\b" for kind in CONSTRAINTS)
)
"""What nobody has to know who uses the page."""
SHARING = re.compile(r"<code>(?:pairopt serve [^<]*)?--share</code>")
"""How to start again with sharing, which the page of phones has to say."""
PROGRAM = re.compile(
    r"\b(?:seeds?|seeded|levels?|arcs?|proven_by|[a-z]+(?:_[a-z0-9]+)+)\b|/(?:tmp|dev/shm)/",
    re.IGNORECASE,
)
"""What the program calls things: they may stand behind "details" alone."""
CHESS = {"sides": ("white", "black"), "points": "1-0.5-0"}
FOLDED = ("/files", "/models")
"""Pages that have nothing of the program in what is folded either."""
VIEWS = [view.path for view in known_views() if not view.path.startswith("print/")]


def words(text: str) -> str:
    """What is read on a page."""
    body = SHARING.sub(" ", text.partition("<main")[2])
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


def named(folder: Path, names: list[str], **how: Any) -> Path:
    """An event whose players have identifiers 1, 2, 3 and so on."""
    rows = [f'{k},"{name}",{2000 - k},GM' for k, name in enumerate(names, 1)]
    listed = folder.parent / "list.csv"
    listed.write_text(
        "\n".join(["player,name,rating,title", *rows, ""]), encoding="utf-8"
    )
    new(folder, listed, **how)
    return folder


def commonest(picture: bytes) -> Any:
    """The colour that most of a picture has."""
    shown = Image.open(io.BytesIO(picture)).convert("RGB")
    return max(shown.getcolors(shown.width * shown.height))[1]


def send(page: TestClient, path: str, action: str, **sent: str) -> str:
    return page.post(action, data={**fields(page.get(path).text, action), **sent}).text


@pytest.mark.long
def test_no_page_speaks_of_commands_options_files_and_code(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCD", model="fide-basic", **CHESS)
    page = client(folder)
    pair(folder)
    pages = [page.get(f"/{path}?id=A").text for path in VIEWS]
    meeting = read_folder_state(folder).event.matches
    one, two = (
        read_folder_state(folder).event.players[p[0]]
        for p in (meeting.first, meeting.second)
    )
    state = fields(page.get("/players").text, "/players/apart")["state"]
    apart = {"state": state, "player": one, "other": two}
    pages.append(page.post("/players/apart", data=apart).text)
    apart["state"] = fields(page.get("/players").text, "/players/apart")["state"]
    page.post("/players/together", data=apart)
    pages.append(send(page, "/standings", "/standings/cut", cut="2"))
    scored(folder, "1-0")
    again = {
        "match": [f"{one}:{two}", ":".join(p for p in "ABCD" if p not in (one, two))]
    }
    pages.append(page.get("/round/draft", params=again).text)
    pages.append(send(page, "/standings", "/standings/cut", cut="77"))
    pair(folder)
    state = fields(page.get("/players").text, "/players/apart")["state"]
    gone = page.post("/players/out", data={"player": "A", "state": state}).text
    assert "still has no result" in said(gone)
    for text in [*pages, gone, *(page.get(f"/{path}?id=A").text for path in VIEWS)]:
        assert not CODE.search(words(text)), CODE.search(words(text))
        assert str(tmp_path) not in text


@pytest.mark.long
def test_no_page_phone_or_print_has_words_of_the_program(tmp_path: Path) -> None:
    how = {
        "lookahead": 1,
        "first_table": 11,
        "tie_breaks": "BH",
        "rounds": 5,
        "proofs": "true",
    }
    listed = tmp_path / "list.csv"
    listed.write_text(
        "player,club,start\n" + "".join(f"{each},x,\n" for each in "ABCDEFG")
    )
    folder = tmp_path / "event"
    new(folder, listed, model="standard", **CHESS, **how)
    forbid(folder, "A", "B")
    pair(folder)
    app = application(folder, {HOST}, NetworkShare(8441))
    organiser, phone = (
        TestClient(app, f"http://{at}", headers={"origin": f"http://{at}"})
        for at in (HOST, "192.0.2.7:8441")
    )

    def said_outside_details(text: str) -> str:
        return words(re.sub(r"<details.*?</details>", "", text, flags=re.DOTALL))

    for cut in (False, True):
        if cut:
            scored(folder, "1-0")
            bracket(folder, 4, by_lot=True)
        own = [organiser.get(f"/{view.path}?id=A&player=A") for view in known_views()]
        for answer in [*own, *(phone.get(f"{path}?id=A") for path in PAGES)]:
            folded = answer.url.path in FOLDED
            told = words(answer.text) if folded else said_outside_details(answer.text)
            found = PROGRAM.search(told) or CODE.search(told)
            assert not found, (answer.url.path, found)
        for player in "ABCDEFG" if cut else "":
            for door in (organiser, phone):
                told = words(door.get(f"/player?id={player}").text)
                assert re.search(r"\b(1 point|(0|½|0.5) points)\b", told), told
        assert "What this format leaves out" in organiser.get("/files").text
        assert "first table" in organiser.get("/files").text


@pytest.mark.parametrize("model", model_names())
def test_the_rules_of_every_model_are_told_without_words_of_the_program(
    tmp_path: Path, model: str
) -> None:
    told = words(client(event(tmp_path / "event")).get(f"/models?model={model}").text)
    found = PROGRAM.search(told) or CODE.search(told)
    assert not found, found
    for kept in (load_model(model), load_model(model).last_round):
        for rule in (*kept.constraints, *kept.criteria) if kept else ():
            if rule.kind in ("max_side_difference", "max_side_streak", "max_meetings"):
                assert re.search(rf"\b{rule.most}\b", rule.describe())
            assert "`" not in rule.describe()
    order = told.partition("Then, each")[2].partition("In the last")[0].split(". ")
    assert len({*order}) == len(order)  # no two of its rules are told alike


@pytest.mark.long
def test_a_file_is_named_without_its_path(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    (folder / "matches.csv").write_text("round,table\n1,x\n")
    text = client(folder).get("/results").text
    assert "matches.csv: " in words(text)
    assert str(tmp_path) not in text


@pytest.mark.long
def test_the_log_has_names(tmp_path: Path) -> None:
    folder = named(tmp_path / "event", ["Ann Lee", "Bo Ek"], **CHESS)
    pair(folder)
    result(folder, "1", "1-0")
    drop(folder, "2")
    (line,) = round_view(read_folder_state(folder).event, 1).matches
    page = client(folder)
    told = words(page.get("/log").text)
    assert f"Result of round 1, table 1: {line.one} 1-0 {line.two}" in told
    assert "Bo Ek dropped" in told
    asked = send(page, "/log", "/log/undo", step="2")
    assert (
        f"Undo: step 3, Result of round 1, table 1: {line.one} 1-0 {line.two}?"
        in said(asked)
    )
    done = send(page, "/log", "/log/undo", step="2", sure="yes")
    assert (
        f"Undone: step 3, Result of round 1, table 1: {line.one} 1-0 {line.two}"
        in said(done)
    )
    later = words(page.get("/log").text)
    assert f"Result of round 1, table 1: {line.one} 1-0 {line.two} (undone)" in later


@pytest.mark.long
def test_what_cannot_be_avoided_is_said_where_it_is_proven(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCD", model="excalibur")
    for _ in range(3):
        pair(folder)
        scored(folder)
    page = client(folder)
    assert "2 rematches can't be avoided: " in words(page.get("/round/draft").text)
    kept = read_folder_state(folder).event.matches
    match = ":".join(
        read_folder_state(folder).event.players[p[0]] for p in (kept.first, kept.second)
    )
    asked_for = words(page.get("/round/draft", params={"pinned": match}).text)
    assert "can't be avoided" not in asked_for
    assert "2 rematches: " in asked_for


@pytest.mark.long
def test_a_change_by_hand_says_what_it_is_beside_its_tables(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEF", 1, model="excalibur")
    scored(folder)
    page = client(folder)
    text = page.get("/round/draft").text
    assert "Proven: no pairing is better" in words(text)
    assert "by hand" not in words(text)
    shown = fields(text, "/round/draft/publish")["match"]
    first = round_view(read_folder_state(folder).event, 1).matches[0].players
    other = next(
        p
        for m in shown
        if first[0] in m.split(":")
        for p in m.split(":")
        if p not in first
    )
    query = {"seed": "0", "exchange": "1", "swap": [first[1], other]}
    changed = page.get("/round/draft", params=query).text
    assert "Changed by hand, and worse than the best pairing" in words(changed)
    assert "Proven" not in words(changed).partition("levels")[0]
    assert "proves nothing" not in changed
    rows = re.findall(r'<tr class="(?:match|beside).*?</tr>', changed, re.DOTALL)
    met = next(k for k, row in enumerate(rows) if "rematch" in row)
    assert "by hand" in rows[met]
    assert "rematches, or second byes: +1" in words("<main " + rows[met + 1])
    assert sum("by hand" in row for row in rows) == 2


def test_nothing_is_called_proven_that_is_not(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEFGH", model="aesops-by-hand")
    told = words(client(folder).get("/round/draft").text)
    assert "Not proven" in told
    assert "no pairing is better" not in told


@pytest.mark.long
@pytest.mark.parametrize("at", ["/round", "/round/draft"])
def test_floats_rematches_and_byes_are_marked(tmp_path: Path, at: str) -> None:
    folder = event(tmp_path / "event", "ABC", model="excalibur")
    for _ in range(2):
        pair(folder)
        scored(folder)
    pair(folder)
    if at == "/round/draft":
        scored(folder)
    text = client(folder).get(at).text
    event_now, number = read_folder_state(folder).event, 3 + (at == "/round/draft")
    marks = re.findall(r'<span class="mark[^>]*>(\w+)', text)
    assert "bye" in marks
    assert ("rematch" in marks) == (number > 3)
    if at == "/round":
        (line,) = round_view(event_now, 3).matches
        assert ("float" in marks) == (line.points[0] != line.points[1])
        told = round_view(event_now, 3).told
        assert told[0] == "1 table"
        assert told[-1] == "1 bye"


@pytest.mark.long
def test_a_page_for_each_player_and_what_they_won(tmp_path: Path) -> None:
    folder = named(
        tmp_path / "event", ["Ann Lee", "Bo Ek", "Cy Fo", "Di Go", "Eva"], **CHESS
    )
    for score in ("1-0", "0.5-0.5", "1-0"):
        pair(folder)
        scored(folder, score)
    page, found = client(folder), read_folder_state(folder).event
    for player, name in zip(found.players, found.names, strict=True):
        text = page.get(f"/player?id={player}").text
        told = words(text)
        assert name in told
        own = [
            s for k in (1, 2, 3) for s in round_view(found, k).seats if s.name == name
        ]
        ends = [sum(s.ending == end for s in own) for end in ("won", "drew", "lost")]
        assert "-".join(map(str, ends)) in told
        assert text.count("<tr>") - 1 == 3
        for number in (1, 2, 3):
            seat = next(s for s in round_view(found, number).seats if s.name == name)
            assert seat.opponent in told
    for path in ("/standings", "/standings?by=rounds", "/round"):
        assert '<a href="/player?id=1">' in page.get(path).text
    by_rounds = page.get("/standings?by=rounds").text
    ranks = dict(
        re.findall(
            r'class="number">(\d)</td><td class="who"><a href="/player\?id=(\d)',
            by_rounds,
        )
    )
    cells = re.findall(r'<td class="cell">.*?</td>', by_rounds, re.DOTALL)
    assert len(cells) == 3 * 4  # in each round one of five has the bye
    seat = next(s for s in round_view(found, 1).seats if s.name == "Ann Lee")
    assert (seat.other == "") or (
        f"{ {v: k for k, v in ranks.items()}[seat.other] }{seat.side[0].lower()}"
        in by_rounds
    )
    assert page.get("/player?id=Nobody").status_code == 422


@pytest.mark.long
def test_a_fault_stands_in_its_form_and_what_was_typed_stays(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEFGH", 1)
    scored(folder)
    text = send(
        client(folder), "/standings", "/standings/cut", cut="44", seed="7", by_lot="yes"
    )
    form = text[text.index('action="/standings/cut"') :].partition("</form>")[0]
    assert "A top cut to 44 players is not possible" in form
    assert text.count("A top cut to 44 players is not possible") == 1
    assert 'value="44"' in form
    assert 'value="7"' in form
    assert 'name="by_lot" value="yes" checked' in form
    assert '<details class="cut" id="cut" open>' in text


@pytest.mark.long
def test_a_view_has_one_main_thing_to_do(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEF", 1)
    page = client(folder)
    for _ in range(2):
        for path in VIEWS:
            text = page.get(f"/{path}?id=A").text
            text = re.sub(r"<details.*?</details>", "", text, flags=re.DOTALL)
            main = re.findall(r'class="(?:button )?main"', text)
            assert len(main) <= 1, path
        scored(folder)


def test_a_name_from_right_to_left_turns_nothing_around() -> None:
    assert make_legible("table 1: Ann 1-0 Bo") == "table 1: Ann 1-0 Bo"
    name = "\u0645\u062d\u0645\u062f \u0627\u0644\u0641"
    assert make_legible(f"{name} 1-0 Bo") == f"\u2068{name}\u2069 1-0 Bo"


@pytest.mark.sweep
def test_what_is_said_is_in_view_wherever_the_page_is(
    tmp_path: Path, chromium: Any
) -> None:
    folder = event(tmp_path / "event", [f"P{k:02}" for k in range(60)], 1)
    for table in range(1, 31):
        result(folder, str(table), "3-0")
    in_view = (
        "one => { const box = one.getBoundingClientRect();"
        " return box.top >= 0 && box.top < innerHeight - 20 && box.height > 0; }"
    )
    with served(folder) as address, browser.page(chromium) as page:
        page.goto(f"{address}/log")
        page.get_by_role("button", name="Go back to here: step 4", exact=True).click()
        page.locator(".asks").wait_for()
        for top in (0, 300, 99_999):
            page.evaluate(f"scrollTo(0, {top})")
            assert page.locator(".asks").evaluate(in_view)
            assert page.get_by_role("button", name="Yes, do it").evaluate(in_view)
        page.keyboard.press("y")
        page.locator(".said").wait_for()
        page.evaluate("scrollTo(0, 99_999)")
        assert page.locator(".said").evaluate(in_view)
        page.goto(f"{address}/round")
        page.evaluate("scrollTo(0, 600)")
        assert page.locator(".pairings thead th").first.evaluate(in_view)


@pytest.mark.sweep
def test_pressed_and_unpressed_differ_in_forced_colours(
    tmp_path: Path, chromium: Any
) -> None:
    folder = event(tmp_path / "event", "ABCD", 1)
    result(folder, "1", "3-0")
    with (
        served(folder) as address,
        browser.page(chromium, forced_colors="active") as page,
    ):
        page.goto(f"{address}/results")
        row = page.locator("#table-1 form > button")
        colours = [commonest(row.nth(k).screenshot()) for k in range(row.count())]
        pressed = [
            row.nth(k).get_attribute("aria-pressed") == "true"
            for k in range(row.count())
        ]
        of_pressed = {
            colour for colour, down in zip(colours, pressed, strict=True) if down
        }
        assert len(of_pressed) == 1
        assert of_pressed != {*colours}
        assert not of_pressed & {
            c for c, down in zip(colours, pressed, strict=True) if not down
        }
        page.goto(f"{address}/round")
        assert browser.violations(page) == []


@pytest.mark.long
def test_a_menu_is_closed_by_escape_and_by_a_click_elsewhere(
    tmp_path: Path, chromium: Any
) -> None:
    with served(event(tmp_path / "event")) as address, browser.page(chromium) as page:
        page.goto(f"{address}/round/draft")
        menu = page.get_by_role("navigation", name="Pages").locator("details")
        for end in (
            lambda: page.keyboard.press("Escape"),
            lambda: page.locator("footer").click(),
        ):
            menu.locator("summary").click()
            menu.get_by_role("link", name="Log").wait_for()
            end()
            menu.get_by_role("link", name="Log").wait_for(state="hidden")


@pytest.mark.slow
@pytest.mark.long
def test_names_of_200_on_three_pages_with_numbers_ratings_and_titles(
    tmp_path: Path, chromium: Any
) -> None:
    folder = named(
        tmp_path / "event", [f"Player{k:03} Surname" for k in range(200)], **CHESS
    )
    pair(folder)
    with served(folder) as address, browser.page(chromium) as page:
        page.goto(f"{address}/print/names")
        pages = browser.pdf_pages(page.pdf(format="A4"))
        assert len(pages) == 3
        for sheet in ("names", "tables", "results", "standings", "slips"):
            text = page.goto(f"{address}/print/{sheet}").text()
            first = re.search(
                r'<small class="number">1</small> GM <bdi>.*?<small>(\d+)', text
            )
            assert first is not None
            assert first[1] == "1999"
