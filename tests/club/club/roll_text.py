"""Format `roll`: the line `Players:`, then one player per line."""

from __future__ import annotations

from pairopt.extend import (
    Event,
    EventText,
    Format,
    InputError,
    PlayerRow,
    PlayerTable,
    ReadOptions,
    TextSource,
    UsageError,
    build_event,
)

HEAD = "Players:\n"


def recognises(source: TextSource) -> bool:
    """Return whether a text begins like a roll of players."""
    return source.text.startswith(HEAD)


def read(source: TextSource, how: ReadOptions) -> Event:
    """Return an event before round 1. Raises InputError if a name occurs twice."""
    names = source.text.split("\n")[1:]
    players = [PlayerRow(player=name.strip()) for name in names if name.strip()]
    if len({player.player for player in players}) < len(players):
        raise InputError(source.name, "expected each name once")
    return build_event(source.name, [], PlayerTable(source.name, players), how)


def write(event: Event) -> EventText:
    """Return the roll of an event. Raises UsageError if the event has matches."""
    if len(event.matches):
        raise UsageError("a roll of players holds no matches")
    return EventText(HEAD + "".join(f"{name}\n" for name in event.shown))


FORMAT = Format(
    name="roll",
    expected="a roll of players (Players:, then one player per line)",
    of=TextSource,
    recognises=recognises,
    read=read,
    write=write,
    suffixes=(".roll",),
)
