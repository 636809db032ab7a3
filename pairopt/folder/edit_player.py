"""Changes of a player's data: the name, a rating, a club, the start number."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from pairopt.common.limits import parse_digits
from pairopt.errors import ConfirmationError, UsageError
from pairopt.event.fide_data import require_fide_data
from pairopt.event.fide_numbers import are_two_numbers
from pairopt.event.name_search import find_twin_names, normalize_name
from pairopt.files.column_headings import find_column, list_known_columns
from pairopt.files.event_folder import MATCHES, PLAYERS
from pairopt.folder.open_folder import (
    Done,
    Folder,
    OpenFolder,
    name_typed_cells,
    open_folder,
)
from pairopt.folder.pairing_numbers import require_frozen_numbers, with_baku_groups
from pairopt.folder.round_robin import require_no_berger_table
from pairopt.messages import Message, message, with_heading
from pairopt.messages.formatting import find_nearest

NOT_EDITED = {
    "player": "column.identifier",
    "active": "column.active",
    "table": "column.table",
}
"""Columns that other commands change, and the message that says so."""


def rename(folder: Folder, player: str, name: str) -> Done:
    """Give a player another name, and keep the player's identifier, matches and byes.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    player : str
        The identifier or the name of the player.
    name : str
        The new name.

    Returns
    -------
    Done
        The message names the old and the new name.

    Raises
    ------
    UsageError
        If the name is empty, or is the name or identifier of another player.
    ConfirmationError
        If another player has a similar name, so that the two may be one person.
    """
    return edit(folder, player, {"name": name})


def edit(
    folder: Folder, player: str, columns: Mapping[str, str], *, sure: bool = False
) -> Done:
    """Change cells of a player: the name, a rating, a club or any other column.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    player : str
        The identifier or the name of the player.
    columns : mapping of str to str
        The new cells by column; columns are named as lists name them. If another player
        has the new start number, the two exchange their numbers.
    sure : bool
        Whether a new column is intended, a new name that resembles another player's
        name belongs to a different person, and FIDE data may become wrong. In FIDE mode
        also whether players with different ratings may exchange their numbers.

    Returns
    -------
    Done
        The messages name the changed cells, also those of other players.

    Raises
    ------
    UsageError
        If the player is unknown or ambiguous, if a column's name is empty, if a column
        is given twice, if another command changes such a column, if the name is empty,
        if another player has the name, if another player has the FIDE ID, if a cell has
        an impossible value, if start numbers would change once round 4 is paired,
        or if the rounds of a round robin are paired and a start number is given.
    ConfirmationError
        If the column is new, if the name may belong to another player of the event, if
        FIDE data becomes wrong, or if in FIDE mode players with different ratings would
        exchange their numbers.
    """
    with open_folder(folder) as opened_folder:
        player_position = opened_folder.event.index[opened_folder.identifier(player)]
        cell_by_column = parse_cells(opened_folder, columns, sure)
        refusal_message_ids = [
            NOT_EDITED[column_name]
            for column_name in cell_by_column
            if column_name in NOT_EDITED
        ]
        if refusal_message_ids:
            raise UsageError(*map(message, refusal_message_ids))

        changed_folder = opened_folder
        with name_typed_cells(columns, cell_by_column):
            for column_name, new_cell in cell_by_column.items():
                if column_name == "name":
                    changed_folder = _rename_player(
                        changed_folder, player_position, new_cell, sure
                    )
                elif column_name == "start":
                    require_no_berger_table(opened_folder, "round_robin.start_numbers")
                    changed_folder = _set_pairing_number(
                        changed_folder, player_position, new_cell
                    )
                else:
                    changed_folder = _edit_cell(
                        column_name, changed_folder, player_position, new_cell
                    )
            event = changed_folder.event
        require_frozen_numbers(changed_folder)
        if "start" in cell_by_column and not sure:
            _require_equal_ratings(opened_folder, changed_folder)
        require_fide_data(opened_folder.event, event, sure)
        changed_folder, group_notes = with_baku_groups(changed_folder)

        message_fields = opened_folder.build_player_fields(
            opened_folder.event.players[player_position]
        )
        message_fields["name"] = event.shown[player_position]
        difference_notes = _describe_differences(
            opened_folder, changed_folder, player_position
        )
        if not difference_notes:
            return opened_folder.unchanged(
                "edit", message("player.as_before", **message_fields)
            )
        cell_notes = [
            with_heading(message("player.changed", **message_fields), difference_note)
            for difference_note in difference_notes
        ]
        text_for_log = "; ".join(map(str, difference_notes))
        step_message = message("step.edit", **message_fields, value=text_for_log)
        return changed_folder.committed(
            "edit", step_message, [*cell_notes, *group_notes]
        )


def parse_cells(
    desk: OpenFolder, columns: Mapping[str, str], sure: bool
) -> dict[str, str]:
    """Return cells by the columns of players.csv that the typed columns mean.

    `columns` has the typed cells by typed column, which may be a heading of a list.
    Superfluous spaces in cells are removed. With `sure`, a new column may be made.
    Raise ConfirmationError for a column that is neither there nor known, unless `sure`.
    Raise UsageError for a column that is empty, given twice, or belongs to matches.csv.
    """
    cell_by_column: dict[str, str] = {}
    known_columns = {*desk.players.columns, *list_known_columns(), *NOT_EDITED}
    for typed_column, typed_cell in columns.items():
        meant_column = (
            find_column(typed_column, desk.players.columns)
            or typed_column.strip().lower()
        )
        if not meant_column or meant_column in {*desk.matches.columns} - known_columns:
            raise UsageError("column.none", column=meant_column, file=PLAYERS)
        if meant_column in cell_by_column:
            raise UsageError("column.twice", column=meant_column)
        if meant_column not in known_columns and not sure:
            similar_column = find_nearest(meant_column, known_columns)
            error_message_id = "column.nearly" if similar_column else "column.new"
            raise ConfirmationError(
                error_message_id, column=meant_column, near=similar_column
            )
        cell_by_column[meant_column] = " ".join(typed_cell.split())
    return cell_by_column


def _describe_differences(
    before: OpenFolder, after: OpenFolder, position: int
) -> list[Message]:
    """Return a message for each cell that differs in a player's row.

    `position` is the player's position in the event, before and after. Start numbers
    come last, the player's own first, and then those of other players that have
    changed. The list is empty if nothing differs.
    """
    players_csv_before = before.players
    players_csv_after = after.players
    columns_and_changed_cells = []
    name_before = before.event.names[position]
    name_after = after.event.names[position]
    if name_before != name_after:
        columns_and_changed_cells.append(("name", name_before, name_after))
    for column_name in players_csv_after.columns:
        if column_name in ("player", "name", "start"):
            continue
        cell_before = ""
        if column_name in players_csv_before.columns:
            cell_before = players_csv_before.cells[column_name][position]
        cell_after = players_csv_after.cells[column_name][position]
        if cell_before != cell_after:
            columns_and_changed_cells.append((column_name, cell_before, cell_after))

    difference_notes = []
    for column_name, cell_before, cell_after in columns_and_changed_cells:
        message_id = CELL_MESSAGES[bool(cell_before), bool(cell_after)]
        difference_notes.append(
            message(
                message_id, column=column_name, value=cell_after, before=cell_before
            )
        )

    has_other_number = before.event.start_numbers != after.event.start_numbers
    renumbered_positions = np.flatnonzero(has_other_number).tolist()
    renumbered_positions.sort(
        key=lambda renumbered_position: renumbered_position != position
    )
    for renumbered_position in renumbered_positions:
        start_number = int(after.event.start_numbers[renumbered_position])
        shown_name = after.event.shown[renumbered_position]
        if renumbered_position == position:
            message_id = "player.start_number"
        else:
            message_id = "player.start_number_of_another"
        difference_notes.append(
            message(message_id, number=start_number, name=shown_name)
        )
    return difference_notes


CELL_MESSAGES = {
    (True, True): "column.changed",
    (True, False): "column.emptied",
    (False, True): "column.filled",
}
"""The message on a changed cell, by whether it had and has content."""


def _edit_cell(column: str, desk: OpenFolder, position: int, cell: str) -> OpenFolder:
    """Return the folder with another cell of a player in players.csv.

    `position` is the player's position in the event. A column that is not there is
    added. The folder is unchanged if the cell is equal. Nothing is written.
    """
    players_csv_table = desk.players
    cell_before = (
        players_csv_table.cells[column][position]
        if column in players_csv_table.columns
        else ""
    )
    if cell == cell_before:
        return desk
    return desk.changed({PLAYERS: players_csv_table.changed(position, {column: cell})})


def _rename_player(
    desk: OpenFolder, position: int, name: str, sure: bool
) -> OpenFolder:
    """Return the folder with another name of a player, in all files with the name.

    Nothing is written. `position` is the player's position in the event. The identifier
    stays. Raise UsageError if the name is empty, or another player has it as their name
    or identifier. Raise ConfirmationError if it may be the name of another player,
    unless `sure`. A player with another FIDE number may have the same name.
    """
    event = desk.event
    if not name:
        raise UsageError("player.no_new_name")
    if event.names[position] == name:
        return desk

    fide_numbers_of_players = event.fide_numbers
    positions_of_others = [
        candidate_position
        for candidate_position in range(len(event.players))
        if candidate_position != position
        and not are_two_numbers(
            fide_numbers_of_players[candidate_position],
            fide_numbers_of_players[position],
        )
    ]
    for position_of_other in positions_of_others:
        other_name = event.shown[position_of_other]
        if normalize_name(name) == normalize_name(event.names[position_of_other]):
            raise UsageError("player.called_so", name=other_name)
        if normalize_name(name) == normalize_name(event.players[position_of_other]):
            raise UsageError("player.written_so", name=name, other=other_name)
    if not sure:
        twin_name_pairs = find_twin_names(
            [name],
            [
                event.names[candidate_position]
                for candidate_position in positions_of_others
            ],
        )
        if twin_name_pairs:
            raise ConfirmationError(
                "player.perhaps_there", name=name, other=twin_name_pairs[0][0]
            )

    players_csv_table = desk.players.with_columns(
        {"player": event.players, "name": event.names}
    )
    name_before = event.names[position]
    changed_folder = desk
    # The name may be the identifier of another player, who is then meant by it.
    if event.index.get(name_before, position) == position:
        replace_name_in_toml = partial(
            _replace_name_by_identifier, name_before, event.players[position]
        )
        changed_folder = desk.with_event_toml(replace_name_in_toml)
    matches_csv_table = desk.matches
    match_rows = desk.rows
    position_pair_by_row = zip(
        match_rows.first.tolist(), match_rows.second.tolist(), strict=True
    )
    for row_index, positions_of_match in enumerate(position_pair_by_row):
        new_name_by_column = {
            f"name{seat_number}": name
            for seat_number, position_in_match in enumerate(positions_of_match, 1)
            if position_in_match == position
        }
        if new_name_by_column.keys() & {*matches_csv_table.columns}:
            matches_csv_table = matches_csv_table.changed(row_index, new_name_by_column)
    players_csv_table = players_csv_table.changed(position, {"name": name})
    return changed_folder.changed(
        {PLAYERS: players_csv_table, MATCHES: matches_csv_table}
    )


def _replace_name_by_identifier(name: str, player: str, content: Any) -> None:
    """Replace a player's name by their identifier in the content of event.toml.

    Only forbidden pairs and byes name players. `player` is the identifier, and
    `content` is edited in place.
    """
    for forbidden_entry in content.get("forbid", []):
        names_of_forbidden_pair = (
            forbidden_entry["players"]
            if isinstance(forbidden_entry, Mapping)
            else forbidden_entry
        )
        for name_index, typed_name in enumerate(names_of_forbidden_pair):
            if typed_name == name:
                names_of_forbidden_pair[name_index] = player
    for advance_bye in content.get("byes", []):
        if advance_bye["player"] == name:
            advance_bye["player"] = player


def _set_pairing_number(desk: OpenFolder, position: int, cell: str) -> OpenFolder:
    """Return the folder with another start number of a player.

    `position` is the player's position in the event. `cell` is the number as text. The
    player who has this number gets the former number of the other one. The folder is
    unchanged if it is the player's own. Nothing is written. Raise UsageError if it is
    not from 1 to the number of players.
    """
    start_numbers = desk.event.start_numbers.tolist()
    new_number = parse_digits(cell, len(start_numbers))
    if not new_number:
        raise UsageError("player.no_start_number", found=cell, most=len(start_numbers))
    if new_number == start_numbers[position]:
        return desk
    if new_number in start_numbers:
        start_numbers[start_numbers.index(new_number)] = start_numbers[position]
    start_numbers[position] = new_number
    players_csv_table = desk.players.with_columns({"start": [*map(str, start_numbers)]})
    return desk.changed({PLAYERS: players_csv_table})


def _require_equal_ratings(before: OpenFolder, after: OpenFolder) -> None:
    """Raise ConfirmationError if start numbers of players with other ratings changed.

    The two folders are those before and after a change. All players whose start numbers
    changed must have the same rating. This is for events in FIDE mode: there pairing
    numbers follow the ratings (C.04.2, 2.2), and only the order of players with the
    same rating is free. In other events nothing is checked.
    """
    if not before.event.settings.fide:
        return
    has_other_number = before.event.start_numbers != after.event.start_numbers
    renumbered_positions = np.flatnonzero(has_other_number).tolist()
    rating_texts = {
        after.event.rating_text(renumbered_position)
        for renumbered_position in renumbered_positions
    }
    if len(rating_texts) > 1:
        renumbered_names = [
            after.event.shown[renumbered_position]
            for renumbered_position in renumbered_positions
        ]
        raise ConfirmationError(
            "player.numbers_against_ratings", players=renumbered_names
        )
