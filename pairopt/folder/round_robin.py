"""Round robins in an event folder: all rounds are paired at once by a Berger table.

After that any result of any round can be entered at any time. Withdrawals follow the
FIDE Tournament Rules: before half of the games no result counts, later all do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pairopt.common.limits import MOST_NUMBER
from pairopt.errors import UsageError
from pairopt.event.arcs import IntArray
from pairopt.event.berger import FEWEST, MOST, build_berger_table, find_bye
from pairopt.event.event import PLAYED, Event
from pairopt.event.score_checks import infer_points
from pairopt.files.event_folder import MATCHES, PLAYERS
from pairopt.folder.open_folder import Done, Folder, OpenFolder, open_folder
from pairopt.messages import Message, message
from pairopt.messages.formatting import decimal_text

if TYPE_CHECKING:
    from pairopt.event.table_assignment import PairedRow

LOTS_STREAM = 15
"""The part of the seed's random numbers that draws start numbers."""
ORDER_KINDS = {
    "list": "round_robin.numbers_list",
    "start": "round_robin.numbers_start",
    None: "round_robin.numbers_drawn",
}
"""The message about the start numbers, by the setting `numbers`; None draws them."""


def has_berger_table(desk: OpenFolder) -> bool:
    """Return whether the event is a round robin whose rounds are paired."""
    return desk.event.settings.is_round_robin and desk.rounds() > 0


def require_no_round_robin(desk: OpenFolder) -> None:
    """Raise UsageError if the event is a round robin, paired or not.

    Its pairings cannot be chosen.
    """
    if desk.event.settings.is_round_robin:
        raise UsageError("round_robin.fixed")


def require_no_berger_table(desk: OpenFolder, kind: str, **fields: str) -> None:
    """Raise UsageError if the event is a round robin whose rounds are all paired.

    `kind` is the id of the error's message, and `fields` are its fields.
    """
    if has_berger_table(desk):
        raise UsageError(kind, **fields)


def pair_all_rounds(
    folder: Folder, *, numbers: str | None = None, seed: int | None = None
) -> Done:
    """Pair all rounds of a round robin by the Berger table, as one step.

    All rows of matches.csv and the start numbers of players.csv are written. The number
    of rounds, and how the start numbers were given, are stored in event.toml.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    numbers : str, optional
        How players get their start numbers: "list", "start", or "" for a draw by lot.
        By default as the event says. A given value replaces the event's setting.
    seed : int, optional
        The seed of the draw. By default the event's own.

    Returns
    -------
    Done
        What was done. If all rounds are paired already, nothing is changed, and the
        messages name the round to play now.

    Raises
    ------
    UsageError
        The event is no round robin, has too few or too many players, or a start number
        is missing.
    """
    # Steps such as `drop` import this module, and start faster without these two.
    from pairopt.event.table_assignment import add_name_columns
    from pairopt.folder.settings import set_value

    with open_folder(folder) as opened_folder:
        if not opened_folder.event.settings.is_round_robin:
            raise UsageError("round_robin.swiss")
        if has_berger_table(opened_folder):
            return opened_folder.unchanged(
                "pair", describe_current_round(opened_folder.event)
            )

        event = opened_folder.event
        if not event.players:
            raise UsageError("roster.nobody")
        participant_positions = np.flatnonzero(event.present)
        if not FEWEST <= len(participant_positions) <= MOST:
            raise UsageError(
                "round_robin.players",
                count=len(participant_positions),
                fewest=FEWEST,
                most=MOST,
            )
        chosen_numbers = event.settings.numbers if numbers is None else numbers or None
        used_seed = event.settings.seeded(seed)
        ordered_positions = _order_players(
            event, participant_positions, chosen_numbers, used_seed
        )
        berger_rounds = build_berger_table(
            len(participant_positions),
            cycles=event.settings.cycles or 1,
            is_reversed=bool(event.settings.reversed),
        )
        match_rows = _build_rows(event, ordered_positions.tolist(), berger_rounds)

        def write_settings(content: Any) -> None:
            """Write the number of rounds, and how the start numbers were given.

            `content` is the parsed event.toml, which is edited in place.
            """
            set_value(content, "rounds", len(berger_rounds))
            set_value(content, "numbers", chosen_numbers)

        changed_folder = opened_folder.with_event_toml(write_settings)
        start_cells = _build_start_cells(event, ordered_positions.tolist())
        changed_folder = changed_folder.changed(
            {
                MATCHES: opened_folder.matches.select_rows(
                    np.zeros(len(opened_folder.matches.rows), np.bool_)
                ).appended(add_name_columns(event, match_rows)),
                PLAYERS: opened_folder.players.with_columns({"start": start_cells}),
            }
        )
        order_message_id = ORDER_KINDS[chosen_numbers]
        order_message = message(order_message_id, seed=used_seed)
        paired_message = message(
            "round_robin.paired",
            rounds=len(berger_rounds),
            count=len(participant_positions),
        )
        step_message = message(
            "step.pair_all", value=len(berger_rounds), numbers=str(order_message)
        )
        return changed_folder.committed(
            "pair", step_message, [paired_message, order_message]
        )


def describe_current_round(event: Event) -> Message:
    """Return the message that all rounds are paired, with the round to play now.

    If no result is missing, it says that all are played.
    """
    current_round = event.current_round
    missing_count = int(np.count_nonzero(event.unscored.round == current_round))
    message_id = "round_robin.all_paired" if missing_count else "round_robin.all_played"
    return message(
        message_id, rounds=event.round - 1, round=current_round, missing=missing_count
    )


def _order_players(
    event: Event, positions: IntArray, numbers: str | None, seed: int
) -> IntArray:
    """Return the positions of players in the order of their start numbers.

    `positions` are those of the players who take part. `numbers` is "list" for their
    own order, "start" for the numbers typed in the list of players, or None for a draw
    by lot with this seed. Raise UsageError if a typed number is missing.
    """
    if numbers == "list":
        return positions
    if numbers is None:
        random_order = np.random.default_rng([seed, LOTS_STREAM]).permutation(
            len(positions)
        )
        return positions[random_order]

    start_cells = event.columns.get("start", ("",) * len(event.players))
    unnumbered_names = [
        event.shown[participant_position]
        for participant_position in positions.tolist()
        if not start_cells[participant_position].strip()
    ]
    if unnumbered_names:
        raise UsageError("round_robin.no_numbers", names=unnumbered_names)
    return positions[np.argsort(event.start_numbers[positions], kind="stable")]


def _build_start_cells(event: Event, ordered_positions: Sequence[int]) -> list[str]:
    """Return the cells of the column `start`, one for each player of the event.

    `ordered_positions` are the players by start number, from 1; those who take no part
    come after them.
    """
    participant_positions = set(ordered_positions)
    absent_positions = [
        player_position
        for player_position in range(len(event.players))
        if player_position not in participant_positions
    ]
    start_number_by_position = {
        player_position: start_number
        for start_number, player_position in enumerate(
            [*ordered_positions, *absent_positions], 1
        )
    }
    return [
        str(start_number_by_position[player_position])
        for player_position in range(len(event.players))
    ]


def _build_rows(
    event: Event,
    ordered_positions: Sequence[int],
    rounds: Sequence[list[tuple[int, int]]],
) -> list[PairedRow]:
    """Return the rows of matches.csv for all rounds, without results.

    `ordered_positions` are the players by start number, and `rounds` the boards of each
    round as (white, black) numbers. A round's bye comes last; it gives no points,
    because everybody has as many of them.
    """
    side_label = event.sides[0] if event.sides else None
    first_table = event.settings.first_table or 1
    paired_rows: list[PairedRow] = []
    for round_number, boards_of_round in enumerate(rounds, 1):
        for table_number, board_numbers in enumerate(boards_of_round, first_table):
            first_player, second_player = (
                event.players[ordered_positions[start_number - 1]]
                for start_number in board_numbers
            )
            paired_rows.append(
                _build_row(
                    round=round_number,
                    table=min(table_number, MOST_NUMBER),
                    player1=first_player,
                    player2=second_player,
                    side1=side_label,
                )
            )
        bye_number = find_bye(boards_of_round, len(ordered_positions))
        if bye_number is not None:
            bye_player = event.players[ordered_positions[bye_number - 1]]
            paired_rows.append(
                _build_row(
                    round=round_number, player1=bye_player, score1="0", status="bye"
                )
            )
    return paired_rows


def _build_row(**cells: int | str | None) -> PairedRow:
    """Return a row of matches.csv with these cells, and None in all other columns."""
    row_columns = (
        "round",
        "table",
        "player1",
        "player2",
        "side1",
        "score1",
        "score2",
        "status",
    )
    return {**dict.fromkeys(row_columns), **cells}


def withdraw_player(desk: OpenFolder, player: str) -> Done:
    """Withdraw a player from a round robin whose rounds are paired, as one step.

    `player` is an identifier. All games that the player has not played are forfeits. If
    that is more than half of the games, no game of the player counts. An opponent who
    has withdrawn, too, gets no points.
    """
    event = desk.event
    match_rows = desk.rows
    player_position = event.index[player]
    is_first_player = match_rows.first == player_position
    is_game_of_player = (is_first_player | (match_rows.second == player_position)) & (
        match_rows.second >= 0
    )
    game_count = int(is_game_of_player.sum())
    is_played_by_player = (
        is_game_of_player & match_rows.scored & (match_rows.status == PLAYED)
    )
    played_count = int(is_played_by_player.sum())

    matches_csv_table = desk.matches
    win_points_text = decimal_text(infer_points(event).win)
    open_row_indices = np.flatnonzero(is_game_of_player & match_rows.open).tolist()
    for open_match_index in open_row_indices:
        opponent_position = int(
            match_rows.second[open_match_index]
            if is_first_player[open_match_index]
            else match_rows.first[open_match_index]
        )
        opponent_points_text = (
            win_points_text if event.present[opponent_position] else "0"
        )
        forfeit_scores = (
            ("0", opponent_points_text)
            if is_first_player[open_match_index]
            else (opponent_points_text, "0")
        )
        forfeit_cells = {
            "score1": forfeit_scores[0],
            "score2": forfeit_scores[1],
            "status": "forfeit",
        }
        matches_csv_table = matches_csv_table.changed(open_match_index, forfeit_cells)

    is_before_half = 2 * played_count < game_count
    withdrawal_message = message(
        "round_robin.withdrew_early" if is_before_half else "round_robin.withdrew_late",
        name=event.called[player],
        played=played_count,
        games=game_count,
        open=len(open_row_indices),
    )
    changed_folder = desk.changed(
        {
            MATCHES: matches_csv_table,
            PLAYERS: _with_activity(desk, player_position, "false"),
        }
    )
    step_message = message("step.drop", **desk.build_player_fields(player))
    return changed_folder.committed("withdraw", step_message, [withdrawal_message])


def reinstate_player(desk: OpenFolder, player: str) -> Done:
    """Reinstate a player who withdrew from a round robin, as one step.

    `player` is an identifier. Forfeits stay until their results are removed. Raise
    UsageError for a player who has no games in the table.
    """
    event = desk.event
    player_position = event.index[player]
    match_rows = desk.rows
    is_row_of_player = (match_rows.first == player_position) | (
        match_rows.second == player_position
    )
    has_rows = bool(is_row_of_player.any())
    if not has_rows:
        raise UsageError("round_robin.late_entry", name=event.called[player])
    changed_folder = desk.changed(
        {PLAYERS: _with_activity(desk, player_position, "true")}
    )
    step_message = message("step.back", **desk.build_player_fields(player))
    return_note = message("round_robin.returns", name=event.called[player])
    return changed_folder.committed("back", step_message, [return_note])


def _with_activity(desk: OpenFolder, position: int, value: str) -> Any:
    """Return the table of players.csv with another cell in a player's column `active`.

    `position` is the player's, and `value` the new cell, "true" or "false". The column
    is added if it is missing. Nothing is written.
    """
    players_csv_table = desk.players
    if "active" not in players_csv_table.columns:
        active_cells = [
            "true" if is_present else "false"
            for is_present in desk.event.present.tolist()
        ]
        players_csv_table = players_csv_table.with_columns({"active": active_cells})
    return players_csv_table.changed(position, {"active": value})
