"""Sheet: a CSV file whose rows are changed while the rest stays as its owner wrote it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from pairopt.io.source import decoded
from pairopt.io.tables import SEPARATORS, parse_table

Cells = Mapping[str, str]
"""A row: its cells by column name in lower case."""
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Sheet:
    """Columns as they are spelled, rows in order, and how the file is written."""

    columns: tuple[str, ...]
    rows: tuple[Cells, ...]
    separator: str = ","
    newline: str = "\n"
    marked: bool = False

    @staticmethod
    def of(name: str, content: bytes) -> Sheet:
        """The sheet in a file. Raises InputError where it is no table."""
        source = decoded(name, content)
        table = parse_table(source)
        first = next(line for line in source.text.splitlines() if line.strip())
        separator = max(SEPARATORS, key=first.count)
        spelled = next(csv.reader([first], delimiter=separator))
        columns = tuple(cell.strip() for cell in spelled if cell.strip())
        rows: tuple[Cells, ...] = tuple(table.cells.to_dict("records"))  # type: ignore[arg-type]
        newline = "\r\n" if b"\r\n" in content else "\n"
        return Sheet(columns, rows, separator, newline, content.startswith(BOM))

    def content(self) -> bytes:
        """The file."""
        out = io.StringIO()
        writer = csv.writer(out, delimiter=self.separator, lineterminator=self.newline)
        writer.writerow(self.columns)
        writer.writerows([row.get(name.lower(), "") for name in self.columns] for row in self.rows)
        return (BOM if self.marked else b"") + out.getvalue().encode("utf-8")

    def with_columns(self, *names: str) -> Sheet:
        """With these columns too, at the end where they are missing."""
        have = {name.lower() for name in self.columns}
        return replace(self, columns=(*self.columns, *(n for n in names if n not in have)))

    def appended(self, rows: Iterable[Mapping[str, object]]) -> Sheet:
        """With further rows, None an empty cell; unknown columns are added."""
        made = [{k: "" if v is None else str(v) for k, v in row.items()} for row in rows]
        used = dict.fromkeys(name for row in made for name, cell in row.items() if cell)
        numbers = [self._localised(row) for row in made]
        return replace(self.with_columns(*used), rows=(*self.rows, *numbers))

    def changed(self, which: Callable[[Cells], bool], cells: Mapping[str, str]) -> Sheet:
        """With cells changed in the rows that are meant."""
        local = self._localised(cells)
        rows = tuple({**row, **local} if which(row) else row for row in self.rows)
        return replace(self.with_columns(*cells), rows=rows)

    def without(self, which: Callable[[Cells], bool]) -> Sheet:
        """Without the rows that are meant."""
        return replace(self, rows=tuple(row for row in self.rows if not which(row)))

    @property
    def decimal_comma(self) -> bool:
        """Whether numbers are written 0,5 here."""
        cells = (row.get(name, "") for row in self.rows for name in ("score1", "score2"))
        return self.separator != "," and any("," in cell for cell in cells)

    def _localised(self, row: Mapping[str, str]) -> dict[str, str]:
        if not self.decimal_comma:
            return dict(row)
        scores = {"score1", "score2", "score"}
        return {k: v.replace(".", ",") if k in scores else v for k, v in row.items()}
