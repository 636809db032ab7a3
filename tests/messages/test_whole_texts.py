"""Each text of a catalogue stands alone, and only the interfaces turn messages into text."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import ROOT

from pairopt.messages import FORMS

PACKAGE = ROOT / "pairopt"
CATALOGUES = {
    f"{folder.parent.name} {folder.name}": folder
    for folder in (
        *(PACKAGE / "messages" / name for name in ("english", "full", "spoken")),
        *(
            PACKAGE / "messages" / "interfaces" / name
            for name in ("terminal", "page", "request")
        ),
    )
}
HEADINGS = {
    "change.no_table_but",
    "change.tables",
    "fide_data.unsure",
    "fide_data.wrong",
    "listing.columns",
    "rules.by_engine",
    "rules.by_system",
    "rules.by_weight",
    "rules.in_order",
    "rules.never",
}
"""Texts above a list, which end with a colon."""
LAST_OF_MANY = {"fact.more", "upload.more"}
"""Texts that end a list of messages: `and 3 more`."""
WITHOUT_CAPITAL = 274
WITHOUT_FULL_STOP = 570
"""So many texts of all catalogues begin with a small letter, or end without punctuation.

Lower these numbers when you write texts anew. They never rise."""


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    """The id and the text of each message of a catalogue."""
    for path in sorted(folder.glob("*.toml")):
        for name, text in tomllib.loads(path.read_text(encoding="utf-8")).items():
            if (kind := f"{path.stem}.{name}") not in FORMS:
                yield kind, text


@pytest.mark.parametrize("name", CATALOGUES)
def test_no_text_is_a_fragment(name: str) -> None:
    wrong = [kind for kind, text in texts(CATALOGUES[name]) if is_fragment(kind, text)]
    assert wrong == []


def is_fragment(kind: str, text: str) -> bool:
    """Return whether a text needs another one before or after it."""
    indented = kind.startswith("listing.")  # lines below the name of a file
    if text.rstrip() != text or (text.lstrip() != text and not indented):
        return True
    if re.search(r"[:;,(]$", text) and not (text.endswith(":") and kind in HEADINGS):
        return True
    if re.match(r"\s*([,;:.)]|(and|or|but)\b)", text) and kind not in LAST_OF_MANY:
        return True
    return text.count("(") != text.count(")")


@pytest.mark.parametrize("text", ["and {x}", "{x}:", " {x}", "{x} (", ", {x}", "{x};"])
def test_a_fragment_is_noticed(text: str) -> None:
    assert is_fragment("file.empty", text)


def test_no_more_texts_than_before_are_unfinished() -> None:
    every = [text for folder in CATALOGUES.values() for _, text in texts(folder)]
    small = [text for text in every if not (text[0].isupper() or text[0] in "{\"'")]
    unended = [text for text in every if text[-1] not in ".?!"]
    assert len(small) <= WITHOUT_CAPITAL
    assert len(unended) <= WITHOUT_FULL_STOP


INTERFACES = {"api", "cli", "messages", "report", "show", "web"}
FORMATTERS = {"ENGLISH", "SPOKEN", "FULL", "MessageFormatter"}
"""What turns messages into text."""
MAY_IMPORT = {
    "errors.py": {
        "ENGLISH",
        "MessageFormatter",
    },  # the text of an exception that nobody catches
    "folder/journal.py": {"ENGLISH"},  # whether a step from a file has a known id
    "round/explain.py": {"SPOKEN", "FULL"},  # JSON has an answer in three lengths
}
MAY_FORMAT = {
    "event/brackets.py": 1,  # where a player of a match comes from
    "files/event_folder.py": 1,  # an OSError has a text
    "files/workbook.py": 1,  # the same of an import that fails
    "files/workbook_writing.py": 1,
    "folder/logged_results.py": 1,  # the log keeps a result as text
}
"""Modules below the interfaces that call `str` on a message, and how often."""


@pytest.mark.long
def test_only_interfaces_import_a_formatter() -> None:
    found: dict[str, set[str]] = {}
    for path, tree in below_interfaces():
        for node in ast.walk(tree):
            if (
                not isinstance(node, ast.ImportFrom)
                or node.module != "pairopt.messages"
            ):
                continue
            if names := {each.name for each in node.names} & FORMATTERS:
                found.setdefault(path, set()).update(names)
    assert found == MAY_IMPORT


@pytest.mark.long
def test_only_interfaces_turn_a_message_into_text() -> None:
    """Calls such as `str(message(…))`. JSON and the log of an event folder keep texts besides."""
    found: dict[str, int] = {}
    for path, tree in below_interfaces():
        for node in ast.walk(tree):
            if is_call(node, "str") and any(
                is_call(each, "message") for each in node.args
            ):
                found[path] = found.get(path, 0) + 1
    assert found == MAY_FORMAT


def is_call(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == name


def below_interfaces() -> Iterator[tuple[str, ast.Module]]:
    """Modules below the interfaces, without those of the formatter."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if name.partition("/")[0] not in INTERFACES:
            yield name, ast.parse(path.read_text(encoding="utf-8"))
