"""Two scorers at the results of one round, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import browser
import pytest
from organiser import event, served
from test_web_keys import HARD, messages

from pairopt.folder.journal import read_log_lines
from pairopt.folder.open_folder import undo
from pairopt.folder.pair_round import pair
from pairopt.folder.results import result

pytestmark = pytest.mark.long

NAMES = [f"Magdalena Example-{k:02}" for k in range(1, 41)]
FOCUS = "document.activeElement.id || document.activeElement.closest('[data-row]')?.id"
ONE_LINE = """() => [...document.querySelectorAll(".results tr.match")].flatMap((row) => {
  const boxes = [...row.querySelectorAll("form > *")].map((each) => each.getBoundingClientRect());
  const high = row.getBoundingClientRect().height;
  const tops = new Set(boxes.filter((box) => box.width > 0).map((box) => Math.round(box.top)));
  return tops.size > 1 || high > 64 ? [`${row.id}: ${high} ${[...tops]}`] : [];
})"""
"""Rows that are higher than a button, or whose buttons are on two lines."""


def scores(folder: Path) -> list[str]:
    rows = [
        row.split(",") for row in (folder / "matches.csv").read_text().splitlines()[1:]
    ]
    return [f"{row[5]}-{row[6]}" for row in rows]


@contextmanager
def desk(chromium: Any, address: str, **options: Any) -> Iterator[Any]:
    """A page of results with the focus in the lane."""
    with browser.page(chromium, **options) as page:
        page.goto(f"{address}/results")
        page.locator("[data-row]:focus-within").wait_for()
        page.keyboard.press("/")
        page.locator("#slip:focus").wait_for()
        assert page.input_value("#slip") == ""
        yield page


def type_in(page: Any, *slips: str) -> None:
    for slip in slips:
        page.keyboard.type(slip)
        page.keyboard.press("Enter")


@pytest.mark.sweep
def test_slips_of_two_scorers_as_fast_as_they_are_typed(
    chromium: Any, tmp_path: Path
) -> None:
    folder = event(tmp_path / "event", NAMES[:24], 1)
    with (
        served(folder) as address,
        desk(chromium, address) as one,
        desk(chromium, address) as two,
    ):
        said, asked = messages(one), list[str]()
        one.on("request", lambda request: asked.append(request.url))
        for k in range(1, 12, 2):
            type_in(one, f"{k} 1")
            type_in(two, f"{k + 1}+3")
        for page in (one, two):  # each sees the other's, and has the focus where it was
            page.locator("text=All 12 results are in").wait_for()
            assert page.locator("[aria-pressed=true]").count() == 12
            assert page.evaluate(FOCUS) == "slip"
            assert page.locator(".refused, .asks").count() == 0
        assert scores(folder) == ["3-0", "0-3"] * 6
        assert "table 11: " in one.locator("#told").inner_text()
        assert "missing" in one.locator("#told").inner_text()
        assert said == []
        assert all(url.startswith(address) for url in asked)


@pytest.mark.slow
def test_what_another_writes_leaves_my_hands_alone(
    chromium: Any, tmp_path: Path
) -> None:
    folder = event(tmp_path / "event", NAMES, 1)
    with served(folder) as address, desk(chromium, address) as page:
        page.keyboard.type("Exampl")
        page.evaluate("window.same = true")
        result(folder, 7, "3-0")
        page.locator("#table-7 [aria-pressed=true]").wait_for()
        page.keyboard.type("e-12")
        assert page.input_value("#slip") == "Example-12"
        page.locator("#found [data-table]").first.wait_for()
        page.keyboard.press("Enter")
        page.wait_for_function(
            "() => document.getElementById('slip').value.endsWith(' ')"
        )
        page.keyboard.press("2")
        page.keyboard.press("Enter")
        page.locator("text=18 of 20 results are missing").wait_for()
        row = page.locator(
            "tr", has=page.locator("[aria-pressed=true]", has_text="1-1")
        )
        assert "Example-12" in row.inner_text()
        assert page.evaluate("window.same")  # never loaded again
        undo(folder, 2)  # a row that is open again
        page.locator("text=20 of 20 results are missing").wait_for()
        assert page.locator("text=has changed the event").is_hidden()


@pytest.mark.slow
def test_a_new_round_is_shown_with_what_was_typed(
    chromium: Any, tmp_path: Path
) -> None:
    folder = event(tmp_path / "event", "ABCD", 1)
    with served(folder) as address, desk(chromium, address) as page:
        page.keyboard.type("2")
        for table in (1, 2):
            result(folder, table, "3-0")
        pair(folder)
        page.get_by_role("link", name="Round 2").wait_for()
        page.locator("#slip:focus").wait_for()
        assert page.input_value("#slip") == "2"


@pytest.mark.slow
def test_a_question_keeps_the_later_slips_waiting(
    chromium: Any, tmp_path: Path
) -> None:
    folder = event(tmp_path / "event", NAMES[:12], 1)
    with served(folder) as address, desk(chromium, address) as page:
        type_in(page, "1 1", "1 3", "2 1", "3 f", "4 2")
        page.locator(".asks", has_text="before: 3-0").wait_for()
        page.locator("text=Waiting: 2 1, 3 f, 4 2").wait_for()
        page.keyboard.press("n")
        page.locator(".asks", has_text="table 3").wait_for()
        page.locator("text=Waiting: 4 2").wait_for()
        assert page.evaluate(FOCUS) == "slip"
        page.keyboard.press("y")
        page.locator("text=2 of 6 results are missing").wait_for()
        assert scores(folder)[:4] == ["3-0", "3-0", "3-0", "1-1"]
        type_in(page, "9 1", "5 1")
        page.locator("#returned", has_text="no table 9").wait_for()
        page.locator("text=1 of 6 results is missing").wait_for()
        page.wait_for_function("() => under_way === null")
        assert page.evaluate(FOCUS) == "slip"


@pytest.mark.slow
def test_slips_wait_for_a_server_that_comes_again(
    chromium: Any, tmp_path: Path
) -> None:
    folder = event(tmp_path / "event", NAMES[:12], 1)
    with served(folder) as address, desk(chromium, address) as page:
        page.route("**/results/slip*", lambda route: route.abort())
        type_in(page, "1 1", "2 1")
        page.locator("text=Waiting: 1 1, 2 1").wait_for()
        page.unroute("**/results/slip*")
        page.locator("text=4 of 6 results are missing").wait_for()
        assert [
            (each.round, each.table, each.value) for each in read_log_lines(folder)[-2:]
        ] == [("1", "1", "3-0"), ("1", "2", "3-0")]


def test_a_menu_has_what_is_rare(chromium: Any, tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEF", 1)
    with served(folder) as address, desk(chromium, address) as page:
        row = page.locator("#table-2")
        assert row.locator("button:visible").all_inner_texts() == ["3-0", "1-1", "0-3"]
        row.locator("summary").click()
        row.locator("button", has_text="3F-0F").click()
        page.get_by_role("button", name="Yes, do it").click()
        row.locator("[aria-pressed=true]", has_text="3F-0F").wait_for()
        assert row.locator("button:visible").all_inner_texts() == ["3F-0F"]


def test_the_lane_without_javascript(chromium: Any, tmp_path: Path) -> None:
    folder = event(tmp_path / "event", ["Anna", "Ben", "Charlie", "Dora"], 1)
    with (
        served(folder) as address,
        browser.page(chromium, java_script_enabled=False) as page,
    ):
        page.goto(f"{address}/results")
        for slip in ("2 1", "1 3"):
            page.fill("#slip", slip)
            page.keyboard.press("Enter")
            page.locator("#told", has_text=f"table {slip[0]}: ").wait_for()
            assert page.evaluate(FOCUS) == "slip"
        assert scores(folder) == ["0-3", "3-0"]
        page.fill("#slip", "dora")
        page.get_by_role("button", name="Find").click()
        page.locator(".results tr.match", has_text="Dora").wait_for()
        assert page.locator(".results tr.match").count() == 1


@pytest.mark.parametrize("model", ["fide-dutch", "double-sided"])
def test_no_row_needs_two_lines(chromium: Any, tmp_path: Path, model: str) -> None:
    folder = event(tmp_path / "event", NAMES[:18], 1, model=model)
    result(folder, 3, "0F-0F")
    with served(folder) as address, desk(chromium, address) as page:
        for width in (360, 412, 600, 641, 768, 1280, 1920):
            page.set_viewport_size({"width": width, "height": 800})
            assert (width, page.evaluate(ONE_LINE)) == (width, [])
            assert (width, browser.broken(page)) == (width, [])


@pytest.mark.sweep
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_use_the_lane(chromium: Any, tmp_path: Path, scheme: str) -> None:
    folder = event(tmp_path / "event", HARD, 1)
    options = {"color_scheme": scheme, "viewport": {"width": 360, "height": 800}}
    with served(folder) as address, desk(chromium, address, **options) as page:
        type_in(page, "1 1", "1 2")
        page.locator("text=Please confirm").wait_for()
        page.locator("#table-2 summary").click()
        assert browser.violations(page) == []
        page.emulate_media(forced_colors="active")
        look = "each => getComputedStyle(each).backgroundColor"
        pressed, plain = (
            page.locator(f"#table-1 [aria-pressed={each}]").first.evaluate(look)
            for each in ("true", "false")
        )
        assert pressed != plain
        assert browser.violations(page) == []
