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
# This stands between the headings of columns that were joined.
JOINED = " + "
# If all rows have a fault, and there are at least this many, one message names it.
ONE_BY_ONE = 3
SEPARATOR_LINE = re.compile(r'"?sep=([,;\t])"?\r?$', re.IGNORECASE | re.MULTILINE)
"""A first line with the separator of the cells, as spreadsheets write it."""
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}


@dataclass(frozen=True, slots=True)
class _CellLocation(CellLocation):
    """The location of a row whose columns have other names in the file.

    `file` is the name of the file, if the table comes from several.
    """

    called: Mapping[str, str] = field(default_factory=dict, compare=False)
    file: str = ""

    def at(self, column: str) -> CellLocation:
        """Return the location of a cell of this row, by the file's own heading.

        `column` is the name of the column in the table.
        """
        return _CellLocation(
            self.row, self.called.get(column, column), self.called, self.file
        )

    def __str__(self) -> str:
        cell_text = str(CellLocation(self.row, self.column))
        return f"{self.file}, {cell_text}" if self.file else cell_text


@dataclass(frozen=True)
class TextTable:
    """A table of stripped strings: columns by their names in lower case.

    `rows` are the row numbers in the file (the heading is row 1). `decimal_comma` says
    that numbers may be written 0,5. `layout`, `newline` and `marked` (with a byte order
    mark) say how the file is written, `notes` how it was read. `called` has the
    original names of renamed columns. `paths` has the path of each row that comes from
    JSON, and `files` the file of each row if there are several; otherwise they are
    empty.
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
        """The location of each row: a path in JSON, or a row number, maybe with a file.

        The location of a cell in such a row has the file's own heading.
        """
        if self.paths:
            return tuple(map(JsonLocation, self.paths))
        if self.files:
            rows_with_files = zip(self.rows, self.files, strict=True)
            return tuple(
                _CellLocation(row_number, None, self.called, file_name)
                for row_number, file_name in rows_with_files
            )
        return tuple(
            _CellLocation(row_number, None, self.called)
            if self.called
            else CellLocation(row_number)
            for row_number in self.rows
        )

    def find_heading(self, column: str) -> str:
        """Return the heading of a column as the file spells it.

        A renamed column has its original heading. Columns that were joined have both
        headings with " + " between them. If the file has no such heading, the column's
        name is returned.
        """
        file_heading_by_name = {
            file_heading.lower(): file_heading for file_heading in self.layout.columns
        }
        original_names = self.called.get(column, column).split(JOINED)
        return JOINED.join(
            file_heading_by_name.get(original_name, original_name)
            for original_name in original_names
        )

    def get_plain_cells(self, name: str) -> Sequence[str]:
        """Return the cells of a column, with points in place of decimal commas.

        Commas are replaced only in columns of numbers, and only if the table has
        decimal commas. Raises KeyError for an unknown column.
        """
        if self.decimal_comma and name in NUMBERS:
            return [cell.replace(",", ".") for cell in self.cells[name]]
        return self.cells[name]

    def with_renamed_columns(self, names: Mapping[str, str]) -> Self:
        """Return a copy with renamed columns; `names` maps old names to new ones.

        Locations in error messages still have the original names.
        """
        cells_by_new_name = {
            names.get(old_name, old_name): column_cells
            for old_name, column_cells in self.cells.items()
        }
        original_names = {
            new_name: self.called.get(old_name, old_name)
            for old_name, new_name in names.items()
        }
        return replace(
            self, cells=cells_by_new_name, called={**self.called, **original_names}
        )

    def with_columns(self, cells: Mapping[str, Sequence[str]]) -> Self:
        """Return a copy of the table with these columns added or replaced.

        Each column needs a cell for each row. New ones go into the layout, too.
        """
        new_layout = self.layout.with_columns([*cells])
        return replace(self, cells={**self.cells, **cells}, layout=new_layout)

    def changed(self, row: int, cells: Mapping[str, str]) -> Self:
        """Return a copy of the table with new cells in one row.

        `row` is the position of a row below the heading, from 0. `cells` are by column
        name, with decimal points, and are written as the file writes numbers. Other
        cells stay. A new column is added, empty in all other rows.
        """
        cells_by_column = {
            column_name: [*self._column(column_name)] for column_name in cells
        }
        for column_name, cell in self.layout.format_cells(cells).items():
            cells_by_column[column_name][row] = cell
        return self.with_columns(cells_by_column)

    def appended(self, rows: Iterable[Mapping[str, CellValue]]) -> Self:
        """Return a copy of the table with further rows at the end.

        Each row has its values by column name; None is an empty cell. A new column is
        added if one of its cells is filled. The new rows are numbered after the last
        row.
        """
        formatted_rows = [self.layout.format_cells(row_cells) for row_cells in rows]
        nonempty_columns = dict.fromkeys(
            column_name
            for row_cells in formatted_rows
            for column_name, cell in row_cells.items()
            if cell
        )
        cells_by_column = {
            column_name: [
                *self._column(column_name),
                *(row_cells.get(column_name, "") for row_cells in formatted_rows),
            ]
            for column_name in {**self.cells, **nonempty_columns}
        }
        last_row_number = self.rows[-1] if self.rows else 1
        row_numbers = (
            *self.rows,
            *range(last_row_number + 1, last_row_number + 1 + len(formatted_rows)),
        )
        return replace(self, rows=row_numbers).with_columns(cells_by_column)

    def select_rows(self, which: BoolArray) -> Self:
        """Return a copy with only the rows for which the array `which` is True.

        The rows keep their numbers and locations in the file.
        """
        selected_cells = {
            column_name: tuple(compress(column_cells, which))
            for column_name, column_cells in self.cells.items()
        }
        # A table without paths or files stays without them.
        return replace(
            self,
            cells=selected_cells,
            rows=tuple(compress(self.rows, which)),
            paths=tuple(compress(self.paths, which)),
            files=tuple(compress(self.files, which)),
        )

    def content(self) -> bytes:
        """Return the table as the bytes of a CSV file.

        Separator, order of columns, line ends and byte order mark are those of the
        original file.
        """
        ordered_rows = [
            self.layout.order_cells(row_cells)
            for row_cells in rows_of_columns(self.cells)
        ]
        csv_content = rows_text(
            [self.layout.columns, *ordered_rows], self.layout.separator, self.newline
        )
        return encode_text(csv_content, self.marked)

    def _column(self, name: str) -> Sequence[str]:
        """Return the cells of a column; empty cells if there is no such column."""
        return self.cells.get(name) or [""] * len(self.rows)


def parse_table(source: TextSource) -> TextTable:
    """Parse CSV text as a table, with the separator that its first lines use.

    `source` is the text and its name. A first line such as `sep=;` states the
    separator. Titles above the heading are skipped. Under a heading with `player1`, a
    row with another separator is read if it then has as many cells as the heading, and
    a note lists these rows. Empty rows are skipped. Raises InputError if the text is
    empty, is no CSV, has too many cells or columns, or has a heading twice. Rows with
    more filled cells than the heading are faults, too.
    """
    csv_lines = list(io.StringIO(source.text, newline=""))
    if stated_separator := SEPARATOR_LINE.match(source.text):
        csv_lines[0] = ""
    heading_lines = [row_text for row_text in csv_lines if row_text.strip()][
        : column_headings.MOST_TITLES
    ]
    separator = (
        stated_separator[1] if stated_separator else _detect_separator(heading_lines)
    )
    csv_reader = csv.reader(csv_lines, delimiter=separator)
    cells_by_row: dict[int, list[str]] = {}
    row_numbers_by_separator: dict[str, list[str]] = {}
    row_number = 0
    next_line_index = 0
    heading_width = 0
    cell_count = 0
    try:
        for row_number, row_cells in enumerate(csv_reader, 1):
            first_line_index = next_line_index
            next_line_index = csv_reader.line_num
            cell_count += 1 + len(row_cells)
            if cell_count > MOST_CELLS:
                fault_message = message("file.too_many_cells", most=MOST_CELLS)
                raise InputError(
                    source.name, [Fault(fault_message, CellLocation(row_number))]
                )
            if len(row_cells) == 1 < heading_width:
                row_text = "".join(csv_lines[first_line_index:next_line_index])
                if other_separator := _find_other_separator(
                    row_text, heading_width, separator
                ):
                    row_cells = next(csv.reader([row_text], delimiter=other_separator))
                    row_numbers_by_separator.setdefault(other_separator, []).append(
                        str(row_number)
                    )
            stripped_cells = list(map(str.strip, row_cells))
            if any(stripped_cells):
                cells_by_row[row_number] = stripped_cells
            if len(cells_by_row) == 1 and "player1" in map(str.lower, stripped_cells):
                heading_width = len(stripped_cells)
    except csv.Error as error:
        fault_message = message("file.no_table", why=str(error))
        raise InputError(
            source.name, [Fault(fault_message, CellLocation(row_number + 1))]
        ) from None
    separator_notes = (
        message(
            "file.separators",
            source=source.name,
            other=SEPARATORS[other_separator],
            rows=row_numbers_with_other_separator,
            usual=SEPARATORS[separator],
        )
        for other_separator, row_numbers_with_other_separator in row_numbers_by_separator.items()
    )
    table_notes = (*source.notes, *separator_notes)
    parsed_table = table_from_rows(
        source.name, cells_by_row, separator, separator != ",", table_notes
    )
    has_byte_order_mark = source.marked or bool(
        source.notes
    )  # so that what wrote it reads it
    return replace(parsed_table, newline=source.newline, marked=has_byte_order_mark)


def _detect_separator(first_lines: Sequence[str]) -> str:
    """Return the separator of these lines: a comma, a semicolon or a tab.

    It is the most frequent one in the first line, if that has pairopt's headings.
    Otherwise the first line may be a title, so each separator is tried, and the one
    with which a line has the most known headings is returned. If several are equally
    good, the most frequent one in the first line comes first.
    """
    first_line = "".join(first_lines[:1])
    usual_separator = max(SEPARATORS, key=first_line.count)
    first_line_cells = [cell.strip() for cell in first_line.split(usual_separator)]
    if column_headings.has_pairopt_headings(first_line_cells):
        return usual_separator

    best_separator = ""
    best_heading_count = -1
    for separator in dict.fromkeys((usual_separator, *SEPARATORS)):
        heading_count = _count_headings(first_lines, separator)
        if heading_count > best_heading_count:
            best_separator = separator
            best_heading_count = heading_count
    return best_separator


def _count_headings(lines: Sequence[str], separator: str) -> int:
    """Return the highest count of known headings that one of the lines has.

    `separator` splits the lines into cells. Lines after an error in CSV do not count.
    """
    heading_counts = [0]
    with suppress(csv.Error):
        for row_cells in csv.reader(lines, delimiter=separator):
            stripped_cells = [cell.strip() for cell in row_cells]
            heading_counts.append(column_headings.count_known_headings(stripped_cells))
    return max(heading_counts)


def _find_other_separator(line: str, width: int, separator: str) -> str | None:
    """Return the separator besides `separator` that splits a line into `width` cells.

    Returns None if there is none, or more than one.
    """
    matching_separators = [
        other_separator
        for other_separator in {*SEPARATORS} - {separator}
        if len(next(csv.reader([line], delimiter=other_separator))) == width
    ]
    return matching_separators[0] if len(matching_separators) == 1 else None


def table_from_rows(
    name: str,
    rows: Mapping[int, list[str]],
    separator: str,
    decimal_comma: bool,
    notes: tuple[Note, ...] = (),
) -> TextTable:
    """Build a table from rows of stripped cells by row number, the heading first.

    `name` is the table's name in messages, `separator` that of its file, and `notes` go
    with the table. `decimal_comma` says that numbers may be written 0,5. Titles above
    the heading are skipped, short rows are filled up with empty cells, and columns
    without a heading are left out. With commas as separators, names "Last, First"
    without quotes are joined. Raises InputError if there are no rows, too many columns,
    repeated headings, or rows with more filled cells than the heading.
    """
    if not rows:
        raise InputError(name, "file.empty")
    rows = column_headings.skip_titles(rows)
    row_numbers = list(rows)
    headings, *cell_rows = rows.values()
    column_names = [column_name.lower() for column_name in headings]
    column_count = len(column_names)
    if column_count > MOST_COLUMNS:
        reason = message("cell.columns", columns=column_count, most=MOST_COLUMNS)
        raise InputError(name, [Fault(reason, CellLocation(row_numbers[0]))])
    cell_rows = (
        _join_split_names(headings, cell_rows) if separator == "," else cell_rows
    )
    rows_by_number = dict(zip(row_numbers[1:], cell_rows, strict=True))
    if faults := [
        *_find_repeated_columns(column_names, row_numbers[0]),
        *_find_wide_rows(column_count, rows_by_number),
    ]:
        raise InputError(name, faults)
    padded_rows = [
        row_cells
        if len(row_cells) == column_count
        else (row_cells + [""] * column_count)[:column_count]
        for row_cells in cell_rows
    ]
    columns_of_cells = (
        zip(*padded_rows, strict=True) if padded_rows else [()] * column_count
    )
    cells_by_column = {
        column_name: column_cells
        for column_name, column_cells in zip(
            column_names, columns_of_cells, strict=True
        )
        if column_name
    }
    layout = ColumnLayout(
        tuple(headings), separator, _has_decimal_comma(cells_by_column, separator)
    )
    return TextTable(
        name, cells_by_column, row_numbers[1:], decimal_comma, layout, notes
    )


def _join_split_names(
    headings: Sequence[str], rows: list[list[str]]
) -> list[list[str]]:
    """Join names "Last, First" that a missing pair of quotes has split into two cells.

    `rows` are the rows below the headings. The cell in the first column for names and
    the one after it are joined, with a comma and a blank. Names are joined only if
    every row but totals has one cell more than the heading, at least one of these last
    cells is filled, and one of the columns is for names. Otherwise the rows are
    returned unchanged.
    """
    split_width = len(headings) + 1
    if all(len(row_cells) != split_width for row_cells in rows):
        return rows
    player_rows = [
        row_cells for row_cells in rows if not column_headings.is_total(row_cells)
    ]
    is_every_row_split = all(len(row_cells) == split_width for row_cells in player_rows)
    has_last_cells = any(row_cells[-1] for row_cells in player_rows)
    name_columns = (
        column_index
        for column_index, heading in enumerate(headings)
        if column_headings.is_player_heading(heading)
    )
    name_column = next(name_columns, None)
    if name_column is None or not is_every_row_split or not has_last_cells:
        return rows

    joined_rows = []
    for row_cells in rows:
        if column_headings.is_total(row_cells):
            joined_rows.append(row_cells)
            continue
        name_parts = row_cells[name_column : name_column + 2]
        joined_name = ", ".join(name_part for name_part in name_parts if name_part)
        joined_rows.append(
            [*row_cells[:name_column], joined_name, *row_cells[name_column + 2 :]]
        )
    return joined_rows


def _find_wide_rows(width: int, rows: Mapping[int, list[str]]) -> list[Fault]:
    """Return a fault for each row with filled cells after the first `width` ones.

    If all rows have such cells, and there are at least ONE_BY_ONE, the list has one
    fault for all of them.
    """
    wide_rows = {
        row_number: row_cells
        for row_number, row_cells in rows.items()
        if len(row_cells) > width and any(row_cells[width:])
    }
    is_every_row = len(wide_rows) >= max(len(rows), ONE_BY_ONE)
    message_kind = "cell.all_wide" if is_every_row else "cell.wide"
    faults = []
    for row_number, row_cells in wide_rows.items():
        reason = message(
            message_kind, cells=len(row_cells), expected=width, rows=len(wide_rows)
        )
        faults.append(Fault(reason, CellLocation(row_number)))
    return faults[:1] if is_every_row else faults


def _has_decimal_comma(cells: Mapping[str, Sequence[str]], separator: str) -> bool:
    """Return whether the table has decimal commas (0,5).

    They need another separator than commas. It has them if a column of numbers has a
    comma. If no number has a comma or a point, it has them if semicolons separate the
    cells.
    """
    if separator == ",":
        return False
    number_texts = [
        "".join(cells[column_name]) for column_name in NUMBERS if column_name in cells
    ]
    if any("," in number_text for number_text in number_texts):
        return True
    return separator == ";" and not any(
        "." in number_text for number_text in number_texts
    )


def is_data_frame(value: object) -> "TypeGuard[pd.DataFrame]":
    """Return whether a value is a pandas DataFrame, without importing pandas.

    Returns False if nothing else has imported pandas.
    """
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, pandas.DataFrame)


def table_from_frame(frame: "pd.DataFrame", name: str) -> TextTable:
    """Build a table of strings from a DataFrame, without its index.

    `frame` is the DataFrame, and `name` the name of the table in messages. Headings are
    the columns' labels in lower case, without blanks around them. Missing values are
    empty cells, and rows are numbered from 2. Raises InputError for repeated headings,
    and for texts that no CSV file can hold.
    """
    headings = [str(column_label).strip().lower() for column_label in frame.columns]
    columns_of_cells = []
    for column_position in range(len(headings)):
        frame_column = frame.iloc[:, column_position]
        column_values = frame_column.astype(object).where(frame_column.notna(), None)
        columns_of_cells.append(
            [format_cell(frame_value) for frame_value in column_values]
        )

    faults = _find_repeated_columns(headings, 1)
    for heading, column_cells in zip(headings, columns_of_cells, strict=True):
        for row_number, cell in enumerate([heading, *column_cells], 1):
            if not is_text(cell):
                cell_location = CellLocation(row_number, heading)
                faults.append(Fault(message("cell.no_text", found=cell), cell_location))
    if faults:
        raise InputError(name, faults)
    cells_by_heading = dict(zip(headings, columns_of_cells, strict=True))
    return TextTable(name, cells_by_heading, range(2, len(frame) + 2))


def format_columns(table: TextTable) -> str:
    """Return the names of a table's columns with commas between them, for a message.

    A long text is cut without a mark. Returns "none" if the table has no columns.
    """
    return ", ".join(table.columns)[: 4 * LONGEST] or "none"


def _find_repeated_columns(names: list[str], row: int) -> list[Fault]:
    """Return one fault for each name that several columns have; "" does not count.

    `names` are those of all columns, and `row` is the number of the row with the
    headings, from 1.
    """
    repeated_names = [
        column_name
        for column_name in dict.fromkeys(names)
        if column_name and names.count(column_name) > 1
    ]
    return [
        Fault(message("cell.column_twice", column=column_name), CellLocation(row))
        for column_name in repeated_names
    ]


def format_cell(value: object) -> str:
    """Return a value as the text of a cell, without blanks around it.

    For example, 3.0 becomes 3. None and NaN become an empty cell, and midnight of a day
    becomes a date without a time. Floats have at most 15 digits.
    """
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    if isinstance(value, float):  # with as many digits as spreadsheets show
        return str(int(value)) if value.is_integer() else format(value, ".15g")
    return str(value).removesuffix(" 00:00:00").strip()
