"""The page on the architecture: its picture, its table of rooms and the way of an event."""

from __future__ import annotations

import re
import shutil
import sys
import threading
import tomllib
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import FrameType
from xml.etree import ElementTree

import make_architecture as made
import pages
import pytest
from click.testing import CliRunner
from organiser import client, fields
from places import ROOT, SAMPLE

from pairopt.cli import main
from pairopt.folder import pair

RUN = "run `python tests/make/make_architecture.py`"
STORED = made.PICTURE.read_text(encoding="utf-8")
WAYS = {
    part.partition("\n")[0]: re.findall(
        r"^\| `pairopt/([\w/]+\.py)` \|", part, flags=re.MULTILINE
    )
    for part in pages.page("architecture").split("\n## The way of ")[1:]
}
OLD_PATHS = {"show"}
"""Packages that only keep import paths of version 1.0.0."""
FUNCTION = 0x1
"""The flag of code that is neither a module's nor a class's (inspect.CO_OPTIMIZED)."""


@pytest.mark.long
def test_the_picture_has_the_rooms_and_their_imports() -> None:
    """Which room imports which is exact; in how many modules may be a little out of date."""
    ElementTree.fromstring(STORED)  # noqa: S314 - our own picture
    assert made.boxes(STORED) == made.in_order(), RUN
    shown, now = made.numbers(STORED), dict(made.imports())
    assert set(shown) == set(now), RUN
    assert len(now) > 40
    far = {way for way in now if abs(shown[way] - now[way]) > max(3, now[way] // 3)}
    assert far == set(), RUN


def test_the_picture_is_drawn_from_top_to_bottom() -> None:
    order = made.boxes(STORED)
    assert all(
        order.index(one) < order.index(other) for one, other in made.numbers(STORED)
    )
    assert made.numbers(made.drawn()) == dict(made.imports())
    assert made.boxes(made.drawn()) == made.in_order()


def test_every_folder_is_a_room() -> None:
    folders = {path.parent.name for path in made.PACKAGE.glob("*/__init__.py")}
    assert set(made.rooms()) == folders - OLD_PATHS


@pytest.mark.parametrize("path", made.PAGES, ids=lambda path: path.stem)
def test_the_table_of_rooms_is_that_of_the_code(path: Path) -> None:
    page = pages.text(path)
    assert made.table() in page, RUN
    assert made.page(page) == page, RUN


def test_a_package_without_a_sentence_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "attic").mkdir()
    (tmp_path / "attic" / "__init__.py").write_text('"""Attic"""\n', encoding="utf-8")
    monkeypatch.setattr(made, "PACKAGE", tmp_path)
    with pytest.raises(ValueError, match=r"pairopt/attic/__init__.py: .*'Attic'"):
        made.purpose("attic")


@pytest.mark.long
def test_the_lines_of_the_rooms_are_those_of_the_package() -> None:
    every = (
        path.read_text(encoding="utf-8")
        for path in made.PACKAGE.rglob("*.py")
        if path.relative_to(made.PACKAGE).parts[0] not in OLD_PATHS
    )
    assert sum(made.lines().values()) == sum(len(text.splitlines()) for text in every)


def called(do: Callable[[], object]) -> list[str]:
    """The package's files in the order in which a function of theirs is first called."""
    found: dict[str, None] = {}
    package = str(made.PACKAGE)

    def note(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if (
            event == "call"
            and code.co_flags & FUNCTION
            and code.co_filename.startswith(package)
        ):
            found[str(Path(code.co_filename).relative_to(package))] = None

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        do()
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    return list(found)


def require_way(name: str, do: Callable[[], object]) -> None:
    """What is done goes the way that the page says, in its order."""
    do()  # imports what is imported on first use
    way = WAYS[name]
    assert [file for file in called(do) if file in way] == way
    assert all((ROOT / "pairopt" / file).is_file() for file in way)


@pytest.mark.long
def test_an_event_goes_the_way_that_the_page_says() -> None:
    arguments = [
        "solve",
        str(SAMPLE / "matches.csv"),
        "--players",
        str(SAMPLE / "players.csv"),
    ]

    def solved() -> None:
        assert CliRunner().invoke(main, arguments).exit_code == 0

    require_way("an event", solved)
    assert len(WAYS["an event"]) > 15


def layer(file: str) -> int:
    """How far down a file's room is."""
    layers = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    rows = layers["tool"]["importlinter"]["contracts"][0]["layers"]
    room = file.split("/")[0].removesuffix(".py")
    return next(k for k, row in enumerate(rows) if room in row.split(" | "))


@pytest.mark.long
def test_a_result_goes_down_all_the_way(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    shutil.copytree(SAMPLE, folder)
    pair(folder)
    browser, tables = client(folder), count(1)

    def slipped() -> None:
        form = fields(browser.get("/results").text, "/results/slip")
        slip = {**form, "slip": f"{next(tables)} 1"}
        assert (
            browser.post("/results/slip", data=slip, follow_redirects=False).status_code
            == 303
        )

    require_way("a result", slipped)
    levels = [layer(file) for file in WAYS["a result"]]
    assert levels == sorted(levels)
    assert levels[0] < levels[-1]


@pytest.mark.long
def test_a_message_goes_from_its_cause_to_the_screen(tmp_path: Path) -> None:
    """What is below tells no more than a kind; the door draws it."""
    way = WAYS["a message"]
    event, errors, words, doors = way
    shutil.copytree(SAMPLE, tmp_path / "event")

    def dropped() -> None:
        done = CliRunner().invoke(main, ["drop", str(tmp_path / "event"), "nobody"])
        assert done.output.startswith(
            "Error: 'nobody' is not a player of this event. Check the spelling.\n"
        )

    dropped()
    order = called(dropped)
    assert [file for file in order if file in (event, errors, words)] == [
        event,
        errors,
        words,
    ]
    assert layer(event) < layer(errors) < layer(words)
    assert layer(words) == layer(doors)
    assert all((ROOT / "pairopt" / file).is_file() for file in way)
