"""Read events: find out what a file is, parse it, and build the event."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Union

from pairopt.common.limits import LARGEST_UPLOAD
from pairopt.errors import InputError, UsageError
from pairopt.event.event import Event, require_finished
from pairopt.files.build_event import ReadOptions
from pairopt.files.csv_schema import MatchRow, parse_rows
from pairopt.files.event_folder import is_folder, read_folder
from pairopt.files.formats import as_text, decode_content, is_event_text, read_as_event
from pairopt.files.formats.names_text import build_first_round, read_names
from pairopt.files.formats.players_csv import read_players
from pairopt.files.pasted import Cells, Pasted
from pairopt.files.player_lists import is_player_list, with_pairopt_columns
from pairopt.files.round_files import is_folder_of_rounds, read_round_files
from pairopt.files.text_source import WORKBOOK, TextSource, read_bytes
from pairopt.files.text_tables import TextTable, is_data_frame, table_from_frame
from pairopt.files.workbook import Recognises, read_table
from pairopt.messages import message

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
    columns: Mapping[str, str] | None = None,
    model_sides: Sequence[str] = (),
) -> Event:
    """Read an event from a file, a folder or a DataFrame.

    pairopt recognises a file by its content. `read_event` can read CSV files of
    pairopt, a sheet of an .xlsx workbook with the columns of such a file, NRTM JSON and
    TRF. It can also read an event folder, a list of matches that another program wrote,
    and a folder with one such list for each round.

    `Event.notes` tells you how pairopt understood each column.

    Parameters
    ----------
    path : str, Path or DataFrame
        The file to read. To read one sheet of a workbook, write FILE.xlsx#SHEET.
    players : str, Path or DataFrame, optional
        The list of players (players.csv), with data that the matches don't contain, for
        example ratings.
    round : int, optional
        The round to pair; pairopt then ignores this round and all later ones. By
        default the round after the last one in the file.
    sides : Sequence[str], optional
        The labels of the first and the second side, for example ``("attack",
        "defence")``. pairopt knows the labels of common games.
    relax : Sequence[str]
        What to accept: "history" (scores without opponents), "results" (results of several point
        systems), "penalties" (points below 0 that players bring in), "byes" (several allocated byes
        in a round).
    unfinished : bool
        Whether results of the last round may be missing.
    columns : Mapping[str, str], optional
        Headings of the file by their meaning, for example {"player1": "Player A",
        "games": "Score"}. A meaning is a column of matches.csv, or `result`. If one
        column has numbers for both players, its meaning is `points` or `games`. An
        error asks for `columns` if the meaning is not clear.
    model_sides : Sequence[str]
        Further labels of sides that the file may contain: those of the model that you
        will pair with.

    Returns
    -------
    Event
        The event before the round that pairopt will pair.

    Raises
    ------
    InputError
        If the file has faults. The error lists all faults of the first faulty file by
        row and column. A fault is, for example, a line in a list of names with two
        possible meanings.
    UsageError
        If an option does not fit the file.

    Examples
    --------
    >>> from pairopt import read_event
    >>> event = read_event("matches.csv")  # doctest: +SKIP
    """
    event = read_with_doubts(
        path,
        players,
        round=round,
        sides=sides,
        relax=relax,
        unfinished=unfinished,
        columns=columns,
        model_sides=model_sides,
    )
    require_clear(event, "pasted.unsure")
    return event


def require_clear(event: Event, hint: str, sure: bool = False) -> None:
    """Raise InputError if lines of a list of names may be read in two ways.

    The error has the doubts in `event.origin.doubts` as its faults. `hint` is the id of
    the message that says what to do. If `sure`, the lines are accepted as they were
    read, but a player who is listed twice is still an error; the error then has only
    such faults, and no hint.
    """
    doubts = event.origin.doubts
    repeat_faults = [fault for fault in doubts if fault.said.kind == "pasted.twice"]
    if len(doubts) > len(repeat_faults) and not sure:
        raise InputError(event.source, doubts, message(hint))
    if repeat_faults:
        raise InputError(event.source, repeat_faults)


def read_with_doubts(
    path: Input,
    players: Input | None = None,
    *,
    round: int | None = None,
    sides: Sequence[str] | None = None,
    relax: Sequence[str] = (),
    unfinished: bool = False,
    columns: Mapping[str, str] | None = None,
    model_sides: Sequence[str] = (),
) -> Event:
    """Read an event, and accept lines of a list of names that have two readings.

    Such a line gets its likelier reading, and a doubt in `origin.doubts` of the event.
    `path` is a file, a folder or a DataFrame, and `players` a list of players. `round`
    is the round to pair, None for the next one. `sides` are the labels of the two
    sides, and `model_sides` further known labels. `relax` may have "history",
    "results", "penalties" and "byes", faults to accept. `columns` are headings by
    meaning. Results of the last round may be missing if `unfinished`. An event folder
    uses only `round` and `unfinished`. Raises UsageError if `sides` are not two
    different labels, or if `players` are given for an event folder, and InputError for
    other faults.
    """
    if sides and (len(sides) != 2 or sides[0] == sides[1] or not all(sides)):
        raise UsageError("row.two_labels")
    if is_folder(path):
        if players is not None:
            raise UsageError("roster.of_folder")
        event = read_folder(Path(str(path)), round)
        # All rounds of a round robin are open at once.
        if not unfinished and not event.origin.all_rounds_open:
            require_finished(event)
        return event
    player_roster = None
    if players is not None:
        player_table = _read_table(players, "players", is_player_list)
        player_roster = read_players(with_pairopt_columns(player_table))
    side_labels = (sides[0], sides[1]) if sides else None
    event_source: TextSource | TextTable
    if is_data_frame(path):
        event_source = table_from_frame(path, "matches")
    elif is_folder_of_rounds(path):
        event_source = read_round_files(Path(str(path)), columns or {})
        columns = None
    else:
        event_source = decode_content(str(path), read_bytes(str(path)))
    read_options = ReadOptions(
        player_roster,
        round,
        side_labels,
        "history" not in relax,
        columns=columns or {},
        model_sides=(model_sides[0], model_sides[1]) if len(model_sides) == 2 else None,
        any_results="results" in relax,
        any_byes="byes" in relax,
        penalties="penalties" in relax,
    )
    event, _ = read_as_event(event_source, read_options)
    _require_players(event)
    if not unfinished and not event.origin.all_rounds_open:
        require_finished(event)
    return event if sides is None else event.with_sides(sides)


def read_round(source: Input, number: int) -> tuple[str, list[MatchRow]]:
    """Read the matches of the round `number`; return the file's name and its rows.

    The source is a table with the columns of matches.csv, an event folder, a folder
    with a list per round, or a file of an event in any other format. Results may be
    missing. Raises InputError if it has no such round, or if any of its rows has a
    fault.
    """
    if _is_event(source):
        event = read_event(source, unfinished=True)
        round_table = table_from_frame(event.matches_frame, event.source)
    else:
        round_table = _read_table(
            source, "pairings", lambda round_table: "player1" in round_table.columns
        )
    match_rows = parse_rows(round_table, MatchRow, ("round", "player1", "player2"))
    round_rows = [match_row for match_row in match_rows if match_row.round == number]
    if not round_rows:
        raise InputError(round_table.name, "row.no_round", round=number)
    return round_table.name, round_rows


def _is_event(source: Input) -> bool:
    """Return whether a source is an event folder or an event file that is no table.

    A folder with one list of matches per round is an event, too. DataFrames are none. A
    file is read to find out. Raises InputError if it cannot be read.
    """
    if is_data_frame(source):
        return False
    if is_folder(source) or is_folder_of_rounds(source):
        return True
    return is_event_text(decode_content(str(source), read_bytes(str(source))))


def _read_table(source: Input, name: str, fits: Recognises) -> TextTable:
    """Read the table in a DataFrame or in a file.

    `source` is the DataFrame or the path of a file. `name` is the name of a DataFrame
    in messages. For a workbook, `fits` gets each sheet as a table without rows, and
    returns True for the sheet to read; otherwise it is not used. Raises InputError if
    the file cannot be read.
    """
    if is_data_frame(source):
        return table_from_frame(source, name)
    return read_table(str(source), read_bytes(str(source)), fits)


@dataclass(frozen=True)
class DetectedEvent:
    """An event read from an upload or a pasted text.

    `format` describes the recognised format in words. `pasted` is the list of names by
    line if the text is one, otherwise None.
    """

    event: Event
    format: str
    pasted: Pasted | None = None


def read_upload(
    raw: bytes, name: str, cells: Mapping[int, Cells] | None = None, typed: bool = False
) -> DetectedEvent:
    """Read an event from the bytes of an uploaded file, which may be hostile.

    `raw` are the bytes, and `name` is the name of the file in messages. `cells` are
    corrected cells of a list of names, by position of the line from 0; other formats
    ignore them. `typed` says that the text was typed or pasted. Lines with two readings
    are accepted with doubts, and so are missing results. Raises InputError with every
    fault, by row and column, or if the file is too large or has no players, and
    UsageError for a workbook if the package that reads workbooks is not installed.
    """
    if len(raw) > LARGEST_UPLOAD and not raw.startswith(WORKBOOK):
        raise InputError(name, "file.too_large", megabytes=LARGEST_UPLOAD // 2**20)
    decoded_content = decode_content(name, raw)
    if typed and isinstance(decoded_content, TextSource):
        decoded_content = replace(decoded_content, typed=True)
    event, recognised_format = read_as_event(decoded_content, ReadOptions())
    pasted = read_names(as_text(decoded_content)) if recognised_format.loose else None
    if pasted is not None and cells:
        pasted = pasted.with_corrections(cells)
        event = build_first_round(name, pasted, ReadOptions())
    _require_players(event)
    return DetectedEvent(event, recognised_format.expected, pasted)


def _require_players(event: Event) -> None:
    """Raise InputError if an event has no players at all, active or not."""
    if not event.players:
        raise InputError(event.source, "roster.nobody")
