"""Layout: how an event's list of matches is written, so that what is added to it fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from pairopt.wording import decimal_text

COLUMNS = ("round", "table", "player1", "player2", "side1", "score1", "score2", "status")
NAMES = ("name1", "name2")
NUMBERS = ("score", "score1", "score2", "rating")
"""Columns of decimal numbers."""
CellValue = str | int | bool | Fraction | None
"""What a cell holds; points are exact."""
Cell = TypeVar("Cell", bound=CellValue)


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns as they are spelled, what separates cells, and whether a half is written 0,5.

    `columns` is () for an event that has no list of matches yet.
    """

    columns: tuple[str, ...] = ()
    separator: str = ","
    decimal_comma: bool = False

    def with_columns(self, names: Sequence[str]) -> Layout:
        """With these columns too, at the end where they are missing."""
        have = {name.lower() for name in self.columns}
        return replace(self, columns=(*self.columns, *(n for n in names if n not in have)))

    def localised(self, row: Mapping[str, CellValue]) -> dict[str, str]:
        """The cells of a row as text, numbers with the decimal sign; None is an empty cell."""
        cells = {name: cell_text(cell) for name, cell in row.items()}
        if self.decimal_comma:
            cells |= {n: cells[n].replace(".", ",") for n in NUMBERS if n in cells}
        return cells

    def ordered(self, cells: Mapping[str, str]) -> list[str]:
        """The cells of a row in the order of the columns."""
        return [cells.get(name.lower(), "") for name in self.columns]


def records(columns: Mapping[str, Sequence[Cell]]) -> list[dict[str, Cell]]:
    """Columns as rows, each with its cells by column."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def cell_text(value: CellValue) -> str:
    if isinstance(value, Fraction):
        return decimal_text(value)
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
