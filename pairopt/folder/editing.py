"""Editing: what is said of a player is changed: the name, a rating, a club, the start number."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from pairopt.bounds import whole_number
from pairopt.errors import UnsureError, UsageError
from pairopt.event.fide_data import require_fide_data
from pairopt.event.finding import folded, twins
from pairopt.files.folder import MATCHES, PLAYERS
from pairopt.files.headings import column_for, known_columns
from pairopt.folder.desk import Desk, Done, Folder, event_with, opened
from pairopt.folder.numbers import regrouped, require_numbers
from pairopt.wording import nearest
from pairopt.words import Said, tell

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
    another has, or what cannot be; UnsureError for a new column, or a name of who may be another
    player, unless it is said for `sure`."""
    with opened(folder) as desk:
        one = desk.event.position(player)
        cells = cells_of(desk, columns, sure)
        if other := [NOT_EDITED[column] for column in cells if column in NOT_EDITED]:
            raise UsageError(*map(tell, other))
        new, writes = (
            desk,
            {"name": partial(_named, sure=sure), "start": partial(_numbered)},
        )
        for column, cell in cells.items():
            new = writes.get(column, partial(_celled, column))(new, one, cell)
        event = event_with(new)
        require_numbers(new)
        require_fide_data(desk.event, event, sure)
        new, more = regrouped(new)
        fields = {**desk.of(desk.event.players[one]), "name": event.shown[one]}
        said = _differences(desk, new, one)
        if not said:
            return desk.unchanged("edit", tell("player.as_before", **fields))
        lines = [tell("player.changed", change=each, **fields) for each in said]
        did = tell("step.edit", **fields, value="; ".join(map(str, said)))
        return new.committed("edit", did, [*lines, *more])


def cells_of(desk: Desk, columns: Mapping[str, str], sure: bool) -> dict[str, str]:
    """Cells by the columns of players.csv that are meant. Raises UnsureError for a column that is
    neither there nor known, unless `sure`; UsageError for one that is said twice."""
    cells: dict[str, str] = {}
    known = {*desk.players.columns, *known_columns(), *NOT_EDITED}
    for called, cell in columns.items():
        column = column_for(called, desk.players.columns) or called.strip().lower()
        if not column or column in {*desk.matches.columns} - known:
            raise UsageError("column.none", column=column, file=PLAYERS)
        if column in cells:
            raise UsageError("column.twice", column=column)
        if column not in known and not sure:
            near = nearest(column, known)
            raise UnsureError(
                "column.nearly" if near else "column.new", column=column, near=near
            )
        cells[column] = " ".join(cell.split())
    return cells


def _differences(before: Desk, after: Desk, one: int) -> list[Said]:
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
        tell(CHANGED[bool(was), bool(now)], column=column, value=now, before=was)
        for column, was, now in found
    ]
    moved = np.flatnonzero(
        before.event.start_numbers != after.event.start_numbers
    ).tolist()
    moved.sort(key=lambda p: p != one)
    for p in moved:
        number, name = int(after.event.start_numbers[p]), after.event.shown[p]
        kind = "player.start_number" if p == one else "player.start_number_of_another"
        said.append(tell(kind, number=number, name=name))
    return said


CHANGED = {
    (True, True): "column.changed",
    (True, False): "column.emptied",
    (False, True): "column.filled",
}
"""What is said of a cell, by whether it had and has something."""


def _celled(column: str, desk: Desk, one: int, cell: str) -> Desk:
    if cell == (
        desk.players.cells[column][one] if column in desk.players.columns else ""
    ):
        return desk
    return desk.changed({PLAYERS: desk.players.changed(one, {column: cell})})


def _named(desk: Desk, one: int, name: str, sure: bool) -> Desk:
    """With another name, also where files have the old one besides the identifier."""
    event, table = desk.event, desk.players
    if not name:
        raise UsageError("player.no_new_name")
    if event.names[one] == name:
        return desk
    others = [p for p in range(len(event.players)) if p != one]
    for p in others:
        if folded(name) == folded(event.names[p]):
            raise UsageError("player.called_so", name=event.shown[p])
        if folded(name) == folded(event.players[p]):
            raise UsageError("player.written_so", name=name, other=event.shown[p])
    if not sure and (pairs := twins([name], [event.names[p] for p in others])):
        raise UnsureError("player.perhaps_there", name=name, other=pairs[0][0])
    players = table.with_columns({"player": event.players, "name": event.names})
    new = desk.edited(partial(_identified, event.names[one], event.players[one]))
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


def _identified(name: str, player: str, content: Any) -> None:
    for said in content.get("forbid", []):
        pair = said["players"] if isinstance(said, Mapping) else said
        for k, each in enumerate(pair):
            if each == name:
                pair[k] = player
    for each in content.get("byes", []):
        if each["player"] == name:
            each["player"] = player


def _numbered(desk: Desk, one: int, cell: str) -> Desk:
    numbers = desk.event.start_numbers.tolist()
    number = whole_number(cell, len(numbers))
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
