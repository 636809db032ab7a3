"""Workbooks: read a sheet of an .xlsx file as a table."""

import io
from collections.abc import Callable, Iterator
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
from pairopt.messages import message
from pairopt.messages.formatting import quote

MOST_UNPACKED = 2**23
"""Bytes beyond the file's own: 40,000 matches. A small file can hold much more, and for long."""
Recognises = Callable[
    [TextTable], bool
]  # whether a table with such columns is looked for
_Rows = dict[int, list[str]]


def read_table(name: str, raw: bytes, *recognisers: Recognises) -> TextTable:
    """Read the table in a file: delimited text, or a sheet of a workbook.

    The sheet is the one that a name FILE.xlsx#SHEET gives, otherwise the only one that
    the first fitting function of `recognisers` recognises, otherwise the first that is not
    empty. Raises InputError if the file cannot be read or several sheets fit;
    UsageError without the package that reads workbooks.
    """
    if not raw.startswith(WORKBOOK):
        return parse_table(decode_text(name, raw))
    sheets = dict(_read_sheets(name, raw))
    if not sheets:
        raise InputError(name, "sheet.none")
    if sheet_match := SHEET.fullmatch(name):
        if sheet_match[2] not in sheets:
            sheet_titles = [*map(quote, sheets)]
            raise InputError(
                name, "sheet.unknown", sheet=sheet_match[2], sheets=sheet_titles
            )
        return table_from_rows(name, sheets[sheet_match[2]], ",", True)
    headings = {
        title: next(iter(skip_titles(rows).values())) for title, rows in sheets.items()
    }
    tables = {
        title: TextTable(
            "",
            {fitting_titles.lower(): () for fitting_titles in head if fitting_titles},
            (),
        )
        for title, head in headings.items()
    }
    fitting_titles = (
        [title for title, head in tables.items() if fits(head)] for fits in recognisers
    )
    fitting = next(filter(None, fitting_titles), list(sheets)[:1])
    if len(fitting) > 1:
        example, sheet_titles = (
            f"{Path(name).name}#{fitting[0]}",
            [*map(quote, fitting)],
        )
        raise InputError(name, "sheet.several", sheets=sheet_titles, example=example)
    other_titles = [quote(other) for other in sheets if other != fitting[0]]
    note = message("sheet.read", source=name, sheet=fitting[0], others=other_titles)
    return table_from_rows(
        name, sheets[fitting[0]], ",", True, (note,) * bool(other_titles)
    )


def _read_sheets(name: str, raw: bytes) -> Iterator[tuple[str, _Rows]]:
    """Yield the title and the rows of each sheet that is not empty.

    Raises InputError for files that are too large when unpacked, or that may be
    malicious.
    """
    load_workbook = require_extra(
        "openpyxl", str(message("sheet.openpyxl", source=name)), "xlsx"
    ).load_workbook
    require_size(name, len(raw))
    # Only workbooks are archives.
    import zipfile

    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            if (
                sum(entry.file_size for entry in archive.infolist())
                > len(raw) + MOST_UNPACKED
            ):
                raise InputError(
                    name, "sheet.too_large", megabytes=MOST_UNPACKED // 2**20
                )
            for part in archive.infolist():
                if part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise InputError(name, "sheet.no_workbook")
                if b"<!DOCTYPE" in archive.read(part.filename).replace(
                    b"\0", b""
                ):  # may unfold
                    raise InputError(name, "sheet.declares", part=part.filename)
        book, formulas = (
            load_workbook(io.BytesIO(raw), read_only=True, data_only=values)
            for values in (True, False)
        )
        for sheet in book.worksheets:
            if rows := _collect_rows(
                name, _iterate_values(sheet, formulas[sheet.title])
            ):
                yield sheet.title, rows
    except InputError:
        raise
    except Exception:  # what its XML and zip parsers raise has no common base
        raise InputError(name, "sheet.no_workbook") from None


def _iterate_values(sheet: Any, formulas: Any) -> Iterator[tuple[object, ...]]:
    """Yield the values of a sheet row by row.

    A formula if its value was never calculated.
    """
    for worksheet in (sheet, formulas):
        worksheet.reset_dimensions()  # a file may claim more rows than it has
    rows_of_both = (
        worksheet.iter_rows(min_row=1, values_only=True)
        for worksheet in (sheet, formulas)
    )
    for values, formula_cells in zip(*rows_of_both, strict=True):
        if (
            None in values
            and values != formula_cells
            and len(values) <= len(formula_cells)
        ):
            values = tuple(
                getattr(formula, "text", formula) if value is None else value
                for value, formula in zip(values, formula_cells, strict=False)
            )
        yield values


def _collect_rows(name: str, cells: Iterator[tuple[object, ...]]) -> _Rows:
    """Return the rows that are not blank, by number, without empty cells at the end."""
    rows: _Rows = {}
    faults = []
    cell_count = 0
    for number, values in enumerate(cells, 1):
        cell_count += 1 + len(values)
        if cell_count > MOST_CELLS:
            raise InputError(name, "sheet.too_many_cells", most=MOST_CELLS)
        row = [format_cell(value) for value in values[:MOST_COLUMNS]]
        while row and not row[-1]:
            row.pop()
        faults += [
            Fault(message("cell.no_text", found=cell), CellLocation(number))
            for cell in row
            if not is_text(cell)
        ]
        if row:
            rows[number] = row
    if faults:
        raise InputError(name, faults)
    return rows
