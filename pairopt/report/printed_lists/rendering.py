"""Render a printed list as CSV, workbook or JSON."""

from __future__ import annotations

from pairopt.event.event import Event
from pairopt.files.workbook_writing import workbook_bytes
from pairopt.files.write import csv_table, escape_formula, json_text
from pairopt.report.printed_lists.base import Cell, FilledList, ListColumn

FORMATS = ("csv", "xlsx", "json")
"""The formats for other programs; their names are suffixes, too."""


def render_list(filled: FilledList, event: Event, form: str) -> bytes:
    """Return the content of a list as a file in one of the FORMATS, as bytes.

    `filled` is the list with its cells. `form` is "csv", "xlsx" or "json"; anything
    else gives CSV. The title of `event` stands in a workbook. In CSV and workbooks no
    cell is a formula for a spreadsheet program. Nothing is written. Raises UsageError
    if the package that writes workbooks is not installed.
    """
    if form == "xlsx":
        return _render_workbook(filled, event)
    if form == "json":
        column_keys, list_rows = filled.table()
        row_records = [
            dict(zip(column_keys, list_row, strict=True)) for list_row in list_rows
        ]
        json_content = {"list": filled.name, "title": filled.title, "rows": row_records}
        return json_text(json_content).encode()
    return list_csv(filled).encode()


def list_csv(filled: FilledList) -> str:
    """Return a printed list as the text of a CSV file.

    `filled` is the list with its cells. The first line has the keys of its columns.
    Texts that a spreadsheet program would calculate have an apostrophe in front.
    """
    column_keys, list_rows = filled.table()
    is_text_column = [
        list_column.kind in ("name", "text") for list_column in _all_columns(filled)
    ]
    escaped_rows = [
        [
            escape_formula(str(row_cell)) if is_escaped else row_cell
            for row_cell, is_escaped in zip(list_row, is_text_column, strict=True)
        ]
        for list_row in list_rows
    ]
    return csv_table(column_keys, escaped_rows)


def _render_workbook(filled: FilledList, event: Event) -> bytes:
    """Return a list as the bytes of a workbook, with the event's title on each page.

    `filled` is the list with its cells. Columns of numbers and of amounts of money are
    set as such.
    """
    column_heads, list_rows = filled.headed_table()
    list_columns = _all_columns(filled)
    is_number_column = [
        list_column.kind in ("number", "money") for list_column in list_columns
    ]
    is_amount_column = [list_column.kind == "money" for list_column in list_columns]
    sheet_title = filled.title.partition(" after ")[0]
    page_heading = " · ".join(filter(None, (event.settings.title, filled.title)))
    return workbook_bytes(
        sheet_title,
        page_heading,
        column_heads,
        list_rows,
        is_number_column,
        is_amount_column,
    )


def _all_columns(filled: FilledList) -> list[ListColumn]:
    """Return the columns of a list, with a column of its sections in front.

    `filled` is the list with its cells. A list without sections has only its own
    columns.
    """
    if not filled.section_head:
        return [*filled.columns]
    sections_column = ListColumn(
        filled.section_head.lower(), filled.section_head, _no_cell
    )
    return [sections_column, *filled.columns]


def _no_cell(_row: object) -> Cell:
    """Return "", whatever the row is.

    It stands in for a function of cells; the cells of sections are their headings.
    """
    return ""
