"""Start numbers and virtual points of FIDE's systems in an event folder.

Source: FIDE Handbook C.04.2, articles 2.2 to 2.5, and C.04.7, articles 1.2 to 1.4.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import numpy as np

from pairopt.common.limits import MOST_NUMBER, parse_digits
from pairopt.errors import PairoptError, UsageError
from pairopt.event.column_layout import CellValue
from pairopt.event.event import Event
from pairopt.event.points import Points
from pairopt.event.score_checks import baku_acceleration, players_with_virtual_points
from pairopt.files.event_folder import PLAYERS, build_event_with_hint
from pairopt.folder.journal import Journal
from pairopt.folder.open_folder import OpenFolder
from pairopt.messages import Message, message, with_heading
from pairopt.messages.formatting import decimal_text

# Start numbers no longer change once this round is paired.
FROZEN_FROM_ROUND = 4


def is_ranked_by_start_number(event: Event) -> bool:
    """Return whether the event's model is a system that ranks by start numbers.

    Every system does, such as FIDE's Dutch system; other models don't. The model is
    loaded.
    """
    # Most steps do without this import.
    from pairopt.problem.round_model import model_for

    return model_for(event, None).system is not None


def with_pairing_numbers(desk: OpenFolder) -> OpenFolder:
    """Return the folder with all start numbers in the column `start` of players.csv.

    The column is added or replaced, with the event's present numbers. The folder is
    unchanged if the event's system does not rank by start numbers. Nothing is written.
    """
    if not is_ranked_by_start_number(desk.event):
        return desk
    start_numbers = [str(start_number) for start_number in desk.event.start_numbers]
    return desk.changed({PLAYERS: desk.players.with_columns({"start": start_numbers})})


def with_new_players(
    desk: OpenFolder, rows: Sequence[Mapping[str, CellValue]]
) -> OpenFolder:
    """Return the folder with new players in players.csv; nothing is written yet.

    `rows` are their rows. If a system ranks by start numbers, and they may still
    change, a new player gets the place of their rating and title, or the number in
    their row, and all players below move down by one. Later a new player gets the next
    number. A new player directly above somebody with virtual points gets the same
    virtual points.
    """
    if not is_ranked_by_start_number(desk.event):
        return desk.changed({PLAYERS: desk.players.appended(rows)})
    wanted_numbers = [
        parse_digits(str(row_of_new_player.get("start") or ""), MOST_NUMBER)
        for row_of_new_player in rows
    ]
    if desk.rounds() or any(wanted_numbers):
        desk = with_pairing_numbers(desk)
    if desk.rounds() >= FROZEN_FROM_ROUND:
        return desk.changed({PLAYERS: desk.players.appended(rows)})

    unnumbered_rows = [
        {
            column_name: player_cell
            for column_name, player_cell in row_of_new_player.items()
            if column_name != "start" or not wanted_number
        }
        for row_of_new_player, wanted_number in zip(rows, wanted_numbers, strict=True)
    ]
    player_count_before = len(desk.players.rows)
    changed_folder = desk.changed({PLAYERS: desk.players.appended(unnumbered_rows)})
    row_indices_by_start_number = _order_with_new_players(
        changed_folder, player_count_before, wanted_numbers
    )
    players_csv_table = changed_folder.players
    new_cells_by_column = {}
    if "start" in players_csv_table.columns:
        start_numbers = sorted(changed_folder.event.start_numbers.tolist())
        start_number_by_row = dict(
            zip(row_indices_by_start_number, start_numbers, strict=True)
        )
        new_cells_by_column["start"] = [
            str(start_number_by_row[row_index])
            for row_index in range(len(row_indices_by_start_number))
        ]
    if "virtual" in players_csv_table.columns:
        virtual_cells = [*players_csv_table.cells["virtual"]]
        for row_index_above, row_index_below in reversed(
            [*pairwise(row_indices_by_start_number)]
        ):
            if row_index_above >= player_count_before:
                virtual_cells[row_index_above] = (
                    virtual_cells[row_index_above] or virtual_cells[row_index_below]
                )
        new_cells_by_column["virtual"] = virtual_cells
    if not new_cells_by_column:
        return changed_folder
    return changed_folder.changed(
        {PLAYERS: players_csv_table.with_columns(new_cells_by_column)}
    )


def _order_with_new_players(
    desk: OpenFolder, count_before: int, wanted_numbers: Sequence[int | None]
) -> list[int]:
    """Return the rows of players.csv in the order of their start numbers.

    Rows from `count_before` on are new. Each is inserted at its wanted number, or by
    its strength if `wanted_numbers` has None or 0 for it.
    """
    start_numbers = desk.event.start_numbers
    strength_rank_by_row = np.argsort(desk.event.by_strength)
    row_indices_by_start_number: list[int] = np.argsort(
        start_numbers[:count_before]
    ).tolist()
    new_row_indices = range(count_before, len(start_numbers))
    for new_row_index in sorted(
        new_row_indices, key=lambda new_row_index: strength_rank_by_row[new_row_index]
    ):
        wanted_number = wanted_numbers[new_row_index - count_before]
        if wanted_number:
            is_below_new_row = [
                start_numbers[other_row_index] >= wanted_number
                for other_row_index in row_indices_by_start_number
            ]
        else:
            strength_rank_of_new_row = strength_rank_by_row[new_row_index]
            is_below_new_row = [
                strength_rank_of_new_row < strength_rank_by_row[other_row_index]
                for other_row_index in row_indices_by_start_number
            ]
        index_to_insert_at = (
            is_below_new_row.index(True)
            if any(is_below_new_row)
            else len(row_indices_by_start_number)
        )
        row_indices_by_start_number.insert(index_to_insert_at, new_row_index)
    return row_indices_by_start_number


def with_baku_groups(desk: OpenFolder) -> tuple[OpenFolder, list[Message]]:
    """Return the folder with virtual points for the first half of active players.

    These are the players who are active now, by start number. The second value has a
    note that names the last of them. The folder is unchanged, without a note, once
    round 1 is paired, if the right players have them already, and without Baku
    Acceleration (FIDE C.04.7). An event has that if the first players, and no others,
    have its virtual points.
    """
    event = desk.event
    round_count = event.settings.rounds
    points_per_result = desk.points()
    has_virtual_points_by_player = [
        any(points_of_player) for points_of_player in event.acceleration.tolist()
    ]
    if (
        desk.rounds()
        or not any(has_virtual_points_by_player)
        or round_count is None
        or points_per_result is None
    ):
        return desk, []

    virtual_points_text = format_baku_points(round_count, points_per_result)
    virtual_cells = {
        virtual_cell
        for virtual_cell, is_accelerated in zip(
            desk.players.get_plain_cells("virtual"),
            has_virtual_points_by_player,
            strict=True,
        )
        if is_accelerated
    }
    row_indices_by_start_number = np.argsort(event.start_numbers).tolist()
    row_indices_of_first_players = row_indices_by_start_number[
        : sum(has_virtual_points_by_player)
    ]
    have_first_players_baku_points = virtual_cells == {virtual_points_text} and all(
        has_virtual_points_by_player[row_index_of_player]
        for row_index_of_player in row_indices_of_first_players
    )
    is_in_first_half_by_player = [
        bool(is_player_in_half)
        for is_player_in_half in players_with_virtual_points(
            event.start_numbers, event.active
        )
    ]
    if (
        virtual_points_text is None
        or is_in_first_half_by_player == has_virtual_points_by_player
        or not have_first_players_baku_points
    ):
        return desk, []

    virtual_column_cells = {
        "virtual": [
            virtual_points_text if is_player_in_half else ""
            for is_player_in_half in is_in_first_half_by_player
        ]
    }
    changed_folder = desk.changed(
        {PLAYERS: desk.players.with_columns(virtual_column_cells)}
    )
    name_of_last_player = event.shown[
        row_indices_by_start_number[sum(is_in_first_half_by_player) - 1]
    ]
    return changed_folder, [message("player.virtual_points", last=name_of_last_player)]


def format_baku_points(rounds: int, points: Points) -> str | None:
    """Return the virtual points of a player in the upper half, as in players.csv.

    They are one number per accelerated round, separated by spaces: "1 1 0.5" for five
    or six `rounds`. Accelerated is the first half of the rounds, rounded up; later
    rounds are left out. `points` are the event's. None if Baku Acceleration is not made
    for such points: a loss is worth something, or a win is not two draws.
    """
    if points.loss or points.win != 2 * points.draw:
        return None
    _, points_by_round = baku_acceleration(0, rounds, Decimal(decimal_text(points.win)))
    return " ".join(f"{round_points.normalize():f}" for round_points in points_by_round)


def require_frozen_numbers(desk: OpenFolder) -> None:
    """Raise UsageError if start numbers have changed since they were frozen.

    They are frozen when round `FROZEN_FROM_ROUND` is paired. Models that do not rank by
    start numbers are not checked, nor folders without that step.
    """
    event = desk.event
    if event.round <= FROZEN_FROM_ROUND or not is_ranked_by_start_number(event):
        return
    step_and_files = desk.journal.find_last_step(FROZEN_FROM_ROUND, "pair")
    if step_and_files is None:
        return
    _, files_when_frozen = step_and_files
    frozen_event = build_event_with_hint(files_when_frozen, desk.journal.folder)
    if frozen_event.round <= FROZEN_FROM_ROUND or not is_ranked_by_start_number(
        frozen_event
    ):
        return

    change_notes = list[Message]()
    start_numbers = event.start_numbers.tolist()
    frozen_numbers = frozen_event.start_numbers.tolist()
    for frozen_player, frozen_number in zip(
        frozen_event.players, frozen_numbers, strict=True
    ):
        player_position = event.index.get(frozen_player)
        if (
            player_position is not None
            and start_numbers[player_position] != frozen_number
        ):
            message_fields = {
                "name": event.shown[player_position],
                "number": start_numbers[player_position],
                "before": frozen_number,
            }
            change_notes.append(message("player.other_start", **message_fields))
    if change_notes:
        heading_note = message("player.frozen_starts", round=FROZEN_FROM_ROUND)
        raise UsageError(with_heading(heading_note, *change_notes))


def find_renumbered_rounds(folder: Path, event: Event) -> list[int]:
    """Return the rounds that were paired with other start numbers than now, ascending.

    `event` is the event in the folder. Numbers change when all players are numbered
    again, or when somebody enters above others. Only rounds before numbers are frozen
    are read; rounds whose step is lost are left out. There are none if the event does
    not rank by start numbers.
    """
    if not is_ranked_by_start_number(event):
        return []
    journal = Journal(folder)
    start_number_by_player = dict(
        zip(event.players, event.start_numbers.tolist(), strict=True)
    )
    renumbered_rounds = []
    for round_number in range(1, min(event.round, FROZEN_FROM_ROUND)):
        with suppress(OSError, PairoptError):
            pairing_steps = journal.find_pairing_steps(round_number)
            if not pairing_steps:
                continue
            _, files_after_pairing = pairing_steps[-1]
            paired_event = build_event_with_hint(files_after_pairing, folder)
            players_and_paired_numbers = zip(
                paired_event.players, paired_event.start_numbers.tolist(), strict=True
            )
            if any(
                start_number_by_player.get(paired_player, paired_number)
                != paired_number
                for paired_player, paired_number in players_and_paired_numbers
            ):
                renumbered_rounds.append(round_number)
    return renumbered_rounds
