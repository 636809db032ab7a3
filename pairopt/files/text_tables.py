"""Text tables: delimited text as columns of strings, with the row of each line."""

import csv
import io
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from math import isnan
from typing import TYPE_CHECKING, Self, TypeGuard

from pairopt.common.limits import MOST_CELLS
from pairopt.errors import CellLocation, Fault, InputError, JsonLocation, Place
from pairopt.event.arcs import BoolArray
from pairopt.event.column_layout import (
    NUMBERS,
    CellValue,
    ColumnLayout,
    rows_of_columns,
)
from pairopt.files import column_headings
from pairopt.files.text_source import TextSource, encode_text, is_text
from pairopt.files.write import rows_text
from pairopt.messages import Note, message
from pairopt.messages.formatting import LONGEST

if TYPE_CHECKING:
    import pandas as pd

MOST_COLUMNS = 1000
JOINED = " + "  # between the columns that are one now
ONE_BY_ONE = 3  # of fewer rows each fault is named, also where all have it
SEPARATOR_LINE = re.compile(r'"?sep=([,;\t])"?\r?$', re.IGNORECASE | re.MULTILINE)
"""A first line that says what separates the cells, as spreadsheets write it."""
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}


@dataclass(frozen=True, slots=True)
class _CellLocation(CellLocation):
    """The location of a row whose columns have other names in the file.

    `file` is the name of the file, if the table comes from several.
    """

    called: Mapping[str, str] = field(default_factory=dict, compare=False)
    file: str = ""

    def at(self, column: str) -> CellLocation:
        """Return the location of a cell of this row, by the file's own heading."""
        return _CellLocation(
            self.row, self.called.get(column, column), self.called, self.file
        )

    def __str__(self) -> str:
        cell = str(CellLocation(self.row, self.column))
        return f"{self.file}, {cell}" if self.file else cell


@dataclass(frozen=True)
class TextTable:
    """A table of stripped strings: columns by their names in lower case.

    `rows` are the row numbers in the file (the heading is row 1). `decimal_comma` says
    that numbers may be written 0,5. `layout`, `newline` and `marked` (with a byte order
    mark) say how the file is written, `notes` how it was read. `called` has the
    original names of renamed columns. `paths` are the paths of rows that come from
    JSON, and `files` the file of each row if there are several.
    """

    name: str
    cells: Mapping[str, Sequence[str]]
    rows: Sequence[int]
    decimal_comma: bool = False
    layout: ColumnLayout = field(default_factory=ColumnLayout)
    notes: tuple[Note, ...] = ()
    newline: str = "\n"
    marked: bool = False
    called: Mapping[str, str] = field(default_factory=dict)
    paths: Sequence[str] = ()
    files: Sequence[str] = ()

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.cells)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The location of each row, with columns named as in the file."""
        if self.paths:
            return tuple(map(JsonLocation, self.paths))
        if self.files:
            rows = zip(self.rows, self.files, strict=True)
            return tuple(
                _CellLocation(row, None, self.called, file) for row, file in rows
            )
        return tuple(
            _CellLocation(row, None, self.called) if self.called else CellLocation(row)
            for row in self.rows
        )

    def find_heading(self, column: str) -> str:
        """Return the heading of a column as the file spells it."""
        own = {heading.lower(): heading for heading in self.layout.columns}
        parts = self.called.get(column, column).split(JOINED)
        return JOINED.join(own.get(part, part) for part in parts)

    def get_plain_cells(self, name: str) -> Sequence[str]:
        """Return the cells of a column, with decimal points if it holds numbers."""
        if self.decimal_comma and name in NUMBERS:
            return [cell.replace(",", ".") for cell in self.cells[name]]
        return self.cells[name]

    def with_renamed_columns(self, names: Mapping[str, str]) -> Self:
        """Return the table with columns renamed, from old to new names.

        Locations still name the old columns.
        """
        cells = {names.get(name, name): column for name, column in self.cells.items()}
        called = {new: self.called.get(name, name) for name, new in names.items()}
        return replace(self, cells=cells, called={**self.called, **called})

    def with_columns(self, cells: Mapping[str, Sequence[str]]) -> Self:
        """Return the table with these columns added or replaced."""
        layout = self.layout.with_columns([*cells])
        return replace(self, cells={**self.cells, **cells}, layout=layout)

    def changed(self, number: int, cells: Mapping[str, str]) -> Self:
        """Return the table with other cells in one row; `number` counts rows from 0."""
        made = {name: [*self._column(name)] for name in cells}
        for name, cell in self.layout.format_cells(cells).items():
            made[name][number] = cell
        return self.with_columns(made)

    def appended(self, rows: Iterable[Mapping[str, CellValue]]) -> Self:
        """Return the table with further rows; None is an empty cell.

        New columns are added.
        """
        new = [self.layout.format_cells(row) for row in rows]
        used = dict.fromkeys(name for row in new for name, cell in row.items() if cell)
        made = {
            name: [*self._column(name), *(row.get(name, "") for row in new)]
            for name in {**self.cells, **used}
        }
        last = self.rows[-1] if self.rows else 1
        numbers = (*self.rows, *range(last + 1, last + 1 + len(new)))
        return replace(self, rows=numbers).with_columns(made)

    def select_rows(self, which: BoolArray) -> Self:
        """Return the table with only the rows that a Boolean array selects."""
        cells = {
            name: tuple(compress(column, which)) for name, column in self.cells.items()
        }
        return replace(self, cells=cells, rows=tuple(compress(self.rows, which)))

    def content(self) -> bytes:
        """Return the table as the bytes of a file, written as the original file was."""
        rows = [
            self.layout.columns,
            *map(self.layout.ordered, rows_of_columns(self.cells)),
        ]
        return encode_text(
            rows_text(rows, self.layout.separator, self.newline), self.marked
        )

    def _column(self, name: str) -> Sequence[str]:
        """Return the cells of a column; empty cells if there is no such column."""
        return self.cells.get(name) or [""] * len(self.rows)


def parse_table(source: TextSource) -> TextTable:
    """Parse CSV text. Rows may have another separator than the heading.

    Raises InputError naming every row with too many cells.
    """
    lines = list(io.StringIO(source.text, newline=""))
    if said := SEPARATOR_LINE.match(source.text):
        lines[0] = ""
    first = [line for line in lines if line.strip()][: column_headings.MOST_TITLES]
    separator = said[1] if said else _detect_separator(first)
    reader = csv.reader(lines, delimiter=separator)
    rows: dict[int, list[str]] = {}
    strange: dict[str, list[str]] = {}
    number, at, width, seen = 0, 0, 0, 0
    try:
        for number, row in enumerate(reader, 1):
            begun, at = at, reader.line_num
            seen += 1 + len(row)
            if seen > MOST_CELLS:
                wrong = message("file.too_many_cells", most=MOST_CELLS)
                raise InputError(source.name, [Fault(wrong, CellLocation(number))])
            if len(row) == 1 < width:
                line = "".join(lines[begun:at])
                if other := _find_other_separator(line, width, separator):
                    row = next(csv.reader([line], delimiter=other))
                    strange.setdefault(other, []).append(str(number))
            cells = list(map(str.strip, row))
            if any(cells):
                rows[number] = cells
            if len(rows) == 1 and "player1" in map(str.lower, cells):
                width = len(cells)
    except csv.Error as error:
        wrong = message("file.no_table", why=str(error))
        raise InputError(
            source.name, [Fault(wrong, CellLocation(number + 1))]
        ) from None
    notes = (
        message(
            "file.separators",
            source=source.name,
            other=SEPARATORS[other],
            rows=numbers,
            usual=SEPARATORS[separator],
        )
        for other, numbers in strange.items()
    )
    every = (*source.notes, *notes)
    table = table_from_rows(source.name, rows, separator, separator != ",", every)
    marked = source.marked or bool(source.notes)  # so that what wrote it reads it
    return replace(table, newline=source.newline, marked=marked)


def _detect_separator(first: Sequence[str]) -> str:
    """Return the separator of these lines: the most frequent one in the first line.

    If the first line is only a title, it is the one with which a line has the most
    known headings.
    """
    usual = max(SEPARATORS, key="".join(first[:1]).count)
    if column_headings.has_pairopt_headings(
        [*map(str.strip, "".join(first[:1]).split(usual))]
    ):
        return usual
    rows: dict[str, list[list[str]]] = {each: [] for each in (usual, *SEPARATORS)}
    for each, found in rows.items():
        with suppress(csv.Error):
            found.extend(
                [*map(str.strip, row)] for row in csv.reader(first, delimiter=each)
            )
    return max(
        rows,
        key=lambda each: max(
            map(column_headings.count_known_headings, rows[each]), default=0
        ),
    )


def _find_other_separator(line: str, width: int, separator: str) -> str | None:
    """Return the other separator that splits a line into `width` cells, or None."""
    fitting = [
        other
        for other in {*SEPARATORS} - {separator}
        if len(next(csv.reader([line], delimiter=other))) == width
    ]
    return fitting[0] if len(fitting) == 1 else None


def table_from_rows(
    name: str,
    rows: Mapping[int, list[str]],
    separator: str,
    decimal_comma: bool,
    notes: tuple[Note, ...] = (),
) -> TextTable:
    """Build a table from rows of stripped cells by row number, the heading first.

    Raises InputError naming every row with too many cells.
    """
    if not rows:
        raise InputError(name, "file.empty")
    rows = column_headings.skip_titles(rows)
    numbers = list(rows)
    spelled, *filled = rows.values()
    names = [each.lower() for each in spelled]
    width = len(names)
    if width > MOST_COLUMNS:
        said = message("cell.columns", columns=width, most=MOST_COLUMNS)
        raise InputError(name, [Fault(said, CellLocation(numbers[0]))])
    filled = _join_split_names(spelled, filled) if separator == "," else filled
    below = dict(zip(numbers[1:], filled, strict=True))
    if faults := [
        *_find_repeated_columns(names, numbers[0]),
        *_find_wide_rows(width, below),
    ]:
        raise InputError(name, faults)
    padded = [
        row if len(row) == width else (row + [""] * width)[:width] for row in filled
    ]
    columns = zip(*padded, strict=True) if padded else [()] * width
    cells = {each: column for each, column in zip(names, columns, strict=True) if each}
    layout = ColumnLayout(
        tuple(spelled), separator, _has_decimal_comma(cells, separator)
    )
    return TextTable(name, cells, numbers[1:], decimal_comma, layout, notes)


def _join_split_names(heads: Sequence[str], rows: list[list[str]]) -> list[list[str]]:
    """Join names "Last, First" that a missing pair of quotes has split into two cells.

    Only if all rows have such a name; otherwise the rows are returned unchanged.
    """
    if all(len(row) != len(heads) + 1 for row in rows):
        return rows
    name = next(
        (k for k, head in enumerate(heads) if column_headings.is_player_heading(head)),
        None,
    )
    listed = [row for row in rows if not column_headings.is_total(row)]
    wide = all(len(row) == len(heads) + 1 for row in listed)
    if name is None or not wide or not any(row[-1] for row in listed):
        return rows
    return [
        row
        if column_headings.is_total(row)
        else [
            *row[:name],
            ", ".join(filter(None, row[name : name + 2])),
            *row[name + 2 :],
        ]
        for row in rows
    ]


def _find_wide_rows(width: int, rows: Mapping[int, list[str]]) -> list[Fault]:
    """Return a fault for each row with more than `width` cells.

    One if all rows have.
    """
    wide = {
        number: row
        for number, row in rows.items()
        if len(row) > width and any(row[width:])
    }
    every = len(wide) >= max(len(rows), ONE_BY_ONE)
    kind = "cell.all_wide" if every else "cell.wide"
    return [
        Fault(
            message(kind, cells=len(row), expected=width, rows=len(wide)),
            CellLocation(number),
        )
        for number, row in list(wide.items())[: 1 if every else None]
    ]


def _has_decimal_comma(cells: Mapping[str, Sequence[str]], separator: str) -> bool:
    """Return whether decimals are written 0,5.

    They are if numbers have a comma; without decimals, if semicolons separate the
    cells.
    """
    if separator == ",":
        return False
    texts = ["".join(cells[name]) for name in NUMBERS if name in cells]
    if any("," in text for text in texts):
        return True
    return separator == ";" and not any("." in text for text in texts)


def is_data_frame(given: object) -> "TypeGuard[pd.DataFrame]":
    """Return whether a value is a pandas DataFrame, without importing pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(given, pandas.DataFrame)


def table_from_frame(frame: "pd.DataFrame", name: str) -> TextTable:
    """Build a table of strings from a DataFrame.

    Raises InputError for values that no cell can hold.
    """
    names = [str(column).strip().lower() for column in frame.columns]
    columns = [frame.iloc[:, k] for k in range(len(names))]
    cells = [
        [*map(format_cell, column.astype(object).where(column.notna(), None))]
        for column in columns
    ]
    faults = _find_repeated_columns(names, 1) + [
        Fault(message("cell.no_text", found=cell), CellLocation(row, column))
        for column, below in zip(names, cells, strict=True)
        for row, cell in enumerate([column, *below], 1)
        if not is_text(cell)
    ]
    if faults:
        raise InputError(name, faults)
    return TextTable(
        name, dict(zip(names, cells, strict=True)), range(2, len(frame) + 2)
    )


def format_columns(table: TextTable) -> str:
    """Format the names of a table's columns for a message."""
    return ", ".join(table.columns)[: 4 * LONGEST] or "none"


def _find_repeated_columns(names: list[str], row: int) -> list[Fault]:
    """Return a fault for each column name that is there twice."""
    return [
        Fault(message("cell.column_twice", column=name), CellLocation(row))
        for name in dict.fromkeys(names)
        if name and names.count(name) > 1
    ]


def format_cell(value: object) -> str:
    """Format a value as a cell: 3.0 is 3, NaN is empty, midnight is a date."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    if isinstance(value, float):  # with as many digits as spreadsheets show
        return str(int(value)) if value.is_integer() else format(value, ".15g")
    return str(value).removesuffix(" 00:00:00").strip()
