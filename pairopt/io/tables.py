"""Tables: delimited text as a DataFrame of strings, with the row each line came from."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from pairopt.errors import Fault, InputError
from pairopt.io.source import Source

SEPARATORS = ",;\t"


@dataclass(frozen=True)
class Table:
    """Cells as stripped strings; the index is the row in the file (the header is row 1).

    `decimal_comma` says that numbers may be written 0,5 (as the comma separates no cells).
    """

    name: str
    cells: pd.DataFrame
    decimal_comma: bool = False

    @property
    def columns(self) -> list[str]:
        """The column names, in lower case."""
        return list(self.cells.columns)


def header(text: str) -> tuple[str, list[str]]:
    """The separator and the column names (in lower case) of delimited text."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    separator = max(SEPARATORS, key=line.count)
    names = next(csv.reader([line], delimiter=separator), [])
    return separator, [name.strip().lower() for name in names]


def parse_table(source: Source) -> Table:
    """The table in a file. Raises InputError naming every row with too many cells."""
    separator, names = header(source.text)
    faults = [
        Fault(f"column name {name!r} appears twice", 1)
        for name in dict.fromkeys(names)
        if name and names.count(name) > 1
    ]
    if faults:
        raise InputError(source.name, faults)
    rows, numbers = [], []
    reader = csv.reader(io.StringIO(source.text, newline=""), delimiter=separator)
    seen_header = False
    try:
        for number, row in enumerate(reader, 1):
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            if not seen_header:
                seen_header = True
                continue
            if any(cells[len(names) :]):
                faults.append(Fault(f"{len(cells)} cells, expected {len(names)}", number))
            rows.append((cells + [""] * len(names))[: len(names)])
            numbers.append(number)
    except csv.Error as error:
        faults.append(Fault(f"cannot be read as a table: {error}", reader.line_num))
    if faults:
        raise InputError(source.name, faults)
    frame = pd.DataFrame(rows, columns=names, index=numbers, dtype=str)
    return Table(source.name, frame.loc[:, [name != "" for name in names]], separator != ",")


def as_table(frame: pd.DataFrame, name: str) -> Table:
    """A DataFrame of any types as a table of strings; the caller's frame is not changed."""
    cells = {
        str(column).strip().lower(): [_text(value) for value in frame[column]] for column in frame
    }
    return Table(name, pd.DataFrame(cells, index=range(2, len(frame) + 2), dtype=str))


def _text(value: object) -> str:
    if value is None or value is pd.NA or value != value:  # NaN is not itself
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def require(table: Table, needed: Iterable[str]) -> None:
    """Raise InputError when columns are missing, naming them and those that are there."""
    if missing := [name for name in needed if name not in table.columns]:
        found = ", ".join(table.columns) or "none"
        raise InputError(
            table.name, [Fault(f"missing; the columns are: {found}", 1, name) for name in missing]
        )
