"""The cross table: each player's opponents, sides and results, round by round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from pairopt.event.event import FORFEIT, Event
from pairopt.messages import Message, message
from pairopt.report.printed_lists.base import (
    ListColumn,
    ListSection,
    ListSource,
    PrintedList,
)
from pairopt.report.printed_lists.pairings import half_text
from pairopt.report.printed_lists.player_columns import (
    USUAL_IN_CROSS_TABLES,
    number_column,
    player_columns,
    rank_column,
    score_columns,
)

ABSENT = "-0"
"""The cell of a player who is not paired: a bye without points."""


def cross_columns(source: ListSource) -> Sequence[ListColumn]:
    """Return number, player, a cell per round, points and tie-breaks.

    The number in front is the one by which the cells name opponents: the place, or with
    the setting `cross_table = "start"` the start number. Places differ even if players
    are equal in everything, so that a cell names one opponent. With start numbers there
    is a column of ranks, too. Rows are positions of players. `source` has the event.
    """
    is_by_start = source.event.settings.cross_table == "start"
    place_column = ListColumn(
        "place", "Rk.", source.place_by_player.__getitem__, "number", "Place"
    )
    number_columns = [place_column]
    if is_by_start:
        number_columns = [number_column(source), rank_column(source)]
    return [
        *number_columns,
        *player_columns(source, USUAL_IN_CROSS_TABLES),
        *_columns_by_round(source, is_by_start),
        *score_columns(source),
    ]


def _columns_by_round(source: ListSource, is_by_start: bool) -> list[ListColumn]:
    """Return a column of cells for each round that is paired, in their order.

    If `is_by_start`, cells name opponents by start number, otherwise by place. `source`
    has the event.
    """
    cells_by_round = cross_cells(source, is_by_start)
    return [
        ListColumn(
            f"round{round_number}",
            str(round_number),
            partial(_cell_in_round, cell_by_player),
            "result",
            f"Round {round_number}",
        )
        for round_number, cell_by_player in cells_by_round.items()
    ]


def _cell_in_round(cell_by_player: Mapping[int, str], player: int) -> str:
    """Return a player's cell of one round, "-0" for a player who is not paired.

    `cell_by_player` has the cells of that round, and `player` is a position in the
    event.
    """
    return cell_by_player.get(player, ABSENT)


def cross_cells(
    source: ListSource, is_by_start: bool = False
) -> Mapping[int, Mapping[int, str]]:
    """Return the cells of the cross table by round and by a player's position.

    A cell has the opponent's number, the first letter of the side, and the points, for
    example "8w1" or "5b½"; "+" and "-" are a forfeit, and a bye is "-" with its points.
    Without a result the points are missing. Without sides a blank is in place of the
    letter. The cells of a game that counts for nobody are in brackets, for example
    "(8w1)". Players without a cell are not paired. With `is_by_start` cells name
    opponents by start number, otherwise by place. `source` has the event.
    """
    event = source.event
    number_of_player: Mapping[int, int] = source.place_by_player
    if is_by_start:
        number_of_player = dict(enumerate(event.start_numbers.tolist()))

    matches = event.matches
    cells_by_round: dict[int, dict[int, str]] = {
        round_number: {} for round_number in range(1, event.round)
    }
    is_in_paired_round = (matches.round >= 1) & (matches.round < event.round)
    for match_row in np.flatnonzero(is_in_paired_round).tolist():
        cells_of_round = cells_by_round[int(matches.round[match_row])]
        first_player_position, second_player_position_or_bye = (
            int(matches.first[match_row]),
            int(matches.second[match_row]),
        )
        first_result, second_result = _results_of_row(source, match_row)
        if second_player_position_or_bye < 0:
            cells_of_round[first_player_position] = f"-{first_result}"
            continue
        first_mark, second_mark = _marks_of_row(event, match_row)
        first_cell = f"{number_of_player[second_player_position_or_bye]}{first_mark}{first_result}".strip()
        second_cell = f"{number_of_player[first_player_position]}{second_mark}{second_result}".strip()
        if event.annulled[match_row] and matches.scored[match_row]:
            first_cell, second_cell = f"({first_cell})", f"({second_cell})"
        cells_of_round[first_player_position] = first_cell
        cells_of_round[second_player_position_or_bye] = second_cell
    return cells_by_round


def _results_of_row(source: ListSource, row: int) -> tuple[str, str]:
    """Return the points of both players of a match as text, "+" and "-" for a forfeit.

    `source` has the event. `row` is the row of the event's matches. Without a result
    both are "". The second text of a bye means nothing.
    """
    matches = source.event.matches
    score1, score2 = int(matches.score1[row]), int(matches.score2[row])
    is_match = matches.second[row] >= 0
    if is_match and matches.status[row] == FORFEIT:
        return "+" if score1 > score2 else "-", "+" if score2 > score1 else "-"
    if not matches.scored[row]:
        return "", ""
    return half_text(source, score1), half_text(source, score2)


def _marks_of_row(event: Event, row: int) -> tuple[str, str]:
    """Return what stands before the results of both players: their sides, or blanks.

    `row` is the row of the event's matches. A match without known sides has a blank for
    both.
    """
    first_players_side = int(event.matches.side[row])
    if first_players_side < 0:
        return " ", " "
    marks_of_sides = side_marks(event.sides)
    return marks_of_sides[first_players_side], marks_of_sides[1 - first_players_side]


def side_marks(sides: tuple[str, str] | None) -> tuple[str, str]:
    """Return what stands between number and points in cells, for each side.

    It is the first letter of the side if the letters tell the sides apart, otherwise
    the whole name of the side between blanks. Without sides it is a blank.
    """
    if sides is None:
        return (" ", " ")
    first_letter, second_letter = (side_name[:1].lower() for side_name in sides)
    are_letters = first_letter.isalpha() and second_letter.isalpha()
    if are_letters and first_letter != second_letter:
        return first_letter, second_letter
    first_side, second_side = sides
    return f" {first_side} ", f" {second_side} "


def by_number(source: ListSource) -> Sequence[ListSection]:
    """Return one section with all players, by rank or by start number.

    They are by start number if the setting `cross_table` says so. A row is a player's
    position in the event. `source` has the event.
    """
    if source.event.settings.cross_table == "start":
        return [ListSection("", source.players_by_number)]
    return [ListSection("", source.ranked_players)]


def find_missing_rounds(source: ListSource) -> Message | None:
    """Return a message if no round is paired, or the matches are not known.

    Otherwise return None: the list can be made. `source` has the event.
    """
    if source.event.round <= 1:
        return message("list.no_round")
    if not source.event.complete_history:
        return message("list.no_matches")
    return None


LISTS = (
    PrintedList(
        "cross-table",
        "Cross table",
        "opponents, sides and results of all rounds",
        cross_columns,
        by_number,
        find_lack=find_missing_rounds,
        of_standings=True,
    ),
)
