"""One walk over every post of every view: after each the place is where it was, and the answer
stands inside the window, at the top of it or below what it follows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import browser
import pytest
from organiser import event, scored, served
from rating_files import PERSONS, text_list

from pairopt.files.rating_lists.store import add_list
from pairopt.folder import back, bracket, change, drop, enter, new, pair
from pairopt.folder.open_folder import read_folder_state
from pairopt.web.views import known_views

pytestmark = pytest.mark.long

ANSWERS = ":is(.messages, .lane .said, .asks, .refused, .faults, #returned p)"
WHERE = """answers => {
  const active = document.activeElement, row = active.closest("main tr");
  const shown = [...document.querySelectorAll(answers)]
    .filter(each => each.checkVisibility() && !each.parentElement.closest(answers));
  const high = each => each.getBoundingClientRect().height > 0;
  const above = each => {
    for (let one = each.previousElementSibling; one; one = one.previousElementSibling)
      if (high(one)) return one.getBoundingClientRect().bottom;
    const { parentElement } = each;
    return parentElement === document.body ? 0 : above(parentElement);
  };
  const gaps = shown.map(each => {
    const { top } = each.getBoundingClientRect();
    return Math.min(Math.abs(top), Math.abs(top - above(each)));
  });
  const inside = ({ top, bottom }) => top >= 0 && bottom <= innerHeight && bottom > top;
  return {
    view: document.getElementById('main').dataset.here, scroll: scrollY,
    high: document.documentElement.scrollHeight,
    row: row && row.id, top: (row ?? active).getBoundingClientRect().top,
    focus: active.id || active.ariaLabel || active.textContent.trim().slice(0, 40),
    asks: active.closest(".asks, .refused") !== null, answered: shown.length > 0,
    within: shown.some(each => inside(each.getBoundingClientRect())),
    led: active.matches("[autofocus], [aria-invalid]"),
    gap: Math.max(0, ...gaps),
    seen: inside(active.getBoundingClientRect()) || active.id === "main"
      || active === document.body,
  };
}"""
SETTLED = "() => under_way === null && !document.querySelector('.htmx-swapping, .htmx-settling')"
NEAR = 48
"""Pixels from the top of the window, or from what stands above it, in which an answer begins."""
FARTHEST = 160
"""Pixels that a page may move where it ends, or where what had the focus is gone: a line or two."""


@pytest.fixture(scope="module")
def page(chromium: Any) -> Any:
    with browser.page(chromium, viewport={"width": 1280, "height": 720}) as page:
        yield page


class Walk:
    """A browser at the pages of an event, and the posts that it has made."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.address, self.made = page, address, set[str]()
        self.origin: dict[str, Any] | None = None  # of what is asked

    def at(self, path: str) -> Any:
        """On another view."""
        self.page.goto(f"{self.address}/{path}")
        return self.page

    def where(self) -> dict[str, Any]:
        return dict(self.page.evaluate(WHERE, ANSWERS))

    def post(
        self, name: str, press: Any, key: str = "Enter", scrolled: int | None = None
    ) -> dict[str, Any]:
        """Press something that has the focus, which posts: the place stays, and it is answered.
        Scrolled: pixels, for what sticks to the window; else it is in the middle of it."""
        if scrolled is None:
            press.evaluate(
                "each => (each.focus(), each.scrollIntoView({ block: 'center' }))"
            )
        else:
            press.evaluate("(each, to) => (each.focus(), scrollTo(0, to))", scrolled)
        now = self.where()
        before = self.origin if now["asks"] and self.origin else now
        with self.page.expect_response(
            lambda got: got.request.method == "POST" and f"/{name}" in got.url
        ):
            self.page.keyboard.press(key)
        self.page.wait_for_function(SETTLED)
        self.page.wait_for_timeout(60)
        after = self.where()
        self.made.add(name)
        self.origin = before if after["asks"] else None
        said = repr((name, before, after))
        assert (after["answered"], after["within"], after["seen"]) == (
            True,
            True,
            True,
        ), said
        assert after["gap"] <= NEAR, said
        if after["view"] != before["view"]:
            assert after["scroll"] == 0, said
        elif (before["row"] or before["focus"]) == (after["row"] or after["focus"]):
            most = max(0, after["high"] - 720)  # a page cannot go on where it ends
            ends = after["scroll"] in (0, most)
            assert abs(after["top"] - before["top"]) <= (FARTHEST if ends else 2), said
        elif not after["led"]:  # to a question, or to the field at fault
            assert abs(after["scroll"] - before["scroll"]) <= FARTHEST, said
        return after

    def form(self, path: str, **fields: str) -> Any:
        """The button of a form on the page, filled."""
        form = self.page.locator(f'main form[action*="/{path}"]').last
        for name, value in fields.items():
            field = form.locator(f'[name="{name}"]')
            if field.evaluate("each => each.localName") == "select":
                field.select_option(value)
            else:
                field.fill(value)
        return form.locator("button").last


def players(walk: Walk, many: int) -> None:
    page = walk.at("players")
    walk.post("players/begin", walk.form("players/begin"))
    walk.post("players/all", walk.form("players/all"))
    rows = page.locator("tr[data-row]")
    for k in (3, min(many, 200) - 3):
        walk.post("players/out", rows.nth(k).locator("button[form=out]"))
        walk.post("players/in", rows.nth(k).locator("button[form=in]"))
        rows.nth(k).locator("summary").click()
        walk.post("players/bye", rows.nth(k).locator("button[form=bye]"))
    rows.nth(7).locator("summary").click()
    walk.post("players/remove", rows.nth(7).locator("button[form=remove]"))
    page.locator("details:has(textarea)").evaluate("each => each.open = true")
    walk.post("players/take", walk.form("players/take", players="Yan\nYul"))
    walk.post("players/take", page.locator(".asks [name=sure]"))
    for _ in range(2):  # the second one is refused
        walk.post("players/enter", walk.form("players/enter", name="Zoe"))
    walk.at("players")
    walk.post("players/table", walk.form("players/table", player="P003", table="4"))
    walk.post("players/apart", walk.form("players/apart", player="P001", other="P002"))
    walk.post("players/together", walk.form("players/together"))
    walk.at("players/edit?player=P007")
    walk.post(
        "players/edit/change", walk.form("players/edit/change", **{"cell.name": "P001"})
    )
    walk.post(
        "players/edit/change", walk.form("players/edit/change", **{"cell.name": "Pat"})
    )


def rounds(walk: Walk, many: int) -> None:
    page = walk.at("round/draft")
    walk.post("round/draft/publish", walk.form("round/draft/publish"))
    page = walk.at("players")
    row = page.locator("tr[data-row]").nth(20)
    row.locator("summary").click()
    walk.post("round/gone/out", row.locator("button[form=gone]"))
    walk.post("round/again/publish", walk.form("round/again/publish"))
    page = walk.at("results")
    table = min(many // 2, 200) - 5
    walk.post("results/score", page.locator(f"#table-{table} button").first, key="1")
    walk.post("results/score", page.locator(f"#table-{table} button").first, key="3")
    page.keyboard.press("n")
    page.locator(".asks").wait_for(state="detached")
    slip = walk.at("results").locator("#slip")
    for scrolled in (0, 368, 12 * many):
        for typed in (f"{2 + scrolled // 50} 1", "999 1", f"{3 + scrolled // 50} 3"):
            slip.fill(typed)
            walk.post("results/slip", slip, scrolled=scrolled)
            if "999" in typed:
                page.locator("#returned button", has_text="Discard").click()
                assert slip.input_value() == ""
    page = walk.at(f"results/played?round=1&table={table}")
    page.locator("[name=opponent]").select_option(index=1)
    swap = page.get_by_role("button", name="Record swapped opponents")
    walk.post("results/played/record", swap)
    walk.post("results/played/record", page.locator(".asks [name=sure]"))


def beside(walk: Walk, _: int) -> None:
    page = walk.at("settings")
    for rounds in ("5", "0"):
        page.evaluate("document.querySelector('.settings').noValidate = true")
        page.locator("[name=rounds]").fill(rounds)
        walk.post("settings/change", page.locator(".settings button.main"))
    page = walk.at("hall")
    for name in ("start", "add", "pause", "resume", "away", "message"):
        walk.post(
            f"hall/{name}", page.locator(f'form[action$="/hall/{name}"] button').first
        )
    page = walk.at("standings")
    page.locator("details.cut > summary").click()
    page.locator("[name=cut]").fill("4")
    walk.post("standings/cut", page.locator("details.cut button.main"))
    page = walk.at("log")
    walk.post("log/undo", page.locator("button[name=step]:visible").last)
    walk.post("log/undo", page.locator(".asks [name=sure]"))


def lists(walk: Walk, _: int) -> None:
    page = walk.at("players/ratings")
    walk.post("players/ratings/apply", page.locator("main button.main"))
    page = walk.at("players/ratings")
    renumber = page.locator('form[action$="/players/ratings/renumber"] button')
    walk.post("players/ratings/renumber", renumber)
    page = walk.at("players/lists")
    button = page.locator('form[action$="/players/lists/remove"] button')
    walk.post("players/lists/remove", button.first)
    walk.post("players/lists/remove", page.locator(".asks [name=sure]"))


def all_at_once(walk: Walk, _: int) -> None:
    page = walk.at("round")
    walk.post("round/all", walk.form("round/all"))
    walk.post("log/undo_last", page.locator("form[action*=undo_last] button"))


def listed(folder: Path) -> Path:
    """An event of one player, whom a rating list knows."""
    path = folder.with_name("persons.txt")
    path.write_bytes(text_list())
    add_list(path, month="2026-11")
    chess = {"sides": ("white", "black"), "points": "1-0.5-0"}
    new(folder, model="fide-dutch", **chess)
    enter(folder, PERSONS[0].name, {"fide_id": str(PERSONS[0].number)})
    return folder


def missed(folder: Path) -> Path:
    """Somebody of an odd field lost in round 1, was away for two rounds, and is back."""
    pair(folder)
    scored(folder)
    lost = read_folder_state(folder).event.players[
        read_folder_state(folder).rows.second[0]
    ]
    drop(folder, lost)
    for _ in range(2):
        pair(folder)
        scored(folder, "1-1")
    back(folder, lost)
    return folder


def away(walk: Walk, _: int) -> None:
    page = walk.at("round/draft")
    walk.post("round/away/out", page.locator('form[action*="round/away/out"] button'))


def knocked_out(walk: Walk, _: int) -> None:
    page = walk.at("results")
    for match, key in (("B1", "1"), ("B4", "3"), ("B8", "1")):
        walk.post(
            "results/score", page.locator(f"#table-{match} button").first, key=key
        )
    slip = page.locator("#slip")
    for scrolled in (0, 200):
        for typed in ("B2 1", "B99 1", "b3+w", "B1 3"):  # the last one asks
            slip.fill(typed)
            walk.post("results/slip", slip, scrolled=scrolled)
            if "99" in typed:
                page.locator("#returned button", has_text="Discard").click()
        page.keyboard.press("n")
        page.locator(".asks").wait_for(state="detached")


def all_played(walk: Walk, _: int) -> None:
    walk.at("round")
    walk.post("round/add", walk.form("round/add"))


def by_hand(walk: Walk, _: int) -> None:
    page = walk.at("round")
    button = 'form[action$="/round/{}"] button'
    walk.post("round/begin", page.locator(button.format("begin")))
    for k, place in ((1, 0), (2, 1)):
        page.locator("[name=swap]").nth(place).select_option(index=k)
    walk.post("round/exchange", page.locator(button.format("exchange")))
    walk.post("round/exchange", page.locator(".asks [name=sure]"))
    walk.post("round/end", page.locator(button.format("end")))
    walk.post("round/end", page.locator(".asks [name=sure]"))


@pytest.mark.sweep
@pytest.mark.parametrize("many", [40, pytest.param(300, marks=pytest.mark.slow)])
def test_every_post_of_every_view_keeps_the_place_and_is_answered_in_the_window(
    page: Any, tmp_path: Path, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAIROPT_LISTS", str(tmp_path / "lists"))
    names, made = [f"P{k:03}" for k in range(many + 1)], set[str]()
    odd = missed(event(tmp_path / "odd", names))
    chess = event(
        tmp_path / "chess",
        names[1:],
        1,
        model="fide-dutch",
        sides="white,black",
        points="1-0.5-0",
    )
    cut = event(tmp_path / "cut", names[1:], 1)
    scored(cut)
    bracket(cut, 16, by_lot=True)
    over = event(tmp_path / "over", names[1:], 1)
    change(over, {"rounds": "1"})
    scored(over)
    for folder, parts in (
        (event(tmp_path / "even", names[1:]), (players, rounds, beside)),
        (cut, (knocked_out,)),
        (over, (all_played,)),
        (odd, (away,)),
        (chess, (by_hand,)),
        (listed(tmp_path / "listed"), (lists,)),
        (event(tmp_path / "all", names[1:8], format="round-robin"), (all_at_once,)),
    ):
        with served(folder) as address:
            walk = Walk(page, address)
            for part in parts:
                part(walk, many)
        made |= walk.made
    assert made == {
        f"{view.path}/{name}" for view in known_views() for name in view.changes
    }
