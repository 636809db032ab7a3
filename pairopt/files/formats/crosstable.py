"""Cross tables of chess-results.com and Swiss-Manager: one column per round.

`12w½` is a game against number 12 (of the rows, or of a column, whichever fits) with
white, drawn. `+` and `-` end a game that was not played, `-1` is a bye, `-½` a
requested bye.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

from pairopt.errors import CellLocation, Fault, InputError, InvalidValueError
from pairopt.event.event import Event
from pairopt.files.build_event import ReadOptions, build_event
from pairopt.files.column_headings import UNNAMED
from pairopt.files.csv_schema import MatchRow, parse_number, parse_row
from pairopt.files.formats.base import Format
from pairopt.files.formats.players_csv import read_players
from pairopt.files.player_lists import is_player_list, with_pairopt_columns
from pairopt.files.text_tables import TextTable
from pairopt.messages import Message, message

HEADING = re.compile(r"(\d{1,2}) ?\. ?rd\.?")
ROUND = re.compile(r"round \d+")
GAME = re.compile(r"(\d{1,4}) *([wb]) *([10½+-]?)")
NO_GAME = re.compile(r"-? *([10½+-]?)")
STARTS = ("no.", "sno", "sno.", "nr", "nr.", "snr", "snr.")
POINTS = {"1": "1", "+": "1", "½": "0.5", "0": "0", "-": "0", "": ""}


@dataclass(frozen=True, slots=True)
class _RoundCell:
    """The parsed cell of a player and a round in a cross table.

    `other` is the opponent's number, 0 for none; `white` (the player had White) is
    False then. `result` is the sign in the cell, such as 1, ½ or +, or "".
    """

    other: int
    white: bool
    result: str


@dataclass(frozen=True, slots=True)
class _CellLocation(CellLocation):
    """The location of a cell of a round, which stands for a whole row of matches.csv.

    So every column of that row has the location of this cell.
    """

    def at(self, column: str) -> CellLocation:
        """Return this location: all columns of matches.csv are read from one cell."""
        return self


Rounds = Mapping[str, Sequence[_RoundCell]]  # the cells of each round, by its column


def recognises(table: TextTable) -> bool:
    """Return whether a table lists players and has columns such as 1.Rd for rounds.

    A table with pairopt's own column `player` is no cross table.
    """
    has_rounds = any(HEADING.fullmatch(column_name) for column_name in table.columns)
    return has_rounds and "player" not in table.columns and is_player_list(table)


def read(table: TextTable, options: ReadOptions) -> Event:
    """Read an event from a cross table.

    `table` is as in the file, with columns such as 1.Rd. Without a column of start
    numbers, players rank by rating, and a note says so. A note names players whose
    stated points are not the sum of their rounds. `options` has the reading options; a
    roster in it is not used. Raises InputError for cells that are no game, and for
    games that two cells contradict.
    """
    start_column = next(
        (column_name for column_name in STARTS if column_name in table.columns), None
    )
    player_table = with_pairopt_columns(
        _with_round_columns(table).with_renamed_columns(
            {start_column: "start"} if start_column else {}
        )
    )
    cells_by_round = _parse_round_columns(player_table)
    roster_columns = {
        column_name: column_cells
        for column_name, column_cells in player_table.cells.items()
        if column_name not in cells_by_round and column_name != "score"
    }
    player_roster = read_players(replace(player_table, cells=roster_columns))
    row_by_number = _choose_numbering(player_table, cells_by_round)
    match_rows = _build_match_rows(
        player_table,
        cells_by_round,
        row_by_number,
        [player_row.player for player_row in player_roster.players],
    )
    event = build_event(table.name, [*match_rows], player_roster, options)
    notes = [
        *player_table.notes,
        *_note_other_points(player_table, cells_by_round, event),
        *event.notes,
    ]
    if start_column is None:
        notes.append(message("crosstable.no_starts"))
    return replace(event, notes=tuple(notes), origin=replace(event.origin, chess=True))


def _with_round_columns(table: TextTable) -> TextTable:
    """Return the table with one column per round, called `round 1` and so on.

    Swiss-Manager has three columns per round, for example 12, w and ½; their cells are
    joined to 12w½. Other columns stay. Notes of the table are left out.
    """
    cells_by_column: dict[str, Sequence[str]] = {}
    heading_of_round = ""
    for column_name, column_cells in table.cells.items():
        if HEADING.fullmatch(heading_of_round) and UNNAMED.fullmatch(column_name):
            cells_by_column[heading_of_round] = [
                "".join(cell_parts)
                for cell_parts in zip(
                    cells_by_column[heading_of_round], column_cells, strict=True
                )
            ]
        else:
            heading_of_round, cells_by_column[column_name] = column_name, column_cells
    new_name_by_column = {
        column_name: f"round {int(heading_match[1])}"
        for column_name in cells_by_column
        if (heading_match := HEADING.fullmatch(column_name))
    }
    return replace(table, cells=cells_by_column, notes=()).with_renamed_columns(
        new_name_by_column
    )


def _parse_round_columns(table: TextTable) -> Rounds:
    """Parse the cells of the columns `round 1`, `round 2` and so on.

    Other columns of `table` are ignored. For example, the cell `12w1` is a win with
    White against player 12. Returns the parsed cells of each round in the order of the
    players, by column. An empty cell becomes a round without opponent. Raises
    InputError with one fault for each cell that is neither a game nor a bye.
    """
    cells_by_round: dict[str, list[_RoundCell]] = {}
    faults = []
    for column_name, column_cells in table.cells.items():
        if not ROUND.fullmatch(column_name):
            continue
        cells_by_round[column_name] = []
        for row_number, cell in zip(table.rows, column_cells, strict=True):
            if game_match := GAME.fullmatch(cell):
                cells_by_round[column_name].append(
                    _RoundCell(int(game_match[1]), game_match[2] == "w", game_match[3])
                )
            elif no_game_match := NO_GAME.fullmatch(cell):
                cells_by_round[column_name].append(
                    _RoundCell(0, False, no_game_match[1])
                )
            else:
                cell_location = CellLocation(
                    row_number, table.find_heading(column_name)
                )
                faults.append(
                    Fault(message("crosstable.no_game", found=cell), cell_location)
                )
    if faults:
        raise InputError(table.name, faults)
    return cells_by_round


def _choose_numbering(table: TextTable, rounds: Rounds) -> Mapping[int, int]:
    """Return the row position of each number by which cells name opponents.

    `table` has the players, and `rounds` their parsed cells by column. The numbers may
    be those of the rows, from 1, or the numbers in some column. Those are chosen with
    which most games have entries of both players that agree. Positions count from 0.
    """
    row_indices = range(len(table.rows))
    numbers_of_columns = [
        [int(cell) if cell.isdecimal() else 0 for cell in column_cells]
        for column_name, column_cells in table.cells.items()
        if column_name not in rounds
    ]
    possible_numberings = [
        dict(zip(numbers_of_rows, row_indices, strict=True))
        for numbers_of_rows in (
            [row_index + 1 for row_index in row_indices],
            *numbers_of_columns,
        )
    ]
    return max(
        possible_numberings,
        key=lambda row_by_number: sum(
            _find_opponent_row(round_cells, row_by_number, row_index) is not None
            for round_cells in rounds.values()
            for row_index in row_indices
        ),
    )


def _find_opponent_row(
    cells: Sequence[_RoundCell], numbers: Mapping[int, int], row: int
) -> int | None:
    """Return the row position of a player's opponent in a round.

    `cells` has the cell of each player in the round, `numbers` the row position of each
    number, and `row` is that of the player. Positions count from 0. Returns None if
    there is no opponent, if the opponent is unknown or the player, or if the opponent's
    cell does not agree: another opponent, the same side, or only one result.
    """
    player_cell = cells[row]
    opponent_row = numbers.get(player_cell.other)
    if not player_cell.other or opponent_row is None or opponent_row == row:
        return None
    opponent_cell = cells[opponent_row]
    is_mutual = (
        numbers.get(opponent_cell.other) == row
        and opponent_cell.white != player_cell.white
    )
    return (
        opponent_row
        if is_mutual and bool(opponent_cell.result) == bool(player_cell.result)
        else None
    )


def _build_match_rows(
    table: TextTable, rounds: Rounds, numbers: Mapping[int, int], names: Sequence[str]
) -> Iterator[MatchRow]:
    """Yield the rows of matches.csv, White first, and byes that give points.

    `table` has the players, and `rounds` their parsed cells by column. `numbers` has
    the row position of each number in a cell, and `names` are the identifiers of the
    players by row. A bye with 1 point is pairing-allocated, another one requested.
    Raises InputError, after the last row, for games on which the cells of two players
    do not agree.
    """
    faults = []
    for round_column, round_cells in rounds.items():
        for row_index, cell in enumerate(round_cells):
            cell_location = _CellLocation(
                table.rows[row_index], table.find_heading(round_column)
            )
            row_cells = {
                "round": round_column.removeprefix("round "),
                "player1": names[row_index],
                "score1": POINTS[cell.result],
            }
            if not cell.other:
                if row_cells["score1"] not in ("", "0"):
                    row_cells["status"] = (
                        "bye" if row_cells["score1"] == "1" else "requested"
                    )
                    yield parse_row(MatchRow, row_cells, table.name, cell_location)
                continue
            opponent_row = _find_opponent_row(round_cells, numbers, row_index)
            if opponent_row is None:
                one_sided_reason = message(
                    "crosstable.one_sided", found=table.cells[round_column][row_index]
                )
                faults.append(Fault(one_sided_reason, cell_location))
            elif cell.white:
                opponent_result = round_cells[opponent_row].result
                is_forfeit = {cell.result, opponent_result} <= {"+", "-"}
                row_cells |= {
                    "player2": names[opponent_row],
                    "side1": "white",
                    "score2": POINTS[opponent_result],
                    "status": "forfeit" if is_forfeit else "",
                }
                yield parse_row(MatchRow, row_cells, table.name, cell_location)
    if faults:
        raise InputError(table.name, faults)


def _note_other_points(table: TextTable, rounds: Rounds, event: Event) -> list[Message]:
    """Return a list with a note on players whose stated points are not their sum.

    The sum is that of their rounds. `table` has the stated points in the column
    `score`, and `rounds` the parsed cells by column. Returns an empty list if there are
    no such players, or no column of points. Cells that are no number are skipped.
    """
    if "score" not in table.columns:
        return []
    points_by_row = [
        sum(
            Fraction(POINTS[round_cells[row_index].result] or 0)
            for round_cells in rounds.values()
        )
        for row_index in range(len(table.rows))
    ]
    differing_players = []
    for player_name, points_of_rounds, points_cell in zip(
        event.names, points_by_row, table.get_plain_cells("score"), strict=True
    ):
        with suppress(InvalidValueError):
            if (stated_points := parse_number(points_cell)) is not None and Fraction(
                stated_points
            ) != points_of_rounds:
                differing_players.append(player_name)
    points_note = message(
        "crosstable.other_points",
        column=table.find_heading("score"),
        players=differing_players,
    )
    return [points_note] if differing_players else []


FORMAT = Format(
    name="crosstable",
    of=TextTable,
    recognises=recognises,
    read=read,
    suffixes=(".csv",),
    expected="a cross table of chess-results.com or Swiss-Manager (Name, 1.Rd, 2.Rd, and so on)",
)
