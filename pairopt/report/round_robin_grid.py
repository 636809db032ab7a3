"""The cross table of a round robin: everybody's result against everybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pairopt.event.event import FORFEIT, Event
from pairopt.event.standings import rank_players, tie_breaks_of
from pairopt.messages.formatting import decimal_text

SELF = "*"
"""The cell of a player against themselves."""


@dataclass(frozen=True, slots=True)
class GridCell:
    """The results of a player against one opponent, game by game.

    `results` are texts: "+" and "-" are forfeits won and lost, "" a game without a
    result, "*" the cell against oneself. Without games there are none. `is_annulled`
    says whether one of the games counts for nobody.
    """

    results: tuple[str, ...]
    is_annulled: bool = False

    @property
    def text(self) -> str:
        """The results with blanks between them."""
        return " ".join(filter(None, self.results))


@dataclass(frozen=True, slots=True)
class GridRow:
    """A player's row of the cross table of a round robin.

    `number` counts the rows from 1. `player` is the identifier and `name` is for
    people; `cells` has a cell per opponent in the order of the rows. `points` is a
    text, and equal players share a `rank`.
    """

    number: int
    player: str
    name: str
    cells: Sequence[GridCell]
    points: str
    rank: int


def build_grid(event: Event) -> list[GridRow]:
    """Return the rows of a round robin's cross table, by start number.

    It has a row and a column for each player of the Berger table, and is empty before
    the rounds are paired. Several games of two players share a cell.
    """
    matches = event.matches
    real_games = matches.take(matches.second >= 0)
    is_annulled_game = event.annulled[matches.second >= 0].tolist()
    player_positions = np.flatnonzero(real_games.player_mask(len(event.players)))
    player_positions = player_positions[
        np.argsort(event.start_numbers[player_positions])
    ].tolist()

    results_of_pair: dict[tuple[int, int], list[str]] = {}
    annulled_pairs = set()
    match_columns = (
        real_games.first,
        real_games.second,
        real_games.score1,
        real_games.score2,
        real_games.status,
    )
    game_rows = zip(
        *(match_column.tolist() for match_column in match_columns), strict=True
    )
    game_order = np.argsort(real_games.round, kind="stable").tolist()
    listed_games = list(game_rows)
    for game_index in game_order:
        first_player, second_player, score1, score2, status_code = listed_games[
            game_index
        ]
        has_score = bool(real_games.scored[game_index])
        for player, opponent, points_of_player, points_of_opponent in (
            (first_player, second_player, score1, score2),
            (second_player, first_player, score2, score1),
        ):
            result_text = ""
            if has_score:
                result_text = _format_result(
                    event, points_of_player, points_of_opponent, status_code
                )
            results_of_pair.setdefault((player, opponent), []).append(result_text)
            if is_annulled_game[game_index]:
                annulled_pairs.add((player, opponent))

    standing_by_player = {
        standing.player: standing
        for standing in rank_players(event, tie_breaks_of(event))
    }
    grid_rows = []
    for row_number, player_position in enumerate(player_positions, 1):
        player = event.players[player_position]
        row_cells = []
        for opponent in player_positions:
            player_and_opponent = (player_position, opponent)
            cell_texts = (
                (SELF,)
                if opponent == player_position
                else tuple(results_of_pair.get(player_and_opponent, ()))
            )
            row_cells.append(
                GridCell(cell_texts, player_and_opponent in annulled_pairs)
            )
        grid_rows.append(
            GridRow(
                row_number,
                player,
                event.shown[player_position],
                row_cells,
                decimal_text(standing_by_player[player].points),
                standing_by_player[player].rank,
            )
        )
    return grid_rows


def _format_result(
    event: Event, own_points: int, other_points: int, status: int
) -> str:
    """Return a result as text from one player's side: points, "½", "+" or "-".

    `own_points` are those of this player, `other_points` those of the opponent, both
    scaled, and `status` is that of the match. With other points than those of a forfeit
    or a half they are a decimal number. A lost forfeit, and a forfeit that both lost,
    is "-".
    """
    if status == FORFEIT:
        return "+" if own_points > other_points else "-"
    if own_points == other_points and 2 * own_points == event.scale:
        return "½"
    return decimal_text(Fraction(own_points, event.scale))
