"""What a format is: one object, from which choices, suffixes and messages follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pairopt.event.event import Event
from pairopt.event.layout import Layout
from pairopt.files.schema import PlayerRow
from pairopt.files.source import Source
from pairopt.files.tables import Table

Given = TypeVar("Given", Source, Table)


@dataclass(frozen=True, slots=True)
class Roster:
    """The rows of players.csv; `columns` are its cells as text, for `conflicts`."""

    name: str
    players: Sequence[PlayerRow]
    columns: Mapping[str, Sequence[str]]
    declares_active: bool
    layout: Layout = field(default_factory=Layout)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What is asked for besides a file; see `pairopt.read_event`.

    `roster` is players.csv where one was given; `history` says that scores need opponents.
    """

    roster: Roster | None = None
    round: int | None = None
    sides: tuple[str, str] | None = None
    history: bool = True


@dataclass(frozen=True, slots=True)
class Text:
    """An event as text, and what is lost in it.

    `players` is a players.csv that can go with it; `needs_players` where it must.
    """

    text: str
    lost: Sequence[str]
    players: str | None = None
    needs_players: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Format(Generic[Given]):
    """A format of event files.

    Attributes:
        name: the choice of `--format`.
        expected: how messages call it.
        of: what it reads: the `Source` of a file, or the `Table` in it (or in a DataFrame).
        recognises: whether something looks like it; at most one format says so.
        read: the event in it. Raises InputError with every fault.
        write: an event in it, None where it is only read. Raises UsageError for an event that
            it cannot hold.
        suffixes: of its files, the usual one first.
        doubtful: suffixes that it may be written under, but that say nothing of a file found.
        joins_players: whether a players.csv may belong to it.
    """

    name: str
    expected: str
    of: type[Given]
    recognises: Callable[[Given], bool]
    read: Callable[[Given, Reading], Event]
    write: Callable[[Event], Text] | None = None
    suffixes: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    joins_players: bool = False
