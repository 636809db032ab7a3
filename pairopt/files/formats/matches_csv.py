"""matches.csv: one row per match.

Pairopt reads it, and writes pairings as such rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pairopt.errors import InputError, Place
from pairopt.event.column_layout import COLUMNS, GAMES, NAMES, rows_of_columns
from pairopt.event.event import Event
from pairopt.event.name_search import normalize_name
from pairopt.files.build_event import BYE_WORDS, PlayerTable, ReadOptions, build_event
from pairopt.files.column_headings import is_matches_csv_heading
from pairopt.files.csv_schema import MatchRow, PlayerRow, parse_rows
from pairopt.files.formats import players_csv
from pairopt.files.formats.base import EventText, Format
from pairopt.files.match_headings import is_match_list
from pairopt.files.text_tables import TextTable
from pairopt.files.write import csv_text
from pairopt.messages import Message, message

NEEDED = ("round", "player1", "player2", "score1", "score2")


def recognises(table: TextTable) -> bool:
    """Return whether a table has headings of matches.csv and is no other match list.

    A table with a column `player` is a list of players, and gives False.
    """
    has_headings = "player" not in table.columns and is_matches_csv_heading(
        table.columns
    )
    return has_headings and not is_match_list(table.columns, bool(table.called))


def read(table: TextTable, how: ReadOptions) -> Event:
    """Read the event in a matches.csv.

    `table` has the columns of matches.csv, and maybe others, which go to
    `origin.cells`. Without players.csv in `how.roster`, the players are those of its
    rows, in their order. A note then names players who are new in the last round.
    Raises InputError with all faults, and if there are neither rows nor players.csv.
    """
    match_rows = parse_rows(table, MatchRow, NEEDED)
    if how.roster is None and not match_rows:
        raise InputError(table.name, "roster.no_matches")
    event = build_event(
        table.name,
        match_rows,
        how.roster or PlayerTable(table.name, list_players(match_rows)),
        how,
    )
    new_player_notes = _note_new_players(event) if how.roster is None else []
    source_info = replace(event.origin, cells=select_further_columns(table))
    return replace(event, origin=source_info, notes=(*event.notes, *new_player_notes))


def select_further_columns(table: TextTable) -> Mapping[str, Sequence[str]]:
    """Return the columns of a table by name that matches.csv does not have.

    Columns of games and names are left out, too.
    """
    return {
        column_name: column_cells
        for column_name, column_cells in table.cells.items()
        if column_name not in COLUMNS + GAMES + NAMES
    }


def list_players(rows: Sequence[MatchRow]) -> list[PlayerRow]:
    """Return the players in rows of matches, in the order of their first match.

    Each `PlayerRow` has only the identifier and the location. Words for a bye are
    skipped in the second place. If names differ only in case, blanks or invisible
    characters, only the first one is returned.
    """
    first_seen_by_name: dict[str, tuple[str, Place]] = {}
    for match_row in rows:
        first_seen_by_name.setdefault(
            normalize_name(match_row.player1), (match_row.player1, match_row.place)
        )
        if normalize_name(match_row.player2) not in ("", *BYE_WORDS):
            first_seen_by_name.setdefault(
                normalize_name(match_row.player2), (match_row.player2, match_row.place)
            )
    return [
        PlayerRow(player=identifier, place=first_location)
        for identifier, first_location in first_seen_by_name.values()
    ]


def _note_new_players(event: Event) -> list[Message]:
    """Return a note on players who are new in the last round before the one to pair.

    Their names may be mistyped. Returns an empty list if there are none, or if there is
    only one round.
    """
    matches_before = event.before
    last_round = event.round - 1
    player_count = len(event.players)
    last_round_matches = matches_before.take(matches_before.round == last_round)
    earlier_matches = matches_before.take(matches_before.round < last_round)
    new_players = np.flatnonzero(
        last_round_matches.player_mask(player_count)
        & ~earlier_matches.player_mask(player_count)
    )
    new_players_note = message(
        "roster.new",
        round=last_round,
        players=[event.shown[player_position] for player_position in new_players],
    )
    return [new_players_note] if last_round > 1 and len(new_players) else []


def write(event: Event) -> EventText:
    """Format an event as matches.csv, with players.csv for what matches cannot say.

    Columns of games and names are added if the event has any, and then the further
    columns of the file that it came from. The texts are returned; no file is written.
    """
    # Reading starts faster without the states of players.
    from pairopt.event.table_assignment import add_name_columns

    column_names = list(COLUMNS)
    if event.matches.by_games.any():
        column_names += GAMES
    if event.names != event.players:
        column_names += NAMES
    column_names += event.origin.cells
    layout = replace(event.origin.layout, columns=tuple(column_names))
    matches_text = csv_text(add_name_columns(event, list_match_rows(event)), layout)
    players_text = players_csv.format_players(event)
    return EventText(matches_text, players_text, players_csv.needs_players_csv(event))


def list_match_rows(event: Event) -> list[dict[str, Any]]:
    """Return one dict of values by column per match, in the order of `event.matches`.

    Byes have one, too. The columns are those of matches.csv. Further columns of the
    file that the event came from follow, as texts.
    """
    further_cells = {
        column_name: [
            event.origin.cell(column_name, file_row)
            for file_row in event.matches.row.tolist()
        ]
        for column_name in event.origin.cells
    }
    return rows_of_columns({**event.match_columns, **further_cells})


FORMAT = Format(
    name="csv",
    of=TextTable,
    recognises=recognises,
    read=read,
    write=write,
    suffixes=(".csv",),
    expected="matches.csv (round, table, player1, player2, side1, score1, score2, status)",
    joins_players=True,
)
