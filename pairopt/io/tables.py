"""Tables: delimited text as a DataFrame of strings, with the row each line came from."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from pairopt.errors import Cell, Fault, InputError, Place
from pairopt.io.source import Source, is_text
from pairopt.wording import LONGEST, quoted

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

    @property
    def rows(self) -> list[int]:
        """The row in the file of each row of cells."""
        return self.cells.index.tolist()

    @property
    def places(self) -> tuple[Place, ...]:
        """The place of each row."""
        return tuple(map(Cell, self.rows))


def parse_table(source: Source) -> Table:
    """The table in a file. Raises InputError naming every row with too many cells."""
    lines = io.StringIO(source.text, newline="")
    first = next((line for line in lines if line.strip()), "")
    separator = max(SEPARATORS, key=first.count)
    lines.seek(0)
    reader = csv.reader(lines, delimiter=separator)
    rows: dict[int, list[str]] = {}
    number = 0
    try:
        for number, row in enumerate(reader, 1):
            cells = [cell.strip() for cell in row]
            if any(cells):
                rows[number] = cells
    except csv.Error as error:
        fault = Fault(f"cannot be read as a table: {error}", Cell(number + 1))
        raise InputError(source.name, [fault]) from None
    if not rows:
        raise InputError(source.name, "the file is empty")
    numbers = list(rows)
    names = [name.lower() for name in rows.pop(numbers[0])]
    width = len(names)
    faults = _twice(names, numbers[0])
    faults += [
        Fault(f"{len(row)} cells, expected {width}", Cell(number))
        for number, row in rows.items()
        if any(row[width:])
    ]
    if faults:
        raise InputError(source.name, faults)
    filled = [(row + [""] * width)[:width] for row in rows.values()]
    frame = pd.DataFrame(filled, columns=names, index=numbers[1:], dtype=str)
    return Table(source.name, frame.loc[:, [name != "" for name in names]], separator != ",")


def as_table(frame: pd.DataFrame, name: str) -> Table:
    """A DataFrame of any types as a table of strings; the caller's frame is not changed.

    Raises InputError for what no text file holds.
    """
    names = [str(column).strip().lower() for column in frame.columns]
    cells = [[_text(value) for value in frame.iloc[:, k]] for k in range(len(names))]
    faults = _twice(names, 1) + [
        Fault(f"found {quoted(cell)}, expected text", Cell(row, column))
        for column, listed in zip(names, cells, strict=True)
        for row, cell in enumerate([column, *listed], 1)
        if not is_text(cell)
    ]
    if faults:
        raise InputError(name, faults)
    made = dict(zip(names, cells, strict=True))
    return Table(name, pd.DataFrame(made, index=range(2, len(frame) + 2), dtype=str))


def _twice(names: list[str], row: int) -> list[Fault]:
    """A fault for each column name that is there twice."""
    return [
        Fault(f"column name {quoted(name)} appears twice", Cell(row))
        for name in dict.fromkeys(names)
        if name and names.count(name) > 1
    ]


def _text(value: object) -> str:
    if value is None or value is pd.NA:
        return ""
    if pd.api.types.is_scalar(value) and value != value:  # NaN is not itself
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def require(table: Table, needed: Iterable[str]) -> None:
    """Raise InputError when columns are missing, naming them and those that are there."""
    if missing := [name for name in needed if name not in table.columns]:
        found = ", ".join(table.columns)[: 4 * LONGEST] or "none"
        message = f"missing; the columns are: {found}"
        raise InputError(table.name, [Fault(message, Cell(1, name)) for name in missing])
