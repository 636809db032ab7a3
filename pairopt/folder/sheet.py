"""Sheet: a CSV file whose rows are changed while the rest stays as its owner wrote it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import compress

from pairopt.event.arcs import BoolArray
from pairopt.event.layout import CellValue, Layout
from pairopt.files.source import decoded, encoded
from pairopt.files.tables import parse_table
from pairopt.files.write import rows_text

SheetRow = Mapping[str, str]
"""A row: its cells by column name in lower case."""


@dataclass(frozen=True)
class Sheet:
    """Rows in order, and how the file is written; `marked` with a byte order mark."""

    layout: Layout
    rows: tuple[SheetRow, ...]
    newline: str = "\n"
    marked: bool = False

    @staticmethod
    def of(name: str, content: bytes) -> Sheet:
        """The sheet in a file. Raises InputError where it is no table."""
        source = decoded(name, content)
        table = parse_table(source)
        cells = zip(*table.cells.values(), strict=True)
        rows = tuple(dict(zip(table.cells, row, strict=True)) for row in cells)
        marked = source.marked or bool(source.notes)  # so that what wrote it reads it
        return Sheet(table.layout, rows, source.newline, marked)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns as they are spelled."""
        return self.layout.columns

    def content(self) -> bytes:
        """The file."""
        rows = [self.columns, *map(self.layout.ordered, self.rows)]
        return encoded(rows_text(rows, self.layout.separator, self.newline), self.marked)

    def with_columns(self, *names: str) -> Sheet:
        """With these columns too, at the end where they are missing."""
        return replace(self, layout=self.layout.with_columns(names))

    def with_column(self, name: str, cells: Iterable[str]) -> Sheet:
        """With this column, a cell a row."""
        rows = tuple({**row, name: cell} for row, cell in zip(self.rows, cells, strict=True))
        return replace(self.with_columns(name), rows=rows)

    def appended(self, rows: Iterable[Mapping[str, CellValue]]) -> Sheet:
        """With further rows, None an empty cell; unknown columns are added."""
        made = [self.layout.localised(row) for row in rows]
        used = dict.fromkeys(name for row in made for name, cell in row.items() if cell)
        return replace(self.with_columns(*used), rows=(*self.rows, *made))

    def changed(self, number: int, cells: Mapping[str, str]) -> Sheet:
        """With cells changed in a row, counted from 0."""
        rows, local = list(self.rows), self.layout.localised(cells)
        rows[number] = {**rows[number], **local}
        return replace(self.with_columns(*cells), rows=tuple(rows))

    def taken(self, which: BoolArray) -> Sheet:
        """With these rows alone."""
        return replace(self, rows=tuple(compress(self.rows, which)))
