"""What is printed, as PDFs: each list alone, whole rows, heads on every page, any names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import pytest
from organiser import client, scored
from organiser import event as made
from serving import served

from pairopt.event.elimination import bracket_lines
from pairopt.folder import bracket, new, pair
from pairopt.report.page import MOST_NAMES, bracket_page, name_ranges
from pairopt.report.views import SeatView

LISTS = (
    "tables",
    "names",
    "slips?on=4",
    "slips?on=6",
    "slips?on=8",
    "results",
    "standings",
)
HARD = [
    "Alex Kim",
    "Alex Kim",
    "Wolfeschlegelsteinhausenbergerdorff" * 4,
    "A name of many words that goes on and on until nobody reads it any more, said the "
    * 2,
    "אברהם כהן",
    "محمد الفارسي",
    "李小龍",
    "ルーク・スカイウォーカー",
    "<script>alert(1)</script>",
]


def event(folder: Path, players: int, **how: Any) -> Path:
    """An event with its first round paired; names that are hard to print come first."""
    names = (HARD + [f"Player{k:03d} Surname" for k in range(players)])[:players]
    rows = [f'{number},"{name}"' for number, name in enumerate(names, 1)]
    listed = folder / "players.csv"
    listed.write_text("\n".join(["player,name", *rows, ""]), encoding="utf-8")
    new(folder / "event", listed, title="Friday <night>", **how)
    pair(folder / "event")
    return folder / "event"


@pytest.fixture(
    scope="module",
    params=[9, *(pytest.param(n, marks=pytest.mark.slow) for n in (40, 120))],
)
def address(
    request: pytest.FixtureRequest, tmp_path_factory: Any
) -> Iterator[tuple[int, str]]:
    """Nine in double-sided games and with a bye, forty with sides, 120 without."""
    folder = tmp_path_factory.mktemp("printing")
    how: dict[int, dict[str, Any]] = {
        9: {"model": "double-sided", "points": "3-1-0x2"},
        40: {"sides": ("corp", "runner")},
    }
    with served(event(folder, request.param, **how.get(request.param, {}))) as at:
        yield request.param, at


def printed(chromium: Any, address: str) -> list[str]:
    """The text of the pages of a list."""
    with browser.page(chromium) as page:
        seen: list[str] = []
        page.on("console", lambda message: seen.append(message.text))
        assert page.goto(address).status == 200
        found = browser.pdf_pages(page.pdf(format="A4"))
        assert seen == []
    return found


@pytest.mark.sweep
@pytest.mark.parametrize("name", LISTS)
def test_everybody_is_on_it(name: str, address: tuple[int, str], chromium: Any) -> None:
    players, at = address
    pages = printed(chromium, f"{at}/print/{name}")
    text = " ".join(" ".join(pages).split())
    assert "Friday <night>" in text
    assert re.search(r"20\d\d-\d\d-\d\d \d\d:\d\d", pages[0])
    found = Counter(re.findall(r"Player\d{3}", text))
    assert len(found) >= players - len(HARD) - (
        name.startswith("slips") and players % 2
    )
    assert all(text.strip() for text in pages)  # none is empty
    assert ("Game 2" in text) == (players == 9 and name.startswith("slips"))
    sided = players == 40 and name != "standings"
    assert ("Corp" in text and "Runner" in text) == sided
    assert "Alex Kim (1)" in text
    assert "Alex Kim (2)" in text
    if name == "tables":
        assert ("has the bye" in text) == (players == 9)


@pytest.mark.slow
@pytest.mark.long
def test_heads_are_on_every_page(address: tuple[int, str], chromium: Any) -> None:
    _, at = address
    for name, head in (
        ("tables", "Table"),
        ("results", "Result"),
        ("standings", "SoS"),
    ):
        assert all(head in text for text in printed(chromium, f"{at}/print/{name}"))
    for text in printed(chromium, f"{at}/print/names"):
        assert text.count("Opponent") >= 1


@pytest.mark.long
@pytest.mark.parametrize(
    "on", [4, *(pytest.param(n, marks=pytest.mark.slow) for n in (6, 8))]
)
def test_slips_fill_their_pages(on: int, tmp_path: Path, chromium: Any) -> None:
    rows = "\n".join(f"Player {k}" for k in range(32))
    (tmp_path / "players.csv").write_text(f"player\n{rows}\n", encoding="utf-8")
    new(tmp_path / "event", tmp_path / "players.csv")
    pair(tmp_path / "event")
    with served(tmp_path / "event") as at:
        pages = printed(chromium, f"{at}/print/slips?on={on}")
    counts = [text.count("Table ") for text in pages]
    assert sum(counts) == 16
    assert all(count == on for count in counts[1:-1])
    assert max(counts) == on
    assert all(
        text.count("Signed") == 2 * count
        for text, count in zip(pages, counts, strict=True)
    )


def test_ranges_of_letters() -> None:
    names = (
        ["Ana"] * 10 + ["Bo"] * 10 + ["Ceci"] * 10 + ["Łu"] * 30 + ["Mia"] * 5 + ["李"]
    )
    found = name_ranges([SeatView(name, "1", "", "") for name in names])
    assert [(part.letters, len(part.seats)) for part in found] == [
        ("A", 10),
        ("B", 10),
        ("C", 10),
        ("L", 12),
        ("L", 12),
        ("L-李", 12),
    ]
    assert all(len(part.seats) <= MOST_NAMES for part in found)


@pytest.mark.long
def test_reasons_are_told_in_plain_words(tmp_path: Path) -> None:
    text = client(made(tmp_path / "event", "ABCD", rounds=3)).get("/print/reasons").text
    assert "Why these numbers can" in text
    assert not re.search(r"\b(levels?|seed)\b", re.sub("<[^>]*>", " ", text))


def test_reasons_are_a_list_too(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCDEFG", rounds=1)
    page = client(folder)
    text = page.get("/print/reasons").text
    assert "Proven: no pairing is better by these rules." in text
    assert text.count(" meets ") == 3
    assert text.count(" has the bye: ") == 1
    assert "/print/bracket" not in page.get("/print").text
    assert page.get("/print/bracket").status_code == 422


@pytest.mark.long
def test_the_bracket_is_a_list_and_a_file_alike(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCDEFGH", rounds=1)
    scored(folder)
    bracket(folder, 4, by_lot=True)
    page = client(folder)
    assert "/print/bracket" in page.get("/print").text
    drawn = bracket_lines(bracket(folder).bracket, {name: name for name in "ABCDEFGH"})
    file = bracket_page("Friday", drawn, ())
    for text in (page.get("/print/bracket").text, file):
        assert text.count("<caption>") == 3


@pytest.mark.long
@pytest.mark.parametrize("players", [9, 60])
def test_letters_that_can_be_read_and_boxes_to_write_in(
    players: int, tmp_path: Path, chromium: Any
) -> None:
    rows = "\n".join(f"Player {k}" for k in range(players))
    (tmp_path / "players.csv").write_text(f"player\n{rows}\n", encoding="utf-8")
    new(tmp_path / "event", tmp_path / "players.csv")
    pair(tmp_path / "event")
    told = """() => {
      const size = (each) => parseFloat(getComputedStyle(each).fontSize) * .75;
      const boxes = [...document.querySelectorAll("td.score")].map((each) => each.offsetHeight);
      const main = document.querySelector("main").getBoundingClientRect();
      return [size(document.querySelector("tbody td")), boxes.map((each) => each / 96 * 25.4),
              main.height / 96 * 25.4];
    }"""
    with served(tmp_path / "event") as at, browser.page(chromium) as page:
        page.set_viewport_size({"width": 703, "height": 1031})  # A4 without its margins
        page.emulate_media(media="print")
        found = {}
        for name in ("tables", "names", "results", "standings"):
            page.goto(f"{at}/print/{name}")
            letters, _, height = found[name] = page.evaluate(told)
            assert 8 <= round(letters, 2) <= 14, name
            if players == 60:
                assert height > 160, name  # millimetres: the page is filled
    assert all(height >= 8.7 for height in found["results"][1])
    assert len(found["results"][1]) == players // 2 + players % 2
    if players == 9:
        assert [round(found[name][0]) for name in ("tables", "names")] == [14, 14]


def test_the_digest_stands_at_the_foot(tmp_path: Path) -> None:
    text = (
        client(made(tmp_path / "event", "ABCDEFGH", rounds=1)).get("/print/tables").text
    )
    head, table, foot = (text.index(each) for each in ("<h1>", "</table>", "SHA-256"))
    assert head < table < foot
    assert not re.search(r"[0-9a-f]{64}", text[:table])
