"""Every view at every width, light, dark and in forced colours, for 9, 40 and 300 players."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import browser
import pytest
from organiser import event, scored
from serving import shared

from pairopt.folder import bracket, pair, result
from pairopt.folder.open_folder import read_folder_state
from pairopt.web.phones import PAGES
from pairopt.web.views import known_views
from pairopt.web.views.hall import RoundClock, VenueState, write_hall

WIDTHS, HEIGHT = (360, 768, 1280, 1920), 800
LIGHT, DARK, FORCED = (("light", "none"), ("dark", "none"), ("light", "active"))
EVERY = dict.fromkeys(WIDTHS, (LIGHT, DARK, FORCED))
SOME = {360: (LIGHT, FORCED), 768: (FORCED,), 1280: (DARK,), 1920: (LIGHT,)}
"""Each width and each scheme; with 40 players and more, which is slow, all of both."""
HARD = [
    "Wolfeschlegelsteinhausenbergerdorff Featherstonehaugh",
    "Bartholomäus Kowalczyk-Brzęczyszczykiewicz",
    "עבד אל-רחמן בן סלמאן",
    "عبد الرحمن بن سلمان الأنصاري",
    "李小龍",
    "<script>alert(1)</script>",
]
NARROW = """() => [...document.querySelectorAll(".people a, .players button, .players summary")]
  .filter((each) => each.checkVisibility()).map((each) => each.getBoundingClientRect().height)"""
"""The heights of what a finger has to hit on lists."""

TARGETS = """() => [...document.querySelectorAll("a, button, input, select, summary")]
  .filter((each) => each.checkVisibility() && !each.closest(".unseen"))
  .map((each) => [each.textContent.trim(), Math.round(each.getBoundingClientRect().height)])"""
"""All that a phone's owner can press, with its height."""
DROPPED = """() => [...document.querySelectorAll("td .points")]
  .filter((each) => each.checkVisibility()).filter((each) => {
    const range = document.createRange();
    range.selectNodeContents(each.previousElementSibling);
    const first = range.getClientRects()[0], own = each.getBoundingClientRect();
    return own.top > first.bottom || own.bottom < first.top;
  }).map((each) => each.closest("td").textContent)"""
"""Points that do not stand beside the first line of their name."""

TORN = """() => {
  document.querySelector(".standings").style.width = "1px";
  return [...document.querySelectorAll(".standings :is(.number, .cell)")].filter((each) => {
    const range = document.createRange();
    range.selectNodeContents(each);
    const lines = new Set([...range.getClientRects()].map((rect) => Math.round(rect.bottom)));
    return each.tagName === "TD" && each.checkVisibility() && lines.size > 1;
  }).map((each) => each.textContent);
}"""
"""Numbers, records and results that stand on two lines where the table has no room at all."""


def with_players(folder: Path, players: int, cut: bool = False) -> Path:
    """An event in round 2 of which some results are in; or with the cut made."""
    names = (HARD + [f"Name{k:03} Surname" for k in range(players)])[:players]
    event(
        folder,
        names,
        rounds=1,
        sides=("white", "black"),
        points="1-0.5-0",
        title="Friday night",
    )
    scored(folder, "1-0")
    if cut:
        bracket(folder, 8, by_lot=True)
        result(folder, "B1", "1-0")
    else:
        pair(folder)
        for table in range(1, players // 4 + 1):
            result(folder, str(table), "0.5-0.5")
    write_hall(
        folder,
        VenueState(
            "Please bring your slips to the desk, and be back at 15:30",
            RoundClock(600.0),
        ),
    )
    return folder


@pytest.fixture(
    scope="module",
    params=[
        9,
        -9,
        pytest.param(40, marks=pytest.mark.slow),
        pytest.param(300, marks=pytest.mark.slow),
    ],
)
def doors(
    request: pytest.FixtureRequest, tmp_path_factory: Any
) -> Iterator[tuple[Path, str, str]]:
    """An event of so many players; below 0 with the cut."""
    folder = tmp_path_factory.mktemp("views") / "event"
    with_players(folder, abs(request.param), request.param < 0)
    with shared(folder) as (mine, theirs, _):
        yield folder, mine, theirs


def addresses(folder: Path, mine: str, theirs: str) -> list[str]:
    """All pages that there are at both doors; those of what is found are parts of others."""
    player = quote(read_folder_state(folder).event.players[0])
    own = [
        f"{mine}/{view.path}?id={player}&player={player}"
        for view in known_views()
        if not view.path.endswith("/found")
    ]
    return [
        *own,
        *(f"{theirs}{path}?id={player}" for path in PAGES),
        f"{theirs}/?name=player",
    ]


@pytest.mark.sweep
def test_no_page_is_wider_than_its_window_and_everybody_can_use_it(
    doors: tuple[Path, str, str], chromium: Any
) -> None:
    found: list[Any] = []
    seen_pages = 0
    large, cut = (
        len(read_folder_state(doors[0]).event.players) > 9,
        (doors[0] / "bracket.csv").exists(),
    )
    carefully = (
        CAREFULLY if large else CAREFULLY - {(360, *LIGHT) if cut else (768, *FORCED)}
    )
    with browser.page(chromium) as page:
        for address in addresses(*doors):
            page.set_viewport_size({"width": 360, "height": HEIGHT})
            if page.goto(address).status != 200:
                continue  # there is no bracket, or nothing that is not published
            seen_pages += 1
            for width, schemes in (EVERY if large else SOME).items():
                page.set_viewport_size({"width": width, "height": HEIGHT})
                for scheme, forced in schemes:
                    page.emulate_media(color_scheme=scheme, forced_colors=forced)
                    wide = page.evaluate(
                        "document.documentElement.scrollWidth - innerWidth"
                    )
                    if wide > 0:
                        found.append((address, width, scheme, wide))
                    found += [(address, width, each) for each in page.evaluate(DROPPED)]
                    if (width, scheme, forced) in carefully:
                        found += [
                            (address, width, scheme, forced, each)
                            for each in browser.violations(page)
                        ]
    assert found == []
    assert seen_pages > 25


CAREFULLY = {(360, *LIGHT), (1280, *DARK), (768, *FORCED)}
"""Where a machine looks at colours, names and roles, too."""


@pytest.mark.long
def test_what_a_finger_has_to_hit(doors: tuple[Path, str, str], chromium: Any) -> None:
    folder, mine, theirs = doors
    with browser.page(chromium, viewport={"width": 360, "height": HEIGHT}) as page:
        for address in (f"{theirs}/", f"{mine}/players"):
            page.goto(address)
            heights = page.evaluate(NARROW)
            assert len(heights) >= 9
            assert min(heights) >= 38, address
        rows = page.evaluate(
            "[...document.querySelectorAll('.players tbody tr')].map((row) => row.offsetHeight)"
        )
        assert sorted(rows)[len(rows) // 2] == 55
        field = page.get_by_label("Search")
        field.press_sequentially("surname 001" if len(rows) > 9 else "surname 000")
        page.locator(".players tbody tr:nth-child(2)").wait_for(state="detached")
        assert page.locator(".players tbody tr").count() == 1
        assert field.evaluate("(each) => each === document.activeElement")
        player = quote(read_folder_state(folder).event.players[7])
        for path in PAGES:
            if (
                path != "/screen"
                and page.goto(f"{theirs}{path}?id={player}").status == 200
            ):
                assert [
                    each for each in page.evaluate(TARGETS) if each[1] < 44
                ] == [], path
        page.goto(f"{mine}/standings")
        page.get_by_label("Find a player").press_sequentially("surname 000")
        page.locator(".whom li", has_text="Name000").wait_for()
        one_line = """() => [...document.querySelectorAll(".standings tbody tr")]
          .filter((row) => /Surname/.test(row.textContent)).map((row) => row.offsetHeight)"""
        assert max(page.evaluate(one_line)) <= 26
        page.set_viewport_size({"width": 1280, "height": HEIGHT})
        for by in ("points", "rounds"):
            page.goto(f"{mine}/standings?by={by}")
            assert page.evaluate(TORN) == []
        page.set_viewport_size({"width": 360, "height": HEIGHT})
        page.goto(f"{theirs}/standings")
        assert max(page.evaluate(one_line)) <= 30
