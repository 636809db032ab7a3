"""The screen for the room: what it shows, that its pages turn, and that it can be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import pytest
from organiser import client, event, fields, scored
from serving import shared
from starlette.testclient import TestClient

from pairopt.folder import bracket, change, pair, result, undo
from pairopt.folder.open_folder import read_folder_state
from pairopt.web import phones
from pairopt.web.access import NetworkShare
from pairopt.web.app import application
from pairopt.web.site import EventGroup
from pairopt.web.views.hall import RoundClock, VenueState, write_hall

LONG = [
    "Bartholomäus Kowalczyk-Brzęczyszczykiewicz",
    "李小龍",
    "عبد الرحمن بن سلمان الأنصاري",
    "Wolfeschlegelsteinhausenbergerdorff Featherstonehaugh",
    "Ann Lee",
]
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


@pytest.mark.long
def test_the_round_then_the_standings(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", LONG, sides=("corp", "runner"))
    page = client(folder)
    assert "Round 1 has not been paired yet. 5 players." in words(page)
    assert "Round 1 has not been paired yet" in words(page, "?by=name")
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


@pytest.mark.long
def test_the_bracket_and_an_event_that_is_not_there(tmp_path: Path) -> None:
    page = client(tmp_path / "event")
    assert "The event has not started yet" in words(page)
    folder = event(tmp_path / "event", "ABCD", rounds=1)
    scored(folder)
    bracket(folder, 2, by_lot=True)
    text = words(page)
    assert "<h1>Bracket</h1>" in text
    assert ">B1<" in text
    assert "<h1>Standings</h1>" in words(page, "?by=standings")


def test_both_doors_show_it_and_the_shared_one_only_with_share(tmp_path: Path) -> None:
    folder, share = event(tmp_path / "event", rounds=1), NetworkShare(8441)
    app = application(folder, {"127.0.0.1:8440"}, share)
    texts = [
        TestClient(app, at).get("/screen").text
        for at in ("http://127.0.0.1:8440", "http://192.0.2.7:8441")
    ]
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


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        ((1920, 1080), "light"),
        pytest.param((3840, 2160), "dark", marks=pytest.mark.slow),
    ],
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
                page.get_by_role(
                    "button", name=f"Page {number + 1} of {pages}"
                ).wait_for()
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
        page.get_by_role("button", name="Page 2 of").wait_for()
        page.locator(".turn").click()
        page.get_by_role("button", name="Stopped: page 2 of").wait_for()
        table = page.locator(".turning tbody tr:visible td").first.text_content()
        result(folder, table, "1-0")
        page.get_by_role("cell", name="-").filter(has_text="1").first.wait_for()
        assert (
            page.locator(".turning tbody tr:visible td").first.text_content() == table
        )
        scored(folder, "1-0")
        page.get_by_role("heading", name="Standings").wait_for()
        pair(folder)
        page.get_by_role("heading", name="Round 2").wait_for()
        assert read_folder_state(folder).rounds() == 2


def test_the_forms_of_the_hall_need_no_state(tmp_path: Path) -> None:
    page = client(event(tmp_path / "event", rounds=1))
    assert fields(page.get("/hall").text, "/hall/message") == {}


@pytest.mark.sweep
@pytest.mark.parametrize(("players", "most"), [(9, 1), (120, 6)])
def test_letters_fit_the_number_of_tables(
    players: int, most: int, tmp_path: Path, chromium: Any
) -> None:
    names = [f"Player {k} Surname" for k in range(players)]
    folder = event(tmp_path / "event", names, rounds=1)
    write_hall(folder, VenueState("Please bring your slips to the desk " * 4, None))
    result(folder, 1, "3-0")
    with shared(folder) as (_, theirs, share), browser.page(chromium) as page:
        page.set_viewport_size({"width": 1920, "height": 1080})
        page.goto(f"{theirs}/screen")
        page.wait_for_function(
            "() => document.querySelector('.turn').textContent.includes(' of ')"
        )
        shown = page.evaluate(SEEN)
        assert int(page.locator(".turn").text_content().split()[-1]) <= most
        assert all(whole for _, whole, _ in shown)
        letters = shown[0][2]
        assert (letters > 0.06) if players == 9 else (0.036 <= letters < 0.054)
        assert page.locator(".message").bounding_box()["width"] > 1800
        assert (
            page.get_by_role("img", name=f"QR code of {share.address}").bounding_box()[
                "y"
            ]
            < 200
        )
        colour = "row => getComputedStyle(row.cells[1]).color"
        rows = page.locator(".turning tbody tr")
        assert rows.nth(0).evaluate(colour) != rows.nth(1).evaluate(colour)
        assert browser.violations(page) == []


def sections(home: Path, *sizes: int) -> list[Path]:
    """Events of so many players in a folder, whose tables go on, with a round open in each."""
    home.mkdir(exist_ok=True)
    folders, first = [], 1
    for k, players in enumerate(sizes):
        names = [f"{'ABCD'[k]}{p:03} Surname" for p in range(players)]
        folders.append(event(home / f"section {'ABCD'[k]}", names))
        change(folders[-1], {"first_table": str(first), "rounds": "5"})
        pair(folders[-1])
        first += (players + 1) // 2
    return folders


HEADING = re.compile(
    r'class="section">.*?<bdi>(.*?)</bdi>\s*<small>(.*?)</small>', re.DOTALL
)


def headings(text: str) -> list[tuple[str, str]]:
    """The sections that a screen names, and what it says beside each."""
    found = HEADING.findall(text)
    return [
        (title, " ".join(re.sub("<[^>]*>", " ", more).split())) for title, more in found
    ]


@pytest.mark.long
def test_one_screen_for_all_sections(tmp_path: Path) -> None:
    one, two = sections(tmp_path, 5, 4)
    share = NetworkShare(8441)
    app = application(EventGroup.of([tmp_path], share), {"127.0.0.1:8440"}, share)
    mine, theirs = (
        TestClient(app, at) for at in ("http://127.0.0.1:8440", "http://192.0.2.7:8441")
    )
    result(one, 1, "3-0")
    for page in (mine, theirs):
        shown = page.get("/screen")
        assert shown.url.path == "/event/section-a/screen/all"
        assert headings(shown.text) == [
            ("section A", "round 1 of 5"),
            ("section B", "round 1 of 5"),
        ]
        assert TABLE.findall(shown.text) == ["1", "2", "4", "5"]
        assert shown.text.count('class="done"') == 1
        assert f"QR code of {share.address}" in shown.text
        assert "<form" not in shown.text
    assert mine.get("/event/section-b/screen/all").text.count(
        "<tr"
    ) == shown.text.count("<tr")
    assert (
        'href="/event/section-b/screen/all"' in mine.get("/event/section-b/hall").text
    )
    scored(one)
    now = theirs.get("/screen").text
    assert headings(now)[0] == ("section A", "round 1 of 5 is over")
    assert TABLE.findall(now) == ["4", "5"]
    scored(two)
    now = theirs.get("/screen").text
    assert "<h1>Standings</h1>" in now
    assert now.count("Surname") == 9
    (one / "players.csv").write_text("rating\n1\n", encoding="utf-8")
    now = theirs.get("/event/section-b/screen/all").text
    assert [title for title, _ in headings(now)] == ["section B"]


TABLE = re.compile(r'<td class="number">(\d+)</td>')


@pytest.mark.long
def test_sections_share_clock_and_message_or_each_has_its_own(tmp_path: Path) -> None:
    folders = sections(tmp_path, 4, 4)
    page = client(tmp_path)
    for folder in folders:
        write_hall(folder, VenueState("Lunch at noon", RoundClock(60.0)))
    text = page.get("/screen").text
    assert text.count("Lunch at noon") == text.count('class="clock"') == 1
    assert 'class="left stands"' in text
    write_hall(folders[1], VenueState("Coffee", RoundClock(120.0)))
    write_hall(folders[0], VenueState("Tea", None))
    said = headings(page.get("/screen").text)
    assert said == [
        ("section A", "round 1 of 5 Tea"),
        ("section B", "round 1 of 5 2:00 (paused) Coffee"),
    ]


@pytest.mark.long
def test_the_bracket_of_a_section_and_sides_of_another(tmp_path: Path) -> None:
    cut = event(tmp_path / "cut", "ABCD", rounds=1)
    scored(cut)
    bracket(cut, 2, by_lot=True)
    event(tmp_path / "chess", "EFGH", rounds=1, sides=("white", "black"))
    event(tmp_path / "later", "JK")
    text = client(tmp_path).get("/screen").text
    assert ">B1<" in text
    assert '<th scope="col">White</th><th scope="col">Black</th>' in text
    assert headings(text)[2] == ("later", "no round paired yet")


COLUMNS = """() => [...document.querySelectorAll(".turning table")].map(table =>
  [...table.tBodies[0].rows].filter(row => row.checkVisibility()).map(row => row.innerText))
  .filter(rows => rows.length > 0)"""
"""The rows of each column that is shown."""


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("sizes", "letters"),
    [
        ((5, 4), 0.05),
        pytest.param((50, 30, 40), 0.036, marks=pytest.mark.slow),
        ((90, 80, 70, 60), 0.035),
    ],
)
def test_all_sections_fit_with_their_names(
    sizes: tuple[int, ...], letters: float, tmp_path: Path, chromium: Any
) -> None:
    folders = sections(tmp_path, *sizes)
    for folder in folders:
        write_hall(
            folder,
            VenueState("Please bring your slips to the desk", RoundClock(3000.0)),
        )
    result(folders[0], 1, "3-0")
    with shared(tmp_path) as (_, theirs, share), browser.page(chromium) as page:
        page.set_viewport_size({"width": 1920, "height": 1080})
        page.clock.install()
        page.goto(f"{theirs}/screen")
        page.wait_for_function(
            "() => document.querySelector('.turn').textContent.includes(' of ')"
        )
        page.evaluate("document.fonts.ready.then(() => null)")
        rows = page.locator(".turning tbody tr:not(.section)")
        colour = "row => getComputedStyle(row.cells[1]).color"
        assert rows.nth(0).evaluate(colour) != rows.nth(1).evaluate(colour)
        assert (
            page.get_by_role("img", name=f"QR code of {share.address}").bounding_box()[
                "y"
            ]
            < 200
        )
        assert browser.violations(page) == []
        pages, tables = (
            int(page.locator(".turn").text_content().split()[-1]),
            list[str](),
        )
        assert pages == 1 if sum(sizes) == 9 else pages <= 6
        for number in range(1, pages + 1):
            page.wait_for_function(
                f"() => document.querySelector('.turn').textContent.endsWith("
                f"'{number} of {pages}')"
            )
            shown = page.evaluate(SEEN)
            assert all(whole and size >= letters for _, whole, size in shown), shown
            tables += [first for first, _, _ in shown if first.isdigit()]
            for column in page.evaluate(COLUMNS):
                assert column[0].startswith("section ")
                assert not column[-1].startswith("section ")
            assert browser.broken(page) == []
            page.clock.run_for(max(6000, 400 * len(shown)) + 50)
        assert len(tables) == len({*tables}) == sum(size // 2 for size in sizes)
        assert tables == sorted(tables, key=int)
