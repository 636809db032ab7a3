"""Nobody loses their place: after every post the row, the focus and what was typed are where they
were, and the answer stands inside the window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import browser
import pytest
from organiser import event, served

from pairopt.folder import result
from pairopt.folder.open_folder import read_folder_state
from pairopt.web.views import known_views

pytestmark = pytest.mark.long

ANSWERS = ":is(.messages, .lane .said, .asks, .refused, #returned p)"
WHERE = """answers => {
  const active = document.activeElement, row = active.closest("tr[id]");
  const answer = [...document.querySelectorAll(answers)]
    .filter(each => each.checkVisibility()).map(each => each.getBoundingClientRect());
  return {
    scroll: scrollY, row: row && row.id, top: row && row.getBoundingClientRect().top,
    label: active.ariaLabel || active.textContent,
    typed: document.querySelector("[name=club]")?.value ?? null,
    answered: answer.length > 0,
    within: answer.some(({ top, bottom }) => top >= 0 && bottom <= innerHeight && bottom > top),
  };
}"""
SETTLED = "() => under_way === null && !document.querySelector('.htmx-swapping, .htmx-settling')"


@pytest.fixture(scope="module")
def page(chromium: Any) -> Any:
    with browser.page(chromium, viewport={"width": 1280, "height": 720}) as page:
        yield page


def where(page: Any) -> dict[str, Any]:
    return dict(page.evaluate(WHERE, ANSWERS))


def answered(page: Any, do: Callable[[], Any], path: str) -> dict[str, Any]:
    """What is where once a post has been answered."""
    with page.expect_response(
        lambda response: response.request.method == "POST" and path in response.url
    ):
        do()
    page.wait_for_function(SETTLED)
    page.wait_for_timeout(60)
    return where(page)


def stays(before: dict[str, Any], after: dict[str, Any]) -> None:
    """The row, if there is one, is where it was in the window, else the window is."""
    assert after["answered"], after
    assert after["within"], after
    assert after["row"] == before["row"], (before, after)
    if before["row"]:
        assert abs(after["top"] - before["top"]) <= 2, (before, after)
    else:
        assert abs(after["scroll"] - before["scroll"]) <= 2, (before, after)


@pytest.mark.sweep
@pytest.mark.parametrize("players", [40, pytest.param(300, marks=pytest.mark.slow)])
def test_players_keep_the_place_of_whoever_changes_them(
    page: Any, tmp_path: Path, players: int
) -> None:
    folder = event(tmp_path / "event", [f"P{k:03}" for k in range(players)], 1)
    with served(folder) as address:
        page.goto(f"{address}/players")
        for k in (players // 2, min(players, 200) - 3):
            page.locator("[name=club]").fill("Riga")
            row = page.locator("tr[data-row]").nth(k)
            row.locator("button[form=out]").focus()
            before = where(page)
            assert before["row"], before
            after = answered(page, lambda: page.keyboard.press("o"), "/players/out")
            stays(before, after)
            assert after["label"].startswith(("Check in", "Reinstate"))
            assert after["typed"] == "Riga"
            before = where(page)
            after = answered(page, lambda: page.keyboard.press("Enter"), "/players/in")
            stays(before, after)
            row.locator("summary").click()
            before = where(page)
            after = answered(
                page, row.locator("button[form=bye]").click, "/players/bye"
            )
            stays(before, after)
        page.locator("[name=club]").fill("")
        for path, fill in (
            ("/players/enter", {"name": "Zoe"}),
            ("/players/enter", {"name": "Zoe"}),  # refused
            ("/players/apart", {"player": "P001", "other": "P002"}),
            ("/players/table", {"player": "P003", "table": "4"}),
        ):
            form = page.locator(f'form[action^="{path}"]')
            for name, value in fill.items():
                field = form.locator(f"[name={name}]")
                if field.evaluate("each => each.localName") == "select":
                    field.select_option(value)
                else:
                    field.fill(value)
            button = form.locator("button").last
            button.focus()
            before = where(page)
            after = answered(page, lambda: page.keyboard.press("Enter"), path)
            assert (path, after["answered"], after["within"]) == (path, True, True)


def test_a_renewal_keeps_the_place(page: Any, tmp_path: Path) -> None:
    folder = event(tmp_path / "event", [f"P{k:03}" for k in range(40)], 1)
    with served(folder) as address:
        page.goto(f"{address}/players")
        page.locator("tr[data-row]").nth(30).locator("button[form=out]").focus()
        page.mouse.move(0, 0)
        before = where(page)
        result(folder, 1, "3-0")
        page.locator("#last", has_text="table 1").wait_for()
        page.wait_for_timeout(60)
        after = where(page)
        assert (after["row"], after["label"]) == (before["row"], before["label"])
        assert abs(after["top"] - before["top"]) <= 2


@pytest.mark.sweep
def test_the_other_views_answer_inside_the_window(page: Any, tmp_path: Path) -> None:
    folder = event(tmp_path / "event", [f"P{k:03}" for k in range(40)], 1)
    with served(folder) as address:
        page.goto(f"{address}/results?round=1")
        page.locator("#table-15 button").first.focus()
        after = answered(page, lambda: page.keyboard.press("1"), "/results/score")
        assert after["within"], after
        assert after["row"] == "table-16"
        page.locator("#table-15 button").first.focus()
        after = answered(page, lambda: page.keyboard.press("3"), "/results/score")
        assert page.locator(".asks").is_visible()
        assert after["within"], after
        page.keyboard.press("n")
        page.locator(".asks").wait_for(state="detached")
        page.goto(f"{address}/settings")
        for key, value in (("title", "Friday"), ("rounds", "0")):
            page.locator(f"[name={key}]").fill(value)
            page.evaluate("document.querySelector('.settings').noValidate = true")
            button = page.locator(".settings button.main")
            button.focus()
            after = answered(
                page, lambda: page.keyboard.press("Enter"), "/settings/change"
            )
            assert after["within"], (key, after)
        page.goto(f"{address}/log")
        button = page.locator("button[name=step]:visible").last
        button.focus()
        after = answered(page, lambda: page.keyboard.press("Enter"), "/log/undo")
        assert after["within"], after
        page.locator(".asks a[data-key=n]").click()
        page.locator(".asks").wait_for(state="detached")
        page.goto(f"{address}/hall")
        for path in (
            "/hall/start",
            "/hall/add",
            "/hall/pause",
            "/hall/resume",
            "/hall/away",
        ):
            form = page.locator(f'form[action^="{path}"] button').first
            after = answered(page, form.click, path)
            assert after["within"], (path, after)
        page.goto(f"{address}/standings")
        page.locator("details.cut > summary").click()
        page.locator("[name=cut]").fill("4")
        after = answered(
            page, page.locator("details.cut button.main").click, "/standings/cut"
        )
        assert after["within"], after


TYPED_MEANWHILE = """() => {
  document.getElementById("main").dataset.state = "0".repeat(32);  // a whole page is the answer
  const once = (name, what, capture) =>
    document.addEventListener(name, what, {once: true, capture});
  const type = () => [..."11"].forEach(letter => document.execCommand("insertText", false, letter));
  once("htmx:beforeSwap", () => { slip.value = "12 "; once("htmx:afterSwap", type); }, true);
}"""
"""The next slip: a part is typed before the answer comes, the rest before that has settled."""
FIELD = (
    "[document.activeElement.id, slip.value, slip.selectionStart, slip.selectionEnd]"
)


def slips(page: Any, *lines: str) -> None:
    """They are typed one after the other, whatever is answered meanwhile."""
    for line in lines:
        page.keyboard.type(line)
        page.keyboard.press("Enter")


def all_answered(page: Any, missing: int) -> None:
    page.locator(f"text={missing} of 20 results are missing").wait_for()
    page.wait_for_function("() => slips.length === 0")
    page.wait_for_function(SETTLED)
    page.wait_for_timeout(60)


@contextmanager
def at_the_lane(page: Any, place: Path) -> Iterator[None]:
    """Where slips are typed, of round 1 of forty players."""
    with served(event(place / "event", [f"P{k:03}" for k in range(40)], 1)) as address:
        page.goto(f"{address}/results")
        page.keyboard.press("/")
        yield


def test_a_slip_that_is_refused_comes_back_and_the_others_pass(
    page: Any, tmp_path: Path
) -> None:
    with at_the_lane(page, tmp_path):
        slips(page, "999 1", "7 1", "8 2", "9 3")
        page.locator("text=17 of 20 results are missing").wait_for()
        page.locator("#returned", has_text="no table 999").wait_for()
        page.wait_for_function(SETTLED)
        if page.evaluate("slip.value") == "":  # it came back in time to be typed over
            page.locator("#returned button", has_text="999 1").click()
            page.keyboard.press("ControlOrMeta+a")
        assert page.evaluate(FIELD) == ["slip", "999 1", 0, 5]
        slips(page, "10 1")
        page.locator("text=16 of 20 results are missing").wait_for()
        slips(page, "99 1")
        page.locator("#returned", has_text="no table 99.").wait_for()
        assert page.evaluate(FIELD) == ["slip", "99 1", 0, 4]
        assert where(page)["within"]
        page.keyboard.press("End")
        page.keyboard.press("Backspace")
        page.keyboard.type("3")
        for _ in range(4):
            page.keyboard.press("ArrowLeft")
        page.keyboard.press("Delete")
        page.keyboard.press("Delete")
        slips(page, "11")
        page.locator("text=15 of 20 results are missing").wait_for()
        assert "no table 99." not in page.locator("#returned").inner_text()


def test_what_is_no_slip_stays_selected_while_earlier_ones_are_answered(
    page: Any, tmp_path: Path
) -> None:
    with at_the_lane(page, tmp_path):
        slips(page, "7 1", "8 2", "9 3", "1x 2")
        all_answered(page, 17)
        assert page.evaluate(FIELD) == ["slip", "1x 2", 0, 4]
        assert "Type a table and its result" in page.locator("#found").inner_text()
        slips(page, "10 1", "11 2", "999 1", "1x 2")  # the last answer is a whole page
        all_answered(page, 15)
        assert page.evaluate(FIELD) == ["slip", "1x 2", 0, 4]
        assert "Type a table and its result" in page.locator("#found").inner_text()


def test_a_letter_that_is_typed_before_a_page_has_settled_is_not_lost(
    page: Any, tmp_path: Path
) -> None:
    with at_the_lane(page, tmp_path):
        page.evaluate(TYPED_MEANWHILE)
        slips(page, "7 1")
        all_answered(page, 19)
        assert page.evaluate(FIELD) == ["slip", "12 11", 5, 5]


def test_a_number_that_is_sent_by_enter_keeps_its_place(
    page: Any, tmp_path: Path
) -> None:
    folder, errors = event(tmp_path / "event", rounds=1), list[str]()
    page.on("pageerror", lambda error: errors.append(str(error)))
    with served(folder) as address:
        page.goto(f"{address}/hall")
        page.locator("[name=minutes]").fill("35")
        answered(page, lambda: page.keyboard.press("Enter"), "/hall/")
    assert errors == []


@pytest.mark.sweep
def test_one_stop_of_the_tab_key_in_each_table(page: Any, tmp_path: Path) -> None:
    folder = event(tmp_path / "event", [f"P{k:03}" for k in range(40)], 1)
    count = """() => Math.max(0, ...[...document.querySelectorAll("main table")].map(table =>
      [...table.querySelectorAll("a, button, input, select, summary, [tabindex]")]
      .filter(each => each.tabIndex >= 0 && each.type !== "hidden").length))"""
    with served(folder) as address:
        for view in known_views():
            if (
                "print" in view.path
                or "found" in view.path
                or view.path in ("why", "player")
            ):
                continue
            page.goto(f"{address}/{view.path}?player=P001")
            assert (view.path, page.evaluate(count)) in ((view.path, 0), (view.path, 1))
        page.goto(f"{address}/results")
        page.locator("#table-1:focus-within").wait_for()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.closest('tr').id") == "table-2"
        assert page.evaluate("document.activeElement.value") == "1-1"
        page.keyboard.press("ArrowDown")
        assert page.evaluate("document.activeElement.value") == "1-1"
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('table')") is None
        page.keyboard.press("Shift+Tab")
        assert page.evaluate("document.activeElement.closest('tr').id") == "table-3"


SMALL = """() => [...document.querySelectorAll(
    "a[href], button, input, select, textarea, summary, [tabindex='0']")]
  .filter(each => each.type !== "hidden" && each.checkVisibility({ visibilityProperty: true }))
  .map(each => [each, (each.closest("label:has([type=checkbox], [type=radio])") ?? each)
    .getBoundingClientRect()])
  .filter(([, { width, height }]) => width > 0 && (width < 23.9 || height < 23.9))
  .map(([each, { width, height }]) => `${each.outerHTML.slice(0, 90)} ${width}x${height}`)"""


@pytest.mark.sweep
def test_whatever_a_finger_hits_has_24_pixels(page: Any, tmp_path: Path) -> None:
    folder = event(tmp_path / "event", [f"P{k:03}" for k in range(12)], 2)
    result(folder, 1, "3-0")
    page.set_viewport_size({"width": 360, "height": 740})
    with served(folder) as address:
        for view in known_views():
            if view.path.endswith("found"):
                continue  # a part of a page
            page.goto(f"{address}/{view.path}?player=P001&id=P001")
            assert (view.path, page.evaluate(SMALL)) == (view.path, [])


def test_a_server_that_hangs_is_told_after_five_seconds(
    chromium: Any, tmp_path: Path
) -> None:
    """The seconds are those of the page's own clock, which the test turns."""
    folder = event(tmp_path / "event", [f"P{k:03}" for k in range(8)], 1)
    with served(folder) as address, browser.page(chromium) as page:
        page.clock.install()
        page.goto(f"{address}/results")
        page.route("**/results/score*", lambda _: None)
        page.locator("#table-1 button").first.click()
        page.clock.run_for(5000)
        page.locator("#slow", has_text="Still working").wait_for()
        page.unroute("**/results/score*")
        page.goto(f"{address}/players")
        page.route("**/state", lambda _: None)
        page.clock.run_for(8000)
        page.locator("#silent").wait_for()
        page.unroute("**/state")
    assert read_folder_state(folder).rounds() == 1
