"""Strengths: real ratings as true strengths, from a column of a CSV file."""

from __future__ import annotations

from math import isfinite
from pathlib import Path

from pairopt.errors import Cell, Fault, InputError
from pairopt.files.source import read_source
from pairopt.files.tables import parse_table


def listed_strengths(path: str | Path, column: str = "rating") -> tuple[float, ...]:
    """The numbers of a column, empty cells left out; for `World(strengths=...)`.

    Raises InputError for a file without the column, and for cells that are no numbers.
    """
    table = parse_table(read_source(path))
    column = column.lower()
    if column not in table.columns:
        raise InputError(str(path), f"no column {column!r}; columns: {', '.join(table.columns)}")
    found, faults = [], []
    for row, cell in zip(table.rows, table.cells[column], strict=True):
        number = _number(cell)
        if cell and number is None:
            faults.append(Fault(f"expected a number, found {cell!r}", Cell(row, column)))
        elif number is not None:
            found.append(number)
    if faults:
        raise InputError(str(path), faults)
    return tuple(found)


def _number(cell: str | None) -> float | None:
    try:
        number = float(cell or "")
    except ValueError:
        return None
    return number if isfinite(number) else None
