"""Results by the keyboard, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import browser
import pytest
from organiser import event, scored, served

from pairopt.folder.results import result
from pairopt.folder.roster import drop
from pairopt.web.access import LARGEST_BODY

pytestmark = pytest.mark.long


def messages(page: Any) -> list[str]:
    """What the page says on the console, as it comes."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    return said


def test_a_round_by_keys_alone(chromium: Any, tmp_path: Path) -> None:
    folder = event(tmp_path / "event", [f"P{k:02}" for k in range(1, 10)])
    with served(folder) as address, browser.page(chromium) as page:
        said = messages(page)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{address}/round")
        page.keyboard.press("p")
        page.wait_for_url("**/round/draft")
        page.keyboard.press("p")
        page.locator("text=round 1 is paired").wait_for()
        page.goto(f"{address}/results")
        page.locator("#table-1:focus-within").wait_for()
        for key in ("1", "d", "3"):  # faster than the answers come
            page.keyboard.press(key)
        page.locator("text=1 of 4 results is missing").wait_for()
        page.locator("#table-4:focus-within").wait_for()
        pressed = page.locator("[aria-pressed=true]").all_inner_texts()
        assert pressed == ["3-0", "1-1", "0-3"]
        page.keyboard.press("f")
        page.locator("text=Please confirm").wait_for()
        page.keyboard.press("n")
        page.locator("text=Please confirm").wait_for(state="detached")
        page.keyboard.press("ArrowUp")
        page.locator("#table-3:focus-within").wait_for()
        page.keyboard.press("j")
        page.locator("#table-4:focus-within").wait_for()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        page.locator("text=All 4 results are in").wait_for()
        assert page.locator("[aria-pressed=true]").all_inner_texts() == [
            "3-0",
            "1-1",
            "0-3",
            "1-1",
        ]
        page.keyboard.press("1")  # a correction
        page.locator("text=Please confirm").wait_for()
        page.go_back()
        page.locator("text=All 4 results are in").wait_for()
        assert said == []
        assert all(url.startswith(address) for url in asked)


def test_a_page_without_javascript(chromium: Any, tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCD")
    with (
        served(folder) as address,
        browser.page(chromium, java_script_enabled=False) as page,
    ):
        page.goto(f"{address}/round")
        page.click("text=Pair round 1")
        first, second = (page.locator("[name=swap]").nth(k) for k in (0, 2))
        first.check()
        second.check()
        page.click("text=Swap selected players")
        page.locator("button", has_text="Unpin").nth(1).wait_for()
        assert page.locator("button", has_text="Unpin").count() == 2
        page.click("text=Publish round 1")
        page.click("text=missing results")
        page.locator("#table-1 button", has_text="3-0").click()
        page.locator("text=1 of 2 results is missing").wait_for()


@pytest.mark.slow
def test_the_second_of_two_tabs_is_shown_what_was_not_done(
    chromium: Any, tmp_path: Path
) -> None:
    folder = event(tmp_path / "event", "ABCD", 1)
    with (
        served(folder) as address,
        browser.page(chromium) as one,
        browser.page(chromium) as two,
    ):
        for tab in (one, two):
            tab.goto(f"{address}/results")
        two.route(
            "**/state", lambda route: route.fulfill(status=304)
        )  # it does not follow
        one.keyboard.press("1")
        one.locator("text=1 of 2 results is missing").wait_for()
        two.keyboard.press("3")
        two.locator("text=has changed in the meantime").wait_for()
        two.keyboard.press("y")  # it is a correction now
        two.locator("text=Please confirm").wait_for()
        two.keyboard.press("y")
        two.locator("#table-1 [aria-pressed=true]", has_text="0-3").wait_for()


@pytest.mark.slow
def test_a_page_follows_what_is_done_elsewhere(chromium: Any, tmp_path: Path) -> None:
    folder = event(tmp_path / "event", [f"P{k:02}" for k in range(40)], 1)
    with served(folder) as address, browser.page(chromium) as page:
        page.goto(f"{address}/results?missing=1")
        for _ in range(14):
            page.keyboard.press("j")
        page.locator("#table-15 button:focus").first.wait_for()
        page.keyboard.press("ArrowRight")
        top = page.locator("#table-15").bounding_box()["y"]
        result(folder, 3, "3-0")
        page.locator("text=19 of 20 results are missing").wait_for()
        page.locator("#table-15 button:nth-of-type(2):focus").wait_for()
        assert abs(page.locator("#table-15").bounding_box()["y"] - top) < 2
        page.keyboard.press("1")  # not refused
        page.locator("text=18 of 20 results are missing").wait_for()
        assert page.locator("text=Not saved").count() == 0


@pytest.mark.slow
def test_a_row_that_is_gone_takes_its_keys_with_it(
    chromium: Any, tmp_path: Path
) -> None:
    folder = event(tmp_path / "event", "ABCDEF", 1)
    with served(folder) as address, browser.page(chromium) as page:
        page.goto(f"{address}/results?missing=1")
        page.locator("#table-1:focus-within").wait_for()
        result(folder, 1, "3-0")
        page.locator("text=2 of 3 results are missing").wait_for()
        page.keyboard.press("3")
        page.keyboard.press("m")
        page.locator("#table-1 [aria-pressed=true]", has_text="3-0").wait_for()
        assert page.locator("text=2 of 3 results are missing").count() == 1


def test_what_is_typed_stays(chromium: Any, tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCD", 1)
    with served(folder) as address, browser.page(chromium) as page:
        said = messages(page)
        page.goto(f"{address}/players")
        page.get_by_label("Name").fill("Zoe")
        drop(folder, "A")
        page.locator("text=has changed the event").wait_for()
        assert page.get_by_label("Name").input_value() == "Zoe"
        page.get_by_role("button", name="Update this page").click()
        page.locator("text=3 active").wait_for()
        assert page.locator("text=has changed the event").is_hidden()
        assert said == []


@pytest.mark.slow
def test_a_page_says_that_nobody_answers(chromium: Any, tmp_path: Path) -> None:
    with browser.page(chromium) as page:
        with served(event(tmp_path / "event", "ABCD", 1)) as address:
            page.goto(f"{address}/results")
        page.locator("text=pairopt does not answer").wait_for()


def test_a_file_that_is_too_large_leaves_what_was_typed(
    chromium: Any, tmp_path: Path
) -> None:
    large = tmp_path / "large.csv"
    large.write_bytes(b"x" * (LARGEST_BODY + 1))
    with served(tmp_path / "event") as address, browser.page(chromium) as page:
        page.goto(address)
        page.get_by_label("Event name").fill("Friday")
        page.set_input_files("[type=file]", large)
        page.get_by_role("button", name="Preview the event").click()
        said = page.locator("[type=file]").evaluate("field => field.validationMessage")
        assert said == "This file is too large. Choose one of at most 3 MB."
        assert page.url.endswith("/new")  # it is not sent
        assert page.get_by_label("Event name").input_value() == "Friday"


@pytest.mark.sweep
def test_each_button_in_a_table_does_what_it_says(
    chromium: Any, tmp_path: Path
) -> None:
    folder = event(tmp_path / "event", "ABCDEF")
    with served(folder) as address, browser.page(chromium) as page:

        def button(name: str) -> Any:
            return page.get_by_role("button", name=name, exact=True)

        page.goto(f"{address}/players")
        button("Drop A").click()
        button("Check in A").click()
        page.get_by_label("More for B").click()
        button("Give a bye in round 1 (0 points)").click()
        page.locator(".said", has_text="B has a bye in round 1").wait_for()
        page.goto(f"{address}/log")
        button("Go back to here: step 1").click()
        button("Yes, do it").click()
        page.locator(".said", has_text="Undone: step 4").wait_for()
        page.goto(f"{address}/round/draft")
        page.locator("[name=pin]").first.click()
        page.locator("[name=free]").click()
        page.locator("[name=bar]").nth(1).click()
        page.locator("text=Forbidden in this round").wait_for()
        assert page.locator("[name=free]").count() == 1
        for k in (0, 2):
            page.locator("[name=swap]").nth(k).check()
        button("Swap selected players").click()
        button("Re-pair the rest").click()
        button("Re-pair the rest").wait_for(state="detached")


def test_clicks_faster_than_the_answers(chromium: Any, tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEFGH", 1)
    with served(folder) as address, browser.page(chromium) as page:
        page.goto(f"{address}/results")
        for table, score in ((1, "3-0"), (2, "0-3"), (3, "3F-0F"), (4, "1-1")):
            row = f"#table-{table} button[value='{score}']"
            page.evaluate("row => document.querySelector(row).click()", row)
        page.locator("text=Please confirm").wait_for()
        page.locator("text=2 of 4 results are missing").wait_for()
        page.get_by_role("button", name="Yes, do it").dblclick()
        page.locator("text=1 of 4 results is missing").wait_for()
        pressed = page.locator("[aria-pressed=true]").all_inner_texts()
        assert pressed == ["3-0", "0-3", "3F-0F"]


HARD = [
    "Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewis",
    "<script>alert(1)</script>",
    "אברהם בן שלמה הכהן",
    "Zoë Ångström-Fernández de la Vega y Montalbán",
    *(f"Magdalena Example-{k:02}" for k in range(1, 6)),
]
SEEN = [
    "round",
    "results",
    "results?round=1",
    "log",
    "player?id=Magdalena+Example-01",
    "print",
]
FOUND = [
    "players",
    "standings",
    "standings?by=rounds",
    "models?with=top-first",
    "round/draft",
    "round/draft?match=x",
]


@pytest.mark.sweep
@pytest.mark.parametrize("width", [360, pytest.param(1280, marks=pytest.mark.slow)])
def test_words_are_whole_and_everybody_can_use_it(
    chromium: Any, tmp_path: Path, width: int
) -> None:
    folder = event(tmp_path / "event", HARD, 2, sides=("corp", "runner"))
    drafts = {"pin": ":".join(HARD[:2]), "bar": HARD[4]}
    view = {"width": width, "height": 800}
    with served(folder) as address, browser.page(chromium, viewport=view) as page:
        said = messages(page)

        def fits(path: str) -> None:
            page.goto(f"{address}/{path}")
            assert (path, browser.broken(page)) == (path, [])
            if width > 360:
                assert (path, browser.violations(page)) == (path, [])

        for path in SEEN:
            fits(path)
        scored(folder)
        for path in [*FOUND, f"round/draft?{urlencode(drafts)}"]:
            fits(path)
        assert said == []


def test_a_slash_leads_to_the_slips_and_from_there_to_find(
    chromium: Any, tmp_path: Path
) -> None:
    folder = event(tmp_path / "event", rounds=1)
    with served(folder) as address, browser.page(chromium) as page:
        page.goto(f"{address}/results")
        page.locator("#table-1:focus-within").wait_for()
        page.keyboard.press("/")
        page.locator("#slip:focus").wait_for()
        page.keyboard.press("/")
        page.locator(".whom input:focus").wait_for()
        page.keyboard.type("b")
        page.locator(".whom .people a", has_text="B").wait_for()
        assert page.input_value("#slip") == ""
        page.focus("#slip")
        page.keyboard.type("1/")
        assert page.input_value("#slip") == "1/", (
            "only an empty field gives the key away"
        )
