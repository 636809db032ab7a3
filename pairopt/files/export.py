"""Export: an event as text in one of the formats, with notes on what the format cannot hold."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.files import formats
from pairopt.files.write import write_all


@dataclass(frozen=True, slots=True)
class Written:
    """The files written, and notes on what they cannot hold."""

    files: tuple[Path, ...]
    notes: tuple[str, ...]


def write_event(
    event: Event,
    path: str | Path,
    *,
    players: str | Path | None = None,
    form: str | None = None,
) -> Written:
    """Write an event to a file of another format.

    Args:
        event: what was read.
        path: the file; without `form` its suffix says which format.
        players: where players.csv goes, which matches.csv needs for names, ratings and the
            like; by default beside it, under its name with -players, if that is not there yet.
        form: the name of a format, such as "csv".

    Raises:
        UsageError: for an unknown format, a file that is in the way, or an event that the
            format cannot hold at all.
    """
    path = Path(path)
    chosen = formats.writer(form, path.suffix.lower())
    if not event.complete_history and len(event.matches):
        raise UsageError("standings hold no results of matches: they cannot be converted")
    assert chosen.write is not None
    made = chosen.write(event)
    texts = {path: made.text}
    if made.players is None and players is not None:
        raise UsageError(f"{chosen.name} holds its players itself: leave out --players-out")
    if made.players is not None and (players is not None or made.needs_players):
        beside = path.with_name(f"{path.stem}-players.csv")
        if players is None and beside.exists():
            raise UsageError(f"{beside} is already there: say --players-out FILE")
        beside = beside if players is None else Path(players)
        if beside.resolve() == path.resolve():
            raise UsageError(f"{beside} cannot hold both matches and players")
        texts[beside] = made.players
    write_all(texts)
    return Written(tuple(texts), tuple(made.lost))
