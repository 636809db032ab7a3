"""Console: what is said reaches one that is not UTF-8, in the characters that it has."""

from __future__ import annotations

import codecs
import io
import sys
import unicodedata

import click

ASCII = "ascii_as_said"
ALIKE = {"½": ".5", "─": "-", "→": "->", "≥": ">=", "≤": "<=", "…": "..."}
"""What stands for characters that are not letters with a mark."""


def prepare_output() -> None:
    """Let characters that the output does not have be written as ones that look alike.

    Files are not meant, nor what programs read (see `give`): these are UTF-8.
    """
    codecs.register_error("pairopt", _alike)
    codecs.register(_as_said)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            plain = codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding=ASCII if plain else None, errors="pairopt")


def give(text: str, form: str) -> None:
    """A result on stdout: a table in the characters of a console, what programs read in UTF-8."""
    click.echo(text if form == "table" else text.encode(), nl=False)


def _as_said(name: str) -> codecs.CodecInfo | None:
    """ASCII under another name: click takes the usual one for a mistake, and writes UTF-8."""
    if name != ASCII:
        return None
    known = codecs.lookup("ascii")
    return codecs.CodecInfo(
        known.encode, known.decode, known.streamreader, known.streamwriter,
        known.incrementalencoder, known.incrementaldecoder, name=ASCII,
    )  # fmt: skip


def _alike(error: UnicodeError) -> tuple[str, int]:
    """The handler of characters that cannot be encoded, see `codecs.register_error`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(map(_plainer, missing)), error.end


def _plainer(character: str) -> str:
    """A letter without its mark, a sign in ASCII, else a question mark."""
    letter = unicodedata.normalize("NFKD", character)[:1]
    return ALIKE.get(character) or (letter if letter.isascii() else "?")
