"""Console: what is said, and how far a run is; also on one that is not UTF-8."""

import codecs
import io
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import click

from pairopt.messages import AnyMessage
from pairopt.messages.formatting import escape_hidden, with_half_signs
from pairopt.messages.interfaces import TERMINAL

ASCII = "ascii_as_said"
ALIKE = {"½": ".5", "─": "-", "→": "->", "≥": ">=", "≤": "<=", "…": "..."}
"""What stands for characters that are not letters with a mark."""
BETWEEN = "   "  # what is between two columns
SECONDS = 30  # between two lines that say how far a run is


def prepare_output() -> None:
    """Let characters that the output does not have be written as ones that look alike. Files are
    not meant, nor what programs read (see `give`): these are UTF-8.
    """
    codecs.register_error("pairopt", _alike)
    codecs.register(_as_said)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            poor = codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding=ASCII if poor else None, errors="pairopt")


def give(text: str, form: str) -> None:
    """A result on stdout: a table in characters of a console, else UTF-8; it steers no terminal."""
    if sys.stdout.isatty():
        text = "\n".join(map(escape_hidden, text.split("\n")))
    click.echo(text if form == "table" else text.encode(), nl=False)


def echo_notes(
    notes: Iterable[str | AnyMessage],
    known: Iterable[str | AnyMessage] = (),
    where: str = "",
) -> None:
    """Notes about the input, but those that are known already, on stderr."""
    for note in notes:
        if note not in known:
            say(f"note: {where}{TERMINAL.format_message(note)}")


def say(*lines: str | AnyMessage) -> None:
    """Lines on stderr; what is in them cannot steer a terminal."""
    for line in lines:
        click.echo(
            escape_hidden(with_half_signs(TERMINAL.format_message(line))), err=True
        )


def table_text(
    columns: Sequence[str], rows: Sequence[Sequence[object]], right: str = ""
) -> str:
    """A table as plain text; the columns named in `right` (comma-separated) align right."""
    from rich.cells import cell_len

    cells = [[escape_hidden(cell) for cell in row] for row in (columns, *rows)]
    widths = [[cell_len(cell) for cell in row] for row in cells]
    most = [max(column) for column in zip(*widths, strict=True)]
    lefts = [name not in right.split(",") for name in columns]
    lines = []
    for row, own in zip(cells, widths, strict=True):
        gaps = [" " * (wide - width) for wide, width in zip(most, own, strict=True)]
        aligned = (
            cell + gap if left else gap + cell
            for cell, gap, left in zip(row, gaps, lefts, strict=True)
        )
        lines.append(BETWEEN.join(aligned).rstrip())
    lines.insert(1, "─" * (sum(most) + len(BETWEEN) * (len(most) - 1)))
    return "\n".join([*lines, ""])


def _as_said(name: str) -> codecs.CodecInfo | None:
    """ASCII under another name: click takes the usual one for a mistake, and writes UTF-8."""
    if name != ASCII:
        return None
    known = codecs.lookup("ascii")
    steps = known.incrementalencoder, known.incrementaldecoder
    return codecs.CodecInfo(*known, *steps, name=ASCII)


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


@contextmanager
def progress() -> Iterator[Callable[[int, int], None]]:
    """What is to be told how many parts are done, and how many there are."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines()
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("")
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _lines() -> Callable[[int, int], None]:
    """Says nothing of what is over at once."""
    begun = last = time.monotonic()
    at_first: int | None = None

    def tell(done: int, total: int) -> None:
        nonlocal last, at_first
        now = time.monotonic()
        at_first = done if at_first is None else at_first
        if now - last >= SECONDS:
            last, passed, new = now, now - begun, done - at_first
            left = f", {passed / new * (total - done):.0f} s left" if new else ""
            say(f"{done} of {total} parts after {passed:.0f} s{left}")

    return tell
