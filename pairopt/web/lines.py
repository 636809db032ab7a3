"""Lines: the matches of a round, or of the bracket, as people read them."""

from __future__ import annotations

from dataclasses import dataclass

from pairopt.event.event import Event
from pairopt.folder.cutting import bracket
from pairopt.folder.desk import Desk, is_open, round_of, table_of
from pairopt.folder.sheet import Cells


@dataclass(frozen=True, slots=True)
class Line:
    """A match: its table, or its number in the bracket; "" for a bye, where `two` says which."""

    table: str
    one: str
    two: str
    score: str
    open: bool


def heads(event: Event) -> tuple[str, str]:
    """What stands above both players of a match: the sides, where there are any."""
    one, two = event.sides or ("player", "player")
    return one.capitalize(), two.capitalize()


def round_lines(desk: Desk, number: int) -> list[Line]:
    """The matches of a round by table, then the byes."""
    rows = [row for row in desk.matches.rows if round_of(row) == number]
    rows.sort(key=lambda row: (not row.get("player2"), table_of(row) or 0))
    return [_line(desk, row) for row in rows]


def bracket_lines(desk: Desk) -> list[Line]:
    """The matches of the bracket whose players are known. Raises UsageError for no bracket."""
    made = bracket(desk).bracket
    assert made is not None
    names = ["", *map(desk.shown, made.players)]
    return [
        Line(match.fixture.name, names[match.seeds[0] or 0], names[match.seeds[1] or 0],
             str(match.score or ""), match.open)
        for match in made.needed
        if match.known
    ]  # fmt: skip


def _line(desk: Desk, row: Cells) -> Line:
    two, mark = row.get("player2"), "F" * (row.get("status") == "forfeit")
    if not two:
        bye = "bye on request" if row.get("status") == "requested" else "has the bye"
        return Line("", desk.shown(row["player1"]), bye, "", False)
    score = f"{row['score1']}{mark}-{row['score2']}{mark}" if row.get("score1") else ""
    return Line(
        str(table_of(row) or ""), desk.shown(row["player1"]), desk.shown(two), score, is_open(row)
    )
