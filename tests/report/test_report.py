"""The HTML report: what is in it, hostile names, the same bytes, and a real browser."""

from __future__ import annotations

import hashlib
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import browser
import pytest
from click.testing import CliRunner
from places import SAMPLE

from pairopt.cli import main

HOSTILE = '<script>alert(1)</script>" onload="x'


class Tags(HTMLParser):
    """Every element with its attributes, and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def report(folder: Path, *more: str) -> Path:
    for name in ("matches.csv", "players.csv"):
        if not (folder / name).exists():
            shutil.copy(SAMPLE / name, folder / name)
    path = folder / "report.html"
    event = [str(folder / "matches.csv"), "--players", str(folder / "players.csv")]
    run = CliRunner().invoke(main, ["solve", *event, "--report", str(path), *more])
    assert run.exit_code == 0, run.stderr
    assert f"report: written to {path}" in run.stderr
    return path


def read(path: Path) -> Tags:
    tags = Tags()
    tags.feed(path.read_text(encoding="utf-8"))
    return tags


@pytest.mark.long
def test_everything_is_on_the_page(tmp_path: Path) -> None:
    tags = read(report(tmp_path, "--seed", "3"))
    text = " ".join(tags.text)
    assert "Round 6" in text
    assert "seed 3" in text
    assert "no pairing is better" in text
    assert "--seed 3" in text
    checksum = hashlib.sha256((tmp_path / "matches.csv").read_bytes()).hexdigest()
    assert checksum in text
    matches = [
        attributes for _, attributes in tags.found if attributes.get("class") == "match"
    ]
    assert len(matches) == 19  # with the bye
    assert sum(tag == "details" for tag, _ in tags.found) == 19
    sections = text.split("levels and reasons")
    assert sections[1].count(" meets ") >= 18
    assert "proven" in sections[1]
    assert "has the bye: no player with fewer points may have the bye." in text
    assert not [
        tag for tag, _ in tags.found if tag in ("script", "link", "img", "iframe")
    ]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    urls = set(re.findall(r"https?://[^\s\"'<>)]+", page))
    assert not urls


@pytest.mark.long
def test_the_same_bytes_every_time(tmp_path: Path) -> None:
    first = report(tmp_path).read_bytes()
    assert report(tmp_path).read_bytes() == first


@pytest.mark.long
def test_a_hostile_name_is_only_a_name(tmp_path: Path) -> None:
    for name in ("matches.csv", "players.csv"):
        text = (SAMPLE / name).read_text(encoding="utf-8")
        quoted = '"' + HOSTILE.replace('"', '""') + '"'
        text = text.replace("Elif Demir", quoted)
        (tmp_path / name).write_text(text, encoding="utf-8")
    tags = read(report(tmp_path))
    assert not [tag for tag, _ in tags.found if tag == "script"]
    assert not [
        a for _, attributes in tags.found for a in attributes if a.startswith("on")
    ]
    assert HOSTILE in " ".join(tags.text)


@pytest.mark.long
def test_an_event_without_sides(tmp_path: Path) -> None:
    path = tmp_path / "event.csv"
    path.write_text(
        "round,player1,player2,score1,score2\n1,a,b,1,0\n1,c,,1,\n", encoding="utf-8"
    )
    out = tmp_path / "page.html"
    run = CliRunner().invoke(
        main, ["solve", str(path), "--model", "double-sided", "--report", str(out)]
    )
    assert run.exit_code == 0, run.stderr
    assert "Side" not in " ".join(read(out).text)


def test_nothing_is_written_where_nothing_fits(tmp_path: Path) -> None:
    path = tmp_path / "event.csv"
    path.write_text(
        "round,player1,player2,score1,score2\n1,a,b,1,0\n", encoding="utf-8"
    )
    out = tmp_path / "page.html"
    run = CliRunner().invoke(
        main, ["solve", str(path), "--model", "monrad", "--report", str(out)]
    )
    assert run.exit_code == 1
    assert not out.exists()


@pytest.mark.sweep
@pytest.mark.parametrize(
    "scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)]
)
def test_in_a_real_browser(scheme: str, tmp_path: Path, chromium: Any) -> None:
    path = report(tmp_path)
    seen: list[str] = []
    size = {"width": 380, "height": 700}
    with browser.page(chromium, viewport=size, color_scheme=scheme) as page:
        page.on(
            "console", lambda message: seen.append(f"{message.type}: {message.text}")
        )
        page.on("pageerror", lambda error: seen.append(str(error)))
        page.on("request", lambda request: seen.append(request.url))
        page.goto(path.as_uri())
        assert seen == [path.as_uri()]  # the page itself, and nothing else
        first = page.locator("details").first
        assert not first.locator("p").is_visible()
        first.locator("summary").click()
        assert first.locator("p").is_visible()
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 380  # fits a phone
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (
            colour == {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 22, 22)"}[scheme]
        )
        page.emulate_media(media="print")
        rows = page.locator("tr.match")
        assert rows.count() == 19
        assert all(rows.nth(k).is_visible() for k in range(19))
        assert not page.locator("details").first.is_visible()
        pdf = page.pdf()
    assert pdf.startswith(b"%PDF")
    names = [
        row.split(",")[0]
        for row in (tmp_path / "players.csv").read_text("utf-8").split("\n")
    ]
    assert all(name in " ".join(browser.pdf_pages(pdf)) for name in names[1:4])
