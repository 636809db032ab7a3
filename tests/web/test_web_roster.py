"""Players sought, edited and checked in on the page, and byes for points and rounds missed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import browser
import pytest
import serving
from organiser import client, event, fields, said, scored
from starlette.testclient import TestClient
from test_web_players import send, sure

from pairopt import read_event
from pairopt.folder import drop, new
from pairopt.folder.journal import Journal

NASTY = '"><script>alert(1)</script>'
CHANGE = "/players/edit/change"


def rows(text: str) -> list[str]:
    """The players of the table."""
    return re.findall(r"<tr data-row[^>]*><td><bdi[^>]*>(.*?)</bdi>", text)


def club(folder: Path) -> Path:
    listed = folder.parent / "club.csv"
    listed.write_text(
        "player,name,rating,club\n1,Łukasz Żak,1500,Riga\n2,Ann Lee,1400,Oslo\n"
        "3,Zoë Ann,1300,Riga\n4,محمد علي,1200,\n5,王伟,1100,Oslo\n"
    )
    new(folder, listed, points="1-½-0")
    return folder


@pytest.mark.long
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=ann", ["Ann Lee", "Zoë Ann"]),
        ("q=lukasz", ["Łukasz Żak"]),
        ("q=RIGA", ["Łukasz Żak", "Zoë Ann"]),
        ("q=ann+riga", ["Zoë Ann"]),
        ("q=%E7%8E%8B", ["王伟"]),
        ("only=out", ["Ann Lee"]),
        ("only=in&q=ann", ["Zoë Ann"]),
        ("only=bye", ["王伟"]),
        ("q=nobody", []),
        ("only=strange", ["Ann Lee", "Łukasz Żak", "Zoë Ann", "محمد علي", "王伟"]),
    ],
)
def test_players_are_sought_and_filtered(
    tmp_path: Path, query: str, found: list[str]
) -> None:
    folder = club(tmp_path / "event")
    page = client(folder)
    drop(folder, "2")
    send(page, "bye", player="5", round="2", points="½")
    text = page.get(f"/players?{query}").text
    assert [re.sub("<[^>]*>|[\u2068\u2069]", "", each) for each in rows(text)] == found
    assert ("No player found" in text) == (not found)


@pytest.mark.long
def test_a_search_stays_after_a_change(tmp_path: Path) -> None:
    page = client(club(tmp_path / "event"))
    text = page.get("/players?q=ann&only=in").text
    action = re.findall(r'id="out" method="post" action="([^"]*)"', text)[0].replace(
        "&amp;", "&"
    )
    answer = page.post(action, data={**fields(text, "/players/out"), "player": "3"})
    assert str(answer.url).endswith("/players?q=ann&only=in")
    assert "Zoë Ann has dropped" in said(answer.text)
    assert len(rows(answer.text)) == 1
    assert NASTY not in page.get(f"/players?q={quote(NASTY)}&only={quote(NASTY)}").text


@pytest.mark.long
def test_hundreds_of_players_are_on_several_pages(tmp_path: Path) -> None:
    names = [f"Player {k:04}" for k in range(450)]
    page = client(event(tmp_path / "event", names))
    text = page.get("/players").text
    assert rows(text) == names[:200]
    assert len(text) < 250_000
    links = re.findall(r'<a href="/players\?(part=[0-9]+)"', text)
    assert links == ["part=1", "part=2", "part=3"]
    assert rows(page.get("/players?part=3").text) == names[400:]
    assert 'action="/players/out?part=3"' in page.get("/players?part=3").text
    assert "may not meet" in said(
        send(page, "apart", player=names[0], other=names[449])
    )
    assert rows(page.get("/players?q=0007").text) == [names[7]]


@pytest.mark.long
def test_a_player_is_edited(tmp_path: Path) -> None:
    folder = club(tmp_path / "event")
    page = client(folder)
    text = page.get("/players/edit?player=2").text
    form = dict(re.findall(r'name="(cell\.[^"]*)" value="([^"]*)"', text))
    assert form == {"cell.name": "Ann Lee", "cell.rating": "1400", "cell.club": "Oslo"}
    sent = {**fields(text, CHANGE), **form}
    steps = len(Journal(folder).steps())
    assert "nothing was changed" in said(
        page.post(f"{CHANGE}?player=2", data=sent).text
    )
    assert len(Journal(folder).steps()) == steps
    form |= {"cell.name": "Ann <b>Lee", "cell.rating": "1450", "cell.club": ""}
    answer = page.post(f"{CHANGE}?player=2", data={**sent, **form})
    assert answer.url.path == "/players"
    assert "rating 1450 (before: 1400)" in said(answer.text)
    assert "club removed (before: Oslo)" in said(answer.text)
    assert "<b>Lee" not in answer.text
    assert read_event(folder).names[1] == "Ann <b>Lee"
    wrong = {**sent, **fields(answer.text, "/players/out"), "cell.rating": "x"}
    refused = page.post(f"{CHANGE}?player=2", data=wrong)
    assert "Found 'x'. Write a number" in said(refused.text)
    assert 'name="cell.rating" value="x"' in refused.text
    assert page.get("/players/edit?player=nobody").status_code == 422


@pytest.mark.long
def test_a_start_number_where_the_system_has_them(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", model="fide-dutch")
    page = client(folder)
    text = page.get("/players/edit?player=A").text
    sent = fields(text, CHANGE)
    answer = page.post(
        f"{CHANGE}?player=A", data={**sent, "cell.start": "1", "cell.club": ""}
    )
    assert "nothing was changed" in said(answer.text)
    answer = page.post(f"{CHANGE}?player=A", data={**sent, "cell.start": "2"})
    assert "B has start number 1" in said(answer.text)


@pytest.mark.long
def test_check_in(tmp_path: Path) -> None:
    folder = club(tmp_path / "event")
    page = client(folder)
    text = send(page, "begin")
    assert (
        "5 players are not checked in yet. Check in each player who is here."
        in said(text)
    )
    assert "0 of 5 are checked in" in text
    text = send(page, "in", player="1")
    assert "1 of 5 is checked in" in text
    assert read_event(folder).present.tolist() == [True, False, False, False, False]
    assert "5 players, 5 checked in" in re.sub(r"\s+", " ", send(page, "all"))
    played = event(tmp_path / "played", rounds=1)
    assert "Check-in" not in client(played).get("/players").text
    assert "Round 1 is already paired" in said(posted(client(played), "/players/begin"))


def posted(page: TestClient, action: str) -> str:
    state = fields(page.get("/players").text, "/players/out")["state"]
    return page.post(action, data={"state": state}).text


@pytest.mark.long
def test_half_a_point_and_a_round_that_was_missed(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    scored(folder)
    page = client(folder)
    send(page, "enter", name="Zoe", club="Riga")
    assert read_event(folder).columns["club"][-1] == "Riga"
    text = send(page, "bye", player="Zoe", round="1", points="½")
    assert "Zoe has a bye in round 1 for 0.5 points" in said(text)
    assert "is not a number of points" in said(
        send(page, "bye", player="Zoe", points="x")
    )


def test_after_a_fault_the_fields_are_as_they_were(tmp_path: Path) -> None:
    page = client(event(tmp_path / "event"))
    text = send(page, "enter", name="a", rating="17", club="Riga")
    assert "is already in this event" in said(text)
    for name, value in (("name", "a"), ("rating", "17"), ("club", "Riga")):
        assert re.search(rf'<input name="{name}"[^>]* value="{value}"', text)
    text = send(page, "apart", player="A", other="A")
    assert text.count('<option value="A" selected>') == 2
    text = send(page, "bye", player="B", round="9", points="y")
    assert re.search('name="points"[^>]* value="y"', text)
    assert re.search('name="round"[^>]* value="9"', text)


@pytest.fixture
def tab(chromium: Any) -> Iterator[Any]:
    with browser.page(chromium, viewport={"width": 768, "height": 900}) as one:
        yield one


@pytest.mark.sweep
def test_check_in_at_the_door_by_keys(tmp_path: Path, tab: Any) -> None:
    """A name, Enter, Enter: the next one; and axe finds nothing."""
    folder = club(tmp_path / "event")
    with serving.served(folder) as address:
        tab.goto(f"{address}/players")
        tab.get_by_role("button", name="Start check-in").click()
        tab.get_by_text("0 of 5 are checked in").wait_for()
        search = tab.get_by_label("Search")
        search.click()
        for k, name in enumerate(("zoe", "lukasz"), 1):
            tab.keyboard.insert_text(name)
            tab.keyboard.press("Enter")
            tab.locator("button:focus", has_text="Check in").wait_for()
            tab.keyboard.press("Enter")
            tab.get_by_text(f"{k} of 5 {'is' if k == 1 else 'are'} here").wait_for()
            tab.locator("input[name=q]:focus").wait_for()
        assert read_event(folder).present.tolist() == [True, False, True, False, False]
        for view in ("players", "players/edit?player=4", "settings", "models"):
            tab.goto(f"{address}/{view}")
            assert browser.violations(tab) == []
            assert browser.broken(tab) == []


LATE = """
const { send, setRequestHeader } = XMLHttpRequest.prototype;
XMLHttpRequest.prototype.setRequestHeader = function (name, value) {
  this.late ||= name === "HX-Target" && value === "found";
  setRequestHeader.call(this, name, value);
};
XMLHttpRequest.prototype.send = function (body) {
  setTimeout(() => send.call(this, body), this.late ? 500 : 300);
};
"""
"""A page comes late, and what is found while one types later."""


@pytest.mark.sweep
@pytest.mark.parametrize("pause", [0, 200], ids=["not asked yet", "asked already"])
def test_what_is_found_while_typed_stops_nothing(
    tmp_path: Path, tab: Any, pause: int
) -> None:
    folder = club(tmp_path / "event")
    tab.add_init_script(LATE)
    with serving.served(folder) as address:
        tab.goto(f"{address}/players")
        tab.get_by_role("button", name="Start check-in").click()
        tab.get_by_text("0 of 5 are checked in").wait_for()
        tab.get_by_label("Search").click()
        tab.keyboard.type("zoe")
        tab.wait_for_timeout(pause)
        tab.keyboard.press("Enter")
        tab.locator("button:focus", has_text="Check in").wait_for()
        tab.wait_for_timeout(900)
        tab.keyboard.press("Enter")
        tab.get_by_text("1 of 5 is checked in").wait_for()


@pytest.mark.long
def test_who_may_be_in_already_is_asked_about(tmp_path: Path) -> None:
    folder = club(tmp_path / "event")
    page = client(folder)
    text = send(page, "enter", name="LEE Ann", rating="1600")
    assert (
        "'LEE Ann' may be the same person as 'Ann Lee', who is already in the event. If 'LEE Ann' and 'Ann Lee' are two people, confirm the new player."
        in said(text)
    )
    assert "--sure" not in text
    assert len(read_event(folder).players) == 5
    sure(page, text, "/players/enter")
    assert read_event(folder).names[-1] == "LEE Ann"


@pytest.mark.long
def test_a_list_with_who_may_be_one_is_asked_about(tmp_path: Path) -> None:
    folder = club(tmp_path / "event")
    page = client(folder)
    text = send(page, "take", players='name\n"Lee, Ann"\nBo Ek\nEk Bo\n')
    assert (
        "These names may belong to one person: Ann Lee - Lee, Ann; Bo Ek - Ek Bo"
        in said(text)
    )
    assert len(read_event(folder).players) == 5
    sure(page, text, "/players/take")
    assert len(read_event(folder).players) == 8


@pytest.mark.long
def test_a_new_event_with_who_may_be_one_is_asked_about(tmp_path: Path) -> None:
    page = client(tmp_path / "event")
    text = send(page, "event", "/new", players="Bo Ek\nEk Bo\n")
    assert "These names may belong to one person: Bo Ek - Ek Bo." in said(text)
    sure(page, text, "/new/event")
    assert len(read_event(tmp_path / "event").players) == 2


@pytest.mark.long
def test_a_player_is_found_in_any_spelling_and_a_slip_is_told(tmp_path: Path) -> None:
    folder = club(tmp_path / "event")
    page = client(folder)
    assert "Łukasz Żak has dropped" in said(send(page, "out", player="zak lukasz"))
    text = send(page, "out", player="zak lucasz")
    assert "Did you mean Łukasz Żak?" in said(text)
