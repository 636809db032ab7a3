"""Draw docs/page-*.png, the pictures of the organiser's page with the sample event.

python tests/make/make_page_pictures.py
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import browser
from PIL import Image
from places import ROOT, SAMPLE
from serving import shared

from pairopt.show.web.views.hall import Clock, Hall, write_hall

WIDE, PHONE = {"width": 800, "height": 820}, {"width": 380, "height": 640}
SCREEN = {"width": 960, "height": 540}
COLOURS = 48
"""So many are enough for letters on white."""


def taken(page: Any, name: str) -> None:
    """What is shown now, as a picture."""
    page.evaluate("scrollTo(0, 0)")
    shown = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(COLOURS)
    shown.save(ROOT / "docs" / f"{name}.png", optimize=True)


def round_picture(page: Any, address: str) -> None:
    """Round 6, two players exchanged, a sentence asked for; then it is published as it was."""
    page.goto(f"{address}/round/draft")
    for k in (0, 2):
        page.locator("[name=swap]").nth(k).check()
    page.get_by_role("button", name="Exchange the two").click()
    page.get_by_role("heading", name="Changed by hand").wait_for()
    page.locator("tr.match .menu > summary").nth(1).click()
    taken(page, "page-round")
    page.goto(f"{address}/round/draft")
    page.get_by_role("button", name="Publish round 6").click()
    page.wait_for_url("**/round")


def results_picture(page: Any, address: str) -> None:
    """Three results by keys."""
    page.goto(f"{address}/results")
    page.locator("#table-1:focus-within").wait_for()
    for key in ("1", "3", "2"):
        page.keyboard.press(key)
    page.locator("#table-4:focus-within").wait_for()
    taken(page, "page-results")


def screen_picture(page: Any, address: str, folder: Path) -> None:
    """The round for the room, with a clock and a message."""
    write_hall(folder, Hall("Round 7 begins at 15:30", Clock(1500)))
    page.goto(f"{address}/screen")
    page.locator(".message").wait_for()  # pages of before live for a second
    page.get_by_role("button", name="Page 1").wait_for()
    taken(page, "page-screen")


def main() -> None:
    """Take four pictures of the round as it goes on."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(shutil.copytree(SAMPLE, Path(place) / "weekly"))
        with shared(folder) as (mine, theirs, _), browser.launched() as chromium:
            with browser.page(chromium, viewport=WIDE) as page:
                round_picture(page, mine)
                results_picture(page, mine)
            with browser.page(chromium, viewport=PHONE) as page:
                page.goto(f"{theirs}/player?id=Aiko+Tanaka")
                taken(page, "page-phone")
            with browser.page(chromium, viewport=SCREEN) as page:
                screen_picture(page, theirs, folder)


if __name__ == "__main__":
    main()
