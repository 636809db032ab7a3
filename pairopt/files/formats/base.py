"""What a format is: one object, from which choices, suffixes and messages follow."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeVar

from pairopt.bounds import whole_number
from pairopt.event.event import Event
from pairopt.event.settings import Settings
from pairopt.files.build import Reading
from pairopt.files.source import Source
from pairopt.files.tables import Table

Given = TypeVar("Given", Source, Table)


def later(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that is imported when it is called, with what it needs itself."""

    def call(*given: Any) -> Any:
        return getattr(importlib.import_module(module), name)(*given)

    return call


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


def lost_facts(event: Event, form: str, *held: str) -> list[str]:
    """What a format cannot hold of an event: settings, but those `held`, its cut and its source."""
    usual = Settings()
    own = [each.name for each in fields(Settings) if each.name not in ("sides", *held)]
    lost = [name for name in own if getattr(event.settings, name) != getattr(usual, name)]
    for source, facts in event.origin.facts.items():
        if source != form:
            keys = facts if isinstance(facts, dict) else dict.fromkeys(line[:3] for line in facts)
            lost += [f"{key} ({source})" for key in keys]
    if event.origin.bracket and "cut" not in held:
        lost.append("the cut (bracket.csv)")
    return [f"lost: {what}" for what in lost]


def numbers_of(event: Event, most: int) -> tuple[list[int], list[str]]:
    """A number for each player, and a note where it is not the player's own.

    Players' own names are kept where all are whole numbers from 1 to `most`.
    """
    own = [whole_number(player, most) or 0 if player[0] != "0" else 0 for player in event.players]
    if all(own):
        return own, []
    return list(range(1, len(own) + 1)), ["players are numbered from 1; their names are kept"]
