"""What was played differently: sides reversed, or two tables that exchanged their opponents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.column_layout import GAMES
from pairopt.event.event import FORFEIT
from pairopt.event.points import Score
from pairopt.event.source_info import FideModeBreach
from pairopt.files.event_folder import EVENT, MATCHES
from pairopt.folder.fide_mode import AS_PLAYED, read_mode, with_fide_mode
from pairopt.folder.open_folder import OpenFolder
from pairopt.messages import Message, message

REVERSED = (("player1", "player2"), ("name1", "name2"), ("score1", "score2"), GAMES[:2])
"""The cells of the two players of a match, which trade places when their sides are reversed."""


def with_reversed_sides(desk: OpenFolder, row: int) -> OpenFolder:
    """Return the desk with the sides of a match reversed; each player keeps their points.

    Raises
    ------
    UsageError
        If the event has no sides, or the match has none.
    """
    rows = desk.rows
    where = _where(desk, row)
    if not desk.event.sided or rows.side[row] < 0:
        raise UsageError("played.no_sides", **where)

    cells = desk.matches.cells
    traded: dict[str, str] = {}
    for one, two in REVERSED:
        if one in cells and two in cells:
            traded |= {one: cells[two][row], two: cells[one][row]}
    return desk.changed({MATCHES: desk.matches.changed(row, traded)})


def with_opponent(
    desk: OpenFolder, row: int, player: str
) -> tuple[OpenFolder, int | None]:
    """Return the desk with `player` as the opponent of the first player of a match.

    The former opponent takes the place of `player` at the other table. Each table keeps its result.
    The second value is the row of the other match, or None if the two already meet in this match.

    Raises
    ------
    UsageError
        If `player` has no match in this round, or the other match has no result or was not played.
    """
    rows = desk.rows
    where = _where(desk, row)
    new = desk.event.index[player]
    first = int(rows.first[row])
    second = int(rows.second[row])
    if new == second:
        return desk, None
    if new == first:
        raise UsageError("played.themselves", player=desk.event.called[player])

    here = (rows.round == where["round"]) & (rows.second >= 0) & (rows.table > 0)
    found = np.flatnonzero(here & ((rows.first == new) | (rows.second == new)))
    if len(found) != 1:
        raise UsageError("played.no_match", player=desk.event.called[player], **where)
    other = int(found[0])
    require_played(desk, other)

    seat = 1 if rows.first[other] == new else 2
    names = desk.event.names
    arriving = _seat_cells(desk, 2, player, names[new])
    leaving = _seat_cells(desk, seat, desk.event.players[second], names[second])
    matches = desk.matches.changed(row, arriving).changed(other, leaving)
    return desk.changed({MATCHES: matches}), other


def require_played(desk: OpenFolder, row: int) -> None:
    """Raise UsageError if a match has no result yet, or was not played."""
    where = _where(desk, row)
    if not desk.rows.scored[row]:
        raise UsageError("played.no_result", **where)
    if desk.rows.status[row] == FORFEIT:
        raise UsageError("played.forfeit", **where)


def with_record(
    before: OpenFolder, after: OpenFolder, rows: Sequence[int], told: Sequence[Message]
) -> OpenFolder:
    """Return the desk after a change; in FIDE mode with a record of it for the report.

    `rows` are the changed matches, and `told` describes them as they were played.
    """
    now = read_mode(after.files)
    if not now.fide:
        return after

    number = int(before.rows.round[rows[0]])
    was = " ".join(_start_numbers(before, row) for row in rows)
    became = " ".join(_start_numbers(after, row) for row in rows)
    record = FideModeBreach(AS_PLAYED, number, "; ".join(map(str, told)), was, became)
    content = with_fide_mode(after.files[EVENT], now.fide, (*now.breaches, record))
    return after.changed({EVENT: content})


def match_told(desk: OpenFolder, row: int, score: Score | None) -> Message:
    """Return a match with the side of each player, such as `Ann (white) 1-0 Bob (black)`."""
    rows = desk.rows
    event = desk.event
    one, two = (event.shown[side[row]] for side in (rows.first, rows.second))
    fields = {
        "table": int(rows.table[row]),
        "one": one,
        "two": two,
        "score": score or "-",
    }
    if event.sides is None or rows.side[row] < 0:
        return message("played.match", **fields)
    side = int(rows.side[row])
    first, second = event.sides[side], event.sides[1 - side]
    return message("played.match_with_sides", side1=first, side2=second, **fields)


def _where(desk: OpenFolder, row: int) -> dict[str, int]:
    return {"round": int(desk.rows.round[row]), "table": int(desk.rows.table[row])}


def _seat_cells(desk: OpenFolder, seat: int, player: str, name: str) -> dict[str, str]:
    cells = {f"player{seat}": player, f"name{seat}": name}
    return {
        column: cell for column, cell in cells.items() if column in desk.matches.columns
    }


def _start_numbers(desk: OpenFolder, row: int) -> str:
    """Return the start numbers of a match as a text such as 1-5, with the first side first."""
    rows = desk.rows
    both = [
        int(desk.event.start_numbers[side[row]]) for side in (rows.first, rows.second)
    ]
    if rows.side[row] == 1:
        both.reverse()
    return "-".join(map(str, both))
