"""How the report and the bracket look: whole words, whole rows, names in order, two of one name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import browser
import pytest
from click.testing import CliRunner
from places import SAMPLE

from pairopt.cli import main

EVENT = (str(SAMPLE / "matches.csv"), "--players", str(SAMPLE / "players.csv"))
PRINTED = {"width": 718, "height": 1047}
"""A4 without margins of a centimetre, in pixels."""


def run(*arguments: object) -> None:
    done = CliRunner().invoke(main, [str(each) for each in arguments])
    assert done.exit_code == 0, done.output


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("report") / "report.html"
    run("solve", *EVENT, "--report", path)
    return path.as_uri()


def players_csv(folder: Path, names: list[str]) -> Path:
    path = folder / "players.csv"
    rows = [f"{number},{name}" for number, name in enumerate(names, 1)]
    path.write_text("\n".join(["player,name", *rows, ""]), encoding="utf-8")
    return path


@pytest.mark.long
@pytest.mark.parametrize(
    "width", [360, *(pytest.param(w, marks=pytest.mark.slow) for w in (390, 800, 2560))]
)
def test_words_are_whole_at_every_width(width: int, report: str, chromium: Any) -> None:
    with browser.page(chromium, viewport={"width": width, "height": 800}) as page:
        page.goto(report)
        assert browser.broken(page) == []
        assert (
            page.locator(".wide").evaluate("one => one.scrollWidth - one.clientWidth")
            == 0
        )


@pytest.mark.sweep
@pytest.mark.parametrize("font", browser.FONTS)
def test_words_are_whole_in_any_font(font: str, tmp_path: Path, chromium: Any) -> None:
    names = [f"Magdalena Example{sign}{k:02}" for k, sign in enumerate("-/?!|}%…")]
    players = players_csv(tmp_path, names)
    run("solve", players, "--report", tmp_path / "report.html")
    run("new", tmp_path / "event", "--players", players)
    run(
        "bracket",
        tmp_path / "event",
        "--cut",
        8,
        "--by-lot",
        "-o",
        tmp_path / "bracket.html",
    )
    with browser.page(chromium) as page:
        for file in ("report.html", "bracket.html"):
            page.goto((tmp_path / file).as_uri())
            page.add_style_tag(content=f'body {{ font-family: "{font}"; }}')
            for width in (360, 768, 1280, 1920):
                page.set_viewport_size({"width": width, "height": 800})
                assert (file, width, browser.broken(page)) == (file, width, [])


@pytest.mark.long
def test_words_are_whole_in_print(report: str, chromium: Any) -> None:
    with browser.page(chromium, viewport=PRINTED) as page:
        page.emulate_media(media="print")
        page.goto(report)
        assert browser.broken(page) == []


@pytest.mark.sweep
@pytest.mark.parametrize(
    "players",
    [40, *(pytest.param(k, marks=pytest.mark.slow) for k in range(42, 62, 2)), 62],
)
def test_no_row_is_alone_on_a_page(players: int, tmp_path: Path, chromium: Any) -> None:
    names = [f"Player{k} Surname" for k in range(players)]
    run("solve", players_csv(tmp_path, names), "--report", tmp_path / "report.html")
    with browser.page(chromium) as page:
        page.goto((tmp_path / "report.html").as_uri())
        printed = browser.pdf_pages(page.pdf(format="A4"))
    rows = [text.count("Player") for text in printed]
    assert sum(rows) > 4 * players  # by table, by name with the opponent, standings
    assert all(found == 0 or found >= 5 for found in rows), rows


@pytest.mark.long
def test_every_page_of_a_table_has_its_heads(report: str, chromium: Any) -> None:
    with browser.page(chromium) as page:
        page.goto(report)
        printed = browser.pdf_pages(page.pdf(format="A5"))
    assert sum("Opponent" in text for text in printed) >= 1
    heads = "Opponent", "SoS", "Corp", "Counted"
    assert all(any(head in text for head in heads) for text in printed[:5])


@pytest.mark.long
def test_names_are_in_the_order_of_their_letters(tmp_path: Path) -> None:
    names = [
        "Zoë Ek",
        "Tove Lund",
        "Łukasz Nowak",
        "Øystein Moe",
        "Ärla Berg",
        "Mia Roth",
    ]
    run("solve", players_csv(tmp_path, names), "--report", tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text("utf-8")
    by_name = text[text.index("pairings by name") : text.index("<h2>Standings")]
    places = [
        by_name.index(f"</small> <bdi>{name}")
        for name in ["Ärla", "Łukasz", "Mia", "Øystein", "Tove", "Zoë"]
    ]
    assert places == sorted(places)


@pytest.mark.long
@pytest.mark.parametrize("twin", ["Alex Kim", "Alex  Kim", "ALEX KIM", "Alex\u00a0Kim"])
def test_two_players_of_one_name_are_told_apart(twin: str, tmp_path: Path) -> None:
    names = ["Alex Kim", twin, "Mia Roth", "Noor Jansen"]
    run("solve", players_csv(tmp_path, names), "--report", tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text("utf-8")
    for part in ("pairings by table", "pairings by name", "<h2>Standings"):
        section = text[text.index(part) :].split("</section>")[0]
        assert "Alex Kim (1)" in section
        assert f"{twin} (2)" in section


@pytest.mark.sweep
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_anyone_can_use_it(width: int, scheme: str, report: str, chromium: Any) -> None:
    size = {"width": width, "height": 800}
    with browser.page(chromium, viewport=size, color_scheme=scheme) as page:
        page.goto(report)
        page.locator("summary").first.click()
        assert browser.violations(page) == []


@pytest.mark.sweep
@pytest.mark.parametrize("width", [360, 1280])
def test_anyone_can_use_a_bracket(width: int, tmp_path: Path, chromium: Any) -> None:
    folder, players = tmp_path / "event", tmp_path / "players.csv"
    players.write_text(
        "player\n" + "".join(f"Player {k}\n" for k in range(8)), encoding="utf-8"
    )
    run("new", folder, "--players", players)
    run(
        "bracket",
        folder,
        "--cut",
        8,
        "--double",
        "--by-lot",
        "-o",
        tmp_path / "bracket.html",
    )
    with browser.page(chromium, viewport={"width": width, "height": 800}) as page:
        page.goto((tmp_path / "bracket.html").as_uri())
        assert browser.broken(page) == []
        assert browser.violations(page) == []
