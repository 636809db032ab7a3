"""Meanwhile: what others have changed in an event since a page showed it.

A cell is known by words, as ("players.csv", "anna", "active") or ("matches.csv", "2", "17",
"score1"); those of names and titles, by which nobody is paired, begin with one more: "names".
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from pairopt.errors import InputError
from pairopt.event.name_search import normalize_name
from pairopt.files.event_folder import BRACKET, EVENT, FILES, MATCHES, PLAYERS, Files
from pairopt.files.text_source import decode_text
from pairopt.folder.open_folder import OpenFolder, StaleStateError
from pairopt.folder.protected_facts import rows_of
from pairopt.messages import Note, message, with_heading

Words = tuple[str, ...]
NAMES = "names"
KEYS = {PLAYERS: ("player", "name"), BRACKET: ("match",), MATCHES: ("table", "player1")}
"""The columns by which rows of a file are known: the first one that is filled."""


def open_as_shown(desk: OpenFolder, state: str) -> OpenFolder:
    """The desk as a page showed it in a state that a step has left, for rehearsals. Raises
    StaleStateError where none has.
    """
    for _, files in desk.journal.since(state):
        return replace(desk.rehearsed(), files=files)
    raise StaleStateError


def require_unchanged(
    desk: OpenFolder, then: OpenFolder, reads: Iterable[Words]
) -> None:
    """Raises StaleStateError, with the steps that did it, where cells whose first words are these are
    others than they were; "*" is any word.
    """
    known = tuple(reads)
    if _touched(known, then.files, desk.files):
        steps = pairwise(desk.journal.since(then.state))
        raise StaleStateError(
            step
            for (_, before), (step, after) in steps
            if _touched(known, before, after)
        )


def last_change(desk: OpenFolder) -> Note:
    for step, _ in desk.journal.since(desk.state):
        return with_heading(message("folder.changed_by", who=step.who), step.did)
    return message("folder.changed_by_hand")


def _touched(reads: tuple[Words, ...], before: Files, after: Files) -> bool:
    one, two = (
        _cells(*((name, files.get(name, b"")) for name in FILES))
        for files in (before, after)
    )
    others = [
        words for words in one.keys() | two.keys() if one.get(words) != two.get(words)
    ]
    return any(
        all(word in ("*", said) for word, said in zip(known, words, strict=False))
        for known in reads
        for words in others
    )


@lru_cache(maxsize=8)
def _cells(*files: tuple[str, bytes]) -> Mapping[Words, str]:
    """The cells of files; one that cannot be read has none."""
    cells = (
        _describe_changes(content) if name == EVENT else _table(name, content)
        for name, content in files
    )
    return {words: cell for found in cells for words, cell in found}


def _table(name: str, content: bytes) -> Iterator[tuple[Words, str]]:
    for row in rows_of(name, content):
        key = next((row[column] for column in KEYS[name] if row.get(column)), "")
        at = (
            (name, row.get("round", ""), normalize_name(key))
            if name == MATCHES
            else (name, normalize_name(key))
        )
        for column, cell in row.items():
            if cell and (column, cell) != (
                "active",
                "true",
            ):  # as it is without this column
                yield (
                    (*([NAMES] if column.startswith("name") else []), *at, column),
                    cell,
                )


def _describe_changes(content: bytes) -> Iterator[tuple[Words, str]]:
    try:
        said = tomllib.loads(decode_text(EVENT, content).text)
    except (InputError, ValueError):
        return
    for each in said.pop("forbid", []):
        one, two = map(
            normalize_name, each["players"] if isinstance(each, dict) else each
        )
        yield (EVENT, "forbid", one, two), str(each)
        yield (EVENT, "forbid", two, one), str(each)
    for name, worth in said.pop("points", {}).items():
        one_of = name in ("win", "draw", "loss", "games")
        yield (
            (EVENT, *(("points", name) if one_of else (f"points.{name}",))),
            str(worth),
        )
    for key, each in said.items():
        yield (*([NAMES] if key == "title" else []), EVENT, key), str(each)
