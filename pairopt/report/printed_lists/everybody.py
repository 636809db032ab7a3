"""The cross table of a round robin: each player's results against each other player."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from pairopt.messages import Message, message
from pairopt.report.printed_lists.base import (
    ListColumn,
    ListSection,
    ListSource,
    PrintedList,
)
from pairopt.report.printed_lists.player_columns import (
    USUAL_IN_CROSS_TABLES,
    number_column,
    player_columns,
    rank_column,
    score_columns,
)
from pairopt.report.round_robin_grid import GridCell, build_grid


def grid_columns(source: ListSource) -> Sequence[ListColumn]:
    """Return number, player, a column per opponent, points, tie-breaks and rank.

    There is an opponent's column for each player of the Berger table. Rows are
    positions of players in the event. `source` has the event.
    """
    event = source.event
    cells_by_player = {
        event.index[grid_row.player]: grid_row.cells for grid_row in build_grid(event)
    }
    opponent_columns = [
        ListColumn(
            f"against{opponent_number}",
            str(opponent_number),
            partial(_cell_against, cells_by_player, opponent_number - 1),
            "result",
            f"Against number {opponent_number}",
        )
        for opponent_number in range(1, len(cells_by_player) + 1)
    ]
    return [
        number_column(source),
        *player_columns(source, USUAL_IN_CROSS_TABLES),
        *opponent_columns,
        *score_columns(source),
        rank_column(source),
    ]


def _cell_against(
    cells_by_player: dict[int, Sequence[GridCell]], column: int, player: int
) -> str:
    """Return a player's results against the opponent of a column, "" without any.

    `cells_by_player` has each player's row of cells by position in the event. `column`
    is the index of the opponent in that row, from 0, `player` a position in the event.
    Results that count for nobody are in brackets.
    """
    grid_cell = cells_by_player[player][column]
    return (
        f"({grid_cell.text})"
        if grid_cell.is_annulled and grid_cell.text
        else grid_cell.text
    )


def by_start_number(source: ListSource) -> Sequence[ListSection]:
    """Return one section with the players of the Berger table, by start number.

    A row is a player's position in the event. `source` has the event.
    """
    event = source.event
    return [
        ListSection(
            "", [event.index[grid_row.player] for grid_row in build_grid(event)]
        )
    ]


def find_missing_table(source: ListSource) -> Message | None:
    """Return a message unless the event is a round robin whose rounds are paired.

    Return None if it is: the list can be made. `source` has the event.
    """
    event = source.event
    if not event.settings.is_round_robin:
        return message("list.no_round_robin")
    return message("list.no_round") if event.round <= 1 else None


LISTS = (
    PrintedList(
        "everybody",
        "Cross table by opponents",
        "everybody against everybody in a round robin",
        grid_columns,
        by_start_number,
        find_lack=find_missing_table,
        of_standings=True,
    ),
)
