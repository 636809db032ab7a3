"""One picture of a round: all matches as text, nothing hostile, no mark of a proof that is none."""

from __future__ import annotations

import csv
import io
import struct
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from organiser import client, event
from places import SAMPLE

import pairopt
from pairopt.cli import main
from pairopt.report.picture import draw_picture

SVG = "{http://www.w3.org/2000/svg}"
MARK = f"{SVG}circle"
EVENT = ["solve", str(SAMPLE / "matches.csv"), "--players", str(SAMPLE / "players.csv")]


def parsed(svg: bytes | str) -> ElementTree.Element:
    """The picture as XML, which it has to be."""
    return ElementTree.fromstring(svg)  # noqa: S314 - our own


def texts(root: ElementTree.Element) -> list[str]:
    """What stands in each text of a picture, without isolates of names from right to left."""
    found = ("".join(each.itertext()).strip() for each in root.iter(f"{SVG}text"))
    return [text.replace("\u2068", "").replace("\u2069", "") for text in found]


def drawn(path: Path, *more: str) -> bytes:
    done = CliRunner().invoke(main, [*EVENT, "--report", str(path), *more])
    assert done.exit_code in (0, 4), done.output
    return path.read_bytes()


@pytest.mark.long
def test_every_match_is_in_it_as_text(tmp_path: Path) -> None:
    """As the CSV of the same round has it, read by the csv module."""
    root = parsed(drawn(tmp_path / "r.svg"))
    found, done = texts(root), CliRunner().invoke(main, [*EVENT, "--format", "csv"])
    rows = [*csv.DictReader(io.StringIO(done.stdout))]
    assert len(rows) > 10
    for row in rows:
        names = (
            [row["player1"], row["player2"]]
            if row["side1"] != "runner"
            else [row["player2"], row["player1"]]
        )
        at = found.index(names[0])
        assert found[at - 1] == row["table"]
        assert found[at + 1] == (names[1] or "has the bye")
    assert len([*root.iter(MARK)]) == 1
    assert any("no pairing is better" in text for text in found)


@pytest.mark.long
def test_a_png_is_the_same_twice_as_large_and_the_same_bytes(tmp_path: Path) -> None:
    root = parsed(drawn(tmp_path / "r.svg"))
    made = drawn(tmp_path / "r.png")
    assert made[:8] == b"\x89PNG\r\n\x1a\n"
    size = struct.unpack(">II", made[16:24])
    assert size == tuple(2 * int(root.attrib[name]) for name in ("width", "height"))
    assert drawn(tmp_path / "again.png") == made


def test_what_is_not_proven_has_no_mark(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        main, [*EVENT, "--model", "aesops-by-hand", "--report", str(tmp_path / "r.svg")]
    )
    assert done.exit_code == 0, done.output
    root = parsed((tmp_path / "r.svg").read_bytes())
    assert not [*root.iter(MARK)]


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.text(min_size=1, max_size=40).filter(str.strip), min_size=2, max_size=9)
)
def test_any_names_are_text_and_nothing_else(names: list[str]) -> None:
    """Whatever players are called, the picture is well-formed and has its own elements alone."""
    frame = [*dict.fromkeys(f"{k} {name}" for k, name in enumerate(names))]
    import pandas as pd

    try:
        made = pairopt.read_event(pd.DataFrame({"player": frame}))
    except pairopt.InputError:
        return
    root = parsed(draw_picture(pairopt.solve(made)))
    assert {each.tag.removeprefix(SVG) for each in root.iter()} <= {
        "svg",
        "title",
        "rect",
        "text",
        "tspan",
        "line",
        "circle",
        "path",
    }
    assert not [
        each for each in root.iter() for name in each.attrib if name.startswith("on")
    ]


@pytest.mark.parametrize("players", [2, 5, 40, 151, 400])
def test_all_lines_lie_inside(players: int) -> None:
    import pandas as pd

    long = "Wolfeschlegelsteinhausenbergerdorff Hubert Blaine"
    frame = pd.DataFrame({"player": [f"{long} {k}" for k in range(players)]})
    root = parsed(draw_picture(pairopt.solve(pairopt.read_event(frame), "monrad")))
    width, height = (float(root.attrib[name]) for name in ("width", "height"))
    for each in root.iter(f"{SVG}text"):
        assert 0 < float(each.attrib["y"]) < height
        if "textLength" in each.attrib:
            assert float(each.attrib["x"]) + float(each.attrib["textLength"]) <= width


@pytest.mark.long
def test_the_page_offers_it_and_marks_only_what_is_proven_now(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEF", rounds=1)
    page = client(folder)
    assert 'href="/files/round-1.svg" download' in page.get("/round").text
    shown = page.get("/files/round-1.svg")
    assert shown.headers["content-type"].startswith("image/svg")
    root = parsed(shown.content)
    assert len([*root.iter(MARK)]) == 1
    assert page.get("/files/round-1.png").content[:4] == b"\x89PNG"
    assert page.get("/files/round-2.svg").status_code == 404
    matches = (folder / "matches.csv").read_text("utf-8")
    (one, two) = [line.split(",")[2] for line in matches.splitlines()[1:3]]
    swapped = (
        matches.replace(f",{one},", ",?,")
        .replace(f",{two},", f",{one},")
        .replace(",?,", f",{two},")
    )
    (folder / "matches.csv").write_text(swapped, "utf-8")
    root = parsed(page.get("/files/round-1.svg").content)
    assert not [*root.iter(MARK)]


def test_the_heading_has_a_space_before_the_title() -> None:
    """A renderer may drop blanks at the start of a tspan, so none begins with one."""
    read = pairopt.read_event(SAMPLE / "matches.csv")
    titled = replace(read, settings=replace(read.settings, title="FNM Friday"))
    result = pairopt.solve(titled)

    root = parsed(draw_picture(result))

    assert f"Round {result.round} · FNM Friday" in texts(root)
    spans = [span.text or "" for span in root.iter(f"{SVG}tspan")]
    assert spans == ["· FNM Friday"]


@pytest.mark.parametrize("name", ["r.pdf", "r.PDF", "r.docx"])
def test_a_name_that_promises_another_format_is_refused(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / name

    done = CliRunner().invoke(main, [*EVENT, "--report", str(path)])

    assert done.exit_code == 2
    assert f"--report {path.with_suffix('.html')}" in done.output
    assert not path.exists()


@pytest.mark.long
@pytest.mark.parametrize("name", ["r.html", "r.HTM", "report"])
def test_a_page_has_the_ending_of_a_page_or_none(tmp_path: Path, name: str) -> None:
    assert b"<html" in drawn(tmp_path / name)
