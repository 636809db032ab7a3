"""Errors that users see. Infeasibility is a status of a result, not one of these."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from pairopt.wording import plain

LONGEST_LINE = 1000


class PairoptError(Exception):
    """Base of every error pairopt raises on purpose.

    Its lines may quote a file: they cannot steer a terminal, and have an end.
    """

    def __str__(self) -> str:
        return "\n".join(plain(line[:LONGEST_LINE]) for line in super().__str__().split("\n"))

    def add(self, lines: Iterable[str]) -> None:
        """Say more, each in a line of its own."""
        self.args = ("\n".join([*map(str, self.args[:1]), *lines]), *self.args[1:])


class UsageError(PairoptError):
    """An option or argument that cannot be used so (exit code 2)."""


class UnsureError(UsageError):
    """Something unusual, which is done where it is said for sure."""


def not_installed(what: str, extra: str) -> UsageError:
    """Says that something needs the packages of an extra, and the command that installs them.

    They are called by their own names: "pairopt[...]" is found only where pairopt is on an index.
    """
    from importlib.metadata import requires

    mark = re.compile(rf"""extra == ['"]{extra}['"]""")
    lines = [line.partition(";") for line in requires("pairopt") or ()]
    packages = " ".join(f'"{name.strip()}"' for name, _, when in lines if mark.search(when))
    return UsageError(f'{what}: "{sys.executable}" -m pip install {packages}')


@dataclass(frozen=True, slots=True)
class Cell:
    """A place in a table; `row` counts the header as row 1."""

    row: int
    column: str | None = None

    def at(self, column: str) -> Cell:
        """The cell of this row that holds a column of matches.csv."""
        return Cell(self.row, column)

    def __str__(self) -> str:
        return f"row {self.row}, column {self.column}" if self.column else f"row {self.row}"


@dataclass(frozen=True, slots=True)
class TextPlace:
    """A place in lines of text; both count from 1, `columns` such as 5-8."""

    line: int
    columns: str | None = None

    def at(self, _: str) -> TextPlace:
        """The same: a match is one entry of a line."""
        return self

    def __str__(self) -> str:
        return f"line {self.line}, column {self.columns}" if self.columns else f"line {self.line}"


@dataclass(frozen=True, slots=True)
class JsonPath:
    """A place in JSON or TOML, such as rounds[2][5].player1.id; lists count from 0."""

    path: str

    def at(self, key: str) -> JsonPath:
        """A key of the object in this place."""
        return JsonPath(f"{self.path}.{key}" if self.path else key)

    def __str__(self) -> str:
        return self.path


Place = Cell | TextPlace | JsonPath


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in an input file, and where."""

    message: str
    place: Place | None = None

    def __str__(self) -> str:
        place = "" if self.place is None else f"{self.place}: "
        return plain(f"{place}{self.message}")


class InputError(PairoptError):
    """Invalid input (exit code 3): every fault found in one source, with its place.

    `hint` says what can be done about it.
    """

    def __init__(self, source: str, faults: Iterable[Fault] | str, hint: str = "") -> None:
        self.source, self.hint = source, hint
        self.faults = (Fault(faults),) if isinstance(faults, str) else tuple(faults)
        lines = [f"{plain(source)}: {fault}" for fault in self.faults]
        super().__init__("\n".join(lines) + f" ({hint})" * bool(hint))
