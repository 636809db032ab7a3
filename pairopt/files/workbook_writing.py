"""Write workbooks: a table as an .xlsx file, in which no cell is a formula."""

import io
import re
import zipfile
from collections.abc import Sequence
from typing import Any

from pairopt.errors import require_extra
from pairopt.messages import message

LONGEST_TITLE, LONGEST_HEADER = 31, 200
"""The most characters of a sheet's title and of a page header in Excel."""
WIDEST = 40
"""The most characters that a column is wide; longer texts continue below."""
NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
_FORBIDDEN_IN_TITLE = re.compile(r"[\[\]:*?/\\']")
_TIMES = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")
_FIXED_TIME = rb"\g<1>2000-01-01T00:00:00Z"
_FIXED_DATE = (1980, 1, 1, 0, 0, 0)


def workbook_bytes(
    title: str,
    heading: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str | int]],
    numbers: Sequence[bool],
    amounts: Sequence[bool] = (),
) -> bytes:
    """Return a workbook with one sheet; the same table gives the same bytes.

    Parameters
    ----------
    title : str
        The title of the sheet. Signs that Excel forbids become blanks, and it is cut to
        LONGEST_TITLE characters.
    heading : str
        The header of printed pages, cut to LONGEST_HEADER characters.
    heads : sequence of str
        The headings of the columns.
    rows : sequence of sequences of str or int
        The cells.
    numbers : sequence of bool
        Which columns have numbers, one entry per column. All other cells are texts, also
        those that begin with "=", which Excel would take for formulas.
    amounts : sequence of bool
        Which of the columns with numbers have sums of money, with the thousands apart.
        If one sum of a column has cents, all have. By default none.

    Raises
    ------
    UsageError
        The package that writes workbooks is not installed.
    """
    install_hint = str(message("sheet.openpyxl_to_write"))
    openpyxl = require_extra("openpyxl", install_hint, "xlsx")
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.title = _FORBIDDEN_IN_TITLE.sub(" ", title)[:LONGEST_TITLE].strip() or "Sheet"

    bold_font = openpyxl.styles.Font(bold=True)
    for column_number, column_heading in enumerate(heads, 1):
        _write_text(sheet.cell(1, column_number), column_heading)
        sheet.cell(1, column_number).font = bold_font
    number_format_by_column = {
        column_number: _choose_money_format(
            [row_cells[column_number - 1] for row_cells in rows]
        )
        for column_number, is_amount in enumerate(amounts, 1)
        if is_amount
    }
    for row_number, row_cells in enumerate(rows, 2):
        for column_number, cell in enumerate(row_cells, 1):
            target_cell = sheet.cell(row_number, column_number)
            if numbers[column_number - 1] and NUMBER.fullmatch(str(cell)):
                number_text = str(cell)
                target_cell.value = (
                    float(number_text) if "." in number_text else int(number_text)
                )
                target_cell.number_format = number_format_by_column.get(
                    column_number, "General"
                )
            elif cell != "":
                _write_text(target_cell, str(cell))

    get_column_letter = openpyxl.utils.get_column_letter
    for column_number, column_heading in enumerate(heads, 1):
        column_texts = [
            column_heading,
            *(str(row_cells[column_number - 1]) for row_cells in rows),
        ]
        column_width = min(max(map(len, column_texts)), WIDEST) + 2
        sheet.column_dimensions[get_column_letter(column_number)].width = column_width
    _set_up_page(sheet, heading)
    output_buffer = io.BytesIO()
    workbook.save(output_buffer)
    return _with_fixed_times(output_buffer.getvalue())


def _choose_money_format(cells: Sequence[str | int]) -> str:
    """Return Excel's number format for the sums of money of a column.

    It has the thousands apart, and two decimals if one of `cells` has a decimal point.
    """
    has_cents = any("." in str(cell) for cell in cells)
    return "#,##0.00" if has_cents else "#,##0"


def _write_text(cell: Any, text: str) -> None:
    """Write a text into a cell, also one that looks like a formula or a number.

    `cell` is a cell of openpyxl, and is changed. A prefix that Excel does not show
    keeps it a text if somebody edits the cell.
    """
    cell.value = text
    cell.data_type = "s"
    cell.quotePrefix = True


def _set_up_page(sheet: Any, heading: str) -> None:
    """Set how a sheet is shown and printed, on A4 paper.

    The `sheet` of openpyxl is changed. The first row stays in view and is repeated on
    each page. All columns fit on the width of one page, and `heading` is the page
    header, cut to LONGEST_HEADER characters.
    """
    sheet.freeze_panes = "A2"
    sheet.print_title_rows = "1:1"
    sheet.page_setup.paperSize = sheet.PAPERSIZE_A4
    sheet.page_setup.fitToHeight = 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
    # A single & would begin a code of Excel.
    sheet.oddHeader.center.text = heading[:LONGEST_HEADER].replace("&", "&&")


def _with_fixed_times(raw: bytes) -> bytes:
    """Return a workbook that does not say when it was written.

    `raw` are the bytes of an .xlsx file. The times in its properties and the dates of
    all files in the archive are replaced by fixed ones, so that equal workbooks have
    equal bytes.
    """
    output_buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(raw)) as archive,
        zipfile.ZipFile(output_buffer, "w", zipfile.ZIP_DEFLATED) as fixed_archive,
    ):
        for zip_entry in archive.infolist():
            entry_content = archive.read(zip_entry.filename)
            if zip_entry.filename == "docProps/core.xml":
                entry_content = _TIMES.sub(_FIXED_TIME, entry_content)
            fixed_entry = zipfile.ZipInfo(zip_entry.filename, _FIXED_DATE)
            fixed_entry.compress_type = zipfile.ZIP_DEFLATED
            fixed_archive.writestr(fixed_entry, entry_content)
    return output_buffer.getvalue()
