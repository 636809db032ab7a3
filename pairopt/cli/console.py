"""Write to the terminal: notes, tables, progress; also if it does not use UTF-8."""

import codecs
import io
import re
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import click

from pairopt.folder.commands import list_command_names
from pairopt.messages import AnyMessage
from pairopt.messages.formatting import (
    escape_hidden,
    quote_for_shell,
    with_half_signs,
)
from pairopt.messages.interfaces import TERMINAL

ASCII = "ascii_as_said"
ALIKE = {"½": ".5", "─": "-", "→": "->", "≥": ">=", "≤": "<=", "…": "..."}
"""Replacements for characters that are no letters with a diacritic."""
# The blanks between two columns of a table.
BETWEEN = "   "
COMMAND_ON_FOLDER = re.compile(r"\b(pairopt [a-z-]+ )FOLDER\b")
"""The beginning of a command in a message."""
# Seconds between two lines on the progress of a run.
SECONDS = 30


def prepare_output() -> None:
    """Let stdout and stderr replace characters that they cannot encode.

    Similar ones take their place. This changes both streams of the process, and
    registers a codec and an error handler. It does not change files, nor output for
    programs, such as JSON, which are UTF-8.
    """
    codecs.register_error("pairopt", _replace_characters)
    codecs.register(_find_ascii_codec)
    for output_stream in (sys.stdout, sys.stderr):
        if isinstance(output_stream, io.TextIOWrapper):
            is_ascii = codecs.lookup(output_stream.encoding).name == "ascii"
            new_encoding = ASCII if is_ascii else None
            output_stream.reconfigure(encoding=new_encoding, errors="pairopt")


def write_output(text: str, form: str) -> None:
    """Write a result to stdout, on a terminal without codes that could control it.

    `form` is the form of output, for example "json". A "table" has the encoding of the
    terminal; all other forms are UTF-8. No line break is added.
    """
    if sys.stdout.isatty():
        text = "\n".join(map(escape_hidden, text.split("\n")))
    click.echo(text if form == "table" else text.encode(), nl=False)


def echo_notes(
    notes: Iterable[str | AnyMessage],
    known_notes: Iterable[str | AnyMessage] = (),
    where: str = "",
) -> None:
    """Write notes about the input to stderr, one line per note.

    A line begins with "note: " and `where`, for example "round 3: ". Notes that are
    also in `known_notes` are left out, because they were written before.
    """
    for note in notes:
        if note not in known_notes:
            say(f"note: {where}{TERMINAL.format_message(note)}")


def say(*lines: str | AnyMessage) -> None:
    """Write each line to stderr, without codes that could control a terminal.

    A message becomes a sentence. Half points are written as ½. Commands in it have the
    folder that was typed.
    """
    for said_line in lines:
        line_text = with_half_signs(TERMINAL.format_message(said_line))
        click.echo(escape_hidden(with_typed_folder(line_text)), err=True)


def with_typed_folder(text: str) -> str:
    """Return a text in which commands have the typed folder instead of FOLDER.

    This is for commands on an event folder, if the folder stands right after the name
    of the command. Any other text stays as it is.
    """
    if COMMAND_ON_FOLDER.search(text) is None:
        return text
    click_context = click.get_current_context(silent=True)
    typed_words = None if click_context is None else click_context.find_root().obj
    if not typed_words or typed_words[0] not in list_command_names():
        return text
    if len(typed_words) < 2 or typed_words[1].startswith("-"):
        return text
    quoted_folder = quote_for_shell(typed_words[1])
    return COMMAND_ON_FOLDER.sub(lambda found: f"{found[1]}{quoted_folder}", text)


def table_text(
    columns: Sequence[str], rows: Sequence[Sequence[object]], right: str = ""
) -> str:
    """Return a table as plain text, with a line below the headings.

    `columns` are the headings, and `rows` have a cell for each of them. `right` has the
    names of the columns that align right, separated by commas. Cells are escaped, so
    they cannot control a terminal. The text ends with a line break.
    """
    from rich.cells import cell_len

    escaped_rows = [
        [escape_hidden(cell) for cell in row_cells] for row_cells in (columns, *rows)
    ]
    cell_widths_by_row = [
        [cell_len(cell) for cell in row_cells] for row_cells in escaped_rows
    ]
    column_widths = [
        max(widths_of_column)
        for widths_of_column in zip(*cell_widths_by_row, strict=True)
    ]
    right_columns = right.split(",")
    aligns_left_by_column = [
        column_name not in right_columns for column_name in columns
    ]
    table_lines = []
    for row_cells, row_widths in zip(escaped_rows, cell_widths_by_row, strict=True):
        aligned_cells = []
        for cell, cell_width, column_width, aligns_left in zip(
            row_cells, row_widths, column_widths, aligns_left_by_column, strict=True
        ):
            padding = " " * (column_width - cell_width)
            aligned_cells.append(cell + padding if aligns_left else padding + cell)
        table_lines.append(BETWEEN.join(aligned_cells).rstrip())
    total_width = sum(column_widths) + len(BETWEEN) * (len(column_widths) - 1)
    table_lines.insert(1, "─" * total_width)
    return "\n".join([*table_lines, ""])


def _find_ascii_codec(name: str) -> codecs.CodecInfo | None:
    """Return ASCII under the name `ASCII`; None for any other name.

    Click takes an output with the usual name for a mistake, and writes UTF-8 to it.
    """
    if name != ASCII:
        return None
    ascii_codec = codecs.lookup("ascii")
    incremental_codecs = ascii_codec.incrementalencoder, ascii_codec.incrementaldecoder
    return codecs.CodecInfo(*ascii_codec, *incremental_codecs, name=ASCII)


def _replace_characters(error: UnicodeError) -> tuple[str, int]:
    """Return similar characters for ones that cannot be encoded, and where to go on.

    This is a handler for `codecs.register_error`. It raises an error of decoding again.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    unencodable_text = error.object[error.start : error.end]
    return "".join(map(_similar_character, unencodable_text)), error.end


def _similar_character(character: str) -> str:
    """Return an ASCII text that is similar to a character.

    It is a sign of ALIKE, the letter without its diacritic, or otherwise a question
    mark.
    """
    base_letter = unicodedata.normalize("NFKD", character)[:1]
    return ALIKE.get(character) or (base_letter if base_letter.isascii() else "?")


@contextmanager
def progress() -> Iterator[Callable[[int, int], None]]:
    """Show the progress of a run on stderr: as a bar, or as lines if it is no terminal.

    Use it in a `with` statement. It yields a function that takes how many parts are
    done, and how many there are.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TimeRemainingColumn,
    )

    stderr_console = Console(stderr=True)
    if not stderr_console.is_terminal:
        yield _line_reporter()
        return
    bar_columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*bar_columns, console=stderr_console) as progress_bar:
        task_id = progress_bar.add_task("")
        yield lambda done_parts, total: progress_bar.update(
            task_id, completed=done_parts, total=total
        )


def _line_reporter() -> Callable[[int, int], None]:
    """Return a function that writes lines on the progress of a run to stderr.

    It takes how many parts are done, and how many there are. However often it is
    called, it writes at most one line in `SECONDS` seconds, the first one not earlier.
    The remaining time is estimated from the parts that were done since its first call.
    """
    start_time = time.monotonic()
    reported_at = start_time
    initial_parts: int | None = None

    def report(done_parts: int, total: int) -> None:
        """Write a line with the parts done so far, unless the last line is too recent.

        `total` is the number of all parts. The first line is written at the earliest
        after `SECONDS` seconds.
        """
        nonlocal reported_at, initial_parts
        current_time = time.monotonic()
        if initial_parts is None:
            initial_parts = done_parts
        if current_time - reported_at < SECONDS:
            return

        reported_at = current_time
        passed_seconds = current_time - start_time
        new_parts = done_parts - initial_parts
        remaining_note = ""
        if new_parts:
            remaining_note = (
                f", {passed_seconds / new_parts * (total - done_parts):.0f} s left"
            )
        say(
            f"{done_parts} of {total} parts after {passed_seconds:.0f} s{remaining_note}"
        )

    return report
