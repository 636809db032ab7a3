"""What a format is: one object, from which choices, suffixes and messages follow."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pairopt.common.limits import parse_digits
from pairopt.common.old_paths import moved_names
from pairopt.event.event import Event
from pairopt.files.build_event import ReadOptions
from pairopt.files.text_source import TextSource
from pairopt.files.text_tables import TextTable
from pairopt.messages import Note

Given = TypeVar("Given", TextSource, TextTable)


def lazy_function(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that is imported when it is called, with what it needs itself."""

    def call(*given: Any) -> Any:
        return getattr(importlib.import_module(module), name)(*given)

    return call


@dataclass(frozen=True, slots=True)
class EventText:
    """An event as text. `players` is a players.csv that can go with it; `needs_players` where it
    must. `lost` is found by reading it again.
    """

    text: str
    players: str | None = None
    needs_players: bool = False
    lost: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Format(Generic[Given]):
    """A format of event files: `name` is the choice of `--format`, `expected` how messages call it.

    `of` is what it reads: the `Source` of a file, or the `Table` in it (or in a DataFrame). At most
    one format that is not `loose` `recognises` something.

    `read` raises InputError with every fault, `write` (None
    where it is only read) UsageError for an event that it cannot hold. `suffixes` have the usual
    one first; `doubtful` ones may be written, but say nothing of a file found. `joins_players` says
    whether a players.csv may belong to it. A `loose` one reads nearly anything: it is asked when
    no other format, of any package, recognises a file.
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


def choose_player_numbers(event: Event, most: int) -> list[int]:
    """A number for each player: their own names, where all are whole numbers from 1 to `most`."""
    own = [
        parse_digits(player, most) or 0 if player[0] != "0" else 0
        for player in event.players
    ]
    return own if all(own) else [*range(1, len(own) + 1)]


__getattr__ = moved_names(
    __name__,
    {
        "Text": "pairopt.files.formats.base:EventText",
    },
)
