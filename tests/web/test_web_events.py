"""Whole events in a real browser, from an empty folder to the bracket: by mouse, and by keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import browser
import pytest
from organiser import event, served

from pairopt import read_event
from pairopt.folder.top_cut import bracket

pytestmark = pytest.mark.long
RARE = {
    "phones": "Phones",
    "hall": "Clock and screens",
    "log": "Log",
    "models": "Pairing rules",
    "settings": "Settings",
    "files": "Backup and export",
}
"""Views that the menu has under More."""


def names(number: int) -> str:
    """Players to paste; some have names that pages must not take for anything else."""
    odd = ["Łukasz Żak", "Bold & Co", "Ann O'Neil", "李小龍", "Zoë"]
    return "\n".join([*odd, *(f"Player {k}" for k in range(len(odd) + 1, number + 1))])


FOCUSED = (
    "Autofocus processing was blocked because a document already has a focused element"
)
"""What Chromium notes where somebody was quicker than a new page, and keeps the focus."""


@contextmanager
def watched(chromium: Any, folder: Path) -> Iterator[tuple[Any, str]]:
    """A page of the event on which nothing may be said, and nobody else be asked."""
    with served(folder) as address, browser.page(chromium) as page:
        said: list[str] = []
        asked: list[str] = []
        page.on(
            "console",
            lambda message: (
                said.append(f"{page.url}: {message.text}")
                if not message.text.startswith(FOCUSED)
                else None
            ),
        )
        page.on("pageerror", lambda error: said.append(f"{page.url}: {error}"))
        page.on("request", lambda request: asked.append(request.url))
        yield page, address
        assert said == []
        assert [url for url in asked if not url.startswith((address, "data:"))] == []


class Mouse:
    """Somebody who clicks."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def go(self, view: str) -> None:
        menu = self.page.get_by_role("navigation", name="Pages")
        if view in RARE:
            menu.get_by_text("More").click()
        menu.get_by_text(RARE.get(view, view.capitalize())).click()
        self.page.wait_for_url(f"**/{view}*")

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).or_(
            self.page.get_by_role("link", name=name, exact=True)
        ).first.click()

    def unfold(self, name: str) -> None:
        self.page.locator("summary", has_text=name).click()

    def tick(self, label: str) -> None:
        self.page.get_by_label(label).check()

    def write(self, label: str, text: str) -> None:
        self.page.get_by_label(label).first.click()
        self.page.get_by_label(label).first.fill(text)

    def win(self, table: str) -> None:
        self.page.locator(f"#table-{table} button").first.click()


TOWARDS = """each => {
  const active = document.activeElement, table = each.closest("table");
  const [here, there] = [active, each].map(one => one.closest("tr"));
  if (!table || !here || here.closest("table") !== table) return "Tab";
  if (here !== there) return here.rowIndex < there.rowIndex ? "ArrowDown" : "ArrowUp";
  return active.compareDocumentPosition(each) & 4 ? "ArrowRight" : "ArrowLeft";
}"""
"""The key that leads nearer to a thing."""


class Keys(Mouse):
    """Somebody without a mouse: Tab to a thing, and Enter, Space or letters."""

    def reach(self, thing: Any) -> None:
        """Tab until the thing has the focus, and in its table the arrows: a table is one stop. What
        these do not reach is no page for keys."""
        thing.wait_for()
        for _ in range(600):
            if thing.evaluate("each => each === document.activeElement"):
                return
            self.page.keyboard.press(thing.evaluate(TOWARDS))
        raise AssertionError(f"Tab does not reach {thing}")

    def go(self, view: str) -> None:
        menu = self.page.get_by_role("navigation", name="Pages")
        if view in RARE:
            self.reach(menu.locator("summary"))
            self.page.keyboard.press("Enter")
        self.reach(
            menu.get_by_role("link", name=RARE.get(view, view.capitalize()), exact=True)
        )
        self.page.keyboard.press("Enter")
        self.page.wait_for_url(f"**/{view}*")

    def press(self, name: str) -> None:
        self.reach(
            self.page.get_by_role("button", name=name, exact=True)
            .or_(self.page.get_by_role("link", name=name, exact=True))
            .first
        )
        self.page.keyboard.press("Enter")

    def unfold(self, name: str) -> None:
        self.reach(self.page.locator("summary", has_text=name))
        self.page.keyboard.press("Enter")

    def tick(self, label: str) -> None:
        self.reach(self.page.get_by_label(label))
        self.page.keyboard.press("Space")

    def write(self, label: str, text: str) -> None:
        self.reach(self.page.get_by_label(label).first)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)

    def win(self, table: str) -> None:
        self.page.locator(f"#table-{table}:focus-within").wait_for()
        self.page.keyboard.press("1")


def clean(page: Any) -> None:
    """Nothing that axe-core finds, no broken word."""
    assert browser.violations(page) == []
    assert browser.broken(page) == []


def played(somebody: Mouse, look: Callable[[], None]) -> None:
    """A result for every table of the open round, the first player's win each time."""
    page = somebody.page
    somebody.go("results")
    page.locator(".results").wait_for()
    open_tables = page.locator("tr.missing").evaluate_all(
        "rows => rows.map(row => row.id.replace('table-', ''))"
    )
    for left, table in reversed([*enumerate(reversed(open_tables))]):
        somebody.win(table)
        every = f"All {page.locator('.results tbody tr').count()} results are in"
        page.locator(f"text={left} of" if left else f"text={every}").wait_for()
    look()


def whole(somebody: Mouse, address: str, number: int, rounds: int, cut: int) -> None:
    """An event from an empty folder to the champion; every view is looked at once."""
    page = somebody.page

    def look() -> None:
        clean(page)

    page.goto(address)
    page.locator("text=New event").first.wait_for()
    look()
    somebody.write("Event name", "The cup")
    somebody.write("Players", names(number))
    somebody.write("Rounds", str(rounds))
    somebody.press("Preview the event")
    page.locator(f"text={number} players:").wait_for()
    look()
    somebody.press("Create the event")
    page.wait_for_url("**/players")
    page.locator(f"text={number} players").first.wait_for()
    look()
    somebody.write("Name", "Late Lena")
    somebody.press("Add player")
    page.locator("text=Late Lena plays").wait_for()
    somebody.press("Drop Late Lena")
    page.locator(
        "text=Late Lena has dropped and will not be paired from round 1 on."
    ).wait_for()
    for turn in range(1, rounds + 1):
        somebody.go("round")
        somebody.press(f"Pair round {turn}")
        page.locator(f"text=Publish round {turn}").wait_for()
        if turn == 1:
            look()
        somebody.press(f"Publish round {turn}")
        page.locator(f"text=round {turn} is paired").wait_for()
        if turn == 1:
            look()
        played(somebody, look if turn == rounds else lambda: None)
    somebody.go("standings")
    page.locator("table.standings").wait_for()
    look()
    somebody.unfold("Top cut")
    somebody.write("Players in the top cut", str(cut))
    somebody.tick("If players are tied on everything, draw their order")
    somebody.press("Create the bracket")
    page.locator("text=single elimination").first.wait_for()
    somebody.press("Yes, do it")
    page.locator("caption").first.wait_for()
    look()
    for match in range(1, cut):
        somebody.go("results")
        somebody.win(f"B{match}")
        page.locator(f"text=B{match}: ").first.wait_for()
    somebody.go("standings")
    page.locator("text=has won").wait_for()
    for view in ("log", "models"):
        somebody.go(view)
        page.locator("h1", has_text=RARE[view]).wait_for()
        look()


@pytest.mark.parametrize(
    ("kind", "number", "rounds", "cut"),
    [
        pytest.param(Mouse, 9, 3, 4, id="mouse"),
        pytest.param(Keys, 40, 2, 4, id="keys", marks=pytest.mark.slow),
    ],
)
def test_an_event_from_an_empty_folder_to_the_bracket(
    chromium: Any, tmp_path: Path, kind: type[Mouse], number: int, rounds: int, cut: int
) -> None:
    folder = tmp_path / "event"
    with watched(chromium, folder) as (page, address):
        whole(kind(page), address, number, rounds, cut)
    event = read_event(folder)
    assert event.round == rounds + 1
    assert len(event.players) == number + 1
    made = bracket(folder).bracket
    assert made is not None
    assert made.champion is not None


def test_a_draft_is_changed_by_its_buttons(chromium: Any, tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEF")
    with watched(chromium, folder) as (page, address):
        page.goto(f"{address}/round/draft")
        names = page.locator("tr.match").first.locator("label").all_inner_texts()
        page.get_by_role("button", name="Pin").first.click()
        page.get_by_role("button", name=f"Unpin {' - '.join(names)}").wait_for()
        page.get_by_role("button", name="Forbid this match").nth(1).click()
        page.get_by_role("heading", name="Forbidden in this round").wait_for()
        page.get_by_role("button", name="Allow again").click()
        page.get_by_role("heading", name="Forbidden in this round").wait_for(
            state="detached"
        )
        for row in (1, 2):
            page.locator("tr.match").nth(row).locator("input").first.check()
        page.get_by_role("button", name="Swap selected players").click()
        page.get_by_role("button", name="Re-pair the rest").wait_for()
        shown = page.locator("tr.match").all_inner_texts()
        clean(page)
        page.get_by_role("button", name="Publish round 1").click()
        page.locator("text=round 1 is paired").wait_for()
    pairs = {frozenset(match) for match in _pairs(folder)}
    assert pairs == {frozenset(re.findall(r"\b[A-F]\b", line)) for line in shown}


def test_a_file_is_dropped_anywhere_on_the_page(chromium: Any, tmp_path: Path) -> None:
    drop = """(rows) => {
      const files = new DataTransfer();
      files.items.add(new File(["player,rating\\n" + rows], "list.csv"));
      document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: files, bubbles: true}));
    }"""
    folder = tmp_path / "event"
    with served(folder) as address, browser.page(chromium) as page:
        page.goto(address)
        page.evaluate(drop, "Ann,1500\nBob,x\n")
        page.locator("text=list.csv: row 3, column rating").wait_for()
        page.wait_for_load_state()  # a new page takes files and keys once its scripts are there
        page.evaluate(drop, "Ann,1500\nBob,1400\n")
        page.locator("text=2 players: Ann, Bob").wait_for()
        page.wait_for_load_state()
        page.keyboard.press("y")
        page.wait_for_url("**/players")
        page.wait_for_load_state()
        page.evaluate(drop, "Cid,1300\nAnn,1500\n")
        page.locator(
            "text=These players are already in the event, so pairopt left them out: Ann."
        ).wait_for()
        page.keyboard.press("y")
        page.locator(".said", has_text="1 player plays from round 1 on.").wait_for()
    assert read_event(folder).players == ("Ann", "Bob", "Cid")


def _pairs(folder: Path) -> list[list[str]]:
    rows = [
        row.split(",") for row in (folder / "matches.csv").read_text().splitlines()[1:]
    ]
    return [row[2:4] for row in rows]
