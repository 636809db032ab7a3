"""Export: an event as text in one of the formats, with notes on what the format cannot hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.io.formats import matches_csv, nrtm_json, players_csv, trf_write
from pairopt.io.write import write_all

Exported = tuple[str, Sequence[str]]
"""The text, and what is lost in it."""

WRITERS: dict[str, Callable[[Event], Exported]] = {
    "csv": matches_csv.text_of,
    "json": nrtm_json.text_of,
    "trf": trf_write.text_of,
}
SUFFIXES = {".csv": "csv", ".json": "json", ".trf": "trf", ".trfx": "trf", ".txt": "trf"}


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
        path: the file; without `form` its suffix (.csv, .json, .trf) says which format.
        players: where players.csv goes, which matches.csv needs for names, ratings and the
            like; by default beside it, under its name with -players, if that is not there yet.
        form: "csv", "json" or "trf".

    Raises:
        UsageError: for an unknown format, a file that is in the way, or an event that the
            format cannot hold at all.
    """
    path = Path(path)
    form = form or SUFFIXES.get(path.suffix.lower())
    if form not in WRITERS:
        raise UsageError(f"{path.name}: expected a name ending in .csv, .json or .trf, or --format")
    if not event.complete_history and len(event.matches):
        raise UsageError("standings hold no results of matches: they cannot be converted")
    text, notes = WRITERS[form](event)
    texts = {path: text}
    if players is not None and form != "csv":
        raise UsageError("players.csv goes only with matches.csv (.csv)")
    if form == "csv" and (players is not None or players_csv.needed(event)):
        beside = path.with_name(f"{path.stem}-players.csv")
        if players is None and beside.exists():
            raise UsageError(f"{beside} is already there: say --players-out FILE")
        texts[beside if players is None else Path(players)] = players_csv.text_of(event)
    write_all(texts)
    return Written(tuple(texts), tuple(notes))
