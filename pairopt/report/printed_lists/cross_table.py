"""The cross table: each player's opponents, sides and results, round by round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from pairopt.event.event import FORFEIT
from pairopt.messages import Message, message
from pairopt.report.printed_lists.base import (
    ListColumn,
    ListSection,
    ListSource,
    PrintedList,
)
from pairopt.report.printed_lists.pairings import half_text
from pairopt.report.printed_lists.player_columns import (
    number_column,
    player_columns,
    points_column,
    rank_column,
    tie_break_columns,
)

USUAL = ("title", "rating", "federation")
ABSENT = "-0"
"""The cell of a player who is not paired: a bye without points."""


def cross_columns(source: ListSource) -> Sequence[ListColumn]:
    """Return number, player, a cell per round, points and tie-breaks.

    The number in front is the one by which the cells name opponents: the place, or
    with the setting `cross_table = "start"` the start number. Places differ even if
    players are equal in everything, so that a cell names one opponent.
    """
    is_by_start = source.event.settings.cross_table == "start"
    place_column = ListColumn(
        "place", "Rk.", source.place_by_player.__getitem__, "number", "Place"
    )
    numbers = [place_column]
    if is_by_start:
        numbers = [number_column(source), rank_column(source)]
    return [
        *numbers,
        *player_columns(source, USUAL),
        *_round_columns(source, is_by_start),
        points_column(source),
        *tie_break_columns(source),
    ]


def _round_columns(source: ListSource, is_by_start: bool) -> list[ListColumn]:
    """Return a column of cells for each round that is paired."""
    cells = cross_cells(source, is_by_start)
    return [
        ListColumn(
            f"round{round_number}",
            str(round_number),
            partial(_cell_of, cell_by_player),
            "result",
            f"Round {round_number}",
        )
        for round_number, cell_by_player in cells.items()
    ]


def _cell_of(cell_by_player: Mapping[int, str], player: int) -> str:
    """Return a player's cell of one round."""
    return cell_by_player.get(player, ABSENT)


def cross_cells(
    source: ListSource, is_by_start: bool = False
) -> Mapping[int, Mapping[int, str]]:
    """Return the cells of the cross table by round and by a player's position.

    A cell has the opponent's number, the first letter of the side, and the points, for
    example "8w1" or "5b½"; "+" and "-" are a forfeit, and a bye is "-" with its points.
    Without a result the points are missing. Without sides a blank is in place of the
    letter. The cells of a game that counts for nobody are in brackets, for example
    "(8w1)". Players without a cell are not paired.
    """
    event = source.event
    numbers: Mapping[int, int] = source.place_by_player
    if is_by_start:
        numbers = dict(enumerate(event.start_numbers.tolist()))
    between = side_marks(event.sides)

    cells: dict[int, dict[int, str]] = {
        round_number: {} for round_number in range(1, event.round)
    }
    rows = event.matches
    row_values = zip(
        rows.round.tolist(),
        rows.first.tolist(),
        rows.second.tolist(),
        rows.side.tolist(),
        rows.status.tolist(),
        rows.scored.tolist(),
        rows.score1.tolist(),
        rows.score2.tolist(),
        event.annulled.tolist(),
        strict=True,
    )
    for (
        round_number,
        first,
        second,
        side,
        status,
        is_scored,
        score1,
        score2,
        is_annulled,
    ) in row_values:
        if round_number not in cells:
            continue
        points = ["", ""]
        if is_scored:
            points = [half_text(source, score1), half_text(source, score2)]
        if second < 0:
            cells[round_number][first] = f"-{points[0]}"
            continue
        if status == FORFEIT:
            points = ["+" if score1 > score2 else "-", "+" if score2 > score1 else "-"]
        marks = [" ", " "]
        if side >= 0:
            marks = [between[side], between[1 - side]]
        first_cell = f"{numbers[second]}{marks[0]}{points[0]}".strip()
        second_cell = f"{numbers[first]}{marks[1]}{points[1]}".strip()
        if is_annulled and is_scored:
            first_cell, second_cell = f"({first_cell})", f"({second_cell})"
        cells[round_number][first] = first_cell
        cells[round_number][second] = second_cell
    return cells


def side_marks(sides: tuple[str, str] | None) -> tuple[str, str]:
    """Return what stands between number and points in cells, for each side.

    It is the first letter of the side if the letters tell the sides apart, otherwise
    the whole name of the side between blanks. Without sides it is a blank.
    """
    if sides is None:
        return (" ", " ")
    first_letter, second_letter = (side[:1].lower() for side in sides)
    is_clear = first_letter.isalpha() and second_letter.isalpha()
    if is_clear and first_letter != second_letter:
        return first_letter, second_letter
    first_side, second_side = sides
    return f" {first_side} ", f" {second_side} "


def by_number(source: ListSource) -> Sequence[ListSection]:
    """Return all players by rank, or by start number if cells have that."""
    if source.event.settings.cross_table == "start":
        return [ListSection("", source.players_by_number)]
    return [ListSection("", source.ranked_players)]


def find_missing_rounds(source: ListSource) -> Message | None:
    """Return a message if no round is paired, or the matches are not known."""
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
