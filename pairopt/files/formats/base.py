"""The class of formats: choices, suffixes and messages follow from its objects."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, TypeVar

from pairopt.common.limits import parse_digits
from pairopt.common.old_paths import moved_names
from pairopt.errors import InputError
from pairopt.event.event import Event
from pairopt.files.build_event import ReadOptions
from pairopt.files.text_source import TextSource
from pairopt.files.text_tables import TextTable
from pairopt.messages import Note

Given = TypeVar("Given", TextSource, TextTable)


def lazy_function(module: str, name: str) -> Callable[..., Any]:
    """Return a function that calls the function `name` of `module`.

    The module is imported by the first call. Arguments are passed by position.
    """

    def call(*arguments: Any) -> Any:
        """Import the module and call its function."""
        return getattr(importlib.import_module(module), name)(*arguments)

    return call


@dataclass(frozen=True, slots=True)
class EventText:
    """An event as text in some format.

    Attributes
    ----------
    text : str
        The content of the file.
    players : str or None
        The content of a players.csv that can go with it.
    needs_players : bool
        Whether the event is not complete without `players`.
    lost : tuple[Note, ...]
        Data that the format cannot hold, found by reading the text again.
    missing : tuple[Note, ...]
        Data that the receiver of the file needs, but that the event lacks.
    """

    text: str
    players: str | None = None
    needs_players: bool = False
    lost: tuple[Note, ...] = ()
    missing: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Format(Generic[Given]):
    """A format of event files.

    At most one format recognises a source, apart from formats that are `loose`.

    Attributes
    ----------
    name : str
        The choice of `--format`.
    expected : str
        The name of the format in messages.
    of : type
        What it reads: `TextSource`, the text of a file, or `TextTable`, the table in it (or in a
        DataFrame).
    recognises : Callable[[Given], bool]
        Returns whether a source has this format.
    read : Callable[[Given, ReadOptions], Event]
        Builds the event. Raises InputError with every fault.
    write : Callable[[Event], EventText] or None
        Writes an event; None if the format is only read. Raises UsageError for an event that the
        format cannot hold.
    suffixes : tuple[str, ...]
        Suffixes of files, the usual one first.
    doubtful : tuple[str, ...]
        Suffixes that may be written, but by which no file is recognised.
    joins_players : bool
        Whether a players.csv may belong to a file.
    loose : bool
        Whether it reads nearly anything. It is tried if no other format, of any package, recognises a
        source.
    written_only : bool
        Whether it holds so little of an event that it is only written. `write` then
        says what is lost.
    """

    name: str
    expected: str
    of: type[Given]
    recognises: Callable[[Given], bool]
    read: Callable[[Given, ReadOptions], Event]
    write: Callable[[Event], EventText] | None = None
    suffixes: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    joins_players: bool = False
    loose: bool = False
    written_only: bool = False


def refuse_to_read(kind: str) -> Callable[[TextSource, ReadOptions], NoReturn]:
    """Return a reader for a format that is only written; it always raises InputError.

    `kind` is the id of the message that says what to read instead.
    """

    def refuse(source: TextSource, _options: ReadOptions) -> NoReturn:
        """Raise InputError, because pairopt does not read this format.

        `source` gives the name of the file; the options are not used.
        """
        raise InputError(source.name, kind)

    return refuse


def choose_player_numbers(event: Event, most: int) -> list[int]:
    """Return a number per player: identifiers if all are numbers from 1 to `most`.

    If any is not, or begins with 0, all players are numbered from 1 in the order of the
    event.
    """
    parsed_identifiers = [
        parse_digits(identifier, most) or 0 if identifier[0] != "0" else 0
        for identifier in event.players
    ]
    return (
        parsed_identifiers
        if all(parsed_identifiers)
        else [*range(1, len(parsed_identifiers) + 1)]
    )


__getattr__ = moved_names(
    __name__,
    {
        "Text": "pairopt.files.formats.base:EventText",
    },
)
