"""A pasted list on the page: what was read stands in cells, where it can be corrected."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import browser
import pytest
from organiser import client, event, fields, founding, said, served

from pairopt import read_event

NEW, TAKE = "/new/event", "/players/take"
LISTED = "Friday night\n✅ Ann 1500\n✅ Bo 1400 (late)\n✅ Cy 1300\n✅ Ann 1500\n"


def cells(text: str) -> dict[str, str]:
    """The fields of the preview, as a browser would send them."""
    found = {}
    for tag in re.findall(r"<input[^>]*>", text):
        given = dict(re.findall(r'([\w-]+)="([^"]*)"', tag))
        name = given.get("name", "")
        is_sent = given.get("type") != "checkbox" or " checked" in tag
        if is_sent and (name == "lines" or name.startswith("line.")):
            found[name] = html.unescape(given.get("value", ""))
    return found


def columns(folder: Path) -> dict[str, tuple[str, ...]]:
    made = read_event(folder)
    wanted = ("rating", "remark")
    return {
        "player": made.players,
        **{k: made.columns[k] for k in wanted if k in made.columns},
    }


@pytest.mark.long
def test_what_was_read_is_shown_and_taken_with_yes(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    page = client(folder)
    asked = page.post(NEW, data={"players": LISTED}).text
    told = html.unescape(asked)
    assert "left out Friday night, because it is not a player" in told
    assert "pairopt reads the line '✅ Bo 1400 (late)' with the remark 'late'" in told
    assert "'Ann' is already in line 2" in told
    assert "numbers at the end of 4 lines as ratings, from 1300 to 1500" in told
    assert "leaves out the signs around names in 4 lines: ✅" in told
    shown = cells(asked)
    assert shown["line.2.name"] == "Bo"
    assert (shown["line.2.rating"], shown["line.2.remark"]) == ("1400", "late")
    assert [k for k in range(5) if f"line.{k}.in" in shown] == [1, 2, 3]
    page.post(NEW, data={**founding(asked), **shown})
    assert columns(folder) == {
        "player": ("Ann", "Bo", "Cy"),
        "rating": ("1500", "1400", "1300"),
        "remark": ("", "late", ""),
    }


@pytest.mark.long
def test_cells_that_are_corrected_are_taken_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    page = client(folder)
    asked = page.post(NEW, data={"players": LISTED}).text
    shown = cells(asked)
    del shown["line.3.in"]
    more = {
        "line.2.name": "Bo Ek",
        "line.2.remark": "",
        "line.4.in": "yes",
        "line.4.name": "Ann B.",
    }
    page.post(NEW, data={**founding(asked), **shown, **more})
    assert columns(folder) == {
        "player": ("Ann", "Bo Ek", "Ann B."),
        "rating": ("1500", "1400", "1500"),
    }


@pytest.mark.long
def test_a_cell_that_cannot_be_so_is_refused_with_the_cells_as_they_are(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "event"
    page = client(folder)
    asked = page.post(NEW, data={"players": LISTED}).text
    more = {"line.2.name": "Bo Ek", "line.2.rating": "high"}
    again = page.post(NEW, data={**founding(asked), **cells(asked), **more})
    assert again.status_code == 422
    assert "Found 'high'" in html.unescape(again.text)
    assert cells(again.text)["line.2.name"] == "Bo Ek"
    assert not folder.exists()


@pytest.mark.long
def test_cells_of_another_list_are_not_taken(tmp_path: Path) -> None:
    """Who edits the list itself is asked about what is now read in it."""
    folder = tmp_path / "event"
    page = client(folder)
    asked = page.post(NEW, data={"players": LISTED}).text
    edited = {**founding(asked), **cells(asked), "players": "Dee\nEve (new)\nFay\n"}
    again = page.post(NEW, data=edited).text
    assert not folder.exists()
    assert cells(again)["line.1.name"] == "Eve"


@pytest.mark.long
@pytest.mark.parametrize("corrected", [False, True])
def test_late_players_are_read_in_the_same_way(tmp_path: Path, corrected: bool) -> None:
    folder = event(tmp_path / "event", "ABC")
    page = client(folder)
    form = fields(page.get("/players").text, TAKE)
    asked = page.post(TAKE, data={**form, "players": "- Dee\n- Eve (late)\n- A\n"}).text
    shown = cells(asked)
    assert shown["line.1.remark"] == "late"
    more = {"line.1.name": "Eve Go", "line.1.remark": ""} if corrected else {}
    sent = {**fields(asked, TAKE), **shown, **more, "sure": "yes"}
    assert "2 players play from round" in said(page.post(TAKE, data=sent).text)
    made = read_event(folder)
    assert made.players == ("A", "B", "C", "Dee", "Eve Go" if corrected else "Eve")
    assert made.columns.get("remark", ("",) * 5)[-1] == ("" if corrected else "late")


@pytest.mark.long
def test_one_pasted_name_is_enough_for_a_late_player(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABC")
    page = client(folder)
    form = fields(page.get("/players").text, TAKE)
    asked = page.post(TAKE, data={**form, "players": "Zoe Lund"}).text
    page.post(TAKE, data={**fields(asked, TAKE), **cells(asked), "sure": "yes"})
    assert read_event(folder).players[-1] == "Zoe Lund"


@pytest.mark.sweep
@pytest.mark.parametrize("width", [360, 1280])
def test_a_list_is_pasted_corrected_and_made_in_a_browser(
    chromium: Any, tmp_path: Path, width: int
) -> None:
    folder = tmp_path / "event"
    view = {"width": width, "height": 800}
    with served(folder) as address, browser.page(chromium, viewport=view) as page:
        page.goto(address)
        page.get_by_label("Players, one").fill(LISTED)
        page.get_by_label("Go", exact=True).check()
        page.get_by_role("button", name="Preview the event").click()
        yes = page.get_by_role("button", name="Create the event")
        yes.wait_for()
        assert browser.violations(page) == []
        assert browser.broken(page) == []
        page.get_by_label("Name of line 3").fill("Bo Ek")
        page.get_by_text("The other 3 lines").click()
        page.get_by_label("Friday night is a player").check()
        assert yes.is_visible(), "a cell that is corrected is part of what is asked"
        yes.click()
        page.wait_for_url("**/players")
    assert read_event(folder).players == ("Friday night", "Ann", "Bo Ek", "Cy")
