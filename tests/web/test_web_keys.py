"""Results by the keyboard, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import browser
import pytest
from organiser import event, served

pytestmark = pytest.mark.long


def test_a_round_by_keys_alone(chromium: Any, tmp_path: Path) -> None:
    folder = event(tmp_path / "event", [f"P{k:02}" for k in range(1, 10)])
    with served(folder) as address, browser.page(chromium) as page:
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
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
        page.locator("text=1 of 4 results are missing").wait_for()
        page.locator("#table-4:focus-within").wait_for()
        pressed = page.locator("[aria-pressed=true]").all_inner_texts()
        assert pressed == ["3-0", "1-1", "0-3"]
        page.keyboard.press("f")
        page.locator("text=Sure?").wait_for()
        page.keyboard.press("n")
        page.locator("text=Sure?").wait_for(state="detached")
        page.keyboard.press("ArrowUp")
        page.locator("#table-3:focus-within").wait_for()
        page.keyboard.press("j")
        page.locator("#table-4:focus-within").wait_for()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.locator("text=All 4 results are there").wait_for()
        assert page.locator("[aria-pressed=true]").all_inner_texts() == ["3-0", "1-1", "0-3", "1-1"]
        page.keyboard.press("1")  # a correction
        page.locator("text=Sure?").wait_for()
        page.go_back()
        page.locator("text=All 4 results are there").wait_for()
        assert said == []
        assert all(url.startswith(address) for url in asked)


def test_a_page_without_javascript(chromium: Any, tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCD")
    with served(folder) as address, browser.page(chromium, java_script_enabled=False) as page:
        page.goto(f"{address}/round")
        page.click("text=Pair round 1")
        first, second = (page.locator("[name=swap]").nth(k) for k in (0, 2))
        first.check()
        second.check()
        page.click("text=Exchange the two")
        assert page.locator("text=Kept").count() == 2
        page.click("text=Publish round 1")
        page.click("text=results are missing")
        page.locator("#table-1 button", has_text="3-0").click()
        assert page.locator("text=1 of 2 results are missing").count() == 1


def test_the_second_of_two_tabs_is_shown_what_was_not_done(chromium: Any, tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCD", 1)
    with served(folder) as address, browser.page(chromium) as one, browser.page(chromium) as two:
        for tab in (one, two):
            tab.goto(f"{address}/results")
        one.keyboard.press("1")
        one.locator("text=1 of 2 results are missing").wait_for()
        two.keyboard.press("3")
        two.locator("text=has changed in the meantime").wait_for()
        two.keyboard.press("y")  # it is a correction now
        two.locator("text=Sure?").wait_for()
        two.keyboard.press("y")
        two.locator("#table-1 [aria-pressed=true]", has_text="0-3").wait_for()
