"""Errors that users see. Infeasibility is a status of a result, not one of these."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pairopt.messages import (
    ENGLISH,
    FREE,
    AnyMessage,
    Located,
    Message,
    MessageFormatter,
    Note,
    Passage,
    message,
)
from pairopt.messages.formatting import escape_hidden

if TYPE_CHECKING:
    from pairopt.messages import FieldValue

LONGEST_LINE = 1000


class PairoptError(Exception):
    """Base of every error pairopt raises on purpose: a kind with its fields, or more than one. Its
    lines may quote a file: they cannot steer a terminal, and have an end.
    """

    def __init__(
        self, kind: str | AnyMessage, /, *more: AnyMessage, **fields: FieldValue
    ) -> None:
        first = message(kind, **fields) if isinstance(kind, (str, Message)) else kind
        self.said: tuple[AnyMessage, ...] = (first, *more)
        super().__init__(*self.said)

    @property
    def reason(self) -> Note:
        """What is wrong, without the place where it is."""
        first = self.said[0]
        return first.message if isinstance(first, Located) else first

    @property
    def kind(self) -> str:
        """What kind of error it is, which stays the same where its words change."""
        return self.said[0].kind

    def __str__(self) -> str:
        return self.format_with(ENGLISH)

    def format_with(self, words: MessageFormatter) -> str:
        """It in the words of a door, a line for each thing it says."""
        drawn = ((each.kind == FREE, words.format_message(each)) for each in self.said)
        texts = (
            line
            for free, text in drawn
            for line in (text.split("\n") if free else [text])
        )
        return "\n".join(escape_hidden(text[:LONGEST_LINE]) for text in texts)

    def add(self, said: Iterable[str | AnyMessage]) -> None:
        """Say more, each in a line of its own."""
        more = (message(each) if isinstance(each, str) else each for each in said)
        self.said = (*self.said, *more)


class InvalidValueError(ValueError):
    """A value that cannot be so: whoever knows where it stands says that, with this as a field."""

    def __init__(self, kind: str | Note, /, **fields: FieldValue) -> None:
        self.said = kind if isinstance(kind, Passage) else message(kind, **fields)
        super().__init__(self.said)

    def __str__(self) -> str:
        return str(self.said)


class UsageError(PairoptError):
    """An option or argument that cannot be used so (exit code 2)."""


class ConfirmationError(UsageError):
    """Something unusual, which is done where it is said for sure."""


def require_extra(module: str, what: str, extra: str) -> Any:
    """A module that comes with an extra. Raises UsageError, with `what` needs it, where it is not
    installed.
    """
    try:
        import_module(module.partition(".")[0])
        return import_module(module)
    except ImportError:
        raise not_installed(what, extra) from None


def not_installed(what: str, extra: str) -> UsageError:
    """Says that something needs the packages of an extra, and the command that installs them. They
    are called by their own names: "pairopt[...]" is found only where pairopt is on an index.
    """
    # Only a missing package needs it.
    from importlib.metadata import requires

    mark = re.compile(rf"""extra == ['"]{extra}['"]""")
    lines = [line.partition(";") for line in requires("pairopt") or ()]
    packages = " ".join(
        f'"{name.strip()}"' for name, _, when in lines if mark.search(when)
    )
    return UsageError(
        "said.not_installed", what=what, python=sys.executable, packages=packages
    )


@dataclass(frozen=True, slots=True)
class CellLocation:
    """A place in a table; `row` counts the header as row 1."""

    row: int
    column: str | None = None

    def at(self, column: str) -> CellLocation:
        """The cell of this row that holds a column of matches.csv."""
        return CellLocation(self.row, column)

    def __str__(self) -> str:
        return (
            f"row {self.row}, column {self.column}"
            if self.column
            else f"row {self.row}"
        )


@dataclass(frozen=True, slots=True)
class TextLocation:
    """A place in lines of text; both count from 1, `columns` such as 5-8."""

    line: int
    columns: str | None = None

    def at(self, _: str) -> TextLocation:
        """The same: a match is one entry of a line."""
        return self

    def __str__(self) -> str:
        return (
            f"line {self.line}, column {self.columns}"
            if self.columns
            else f"line {self.line}"
        )


@dataclass(frozen=True, slots=True)
class JsonLocation:
    """A place in JSON or TOML, such as rounds[2][5].player1.id; lists count from 0."""

    path: str

    def at(self, key: str) -> JsonLocation:
        return JsonLocation(f"{self.path}.{key}" if self.path else key)

    def __str__(self) -> str:
        return self.path


Place = CellLocation | TextLocation | JsonLocation


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in an input file, and where; `said` has no place and no source in it."""

    said: Note
    place: Place | None = None

    def __init__(self, said: str | Note, place: Place | None = None) -> None:
        object.__setattr__(
            self, "said", message(said) if isinstance(said, str) else said
        )
        object.__setattr__(self, "place", place)

    def __str__(self) -> str:
        return escape_hidden(self.told())

    def told(
        self, source: str | None = None, hint: Message | None = None
    ) -> AnyMessage:
        """It with its place, and with the source where that is to be named."""
        place = "" if self.place is None else str(self.place)
        if not (source or place or hint):
            return self.said
        return Located(self.said, escape_hidden(source or ""), place, hint)


class InputError(PairoptError):
    """Invalid input (exit code 3): every fault found in one source, with its place; no source is
    named where that is "". `faults` may be the kind of the only one, with its fields.
    """

    def __init__(
        self,
        source: str,
        faults: Iterable[Fault] | str | Note,
        hint: Message | None = None,
        **fields: FieldValue,
    ) -> None:
        self.source, self.hint = source, hint
        if isinstance(faults, (str, Message)):
            self.faults: tuple[Fault, ...] = (Fault(message(faults, **fields)),)
        elif isinstance(faults, Passage):
            self.faults = (Fault(faults),)
        else:
            self.faults = tuple(faults)

        said = [fault.told(source) for fault in self.faults]
        if hint is not None:
            said[-1] = self.faults[-1].told(source, hint)
        super().__init__(*said)
        self.args = (source, self.faults, hint)

    @property
    def kind(self) -> str:
        return self.faults[0].said.kind
