"""Reading an event: find out what the files are, parse them, build the event."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Union

from pairopt.errors import InputError, UsageError
from pairopt.event.event import Event, require_finished
from pairopt.io.folder import is_folder, read_folder
from pairopt.io.formats import opened, read_as_event
from pairopt.io.formats.base import Reading
from pairopt.io.formats.players_csv import lists_players, read_players
from pairopt.io.source import Source, read_bytes
from pairopt.io.tables import Table, as_table, is_frame
from pairopt.io.workbook import table_in

if TYPE_CHECKING:
    import pandas as pd

Input = Union[str, Path, "pd.DataFrame"]


def read_event(
    path: Input,
    players: Input | None = None,
    *,
    round: int | None = None,
    sides: Sequence[str] | None = None,
    relax: Sequence[str] = (),
    unfinished: bool = False,
) -> Event:
    """Read an event from a file (or DataFrame) of matches, standings or players.

    Args:
        path: matches.csv, standings.csv or players.csv (or such a sheet in an .xlsx workbook),
            NRTM JSON or TRF; its content says which.
        players: players.csv.
        round: see the event as before this round.
        sides: labels of the first and the second side, where they are not well known.
        relax: "history" accepts standings with scores but no opponents.
        unfinished: accept a last round in which results are missing, for standings.

    Raises:
        InputError: with every fault of the first file that has any, by row and column.
    """
    if sides and (len(sides) != 2 or sides[0] == sides[1] or not all(sides)):
        raise UsageError("Expected two different labels in sides, as first,second.")
    if is_folder(path):
        if players is not None:
            raise UsageError("an event folder has its own players.csv: leave out --players")
        event = read_folder(Path(str(path)), round)
        if not unfinished:
            require_finished(event)
        return event
    roster = None
    if is_frame(players):
        roster = read_players(as_table(players, "players"))
    elif players is not None:
        roster = read_players(table_in(str(players), read_bytes(str(players)), lists_players))
    labels = (sides[0], sides[1]) if sides else None
    if is_frame(path):
        given: Source | Table = as_table(path, "matches")
    else:
        given = opened(str(path), read_bytes(str(path)))
    event = read_as_event(given, Reading(roster, round, labels, "history" not in relax))
    if not event.players:
        raise InputError(event.source, "the event has no players")
    if not unfinished:
        require_finished(event)
    return event if sides is None else event.with_sides(sides)
