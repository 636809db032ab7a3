"""A whole evening of 120 players in a real browser, with two scorers: by mouse, and by keys alone.

A no-show in each round but the last, a correction in each, a last round that cannot be paired
as it stands, and the cut to a champion.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import browser
import pytest
from test_web_events import Keys, Mouse, names, watched

from pairopt import read_event
from pairopt.folder import bracket, forbid
from pairopt.folder.open_folder import read_folder_state

pytestmark = pytest.mark.slow
PLAYERS, ROUNDS, CUT = 120, 4, 4


def slips(page: Any, lines: list[str]) -> None:
    for line in lines:
        page.keyboard.type(line)
        page.keyboard.press("Enter")


def lane(somebody: Mouse) -> None:
    """The results, with the focus where slips are typed."""
    somebody.go("results")
    somebody.page.locator("[data-row]:focus-within").first.wait_for()
    somebody.page.keyboard.press("/")
    somebody.page.locator("#slip:focus").wait_for()


def no_show(somebody: Mouse, folder: Path) -> int:
    """Somebody of a table without a result does not come; how many tables change."""
    page, event = somebody.page, read_folder_state(folder).event
    gone = event.shown[
        read_folder_state(folder)
        .rows.take(read_folder_state(folder).rows.open)
        .first[7]
    ]
    somebody.go("players")
    somebody.press(f"Drop {gone}")
    page.locator("[role=status]", has_text=gone).first.wait_for()
    somebody.go("round")
    opener = page.locator("summary", has_text="Late or missing players")
    if isinstance(somebody, Keys):
        somebody.reach(opener)
        page.keyboard.press("Enter")
    else:
        opener.click()
    somebody.press("Preview the changes")
    told = page.locator("section.worse h2")
    told.wait_for()
    changed = int(told.inner_text().split()[0])
    somebody.press(f"Publish the new round {event.round - 1}")
    page.locator("text=is re-paired").first.wait_for()
    return changed


def played(one: Mouse, two: Any, folder: Path) -> None:
    """All results of the round, by two scorers at once, each in an order of their own."""
    tables = [
        str(line)
        for line in read_folder_state(folder)
        .rows.take(read_folder_state(folder).rows.open)
        .table.tolist()
    ]
    lane(one)
    two.locator("#slip:focus").wait_for()
    for k in range(0, len(tables), 2):
        slips(one.page, [f"{tables[-k - 1]} {1 + k % 3}"])
        if k + 1 < len(tables):
            slips(two, [f"{tables[-k - 2]} 1"])
    for page in (one.page, two):
        page.locator(f"text=All {len(tables)} results are in").wait_for()
        assert page.locator(".refused, .asks").count() == 0
    slips(one.page, [f"{tables[-2]} 3"])  # it was a win of the first
    one.page.locator(".asks").wait_for()
    one.page.keyboard.press("y")
    one.page.locator("#told", has_text="was").wait_for()


def hopeless(folder: Path) -> str:
    """Somebody who has had the bye may meet nobody any more."""
    event = read_folder_state(folder).event
    rows = read_folder_state(folder).rows
    had = rows.first[(rows.second < 0)].tolist()
    one = next(event.players[p] for p in had if event.present[p])
    for p in range(len(event.players)):
        if event.present[p] and event.players[p] != one:
            forbid(folder, one, event.players[p])
    return one


@pytest.mark.parametrize("kind", [Mouse, Keys])
def test_from_the_list_to_the_champion(
    kind: type[Mouse], chromium: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "event"
    with watched(chromium, folder) as (page, address), browser.page(chromium) as two:
        somebody = kind(page)
        page.goto(address)
        somebody.write("Players", names(PLAYERS))
        somebody.write("Rounds", str(ROUNDS))
        somebody.press("Preview the event")
        somebody.press("Create the event")
        page.wait_for_url("**/players")
        for turn in range(1, ROUNDS + 1):
            if turn == ROUNDS:
                hopeless(folder)
            somebody.go("round")
            somebody.press(f"Pair round {turn}")
            if turn == ROUNDS:
                page.locator("text=This is not possible").wait_for()
                way = page.locator("form:has(.soft) button").first
                somebody.press(way.inner_text())
            page.locator(f"text=Publish round {turn}").first.wait_for()
            somebody.press(f"Publish round {turn}")
            page.locator(f"text=round {turn} is paired").first.wait_for()
            if turn < ROUNDS:
                assert no_show(somebody, folder) <= 2
            two.goto(f"{address}/results")
            two.locator("[data-row]:focus-within").first.wait_for()
            two.keyboard.press("/")
            played(somebody, two, folder)
        somebody.go("standings")
        opener = page.locator("summary", has_text="Top cut")
        if kind is Keys:
            somebody.reach(opener)
            page.keyboard.press("Enter")
        else:
            opener.click()
        somebody.write("Players in the top cut", str(CUT))
        somebody.tick("If players are tied on everything, draw their order")
        somebody.press("Create the bracket")
        page.locator("text=single elimination").first.wait_for()
        somebody.press("Yes, do it")
        page.locator("caption").first.wait_for()
        for match in range(1, CUT):
            somebody.go("results")
            somebody.win(f"B{match}")
            page.locator(f"text=B{match}: ").first.wait_for()
        somebody.go("standings")
        page.locator("text=has won").wait_for()
    assert read_event(folder).round == ROUNDS + 1
    made = bracket(folder).bracket
    assert made is not None
    assert made.champion is not None
