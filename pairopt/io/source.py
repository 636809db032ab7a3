"""A source: the text of a file, decoded, or the one error that says why it is not text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pairopt.errors import InputError


@dataclass(frozen=True, slots=True)
class Source:
    """The name a file is reported by, and its text."""

    name: str
    text: str


def read_source(path: str | Path) -> Source:
    """The text of a file: UTF-8, with or without a byte order mark.

    Raises InputError when it cannot be read, is empty, or is not text.
    """
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}") from None
    return decoded(str(path), raw)


def decoded(name: str, raw: bytes) -> Source:
    """The text in the bytes of a file. Raises InputError when it is empty, or no text."""
    if not raw.strip():
        raise InputError(name, "the file is empty")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise InputError(name, f"not a UTF-8 text file (line {line})") from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise InputError(name, f"not a text file: a NUL byte in line {line}")
    return Source(name, text)
