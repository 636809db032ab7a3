"""A roll of players: `Players:`, then one player per line."""

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
    """Whether it begins as a roll does."""
    return source.text.startswith(HEAD)


def read(source: TextSource, how: ReadOptions) -> Event:
    """The first round of these players. Raises InputError for a name that comes twice."""
    names = source.text.split("\n")[1:]
    players = [PlayerRow(player=name.strip()) for name in names if name.strip()]
    if len({player.player for player in players}) < len(players):
        raise InputError(source.name, "expected each name once")
    return build_event(source.name, [], PlayerTable(source.name, players), how)


def write(event: Event) -> EventText:
    """The names of the players. Raises UsageError once something was played."""
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
