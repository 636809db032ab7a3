"""Write files: results as text, and files that are written as a whole or not at all."""

import csv
import errno
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path

from pairopt.common.atomic_write import write_lock
from pairopt.errors import UsageError
from pairopt.event.column_layout import COLUMNS, CellValue, ColumnLayout

ROUND = ColumnLayout(COLUMNS)
FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r")
"""The first characters of cells that spreadsheet programs may take for formulas."""
NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")
Content = str | bytes | Iterable[str]
"""The content of a file: in one piece, or in several that need not all be in memory."""


def csv_text(
    rows: Iterable[Mapping[str, CellValue]], layout: ColumnLayout = ROUND
) -> str:
    """Format rows with cells by column as CSV, with a heading.

    `layout` gives the columns and their order, the separator and the form of numbers.
    By default these are the columns of matches.csv. Cells of other columns are left
    out.
    """
    ordered_rows = [
        layout.order_cells(layout.format_cells(row_cells)) for row_cells in rows
    ]
    return rows_text([layout.columns, *ordered_rows], layout.separator)


def csv_table(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Format rows as CSV with a heading; None is an empty cell.

    `columns` are the headings, and each of `rows` has the cells in their order. Commas
    separate cells. Cells with a line end of any kind are in quotes.
    """
    return rows_text([columns]) + rows_text(rows)


def rows_text(
    rows: Iterable[Iterable[object]], separator: str = ",", newline: str = "\n"
) -> str:
    """Format rows as CSV lines without a heading; None is an empty cell.

    `separator` stands between cells, and each line ends with `newline`. Cells with a
    separator, a quote or a line end of any kind are in quotes.
    """
    line_buffer = _LineBuffer()
    csv.writer(line_buffer, delimiter=separator, lineterminator="\r\n").writerows(
        rows
    )  # quotes either
    return "".join(f"{csv_line[:-2]}{newline}" for csv_line in line_buffer)


def escape_formulas(text: str) -> str:
    r"""Return a CSV in which no cell is a formula for a program that opens it.

    A cell that such a program could calculate gets an apostrophe in front, which makes it a text.
    Numbers stay. A CSV without such cells stays as it is.

    >>> escape_formulas("player,rating\n=1+1,1500\n")
    "player,rating\n'=1+1,1500\n"
    """
    heading_line = text.partition("\n")[0]
    separator = max(",;\t", key=heading_line.count)
    parsed_rows = [*csv.reader(StringIO(text, newline=""), delimiter=separator)]
    escaped_rows = [
        [escape_formula(cell) for cell in row_cells] for row_cells in parsed_rows
    ]
    return text if escaped_rows == parsed_rows else rows_text(escaped_rows, separator)


def escape_formula(cell: str) -> str:
    """Return a cell with an apostrophe in front if a program might calculate it.

    Numbers such as -1.5, single signs and other texts are returned unchanged.
    """
    return f"'{cell}" if _is_formula(cell) else cell


def _is_formula(cell: str) -> bool:
    """Return whether a spreadsheet program may take a cell for a formula.

    Numbers such as -1.5 and single signs such as - are no formulas.
    """
    begins_as_formula = cell[:1] in FORMULA_BEGINS and len(cell) > 1
    return begins_as_formula and NUMBER.fullmatch(cell) is None


class _LineBuffer(list[str]):
    """A list of lines that `csv.writer` can write to."""

    write = list.append


def json_text(content: Mapping[str, object]) -> str:
    """Return a mapping as indented JSON with a line end; the order of keys is kept.

    `content` is the mapping. Raises ValueError for NaN and Infinity, which JSON does
    not have.
    """
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def write_whole(path: str | Path, text: Content) -> None:
    """Write a file atomically: under a temporary name, which then replaces the file.

    A text is written as UTF-8. The write lock is held meanwhile. Raises UsageError if
    the file cannot be written.
    """
    write_all({Path(path): text})


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, unless it exists already.

    Raises UsageError if that is not possible.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            "output.no_folder", path=str(folder), why=error.strerror
        ) from None


def write_all(contents: Mapping[Path, Content]) -> None:
    """Write files that belong together, by their paths.

    `contents` has a text, bytes or pieces of text for each path. All are written under
    temporary names first, and then replace the files. So an error while writing leaves
    all files as they were; an error while files are replaced leaves those that were
    replaced already. The write lock is held meanwhile. Paths that exist and are no
    files, such as devices and pipes, are written directly, before the others and
    without the lock. Raises UsageError if a file cannot be written, for example because
    its path is a folder.
    """
    path = Path()
    try:
        for path in contents:
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        device_paths = [
            path for path in contents if path.exists() and not path.is_file()
        ]
        for path in device_paths:
            with path.open("wb") as device_file:
                device_file.writelines(_encode_pieces(contents[path]))
    except OSError as error:
        raise _make_write_error(path, error) from None
    if len(device_paths) < len(contents):
        with write_lock():
            _write_files(
                {path: contents[path] for path in contents if path not in device_paths}
            )


def _write_files(contents: Mapping[Path, Content]) -> None:
    """Write files under temporary names, then move all of them to their places.

    `contents` has the content of each path. Temporary files are removed in case of an
    error, which raises UsageError. Files that were moved already stay.
    """
    temporary_by_path: dict[Path, Path] = {}
    final_path = Path()
    try:
        for final_path, content in contents.items():
            temporary_path = final_path.with_name(
                f".{final_path.name}.{os.urandom(4).hex()}"
            )
            with temporary_path.open("xb") as temporary_file:
                temporary_by_path[final_path] = temporary_path
                temporary_file.writelines(_encode_pieces(content))
        for final_path, temporary_path in temporary_by_path.items():
            temporary_path.replace(final_path)
    except OSError as error:
        raise _make_write_error(final_path, error) from None
    finally:
        for temporary_path in temporary_by_path.values():
            temporary_path.unlink(missing_ok=True)


def _make_write_error(path: Path, error: OSError) -> UsageError:
    """Return the UsageError about a file that cannot be written, with the reason.

    `error` has the reason. The result is not raised.
    """
    return UsageError("output.unwritten", path=str(path), why=error.strerror)


def _encode_pieces(content: Content) -> Iterable[bytes]:
    """Return the content of a file as pieces of bytes; texts are encoded as UTF-8.

    Texts that are made piece by piece are encoded one by one, not all in memory.
    """
    if isinstance(content, bytes):
        return [content]
    return (
        text_piece.encode()
        for text_piece in ([content] if isinstance(content, str) else content)
    )
