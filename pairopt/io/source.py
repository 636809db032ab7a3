"""A source: the text of a file, decoded, or the one error that says why it is not text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pairopt.errors import Fault, InputError, Line

LARGEST_FILE = 2**26
"""Bytes. 64 MB are a million matches; a device without an end is not read for ever."""


LONGEST_CELL = 131_072
"""Characters; the csv module reads no more."""
NO_TEXT = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Source:
    """The name a file is reported by, and its text."""

    name: str
    text: str


def read_source(path: str | Path) -> Source:
    """The text of a file: UTF-8, with or without a byte order mark.

    Raises InputError when it cannot be read, is empty, is too large, or is not text.
    """
    name = str(path)
    try:
        with Path(path).open("rb") as file:
            raw = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise InputError(name, f"cannot be read: {error.strerror}") from None
    return decoded(name, raw)


def decoded(name: str, raw: bytes) -> Source:
    """The text in the bytes of a file.

    Raises InputError when it is empty, too large, or no text.
    """
    if len(raw) > LARGEST_FILE:
        raise InputError(name, f"larger than {LARGEST_FILE // 2**20} MB: no event is")
    if not raw.strip():
        raise InputError(name, "the file is empty")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = Line(raw[: error.start].count(b"\n") + 1)
        raise InputError(name, [Fault("not a UTF-8 text file", place)]) from None
    if "\0" in text:
        place = Line(text[: text.index("\0")].count("\n") + 1)
        raise InputError(name, [Fault("not a text file: a NUL byte", place)])
    return Source(name, text)


def is_text(text: str) -> bool:
    """Whether a cell of a CSV can hold it: JSON and DataFrames may bring what none can."""
    return len(text) <= LONGEST_CELL and NO_TEXT.search(text) is None
