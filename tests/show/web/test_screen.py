"""The screen for the room: what it shows, that its pages turn, and that it can be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import pytest
from organiser import client, event, fields, scored
from serving import shared
from starlette.testclient import TestClient

from pairopt.folder import bracket, pair, result, undo
from pairopt.folder.desk import seen
from pairopt.show.web import phones
from pairopt.show.web.app import application
from pairopt.show.web.guard import Share
from pairopt.show.web.views.hall import Hall, write_hall

LONG = ["Bartholomäus Kowalczyk-Brzęczyszczykiewicz", "李小龍", "عبد الرحمن بن سلمان الأنصاري",
        "Wolfeschlegelsteinhausenbergerdorff Featherstonehaugh", "Ann Lee"]  # fmt: skip
SEEN = """() => [...document.querySelectorAll(".turning tbody tr")]
  .filter(row => row.checkVisibility()).map(row => {
    const box = row.getBoundingClientRect(), room = row.closest(".turning").getBoundingClientRect();
    return [row.cells[0].innerText, box.top >= room.top - 1 && box.bottom <= room.bottom + 1,
            parseFloat(getComputedStyle(row).fontSize) / innerHeight];
  })"""
"""The first cell of each row that is shown, whether it is whole, its letters by the height."""


@pytest.fixture(autouse=True)
def _always_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phones, "SECONDS", -1.0)


def words(page: TestClient, by: str = "") -> str:
    answer = page.get(f"/screen{by}")
    assert answer.status_code == 200
    return answer.text


def test_the_round_then_the_standings(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", LONG, sides=("corp", "runner"))
    page = client(folder)
    assert "No round is paired yet. 5 players." in words(page)
    assert "No round is paired yet" in words(page, "?by=name")
    pair(folder)
    by_table, by_name = words(page), words(page, "?by=name")
    for name in ("李小龍", "عبد الرحمن بن سلمان الأنصاري"):
        assert name in by_table
        assert name in by_name
    assert "Round 1" in by_table
    assert "has the bye" in by_table
    assert '<td class="number">bye</td>' in by_name
    result(folder, 1, "3-0")
    assert "3-0" in words(page).replace("0-3", "3-0")
    assert "Standings" in words(page, "?by=standings")
    assert "during round 1" in words(page, "?by=standings")
    result(folder, 2, "3-0")
    for by in ("", "?by=name"):
        assert "<h1>Standings</h1>" in words(page, by)
        assert "after round 1" in words(page, by)
    undo(folder)
    assert "<h1>Round 1" in words(page)
    assert "<h1>Round 1" in words(page, "?by=%3Cb%3E")


def test_the_bracket_and_an_event_that_is_not_there(tmp_path: Path) -> None:
    page = client(tmp_path / "event")
    assert "no event yet" in words(page)
    folder = event(tmp_path / "event", "ABCD", rounds=1)
    scored(folder)
    bracket(folder, 2, by_lot=True)
    text = words(page)
    assert "<h1>Bracket</h1>" in text
    assert ">B1<" in text
    assert "<h1>Standings</h1>" in words(page, "?by=standings")


def test_both_doors_show_it_and_the_shared_one_only_with_share(tmp_path: Path) -> None:
    folder, share = event(tmp_path / "event", rounds=1), Share(8441)
    app = application(folder, {"127.0.0.1:8440"}, share)
    texts = [TestClient(app, at).get("/screen").text
             for at in ("http://127.0.0.1:8440", "http://192.0.2.7:8441")]  # fmt: skip
    assert texts[0] == texts[1]
    assert "<form" not in texts[1]
    assert client(folder).get("/screen").status_code == 200
    assert TestClient(app, "http://192.0.2.7:8441").get("/hall").status_code == 404


@pytest.fixture
def doors(tmp_path: Path) -> Iterator[tuple[Path, str, str]]:
    names = [*LONG, *(f"Player {k}" for k in range(34))]
    folder = event(tmp_path / "event", names, rounds=1, sides=("white", "black"))
    with shared(folder) as (mine, theirs, _):
        yield folder, mine, theirs


@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "scheme"),
    [((1920, 1080), "light"), pytest.param((3840, 2160), "dark", marks=pytest.mark.slow)],
)
def test_it_is_read_from_afar(
    size: tuple[int, int], scheme: str, doors: tuple[Path, str, str], chromium: Any
) -> None:
    width, height = size
    view = {"width": width, "height": height}
    with browser.page(chromium, viewport=view, color_scheme=scheme) as page:
        for by, rows in (("table", 20), ("name", 39), ("standings", 39)):
            page.clock.install()
            page.goto(f"{doors[2]}/screen?by={by}")
            page.evaluate("document.fonts.ready.then(() => null)")
            pages = int(page.locator(".turn").text_content().split()[-1])
            shown: list[Any] = []
            for number in range(pages):
                page.get_by_role("button", name=f"Page {number + 1} of {pages}").wait_for()
                assert browser.broken(page) == []
                shown += page.evaluate(SEEN)
                page.clock.run_for(6000 if by == "table" else 9000)
            firsts = [first for first, _, _ in shown]
            assert len(firsts) == rows
            if by == "table":
                assert firsts == [*map(str, range(1, 20)), ""]
            assert all(whole for _, whole, _ in shown)
            assert all(letters > 0.05 for _, _, letters in shown)
            assert browser.violations(page) == []


@pytest.mark.slow
@pytest.mark.long
def test_a_result_neither_turns_the_page_nor_keeps_it(
    doors: tuple[Path, str, str], chromium: Any
) -> None:
    folder, _, theirs = doors
    with browser.page(chromium, viewport={"width": 1280, "height": 720}) as page:
        page.goto(f"{theirs}/screen")
        page.get_by_role("button", name="Page 2 of").wait_for(timeout=15_000)
        page.locator(".turn").click()
        page.get_by_role("button", name="Stopped: page 2 of").wait_for()
        table = page.locator(".turning tbody tr:visible td").first.text_content()
        result(folder, table, "1-0")
        page.get_by_role("cell", name="-").filter(has_text="1").first.wait_for(timeout=15_000)
        assert page.locator(".turning tbody tr:visible td").first.text_content() == table
        scored(folder, "1-0")
        page.get_by_role("heading", name="Standings").wait_for(timeout=15_000)
        pair(folder)
        page.get_by_role("heading", name="Round 2").wait_for(timeout=15_000)
        assert seen(folder).rounds() == 2


def test_the_forms_of_the_hall_need_no_state(tmp_path: Path) -> None:
    page = client(event(tmp_path / "event", rounds=1))
    assert fields(page.get("/hall").text, "/hall/message") == {}


@pytest.mark.long
@pytest.mark.parametrize(("players", "most"), [(9, 1), (120, 6)])
def test_letters_fit_the_number_of_tables(
    players: int, most: int, tmp_path: Path, chromium: Any
) -> None:
    names = [f"Player {k} Surname" for k in range(players)]
    folder = event(tmp_path / "event", names, rounds=1)
    write_hall(folder, Hall("Please bring your slips to the desk " * 4, None))
    result(folder, 1, "3-0")
    with shared(folder) as (_, theirs, share), browser.page(chromium) as page:
        page.set_viewport_size({"width": 1920, "height": 1080})
        page.goto(f"{theirs}/screen")
        page.wait_for_function("() => document.querySelector('.turn').textContent.includes(' of ')")
        shown = page.evaluate(SEEN)
        assert int(page.locator(".turn").text_content().split()[-1]) <= most
        assert all(whole for _, whole, _ in shown)
        letters = shown[0][2]
        assert (letters > 0.06) if players == 9 else (0.036 <= letters < 0.054)
        assert page.locator(".message").bounding_box()["width"] > 1800
        assert page.get_by_role("img", name=f"QR code of {share.address}").bounding_box()["y"] < 200
        colour = "row => getComputedStyle(row.cells[1]).color"
        rows = page.locator(".turning tbody tr")
        assert rows.nth(0).evaluate(colour) != rows.nth(1).evaluate(colour)
        assert browser.violations(page) == []
