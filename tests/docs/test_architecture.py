"""The page on the architecture: its picture, its table of rooms and the way of an event."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType
from xml.etree import ElementTree

import make_architecture as made
import pages
import pytest
from click.testing import CliRunner
from places import ROOT, SAMPLE

from pairopt.show.cli import main

RUN = "run `python tests/make/make_architecture.py`"
STORED = made.PICTURE.read_text(encoding="utf-8")
WAY = re.findall(r"^\| `pairopt/([\w/]+\.py)` \|", pages.page("architecture"), flags=re.MULTILINE)
FUNCTION = 0x1
"""The flag of code that is neither a module's nor a class's (inspect.CO_OPTIMIZED)."""


def test_the_picture_has_the_rooms_and_their_imports() -> None:
    """Which room imports which is exact; in how many modules may be a little out of date."""
    ElementTree.fromstring(STORED)  # noqa: S314 - our own picture
    assert made.boxes(STORED) == [*made.rooms(), made.BASE], RUN
    shown, now = made.numbers(STORED), dict(made.imports())
    assert set(shown) == set(now), RUN
    assert len(now) > 40
    far = {way for way in now if abs(shown[way] - now[way]) > max(3, now[way] // 3)}
    assert far == set(), RUN


def test_the_picture_is_drawn_from_top_to_bottom() -> None:
    order = made.boxes(STORED)
    assert all(order.index(one) < order.index(other) for one, other in made.numbers(STORED))
    assert made.numbers(made.drawn()) == dict(made.imports())
    assert made.boxes(made.drawn()) == [*made.rooms(), made.BASE]


def test_every_folder_is_a_room() -> None:
    folders = {path.parent.name for path in made.PACKAGE.glob("*/__init__.py")}
    assert set(made.rooms()) == folders


@pytest.mark.parametrize("path", made.PAGES, ids=lambda path: path.stem)
def test_the_table_of_rooms_is_that_of_the_code(path: Path) -> None:
    page = pages.text(path)
    assert made.table() in page, RUN
    assert made.page(page) == page, RUN


def test_a_room_without_a_question_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "attic").mkdir()
    (tmp_path / "attic" / "__init__.py").write_text('"""Attic: old things."""\n', encoding="utf-8")
    monkeypatch.setattr(made, "PACKAGE", tmp_path)
    with pytest.raises(ValueError, match=r"pairopt/attic/__init__.py: expected .*old things"):
        made.question("attic")


def test_the_lines_of_the_rooms_are_those_of_the_package() -> None:
    every = (path.read_text(encoding="utf-8") for path in made.PACKAGE.rglob("*.py"))
    assert sum(made.lines().values()) == sum(len(text.splitlines()) for text in every)


def called(arguments: list[str]) -> list[str]:
    """The package's files in the order in which a command first calls a function of theirs."""
    found: dict[str, None] = {}
    package = str(made.PACKAGE)

    def note(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_flags & FUNCTION and code.co_filename.startswith(package):
            found[str(Path(code.co_filename).relative_to(package))] = None

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        assert CliRunner().invoke(main, arguments).exit_code == 0
    finally:
        sys.setprofile(before)
    return list(found)


def test_an_event_goes_the_way_that_the_page_says() -> None:
    arguments = ["solve", str(SAMPLE / "matches.csv"), "--players", str(SAMPLE / "players.csv")]
    called(arguments)  # imports what is imported on first use
    order = called(arguments)
    assert [file for file in order if file in WAY] == WAY
    assert len(WAY) > 15
    assert all((ROOT / "pairopt" / file).is_file() for file in WAY)
