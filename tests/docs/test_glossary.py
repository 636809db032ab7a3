"""The glossary: each word is one of the code's, in each of the rooms that it names."""

from __future__ import annotations

import re

import pages
import pytest
from places import ROOT

ENTRIES = re.findall(r"^\| ([a-z]+) \| .* \| (`.*`) \|$", pages.page("glossary"), re.MULTILINE)


@pytest.mark.parametrize(("word", "rooms"), ENTRIES)
def test_a_word_is_met_in_its_rooms(word: str, rooms: str) -> None:
    said = re.compile(rf"\b{word}(s|es|d|ed)?\b", flags=re.IGNORECASE)
    for room in re.findall("`([a-z]+)`", rooms):
        modules = sorted((ROOT / "pairopt" / room).rglob("*.py"))
        assert modules, room
        assert any(said.search(path.read_text(encoding="utf-8")) for path in modules), room


def test_there_are_words_and_few() -> None:
    words = [word for word, _ in ENTRIES]
    assert words == sorted(set(words))
    assert 10 < len(words) < 30
    rows = [line for line in pages.page("glossary").splitlines() if line.startswith("| ")]
    assert len(rows) == len(words) + 1
