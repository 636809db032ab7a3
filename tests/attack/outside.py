"""An event folder read from outside: csv, tomllib and zipfile, and nothing of the package.

A *fact* is a row of matches.csv or bracket.csv that has a result: who met whom, where, on which
side, with which scores and which status.
"""

from __future__ import annotations

import csv
import io
import tomllib
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

TOLD = ("event.toml", "players.csv", "matches.csv", "bracket.csv")
"""The files that say what the event is; the others say how it came to be so."""
COLUMNS = (
    "round",
    "table",
    "player1",
    "player2",
    "side1",
    "score1",
    "score2",
    "status",
)


class Row(NamedTuple):
    """A row of matches.csv; scores are None where there are none yet."""

    round: int
    table: int | None
    first: str
    second: str
    side: str
    scores: tuple[Fraction | None, Fraction | None]
    status: str

    @property
    def bye(self) -> bool:
        """Nobody sits opposite."""
        return not self.second

    @property
    def scored(self) -> bool:
        """A match with a result."""
        return not self.bye and None not in self.scores

    @property
    def pair(self) -> frozenset[str]:
        """Who meets, whatever their sides."""
        return frozenset((self.first, self.second))

    @property
    def seat(self) -> tuple[int | None, str, str, str]:
        """Where who sits, and on which side."""
        return self.table, self.first, self.second, self.side


class BracketRow(NamedTuple):
    """A row of bracket.csv: every cell as it is written."""

    match: str
    cells: tuple[tuple[str, str], ...]

    @property
    def scored(self) -> bool:
        """A match that has a result."""
        said = dict(self.cells)
        return bool(said.get("score1", "")) and bool(said.get("score2", ""))


def number(text: str) -> Fraction | None:
    """Points as they are written by anybody: 1, 0.5, 0,5, ½, 2½."""
    plain = text.strip().replace(",", ".")
    if not plain:
        return None
    return (
        Fraction(plain[:-1] or 0) + Fraction(1, 2)
        if plain[-1] == "½"
        else Fraction(plain)
    )


def table_of(content: bytes) -> list[dict[str, str]]:
    """The rows of a CSV, their columns in small letters; the heading says what separates."""
    text = content.decode("utf-8-sig")
    heading = text.split("\n", 1)[0]
    cut = max(",;\t", key=heading.count)
    rows = csv.reader(io.StringIO(text), delimiter=cut)
    names = [name.strip().lower() for name in next(rows, [])]
    return [dict(zip(names, row, strict=False)) for row in rows if any(row)]


def rows_of(content: bytes) -> list[Row]:
    """The rows of a matches.csv."""
    return [_row(cells) for cells in table_of(content)]


def _row(cells: Mapping[str, str]) -> Row:
    said = {name: (cells.get(name) or "").strip() for name in COLUMNS}
    return Row(
        int(said["round"]),
        int(said["table"]) if said["table"] else None,
        said["player1"],
        said["player2"],
        said["side1"],
        (number(said["score1"]), number(said["score2"])),
        said["status"],
    )


def facts_of(content: bytes) -> Counter[Row]:
    """The matches with a result, each as often as it is there."""
    return Counter(row for row in rows_of(content) if row.scored)


@dataclass(frozen=True)
class Seen:
    """A folder as it was at one moment."""

    files: Mapping[str, bytes] = field(repr=False)

    @cached_property
    def rows(self) -> list[Row]:
        return rows_of(self.files.get("matches.csv", b""))

    @cached_property
    def facts(self) -> Counter[Row]:
        return Counter(row for row in self.rows if row.scored)

    @cached_property
    def byes(self) -> Counter[Row]:
        """Byes of the rounds before the last one: nobody pairs those again."""
        return Counter(row for row in self.rows if row.bye and row.round < self.last)

    @cached_property
    def last(self) -> int:
        """The last round that holds a match or an allocated bye; 0 before round 1."""
        return max(
            (row.round for row in self.rows if row.status != "requested"), default=0
        )

    @cached_property
    def round(self) -> list[Row]:
        """The rows of the last round."""
        return [row for row in self.rows if row.round == self.last]

    @cached_property
    def tables(self) -> list[Row]:
        """The matches of the last round."""
        return [row for row in self.round if not row.bye]

    @cached_property
    def open(self) -> list[Row]:
        """The matches of the last round that wait for a result."""
        return [row for row in self.tables if not row.scored]

    @cached_property
    def extras(self) -> Counter[tuple[Row, tuple[tuple[str, str], ...]]]:
        """What columns of somebody's own say of each match with a result."""
        found: Counter[tuple[Row, tuple[tuple[str, str], ...]]] = Counter()
        for cells in table_of(self.files.get("matches.csv", b"")):
            own = tuple(
                sorted(
                    (k, v)
                    for k, v in cells.items()
                    if k not in (*COLUMNS, "name1", "name2")
                )
            )
            if (row := _row(cells)).scored and any(value for _, value in own):
                found[row, own] += 1
        return found

    @cached_property
    def players(self) -> list[dict[str, str]]:
        return table_of(self.files.get("players.csv", b""))

    @cached_property
    def names(self) -> list[str]:
        return [row["player"] for row in self.players]

    @cached_property
    def active(self) -> set[str]:
        return {
            p["player"] for p in self.players if p.get("active", "").lower() != "false"
        }

    @cached_property
    def settings(self) -> dict[str, Any]:
        return tomllib.loads(self.files.get("event.toml", b"").decode())

    @cached_property
    def bracket(self) -> list[BracketRow]:
        rows = table_of(self.files.get("bracket.csv", b""))
        named = ("name1", "name2")
        cells = [
            tuple(sorted((k, v) for k, v in r.items() if k not in named)) for r in rows
        ]
        return [
            BracketRow(r.get("match", ""), c) for r, c in zip(rows, cells, strict=True)
        ]

    @cached_property
    def cut(self) -> Counter[BracketRow]:
        """The matches of the bracket with a result."""
        return Counter(row for row in self.bracket if row.scored)

    @cached_property
    def log(self) -> list[dict[str, str]]:
        return table_of(self.files.get("log.csv", b""))

    @property
    def told(self) -> dict[str, bytes]:
        return {name: self.files[name] for name in TOLD if name in self.files}


def look(folder: Path) -> Seen:
    """All files of a folder but the journal's."""
    paths = (p for p in folder.rglob("*") if p.is_file() and ".pairopt" not in p.parts)
    return Seen({p.relative_to(folder).as_posix(): p.read_bytes() for p in paths})


def journal(folder: Path) -> Iterator[tuple[int, dict[str, bytes]]]:
    """The files after each step that the journal has whole, the latest first."""
    for path in sorted((folder / ".pairopt" / "steps").glob("*.zip"), reverse=True):
        try:
            with zipfile.ZipFile(path) as packed:
                yield (
                    int(path.stem),
                    {name: packed.read(name) for name in packed.namelist()},
                )
        except (zipfile.BadZipFile, OSError, ValueError, EOFError):
            continue
