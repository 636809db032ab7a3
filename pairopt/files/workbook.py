"""Workbooks: read a sheet of an .xlsx file as a table."""

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pairopt.common.limits import MOST_CELLS
from pairopt.errors import CellLocation, Fault, InputError, require_extra
from pairopt.files.column_headings import skip_titles
from pairopt.files.text_source import (
    SHEET,
    WORKBOOK,
    decode_text,
    is_text,
    require_size,
)
from pairopt.files.text_tables import (
    MOST_COLUMNS,
    TextTable,
    format_cell,
    parse_table,
    table_from_rows,
)
from pairopt.messages import Message, message
from pairopt.messages.formatting import quote

MOST_UNPACKED = 2**23
"""Bytes beyond the file's own: 40,000 matches. A small file can hold much more, and for long."""
Recognises = Callable[
    [TextTable], bool
]  # whether a table with such columns is looked for
_Rows = dict[int, list[str]]


def read_table(name: str, raw: bytes, *recognisers: Recognises) -> TextTable:
    """Read the table in a file: delimited text, or a sheet of a workbook.

    `raw` are the bytes of the file, and `name` is its name in messages. A name
    FILE.xlsx#SHEET gives the sheet. Otherwise each of `recognisers` is tried in turn,
    until one accepts a sheet by its headings; if none does, it is the first sheet that
    is not empty. A note names the other sheets. Raises InputError if the file cannot be
    read, has no such sheet, or if several sheets are accepted, and UsageError if the
    package that reads workbooks is not installed.
    """
    if not raw.startswith(WORKBOOK):
        return parse_table(decode_text(name, raw))
    sheets = dict(_read_sheets(name, raw))
    if not sheets:
        raise InputError(name, "sheet.none")
    if sheet_match := SHEET.fullmatch(name):
        sheet_title = sheet_match[2]
        if sheet_title not in sheets:
            quoted_titles = [quote(other_title) for other_title in sheets]
            raise InputError(
                name, "sheet.unknown", sheet=sheet_title, sheets=quoted_titles
            )
        return table_from_rows(name, sheets[sheet_title], ",", True)

    matching_titles = _find_fitting_sheets(sheets, recognisers)
    sheet_title = matching_titles[0]
    if len(matching_titles) > 1:
        example_path = f"{Path(name).name}#{sheet_title}"
        quoted_titles = [quote(matching_title) for matching_title in matching_titles]
        raise InputError(
            name, "sheet.several", sheets=quoted_titles, example=example_path
        )
    other_titles = [
        quote(other_title) for other_title in sheets if other_title != sheet_title
    ]
    notes: tuple[Message, ...] = ()
    if other_titles:
        notes = (
            message("sheet.read", source=name, sheet=sheet_title, others=other_titles),
        )
    return table_from_rows(name, sheets[sheet_title], ",", True, notes)


def _find_fitting_sheets(
    sheets: Mapping[str, _Rows], recognisers: Iterable[Recognises]
) -> list[str]:
    """Return the titles of the sheets with the table that is looked for.

    They are the sheets that the first successful function of `recognisers` accepts by
    their headings. If none accepts any sheet, the list has only the first sheet.
    `sheets` has the rows by title, and must not be empty.
    """
    empty_table_by_title: dict[str, TextTable] = {}
    for sheet_title, sheet_rows in sheets.items():
        headings = next(iter(skip_titles(sheet_rows).values()))
        empty_cells_by_heading: dict[str, tuple[str, ...]] = {
            heading.lower(): () for heading in headings if heading
        }
        empty_table_by_title[sheet_title] = TextTable("", empty_cells_by_heading, ())
    for is_recognised in recognisers:
        matching_titles = [
            sheet_title
            for sheet_title, empty_table in empty_table_by_title.items()
            if is_recognised(empty_table)
        ]
        if matching_titles:
            return matching_titles
    return list(sheets)[:1]


def _read_sheets(name: str, raw: bytes) -> Iterator[tuple[str, _Rows]]:
    """Yield the title and the rows of each sheet that is not empty.

    `raw` are the bytes of the file, and `name` is its name in errors. Rows are lists of
    texts by their number, from 1. Raises InputError for files that are no workbook, are
    too large when unpacked, or may be malicious, and UsageError if the package that
    reads workbooks is not installed.
    """
    install_hint = str(message("sheet.openpyxl", source=name))
    load_workbook = require_extra("openpyxl", install_hint, "xlsx").load_workbook
    require_size(name, len(raw))
    try:
        _require_safe_archive(name, raw)
        value_workbook = load_workbook(io.BytesIO(raw), read_only=True, data_only=True)
        formula_workbook = load_workbook(
            io.BytesIO(raw), read_only=True, data_only=False
        )
        for sheet in value_workbook.worksheets:
            row_values = _iterate_values(sheet, formula_workbook[sheet.title])
            if sheet_rows := _collect_rows(name, row_values):
                yield sheet.title, sheet_rows
    except InputError:
        raise
    except Exception:  # what its XML and zip parsers raise has no common base
        raise InputError(name, "sheet.no_workbook") from None


def _require_safe_archive(name: str, raw: bytes) -> None:
    """Raise InputError if a workbook may be malicious.

    `raw` are the bytes of the file, and `name` is its name in errors. It is refused if
    it unpacks to more than MOST_UNPACKED bytes beyond its size, uses a compression
    other than stored or deflated, or declares XML entities. `zipfile` raises its own
    errors for bytes that are no archive.
    """
    # Only workbooks are archives.
    import zipfile

    usual_compressions = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        zip_entries = archive.infolist()
        unpacked_size = sum(zip_entry.file_size for zip_entry in zip_entries)
        if unpacked_size > len(raw) + MOST_UNPACKED:
            most_megabytes = MOST_UNPACKED // 2**20
            raise InputError(name, "sheet.too_large", megabytes=most_megabytes)
        for zip_entry in zip_entries:
            if zip_entry.compress_type not in usual_compressions:
                raise InputError(name, "sheet.no_workbook")
            entry_content = archive.read(zip_entry.filename).replace(b"\0", b"")
            if b"<!DOCTYPE" in entry_content:  # its entities may unfold to much more
                raise InputError(name, "sheet.declares", part=zip_entry.filename)


def _iterate_values(sheet: Any, formulas: Any) -> Iterator[tuple[object, ...]]:
    """Yield the values of the cells of a sheet, row by row.

    `sheet` has the values and `formulas` the formulas of the same sheet. If the value
    of a formula was never calculated, the formula is yielded in its place; an empty
    cell is None.
    """
    for worksheet in (sheet, formulas):
        worksheet.reset_dimensions()  # a file may claim more rows than it has
    paired_rows = (
        worksheet.iter_rows(min_row=1, values_only=True)
        for worksheet in (sheet, formulas)
    )
    for row_values, formula_cells in zip(*paired_rows, strict=True):
        if (
            None in row_values
            and row_values != formula_cells
            and len(row_values) <= len(formula_cells)
        ):
            row_values = tuple(
                getattr(formula_cell, "text", formula_cell)
                if cell_value is None
                else cell_value
                for cell_value, formula_cell in zip(
                    row_values, formula_cells, strict=False
                )
            )
        yield row_values


def _collect_rows(name: str, cells: Iterator[tuple[object, ...]]) -> _Rows:
    """Return the rows that are not blank as texts, by their number from 1.

    `cells` has the values of each row. Empty cells at the end of a row and cells after
    MOST_COLUMNS are left out. Raises InputError for too many cells, and for texts that
    no CSV cell can hold.
    """
    rows_by_number: _Rows = {}
    faults = []
    cell_count = 0
    for row_number, row_values in enumerate(cells, 1):
        cell_count += 1 + len(row_values)
        if cell_count > MOST_CELLS:
            raise InputError(name, "sheet.too_many_cells", most=MOST_CELLS)
        row_cells = [
            format_cell(cell_value) for cell_value in row_values[:MOST_COLUMNS]
        ]
        while row_cells and not row_cells[-1]:
            row_cells.pop()
        faults += [
            Fault(message("cell.no_text", found=cell), CellLocation(row_number))
            for cell in row_cells
            if not is_text(cell)
        ]
        if row_cells:
            rows_by_number[row_number] = row_cells
    if faults:
        raise InputError(name, faults)
    return rows_by_number
