"""Changes of matches that were played with reversed sides or other opponents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.column_layout import GAMES, RATED, RATING_RESULT
from pairopt.event.event import FORFEIT
from pairopt.event.points import Score
from pairopt.event.source_info import FideModeBreach
from pairopt.files.event_folder import EVENT, MATCHES
from pairopt.folder.fide_mode import AS_PLAYED, read_mode, with_fide_mode
from pairopt.folder.open_folder import OpenFolder
from pairopt.messages import Message, message

REVERSED = (("player1", "player2"), ("name1", "name2"), ("score1", "score2"), GAMES[:2])
"""The cells of the two players of a match, which trade places when their sides are
reversed."""


def with_reversed_sides(desk: OpenFolder, row: int) -> OpenFolder:
    """Return the folder with the sides of a match reversed; nothing is written yet.

    `row` is the index of the match in matches.csv. Each player keeps their points and
    games; a result for the rating alone is reversed with the players.

    Raises
    ------
    UsageError
        If the event has no sides, or the match has none.
    """
    match_rows = desk.rows
    round_and_table = _locate(desk, row)
    if not desk.event.sided or match_rows.side[row] < 0:
        raise UsageError("played.no_sides", **round_and_table)

    match_cells = desk.matches.cells
    reversed_cells: dict[str, str] = {}
    for first_column, second_column in REVERSED:
        if first_column in match_cells and second_column in match_cells:
            reversed_cells[first_column] = match_cells[second_column][row]
            reversed_cells[second_column] = match_cells[first_column][row]
    rating_result = desk.event.origin.cell(RATING_RESULT, row)
    if rating_result:
        reversed_cells[RATING_RESULT] = "-".join(reversed(rating_result.split("-")))
    return desk.changed({MATCHES: desk.matches.changed(row, reversed_cells)})


def with_opponent(
    desk: OpenFolder, row: int, player: str
) -> tuple[OpenFolder, int | None]:
    """Return the folder with `player` as the opponent of the first player of a match.

    `row` is the row of the match in matches.csv, and `player` an identifier. The former
    opponent takes the place of `player` at the other table. Each table keeps its
    result. The second value is the row of the other match, or None if the two already
    meet in this match. Nothing is written.

    Raises
    ------
    UsageError
        If `player` is the first player of the match, or has no match in this round, or
        the other match has no result or was not played.
    """
    match_rows = desk.rows
    round_and_table = _locate(desk, row)
    player_name = desk.event.called[player]
    player_position = desk.event.index[player]
    first_position = int(match_rows.first[row])
    second_position = int(match_rows.second[row])
    if player_position == second_position:
        return desk, None
    if player_position == first_position:
        raise UsageError("played.themselves", player=player_name)

    is_in_round = (match_rows.round == round_and_table["round"]) & (
        match_rows.second >= 0
    )
    is_in_round &= match_rows.table > 0
    has_player_in_row = (match_rows.first == player_position) | (
        match_rows.second == player_position
    )
    row_indices_of_player = np.flatnonzero(is_in_round & has_player_in_row)
    if len(row_indices_of_player) != 1:
        raise UsageError("played.no_match", player=player_name, **round_and_table)
    row_index_of_other_match = int(row_indices_of_player[0])
    require_played(desk, row_index_of_other_match)

    seat_at_other_table = (
        1 if match_rows.first[row_index_of_other_match] == player_position else 2
    )
    player_names = desk.event.names
    former_opponent = desk.event.players[second_position]
    newcomer_cells = _build_seat_cells(desk, 2, player, player_names[player_position])
    other_table_cells = _build_seat_cells(
        desk, seat_at_other_table, former_opponent, player_names[second_position]
    )
    matches_csv_table = desk.matches.changed(row, newcomer_cells).changed(
        row_index_of_other_match, other_table_cells
    )
    return desk.changed({MATCHES: matches_csv_table}), row_index_of_other_match


def is_unrated(desk: OpenFolder, row: int) -> bool:
    """Return whether FIDE does not rate a match; `row` is a row of matches.csv."""
    return desk.event.origin.cell(RATED, row) == "false"


def with_rating_marks(desk: OpenFolder, row: int, unrated: bool) -> OpenFolder:
    """Return the folder with a match marked as rated, or as not rated if `unrated`.

    It goes with a result just entered. `row` is the row of matches.csv. A correction
    for the rating alone is deleted, because it corrected the former result. Columns
    that nobody needs are not added. Nothing is written.
    """
    rating_cells = {RATED: "false" if unrated else "", RATING_RESULT: ""}
    changed_cells = {
        column_name: rating_cell
        for column_name, rating_cell in rating_cells.items()
        if desk.event.origin.cell(column_name, row) != rating_cell
    }
    if not changed_cells:
        return desk
    return desk.changed({MATCHES: desk.matches.changed(row, changed_cells)})


def with_rating_result(desk: OpenFolder, row: int, text: str) -> OpenFolder:
    """Return the folder with a score of a match that counts for the rating alone.

    `row` is the row of matches.csv. `text` is the score, such as "1-0"; "" takes it
    away. Nothing is written, and the text is not checked.
    """
    return desk.changed({MATCHES: desk.matches.changed(row, {RATING_RESULT: text})})


def require_played(desk: OpenFolder, row: int) -> None:
    """Raise UsageError if a match has no result yet, or is a forfeit.

    `row` is the row of matches.csv.
    """
    round_and_table = _locate(desk, row)
    if not desk.rows.scored[row]:
        raise UsageError("played.no_result", **round_and_table)
    if desk.rows.status[row] == FORFEIT:
        raise UsageError("played.forfeit", **round_and_table)


def with_played_record(
    before: OpenFolder,
    after: OpenFolder,
    rows: Sequence[int],
    descriptions: Sequence[Message],
) -> OpenFolder:
    """Return the folder `after` a change, with a record of the change in FIDE mode.

    `before` and `after` are the folder without and with the change. Outside of FIDE
    mode it is `after` unchanged. `rows` are the rows of the changed matches, and
    `descriptions` say how they were played. The record in event.toml has the start
    numbers of their pairs before and after.
    """
    fide_mode_state = read_mode(after.files)
    if not fide_mode_state.fide:
        return after

    round_number = int(before.rows.round[rows[0]])
    pairs_text_before = " ".join(
        _format_start_numbers(before, match_row_index) for match_row_index in rows
    )
    pairs_text_after = " ".join(
        _format_start_numbers(after, match_row_index) for match_row_index in rows
    )
    description_text = "; ".join(map(str, descriptions))
    played_record = FideModeBreach(
        AS_PLAYED, round_number, description_text, pairs_text_before, pairs_text_after
    )
    event_toml = with_fide_mode(
        after.files[EVENT],
        fide_mode_state.fide,
        (*fide_mode_state.breaches, played_record),
    )
    return after.changed({EVENT: event_toml})


def describe_match(desk: OpenFolder, row: int, score: Score | None) -> Message:
    """Return a match with its score, such as `Ann (white) 1-0 Bob (black)`.

    `row` is the row of matches.csv, and the first player comes first. Without sides
    only the names are given. The score is "-" if it is None.
    """
    match_rows = desk.rows
    event = desk.event
    message_fields = {
        "table": int(match_rows.table[row]),
        "one": event.shown[match_rows.first[row]],
        "two": event.shown[match_rows.second[row]],
        "score": score or "-",
    }
    if event.sides is None or match_rows.side[row] < 0:
        return message("played.match", **message_fields)

    first_player_side = int(match_rows.side[row])
    first_side = event.sides[first_player_side]
    second_side = event.sides[1 - first_player_side]
    return message(
        "played.match_with_sides", side1=first_side, side2=second_side, **message_fields
    )


def _locate(desk: OpenFolder, row: int) -> dict[str, int]:
    """Return the round and the table of a row of matches.csv, by these names.

    They are fields of messages.
    """
    return {"round": int(desk.rows.round[row]), "table": int(desk.rows.table[row])}


def _build_seat_cells(
    desk: OpenFolder, seat: int, player: str, name: str
) -> dict[str, str]:
    """Return the cells of matches.csv that put a player on seat 1 or 2 of a match.

    `player` is the identifier, and `name` the name of the player. Columns that
    matches.csv does not have are left out.
    """
    cell_by_column = {f"player{seat}": player, f"name{seat}": name}
    return {
        seat_column: seat_cell
        for seat_column, seat_cell in cell_by_column.items()
        if seat_column in desk.matches.columns
    }


def _format_start_numbers(desk: OpenFolder, row: int) -> str:
    """Return the start numbers of a match, first side first, such as "1-5".

    `row` is the row of matches.csv. Without sides they are in the order of the file.
    """
    match_rows = desk.rows
    start_numbers = desk.event.start_numbers
    start_numbers_of_pair = [
        int(start_numbers[match_rows.first[row]]),
        int(start_numbers[match_rows.second[row]]),
    ]
    if match_rows.side[row] == 1:
        start_numbers_of_pair.reverse()
    return "-".join(map(str, start_numbers_of_pair))
