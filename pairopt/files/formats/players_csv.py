"""players.csv: the players of an event, or alone a first round."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pairopt.errors import Fault, InputError, Place
from pairopt.event.column_layout import CellValue, rows_of_columns
from pairopt.event.event import Event
from pairopt.files.build_event import PlayerTable, ReadOptions, build_event
from pairopt.files.csv_schema import PlayerRow, parse_rows
from pairopt.files.formats.base import Format
from pairopt.files.match_headings import is_match_list
from pairopt.files.text_tables import TextTable
from pairopt.files.write import csv_text
from pairopt.messages import message

HISTORY = {
    "score",
    "opponents",
    "byes",
}  # columns of which any makes a list of players standings


def recognises(table: TextTable) -> bool:
    """Return whether a table has a column `player`, but no scores, opponents or byes.

    A match list gives False.
    """
    is_player_table = "player" in table.columns and HISTORY.isdisjoint(table.columns)
    return is_player_table and not is_match_list(table.columns, bool(table.called))


def read_players(table: TextTable) -> PlayerTable:
    """Parse the players in a table.

    Without a column `player`, the column `name` has the identifiers. Further columns
    are kept as texts. Raises InputError with every cell that does not fit. If all fit,
    it has every repeated player, table and start number, and every empty cell of a
    column `active`.
    """
    if "player" not in table.columns and "name" in table.columns:
        table = table.with_renamed_columns({"name": "player"})
    player_rows = parse_rows(table, PlayerRow, ["player"])
    if faults := find_player_faults(table, player_rows):
        raise InputError(table.name, faults)
    return build_player_table(table, player_rows)


def build_player_table(table: TextTable, players: Sequence[PlayerRow]) -> PlayerTable:
    """Return these players with all columns of the table but `player`.

    `players` are the parsed rows of the table. Cells stay texts, but decimal commas
    become points in columns of numbers.
    """
    cells_by_column = {
        column_name: table.get_plain_cells(column_name)
        for column_name in table.columns
        if column_name != "player"
    }
    layout = replace(table.layout, columns=())
    original_names = {
        our_column: original_name
        for our_column, original_name in table.called.items()
        if our_column in cells_by_column
    }
    return PlayerTable(
        table.name, players, cells_by_column, layout, table.notes, original_names
    )


def find_player_faults(table: TextTable, players: Sequence[PlayerRow]) -> list[Fault]:
    """Return a fault for each repeated player, fixed table and start number.

    Empty tables and start numbers do not count. If the table has a column `active`, an
    empty cell in it is a fault, too.
    """
    faults: list[Fault] = []
    place_by_column_and_value: dict[tuple[str, object], Place] = {}
    message_kind_by_column = {
        "player": "roster.again",
        "table": "roster.table_again",
        "start": "roster.start_again",
    }
    for player_row in players:
        row_location = player_row.place
        for column_name, message_kind in message_kind_by_column.items():
            cell_value = getattr(player_row, column_name)
            earlier_place = (
                place_by_column_and_value.setdefault(
                    (column_name, cell_value), row_location
                )
                if cell_value
                else row_location
            )
            if earlier_place is not row_location:
                faults.append(
                    Fault(
                        message(
                            message_kind, player=cell_value, place=str(earlier_place)
                        ),
                        row_location.at(column_name),
                    )
                )
        if "active" in table.columns and player_row.active is None:
            faults.append(Fault(message("roster.no_active"), row_location.at("active")))
    return faults


def read(table: TextTable, how: ReadOptions) -> Event:
    """Read players.csv as an event before its first round; `how.roster` is not used.

    `table` has the players. Raises InputError for faults of them.
    """
    return build_event(table.name, [], read_players(table), how)


def list_columns(event: Event) -> Mapping[str, Sequence[CellValue]]:
    """Return the columns of players.csv besides `player`, by name.

    Columns that were read from a file have the cells that it had; the others have the
    values of the event.
    """
    return {**event.player_columns, **event.columns}


def needs_players_csv(event: Event) -> bool:
    """Return whether the event needs a players.csv beside matches.csv.

    It does if players have further columns, or another order than in the matches.
    """
    matches = event.matches
    players_of_matches = np.column_stack([matches.first, matches.second]).ravel()
    players_in_order = list(
        dict.fromkeys(players_of_matches[players_of_matches >= 0].tolist())
    )
    return players_in_order != list(range(len(event.players))) or bool(
        list_columns(event)
    )


def format_players(event: Event, active: bool = False) -> str:
    """Format the players of an event as the text of players.csv.

    With `active`, it always has a column that says who is in the round to pair. No file
    is written.
    """
    cells_by_column: dict[str, Sequence[CellValue]] = {
        "player": event.players,
        **list_columns(event),
    }
    if active:
        cells_by_column["active"] = event.present.tolist()
    return csv_text(
        rows_of_columns(cells_by_column),
        replace(event.origin.layout, columns=tuple(cells_by_column)),
    )


FORMAT = Format(
    name="players",
    of=TextTable,
    recognises=recognises,
    read=read,
    suffixes=(".csv",),
    expected="players.csv (player, and any of name, rating, club, active, score, table)",
)
