"""Editing: what is said of a player is changed: the name, a rating, a club, the start number."""

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
from pairopt.folder.open_folder import Done, Folder, OpenFolder, event_with, open_folder
from pairopt.folder.pairing_numbers import require_numbers, with_baku_groups
from pairopt.messages import Message, message, with_heading
from pairopt.messages.formatting import find_nearest

NOT_EDITED = {
    "player": "column.identifier",
    "active": "column.active",
    "table": "column.table",
}
"""Columns that are not cells to be changed one by one, and what is said of that."""


def rename(folder: Folder, player: str, name: str) -> Done:
    """Give a player another name; their identifier, and all that has it, stays."""
    return edit(folder, player, {"name": name})


def edit(
    folder: Folder, player: str, columns: Mapping[str, str], *, sure: bool = False
) -> Done:
    """Change cells of a player: the name, a rating, a club or any other column.

    Who has the start number that is given takes the player's own.

    Columns are called as lists call them. Raises UsageError for what another verb does, a name that
    another has, or what cannot be; ConfirmationError for a new column, or a name of who may be another
    player, unless it is said for `sure`.
    """
    with open_folder(folder) as desk:
        one = desk.event.position(player)
        cells = cells_of(desk, columns, sure)
        if other := [NOT_EDITED[column] for column in cells if column in NOT_EDITED]:
            raise UsageError(*map(message, other))
        new, writes = (
            desk,
            {
                "name": partial(_rename_player, sure=sure),
                "start": partial(_set_pairing_number),
            },
        )
        for column, cell in cells.items():
            new = writes.get(column, partial(_edit_cell, column))(new, one, cell)
        event = event_with(new)
        require_numbers(new)
        require_fide_data(desk.event, event, sure)
        new, more = with_baku_groups(new)
        fields = {**desk.of(desk.event.players[one]), "name": event.shown[one]}
        said = _differences(desk, new, one)
        if not said:
            return desk.unchanged("edit", message("player.as_before", **fields))
        lines = [
            with_heading(message("player.changed", **fields), each) for each in said
        ]
        did = message("step.edit", **fields, value="; ".join(map(str, said)))
        return new.committed("edit", did, [*lines, *more])


def cells_of(
    desk: OpenFolder, columns: Mapping[str, str], sure: bool
) -> dict[str, str]:
    """Cells by the columns of players.csv that are meant. Raises ConfirmationError for a column that is
    neither there nor known, unless `sure`; UsageError for one that is said twice.
    """
    cells: dict[str, str] = {}
    known = {*desk.players.columns, *list_known_columns(), *NOT_EDITED}
    for called, cell in columns.items():
        column = find_column(called, desk.players.columns) or called.strip().lower()
        if not column or column in {*desk.matches.columns} - known:
            raise UsageError("column.none", column=column, file=PLAYERS)
        if column in cells:
            raise UsageError("column.twice", column=column)
        if column not in known and not sure:
            near = find_nearest(column, known)
            raise ConfirmationError(
                "column.nearly" if near else "column.new", column=column, near=near
            )
        cells[column] = " ".join(cell.split())
    return cells


def _differences(before: OpenFolder, after: OpenFolder, one: int) -> list[Message]:
    """What is otherwise in the row of a player, and who else changes."""
    old, new = before.players, after.players
    called = (before.event.names[one], after.event.names[one])
    found = [("name", *called)] * (called[0] != called[1])
    for column in new.columns:
        was = old.cells[column][one] if column in old.columns else ""
        if column not in ("player", "name", "start") and was != (
            now := new.cells[column][one]
        ):
            found.append((column, was, now))
    said = [
        message(CHANGED[bool(was), bool(now)], column=column, value=now, before=was)
        for column, was, now in found
    ]
    moved = np.flatnonzero(
        before.event.start_numbers != after.event.start_numbers
    ).tolist()
    moved.sort(key=lambda p: p != one)
    for p in moved:
        number, name = int(after.event.start_numbers[p]), after.event.shown[p]
        kind = "player.start_number" if p == one else "player.start_number_of_another"
        said.append(message(kind, number=number, name=name))
    return said


CHANGED = {
    (True, True): "column.changed",
    (True, False): "column.emptied",
    (False, True): "column.filled",
}
"""What is said of a cell, by whether it had and has something."""


def _edit_cell(column: str, desk: OpenFolder, one: int, cell: str) -> OpenFolder:
    if cell == (
        desk.players.cells[column][one] if column in desk.players.columns else ""
    ):
        return desk
    return desk.changed({PLAYERS: desk.players.changed(one, {column: cell})})


def _rename_player(desk: OpenFolder, one: int, name: str, sure: bool) -> OpenFolder:
    """With another name, also where files have the old one besides the identifier."""
    event, table = desk.event, desk.players
    if not name:
        raise UsageError("player.no_new_name")
    if event.names[one] == name:
        return desk
    others = [p for p in range(len(event.players)) if p != one]
    for p in others:
        if normalize_name(name) == normalize_name(event.names[p]):
            raise UsageError("player.called_so", name=event.shown[p])
        if normalize_name(name) == normalize_name(event.players[p]):
            raise UsageError("player.written_so", name=name, other=event.shown[p])
    if not sure and (
        pairs := find_twin_names([name], [event.names[p] for p in others])
    ):
        raise ConfirmationError("player.perhaps_there", name=name, other=pairs[0][0])
    players = table.with_columns({"player": event.players, "name": event.names})
    new = desk.edited(partial(_check_identifier, event.names[one], event.players[one]))
    matches, rows = desk.matches, desk.rows
    for row, who in enumerate(
        zip(rows.first.tolist(), rows.second.tolist(), strict=True)
    ):
        cells = {f"name{k}": name for k, p in enumerate(who, 1) if p == one}
        if cells.keys() & {*matches.columns}:
            matches = matches.changed(row, cells)
    return new.changed(
        {PLAYERS: players.changed(one, {"name": name}), MATCHES: matches}
    )


def _check_identifier(name: str, player: str, content: Any) -> None:
    for said in content.get("forbid", []):
        pair = said["players"] if isinstance(said, Mapping) else said
        for k, each in enumerate(pair):
            if each == name:
                pair[k] = player
    for each in content.get("byes", []):
        if each["player"] == name:
            each["player"] = player


def _set_pairing_number(desk: OpenFolder, one: int, cell: str) -> OpenFolder:
    numbers = desk.event.start_numbers.tolist()
    number = parse_digits(cell, len(numbers))
    if not number:
        raise UsageError("player.no_start_number", found=cell, most=len(numbers))
    if number == numbers[one]:
        return desk
    if number in numbers:
        numbers[numbers.index(number)] = numbers[one]
    numbers[one] = number
    return desk.changed(
        {PLAYERS: desk.players.with_columns({"start": [*map(str, numbers)]})}
    )
