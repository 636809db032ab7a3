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
    """The base class of every error that pairopt raises on purpose.

    `said` is a tuple of messages, one or more lines of text each. The text of an error
    may quote a file. For safety, control characters are escaped, and each line is cut
    to 1000 characters.
    """

    def __init__(
        self,
        kind: str | AnyMessage,
        /,
        *further_messages: AnyMessage,
        **fields: FieldValue,
    ) -> None:
        if isinstance(kind, (str, Message)):
            first_message: AnyMessage = message(kind, **fields)
        else:
            first_message = kind
        self.said: tuple[AnyMessage, ...] = (first_message, *further_messages)
        super().__init__(*self.said)

    @property
    def reason(self) -> Note:
        """The first message: what is wrong, without the location in the file."""
        first_message = self.said[0]
        if isinstance(first_message, Located):
            return first_message.message
        return first_message

    @property
    def kind(self) -> str:
        """The id of the first message, which is the same if the text changes."""
        return self.said[0].kind

    def __str__(self) -> str:
        return self.format_with(ENGLISH)

    def format_with(self, words: MessageFormatter) -> str:
        """Return the error's text as `words`, the formatter of an interface, writes it.

        There is one line per message, or several for a text without an id. Hidden
        characters are escaped, and lines cut to LONGEST_LINE characters.
        """
        text_lines: list[str] = []
        for error_message in self.said:
            message_text = words.format_message(error_message)
            # A text without an id of its own may have several lines.
            text_lines += (
                message_text.split("\n")
                if error_message.kind == FREE
                else [message_text]
            )
        return "\n".join(
            escape_hidden(text_line[:LONGEST_LINE]) for text_line in text_lines
        )

    def add(self, messages: Iterable[str | AnyMessage]) -> None:
        """Append messages to `said`, each as a further line of the error's text.

        The error itself changes. Texts become messages; `args` of the exception stay as
        they are.
        """
        further_messages = [
            message(text_or_message)
            if isinstance(text_or_message, str)
            else text_or_message
            for text_or_message in messages
        ]
        self.said = (*self.said, *further_messages)

    # Extensions of version 1.0 use these names.
    drawn = format_with


class InvalidValueError(ValueError):
    """Raised for a value that cannot be right, where its location is not known yet.

    `said` is the message on what is expected. Code that knows the location turns this
    error into a fault with a location.
    """

    def __init__(self, kind: str | Note, /, **fields: FieldValue) -> None:
        self.said = kind if isinstance(kind, Passage) else message(kind, **fields)
        super().__init__(self.said)

    def __str__(self) -> str:
        return str(self.said)


class UsageError(PairoptError):
    """The error for an option or argument that you cannot use (exit code 2)."""


class ConfirmationError(UsageError):
    """Raised for something unusual that pairopt does only after a confirmation."""


def require_extra(module: str, what: str, extra: str) -> Any:
    """Import and return a module of a package that pairopt does not require.

    Raises UsageError if it is not installed. The error begins with `what`, which says
    what needs the module, and lists the packages of `extra`, the name of an optional
    dependency group of pairopt.
    """
    try:
        import_module(module.partition(".")[0])
        return import_module(module)
    except ImportError:
        raise not_installed(what, extra) from None


def not_installed(what: str, extra: str) -> UsageError:
    """Return the error that names a missing extra's packages and how to install them.

    `what` begins its message, and `extra` is the name of an optional dependency group
    of pairopt. The packages go by their own names: "pairopt[...]" works only where
    pairopt is on an index.
    """
    # Only a missing package needs it.
    from importlib.metadata import requires

    extra_marker = re.compile(rf"""extra == ['"]{extra}['"]""")
    package_texts = []
    for requirement in requires("pairopt") or ():
        package_name, _, extra_condition = requirement.partition(";")
        if extra_marker.search(extra_condition):
            package_texts.append(f'"{package_name.strip()}"')
    return UsageError(
        "said.not_installed",
        what=what,
        python=sys.executable,
        packages=" ".join(package_texts),
    )


@dataclass(frozen=True, slots=True)
class CellLocation:
    """A location in a table: the number of a row and the name of a column.

    The header is row 1. `column` is None for the whole row.
    """

    row: int
    column: str | None = None

    def at(self, column: str) -> CellLocation:
        """Return the location of another column in this row."""
        return CellLocation(self.row, column)

    def __str__(self) -> str:
        if self.column:
            return f"row {self.row}, column {self.column}"
        return f"row {self.row}"


@dataclass(frozen=True, slots=True)
class TextLocation:
    """A location in a text file: a line and a range of columns, both counted from 1.

    `columns` is such as "5-8", None for the whole line.
    """

    line: int
    columns: str | None = None

    def at(self, _: str) -> TextLocation:
        """Return this location itself, because a match is one entry of a line.

        So every column of the match has the same location.
        """
        return self

    def __str__(self) -> str:
        if self.columns:
            return f"line {self.line}, column {self.columns}"
        return f"line {self.line}"


@dataclass(frozen=True, slots=True)
class JsonLocation:
    """A location in JSON or TOML, such as rounds[2][5].player1.id.

    Lists count from 0.
    """

    path: str

    def at(self, key: str) -> JsonLocation:
        """Return the location of a key in the object at this location."""
        return JsonLocation(f"{self.path}.{key}" if self.path else key)

    def __str__(self) -> str:
        return self.path


Place = CellLocation | TextLocation | JsonLocation


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in an input file, and where it is.

    `said` is the message without place and source; a text becomes a message. `place` is
    None if the fault has no single place.
    """

    said: Note
    place: Place | None = None

    def __init__(self, said: str | Note, place: Place | None = None) -> None:
        object.__setattr__(
            self, "said", message(said) if isinstance(said, str) else said
        )
        object.__setattr__(self, "place", place)

    def __str__(self) -> str:
        return escape_hidden(self.to_message())

    def to_message(
        self, source: str | None = None, hint: Message | None = None
    ) -> AnyMessage:
        """Return the message with its place, its source and a hint, if they exist.

        `source` is the name of the file. Without any of the three it is the message
        alone, otherwise a `Located` message.
        """
        place_text = "" if self.place is None else str(self.place)
        if not (source or place_text or hint):
            return self.said
        return Located(self.said, escape_hidden(source or ""), place_text, hint)


class InputError(PairoptError):
    """The error for invalid input (exit code 3), with all faults of one file.

    If `source` is the empty string, the `InputError` names no file. Instead of
    `faults`, you can pass the id of one message and its fields. The `hint` is shown
    after the last fault.
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

        fault_messages = [fault.to_message(source) for fault in self.faults]
        if hint is not None:
            fault_messages[-1] = self.faults[-1].to_message(source, hint)
        super().__init__(*fault_messages)
        self.args = (source, self.faults, hint)

    @property
    def kind(self) -> str:
        """The id of the first fault's message."""
        return self.faults[0].said.kind
