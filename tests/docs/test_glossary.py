"""The glossary: each word is one of the code's, in each of the rooms that it names."""

from __future__ import annotations

import re
from collections import defaultdict

import pages
import pytest
from places import ROOT

PACKAGE = ROOT / "pairopt"
ENTRIES = re.findall(
    r"^\| ([a-z ]+) \| .* \| (`.*`) \|$", pages.page("glossary"), re.MULTILINE
)


TABLES = [
    re.findall(r"^\| ([a-z ]+) \| .* \| `.*` \|$", part, re.MULTILINE)
    for part in pages.page("glossary").split("\n## ")[1:]
]


@pytest.mark.parametrize(("word", "rooms"), ENTRIES)
def test_a_word_is_met_in_its_rooms(word: str, rooms: str) -> None:
    spelled = word.replace(" ", "[ _]")
    said = re.compile(rf"(?<![a-z]){spelled}(s|es|d|ed)?(?![a-z])", flags=re.IGNORECASE)
    for room in re.findall("`([a-z]+)`", rooms):
        modules = [text for path, text in CODE.items() if path.startswith(f"{room}/")]
        assert modules, room
        assert any(map(said.search, modules)), room


def test_there_are_words_and_few() -> None:
    words = [word for word, _ in ENTRIES]
    assert sorted(words) == sorted(set(words))
    assert 30 < len(words) < 60
    assert len(TABLES) == 4
    for table in TABLES:
        assert table == sorted(table)
    rows = [
        line for line in pages.page("glossary").splitlines() if line.startswith("| ")
    ]
    assert len(rows) == len(words) + len(TABLES)


CODE = {
    str(path.relative_to(PACKAGE)): path.read_text(encoding="utf-8")
    for path in sorted(PACKAGE.rglob("*.py"))
}


TWICE = {"Claim", "_CellLocation", "_RoundCell"}
"""Classes that are defined twice: `verify.py` imports nothing of the package, so it has a `Claim`
of its own, and two file formats have cells of their own."""


def test_a_class_is_defined_once() -> None:
    modules = defaultdict(list)
    for path, text in CODE.items():
        for name in re.findall(r"^ *class (\w+)[(:\[]", text, re.MULTILINE):
            modules[name].append(path)
    assert {name for name, where in modules.items() if len(where) > 1} == TWICE
