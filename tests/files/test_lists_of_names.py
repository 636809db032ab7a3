"""Lists that people paste: a column `name`, or names alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from notes import notes_of

from pairopt import InputError, read_event


def given(folder: Path, text: str) -> Path:
    path = folder / "list.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_column_name_is_the_players(tmp_path: Path) -> None:
    event = read_event(given(tmp_path, "Name;Club\nAnn;X\nBob;Y\n"))
    assert event.players == ("Ann", "Bob")
    assert event.columns == {"club": ("X", "Y")}


def test_names_alone(tmp_path: Path) -> None:
    event = read_event(given(tmp_path, "Ann  Lee\n\nBob O'Neil\nÉva Nagy-Kiss\n"))
    assert event.players == ("Ann Lee", "Bob O'Neil", "Éva Nagy-Kiss")
    assert any("read as a list of names" in note for note in notes_of(event))


def test_a_name_twice_has_its_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 3: 'Ann' is already in line 1"):
        read_event(given(tmp_path, "Ann\nBob\nAnn\n"))


@pytest.mark.parametrize("text", ["one,two\na,b\n", "Only\n", "x = 1\ny = 2\n", "Players:\nAnn\n"])
def test_what_is_no_list_of_names(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="expected one of"):
        read_event(given(tmp_path, text))
