"""Draw docs/page-*.png and docs/front.png, pictures of the organiser's page with the sample event.

python tests/make/make_page_pictures.py
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import browser
from PIL import Image, ImageOps
from places import ROOT, SAMPLE
from serving import shared

from pairopt.web.views.hall import RoundClock, VenueState, write_hall

WIDE, PHONE = {"width": 800, "height": 820}, {"width": 380, "height": 640}
SCREEN = {"width": 960, "height": 540}
COLOURS = 48
"""So many are enough for letters on white."""


FRONT = (1660, 1200)
"""The wide picture of the README: shown 830 pixels wide, and so drawn with twice as many."""


def shot(page: Any) -> Image.Image:
    """What is shown now, from the top of the page."""
    page.evaluate("scrollTo(0, 0)")
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def stored(image: Image.Image, name: str) -> None:
    """Keep a picture under docs, in a few colours."""
    image.quantize(COLOURS).save(ROOT / "docs" / f"{name}.png", optimize=True)


def taken(page: Any, name: str) -> None:
    """What is shown now, as a picture."""
    stored(shot(page), name)


def side_by_side(
    draft: Image.Image, phone: Image.Image, hall: Image.Image
) -> Image.Image:
    """Put the draft on the left, and the hall above the phone on the right, in thin frames."""
    front = Image.new("RGB", FRONT, "white")
    wide, high = FRONT
    left = 1010
    for image, box in (
        (draft, (0, 0, left, high)),
        (hall, (left + 20, 0, wide, 360)),
        (phone, (left + 20, 380, wide, high)),
    ):
        size = (box[2] - box[0], box[3] - box[1])
        fitted = ImageOps.fit(image, size, Image.Resampling.LANCZOS, centering=(0, 0))
        front.paste(
            ImageOps.expand(fitted.crop((1, 1, size[0] - 1, size[1] - 1)), 1, "#bbb"),
            box,
        )
    return front


def in_front(
    chromium: Any, width: int, size: tuple[int, int], show: Callable[[Any], None]
) -> Image.Image:
    """One part of the README's picture: a window of that width, as large as it will be there."""
    scale = size[0] / width
    view = {"width": width, "height": round(size[1] / scale)}
    with browser.page(chromium, viewport=view, device_scale_factor=scale) as page:
        show(page)
        return shot(page)


def exchanged(page: Any, address: str) -> None:
    """The draft of round 6 in which two players are exchanged by hand."""
    page.goto(f"{address}/round/draft")
    for k in (0, 2):
        page.locator("[name=swap]").nth(k).check()
    page.get_by_role("button", name="Swap selected").click()
    page.get_by_role("heading", name="Changed by hand").wait_for()


def reason_opened(page: Any, address: str) -> None:
    """Show the proven draft of round 6, with the reason of its first table open."""
    page.goto(f"{address}/round/draft")
    page.locator("tr.match").first.get_by_text("Why?").click()
    page.wait_for_timeout(300)


def round_picture(page: Any, address: str) -> None:
    """Round 6, two players exchanged, a sentence asked for; then it is published as it was."""
    exchanged(page, address)
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


def own_table(page: Any, address: str) -> None:
    """A player's phone."""
    page.goto(f"{address}/player?id=Aiko+Tanaka")


def screen(page: Any, address: str, folder: Path) -> None:
    """The round for the room, with a clock and a message."""
    write_hall(folder, VenueState("Round 7 begins at 15:30", RoundClock(1500)))
    page.goto(f"{address}/screen")
    page.locator(".message").wait_for()  # pages of before live for a second
    page.get_by_role("button", name="Page 1").wait_for()


def main() -> None:
    """Take the pictures of the round as it goes on."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(shutil.copytree(SAMPLE, Path(place) / "weekly"))
        with shared(folder) as (mine, theirs, _), browser.launched() as chromium:
            draft = in_front(
                chromium, 640, (1010, 1200), lambda page: reason_opened(page, mine)
            )
            with browser.page(chromium, viewport=WIDE) as page:
                round_picture(page, mine)
                results_picture(page, mine)
            with browser.page(chromium, viewport=PHONE) as page:
                own_table(page, theirs)
                taken(page, "page-phone")
            phone = in_front(
                chromium, 360, (630, 820), lambda page: own_table(page, theirs)
            )
            with browser.page(chromium, viewport=SCREEN) as page:
                screen(page, theirs, folder)
                taken(page, "page-screen")
            hall = in_front(
                chromium, 640, (630, 360), lambda page: screen(page, theirs, folder)
            )
            stored(side_by_side(draft, phone, hall), "front")


if __name__ == "__main__":
    main()
