"""The glossary: each word is one of the code's, in each of the rooms that it names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pages
import pytest
from places import ROOT

NAMES = re.findall(
    r"^\| `(\w+)` \| .* \| `([\w/.]+)` \|$", pages.page("glossary"), re.MULTILINE
)
PACKAGE = ROOT / "pairopt"
ENTRIES = re.findall(
    r"^\| ([a-z]+) \| .* \| (`.*`) \|$", pages.page("glossary"), re.MULTILINE
)


@pytest.mark.parametrize(("word", "rooms"), ENTRIES)
def test_a_word_is_met_in_its_rooms(word: str, rooms: str) -> None:
    said = re.compile(rf"\b{word}(s|es|d|ed)?\b", flags=re.IGNORECASE)
    for room in re.findall("`([a-z]+)`", rooms):
        modules = [text for path, text in CODE.items() if path.startswith(f"{room}/")]
        assert modules, room
        assert any(map(said.search, modules)), room


def test_there_are_words_and_few() -> None:
    words = [word for word, _ in ENTRIES]
    assert words == sorted(set(words))
    assert 10 < len(words) < 30
    rows = [
        line for line in pages.page("glossary").splitlines() if line.startswith("| ")
    ]
    assert len(rows) == len(words) + len(NAMES) + 2


CODE = {
    str(path.relative_to(PACKAGE)): path.read_text(encoding="utf-8")
    for path in sorted(PACKAGE.rglob("*.py"))
}


def defined(line: str) -> Mapping[str, list[str]]:
    """The modules of the package that have such a line, by the name that is in it."""
    found = defaultdict(list)
    for path, text in CODE.items():
        for name in re.findall(line, text, re.MULTILINE):
            found[name].append(path)
    return found


CLASSES, FUNCTIONS = defined(r"^ *class (\w+)[(:\[]"), defined(r"^def (\w+)[(\[]")
MODULES = defaultdict(list)
for each in CODE:
    MODULES[Path(each).stem].append(each)

TWO = {
    "Asked",
    "Claim",
    "Entrant",
    "Prices",
    "Rule",
    "Table",
    "Words",
    "_Cell",
    "_Place",
    "changes",
    "records",
    "settings",
    "worth",
}
"""Names that have a second meaning still. It gets no longer: what is cleared is struck out."""


def test_a_class_is_defined_once() -> None:
    assert {name for name, where in CLASSES.items() if len(where) > 1} == {
        name for name in TWO if not name.islower()
    }


@pytest.mark.parametrize(("name", "where"), NAMES)
def test_a_name_has_one_meaning(name: str, where: str) -> None:
    every = (
        CLASSES[name]
        if name[0].isupper()
        else sorted({*FUNCTIONS[name], *MODULES[name]})
    )
    assert where in every
    assert (len(every) > 1) == (name in TWO), every


def test_the_glossary_has_the_names_of_two_meanings() -> None:
    assert len({name for name, _ in NAMES}) == len(NAMES) >= 15
    assert {name for name in TWO if name.islower()} <= {name for name, _ in NAMES}
