"""Words are whole and rows are even in any font, and the pages bring their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import browser
import pytest
from organiser import client, event, scored, served
from serving import shared
from test_web_keys import FOUND, HARD, SEEN, messages

from pairopt.web.app import STATIC

WIDTHS = (360, 500, 768, 1280, 1920)
SIGNS = [f"Magdalena Example{sign}{k:02}" for k, sign in enumerate("-/?!|}%–—…")]  # noqa: RUF001
LINES = """() => [...document.querySelectorAll('.results form')].map(
  form => new Set([...form.querySelectorAll('button, summary')].filter(one => one.checkVisibility())
    .map(one => Math.round(one.getBoundingClientRect().top))).size)"""
"""How many lines the buttons of each table take, without those in its menu."""

REST = [pytest.param(font, marks=pytest.mark.slow) for font in browser.FONTS]
LOADED = "document.fonts.ready.then(all => [...all].map(one => one.status))"


@pytest.fixture(params=["", *REST], ids=["its own", *browser.FONTS])
def page(request: Any, chromium: Any) -> Iterator[Any]:
    """An empty page, whose font is this one."""
    with browser.page(chromium) as page:
        if request.param:
            css = f'body {{ font-family: "{request.param}"; }}'
            page.route(
                "**/font.css",
                lambda one: one.fulfill(body=css, content_type="text/css"),
            )
        yield page


def faults(page: Any, address: str, paths: list[str]) -> list[tuple[Any, ...]]:
    """What is wrong on these pages; the results of a match take one line."""
    found: list[tuple[Any, ...]] = []
    for path in paths:
        page.goto(f"{address}/{path}")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            found += [(path, width, each) for each in browser.broken(page)]
            lines = page.evaluate(LINES)
            if max(lines, default=1) > 1:
                found.append((path, width, lines))
    return found


@pytest.mark.long
@pytest.mark.parametrize(
    "names", [HARD, pytest.param(SIGNS, marks=pytest.mark.slow)], ids=["hard", "signs"]
)
def test_words_are_whole_in_any_font(
    page: Any, tmp_path: Path, names: list[str]
) -> None:
    folder = event(tmp_path / "event", names, 2, sides=("corp", "runner"))
    drafts = {"pin": ":".join(names[:2]), "bar": names[4]}
    with served(folder) as address:
        found = faults(page, address, SEEN)
        scored(folder)
        found += faults(page, address, [*FOUND, f"round/draft?{urlencode(drafts)}"])
    assert found == []


@pytest.mark.slow
@pytest.mark.parametrize("points", ["1-0.5-0", "3-1-0x2"])
def test_results_of_other_games(page: Any, tmp_path: Path, points: str) -> None:
    folder = event(tmp_path / "event", [*HARD, *SIGNS], 1, points=points)
    with served(folder) as address:
        assert faults(page, address, ["results"]) == []


@pytest.mark.slow
@pytest.mark.long
def test_phones_in_any_font(page: Any, tmp_path: Path) -> None:
    folder = event(tmp_path / "event", [*HARD, *SIGNS], 2, sides=("corp", "runner"))
    paths = ["", "pairings", "standings", f"player?{urlencode({'id': HARD[-1]})}"]
    with shared(folder) as (_, address, _):
        assert faults(page, address, paths) == []


@pytest.mark.long
def test_the_pages_bring_their_font(chromium: Any, tmp_path: Path) -> None:
    folder = event(tmp_path / "event", ["Łukasz", "Zoë"], 1)
    with served(folder) as address, browser.page(chromium) as page:
        said = messages(page)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        for path in ("players", "print/names"):
            page.goto(f"{address}/{path}")
            assert page.evaluate(LOADED) == ["loaded", "loaded"]
        assert said == []
        assert all(url.startswith(address) for url in asked)


def test_a_font_is_served_with_its_licence(tmp_path: Path) -> None:
    page = client(event(tmp_path / "event"))
    fonts = [file.name for file in STATIC.glob("*.woff2")]
    assert fonts
    assert "font-src 'self'" in page.get("/players").headers["content-security-policy"]
    for name in fonts:
        answer = page.get(f"/static/{name}")
        assert answer.headers["content-type"] == "font/woff2"
        assert answer.content.startswith(b"wOF2")
        assert name in page.get("/static/font.css").text
    assert "SIL Open Font License" in page.get("/static/roboto.LICENSE.txt").text
