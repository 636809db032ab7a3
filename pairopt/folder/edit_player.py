"""Changes of a player's data: the name, a rating, a club, the start number."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from pairopt.common.limits import parse_digits
from pairopt.errors import ConfirmationError, UsageError
from pairopt.event.fide_data import require_fide_data
from pairopt.event.name_search import find_twin_names, normalize_name
from pairopt.files.column_headings import find_column, list_known_columns
from pairopt.files.event_folder import MATCHES, PLAYERS
from pairopt.folder.open_folder import (
    Done,
    Folder,
    OpenFolder,
    build_changed_event,
    open_folder,
)
from pairopt.folder.pairing_numbers import require_frozen_numbers, with_baku_groups
from pairopt.messages import Message, message, with_heading
from pairopt.messages.formatting import find_nearest

NOT_EDITED = {
    "player": "column.identifier",
    "active": "column.active",
    "table": "column.table",
}
"""Columns that other commands change, and the message that says so."""


def rename(folder: Folder, player: str, name: str) -> Done:
    """Give a player another name; their identifier and everything under it stay.

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
        What was done.

    Raises
    ------
    UsageError
        If another player has the name.
    ConfirmationError
        If the name may be that of another player.
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
        The column is new, or the name is not that of another player.

    Returns
    -------
    Done
        What was changed, also for other players.

    Raises
    ------
    UsageError
        If another command changes such a column, another player has the name, or a cell
        is impossible.
    ConfirmationError
        If a column is new, or the name may be that of another player.
    """
    with open_folder(folder) as desk:
        position = desk.event.position(player)
        cells = parse_cells(desk, columns, sure)
        refusals = [NOT_EDITED[column] for column in cells if column in NOT_EDITED]
        if refusals:
            raise UsageError(*map(message, refusals))

        changed_desk = desk
        for column, cell in cells.items():
            if column == "name":
                changed_desk = _rename_player(changed_desk, position, cell, sure)
            elif column == "start":
                changed_desk = _set_pairing_number(changed_desk, position, cell)
            else:
                changed_desk = _edit_cell(column, changed_desk, position, cell)
        event = build_changed_event(changed_desk)
        require_frozen_numbers(changed_desk)
        require_fide_data(desk.event, event, sure)
        changed_desk, group_notes = with_baku_groups(changed_desk)

        fields = desk.build_player_fields(desk.event.players[position])
        fields["name"] = event.shown[position]
        differences = _describe_differences(desk, changed_desk, position)
        if not differences:
            return desk.unchanged("edit", message("player.as_before", **fields))
        notes = [
            with_heading(message("player.changed", **fields), difference)
            for difference in differences
        ]
        value = "; ".join(map(str, differences))
        did = message("step.edit", **fields, value=value)
        return changed_desk.committed("edit", did, [*notes, *group_notes])


def parse_cells(
    desk: OpenFolder, columns: Mapping[str, str], sure: bool
) -> dict[str, str]:
    """Return cells by the columns of players.csv that the typed columns mean.

    Raise ConfirmationError for a column that is neither there nor known, unless `sure`.
    Raise UsageError for a column that is given twice, or belongs to matches.csv.
    """
    cells: dict[str, str] = {}
    known_names = {*desk.players.columns, *list_known_columns(), *NOT_EDITED}
    for typed, cell in columns.items():
        column = find_column(typed, desk.players.columns) or typed.strip().lower()
        if not column or column in {*desk.matches.columns} - known_names:
            raise UsageError("column.none", column=column, file=PLAYERS)
        if column in cells:
            raise UsageError("column.twice", column=column)
        if column not in known_names and not sure:
            near = find_nearest(column, known_names)
            kind = "column.nearly" if near else "column.new"
            raise ConfirmationError(kind, column=column, near=near)
        cells[column] = " ".join(cell.split())
    return cells


def _describe_differences(
    before: OpenFolder, after: OpenFolder, position: int
) -> list[Message]:
    """Say what is different in a player's row, and whose start numbers have changed."""
    players_before = before.players
    players_after = after.players
    changes = []
    name_before = before.event.names[position]
    name_after = after.event.names[position]
    if name_before != name_after:
        changes.append(("name", name_before, name_after))
    for column in players_after.columns:
        if column in ("player", "name", "start"):
            continue
        cell_before = ""
        if column in players_before.columns:
            cell_before = players_before.cells[column][position]
        cell_after = players_after.cells[column][position]
        if cell_before != cell_after:
            changes.append((column, cell_before, cell_after))

    notes = []
    for column, cell_before, cell_after in changes:
        kind = CELL_MESSAGES[bool(cell_before), bool(cell_after)]
        notes.append(message(kind, column=column, value=cell_after, before=cell_before))

    has_moved = before.event.start_numbers != after.event.start_numbers
    moved = np.flatnonzero(has_moved).tolist()
    moved.sort(key=lambda p: p != position)
    for p in moved:
        number = int(after.event.start_numbers[p])
        name = after.event.shown[p]
        if p == position:
            kind = "player.start_number"
        else:
            kind = "player.start_number_of_another"
        notes.append(message(kind, number=number, name=name))
    return notes


CELL_MESSAGES = {
    (True, True): "column.changed",
    (True, False): "column.emptied",
    (False, True): "column.filled",
}
"""The message on a changed cell, by whether it had and has content."""


def _edit_cell(column: str, desk: OpenFolder, position: int, cell: str) -> OpenFolder:
    """Return the desk with another cell of a player in players.csv."""
    players = desk.players
    cell_before = players.cells[column][position] if column in players.columns else ""
    if cell == cell_before:
        return desk
    return desk.changed({PLAYERS: players.changed(position, {column: cell})})


def _rename_player(
    desk: OpenFolder, position: int, name: str, sure: bool
) -> OpenFolder:
    """Return the desk with another name of a player, in all files that have the name.

    Raise UsageError if another player has the name or writes their identifier so. Raise
    ConfirmationError if it may be the name of another player, unless `sure`.
    """
    event = desk.event
    if not name:
        raise UsageError("player.no_new_name")
    if event.names[position] == name:
        return desk

    other_positions = [p for p in range(len(event.players)) if p != position]
    for p in other_positions:
        if normalize_name(name) == normalize_name(event.names[p]):
            raise UsageError("player.called_so", name=event.shown[p])
        if normalize_name(name) == normalize_name(event.players[p]):
            raise UsageError("player.written_so", name=name, other=event.shown[p])
    if not sure:
        twins = find_twin_names([name], [event.names[p] for p in other_positions])
        if twins:
            raise ConfirmationError(
                "player.perhaps_there", name=name, other=twins[0][0]
            )

    players = desk.players.with_columns({"player": event.players, "name": event.names})
    name_before = event.names[position]
    edit_names = partial(
        _replace_name_by_identifier, name_before, event.players[position]
    )
    changed_desk = desk.with_event_toml(edit_names)
    matches = desk.matches
    rows = desk.rows
    pairs = zip(rows.first.tolist(), rows.second.tolist(), strict=True)
    for row, pair in enumerate(pairs):
        cells = {f"name{k}": name for k, p in enumerate(pair, 1) if p == position}
        if cells.keys() & {*matches.columns}:
            matches = matches.changed(row, cells)
    players = players.changed(position, {"name": name})
    return changed_desk.changed({PLAYERS: players, MATCHES: matches})


def _replace_name_by_identifier(name: str, player: str, content: Any) -> None:
    """Replace a player's name by their identifier in the content of event.toml."""
    for entry in content.get("forbid", []):
        pair = entry["players"] if isinstance(entry, Mapping) else entry
        for k, text in enumerate(pair):
            if text == name:
                pair[k] = player
    for advance_bye in content.get("byes", []):
        if advance_bye["player"] == name:
            advance_bye["player"] = player


def _set_pairing_number(desk: OpenFolder, position: int, cell: str) -> OpenFolder:
    """Return the desk with another start number of a player, exchanged with its owner.

    Raise UsageError if the cell is no number of the event.
    """
    numbers = desk.event.start_numbers.tolist()
    number = parse_digits(cell, len(numbers))
    if not number:
        raise UsageError("player.no_start_number", found=cell, most=len(numbers))
    if number == numbers[position]:
        return desk
    if number in numbers:
        numbers[numbers.index(number)] = numbers[position]
    numbers[position] = number
    players = desk.players.with_columns({"start": [*map(str, numbers)]})
    return desk.changed({PLAYERS: players})
