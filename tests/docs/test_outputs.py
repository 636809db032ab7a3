"""Pages show what their commands print."""

from __future__ import annotations

from pathlib import Path

import outputs
import pages
import pytest


@pytest.mark.long
@pytest.mark.parametrize(
    "path", outputs.pages_with_outputs(), ids=lambda path: path.stem
)
def test_a_page_shows_what_its_commands_print(path: Path) -> None:
    page = pages.text(path)
    assert outputs.with_outputs(page) == page, "run `python tests/make/make_outputs.py`"


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        ("1", "one"),
        ("1-2", "one\ntwo"),
        ("-1", "four"),
        ("1,-2--1", "one\n…\nthree\nfour"),
        ("3-9", "three\nfour"),
    ],
)
def test_lines_are_chosen_by_number(wanted: str, shown: str) -> None:
    assert outputs.choose_lines("one\ntwo\nthree  \nfour\n", wanted) == shown
