"""Draw docs/arbiter-*.png, the pictures of the arbiter's manual: the page with its tournament.

python tests/make/make_arbiter_pictures.py
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import browser
from make_page_pictures import WIDE, taken
from places import ROOT
from serving import shared

from pairopt.folder import bye, enter, new, pair, result

ROUND_1 = ("1-0", "0-1", "1-0", "1F-0F", "0-1", "½-½")
ROUND_2 = ("1-0", "½-½", "0-1", "1-0", "1-0")


def tournament(place: Path) -> Path:
    """The manual's open before round 3."""
    folder = place / "spring-open"
    new(
        folder,
        ROOT / "examples" / "fide" / "spring.csv",
        model="fide-dutch",
        rounds=5,
        seed=7,
        initial_side="white",
        tie_breaks="DE,BH/C1,BH,SB",
        title="Spring Open",
    )
    enter(folder, "Lund, Zoe", {"rating": "2102", "federation": "SWE"})
    bye(folder, "Eder, Paul", round=2, points="0.5")
    for scores in (ROUND_1, ROUND_2):
        pair(folder)
        for table, score in enumerate(scores, 1):
            result(folder, table, score)
    return folder


def pictures(page: Any, address: str) -> None:
    """Players, the round to come with a sentence asked for, and standings."""
    page.goto(f"{address}/players")
    taken(page, "arbiter-players")
    page.goto(f"{address}/round/draft")
    page.locator("tr.match .menu > summary").nth(1).click()
    taken(page, "arbiter-round")
    page.goto(f"{address}/standings")
    taken(page, "arbiter-standings")


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = tournament(Path(place))
        with (
            shared(folder) as (mine, _, _),
            browser.launched() as chromium,
            browser.page(chromium, viewport=WIDE) as page,
        ):
            pictures(page, mine)


if __name__ == "__main__":
    main()
