"""Score lines: the matches of a round, or of the bracket, as their results are written down."""

from __future__ import annotations

from dataclasses import dataclass

from pairopt.folder.cutting import bracket
from pairopt.folder.desk import Desk, is_open, round_of, table_of
from pairopt.folder.sheet import Cells
from pairopt.show.report.lines import sides_of


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A match: its table, or its number in the bracket; both players in the order of its score."""

    table: str
    one: str
    two: str
    score: str
    open: bool


def round_scores(desk: Desk, number: int) -> list[ScoreLine]:
    """The matches of a round by table, without byes."""
    rows = _rows(desk, number)
    rows.sort(key=lambda row: table_of(row) or 0)
    return [_line(desk, row) for row in rows]


def heads(desk: Desk, number: int | None) -> tuple[str, str]:
    """What stands above both players: the sides, where all first players have the first one."""
    one, two = sides_of(desk.event)
    same = (
        number is not None
        and one
        and all(row.get("side1", "").strip().capitalize() == one for row in _rows(desk, number))
    )
    return (one, two) if same else ("Player", "Opponent")


def bracket_scores(desk: Desk) -> list[ScoreLine]:
    """The matches of the bracket whose players are known. Raises UsageError for no bracket."""
    made = bracket(desk).bracket
    assert made is not None
    names = ["", *map(desk.shown, made.players)]
    return [
        ScoreLine(match.fixture.name, names[match.seeds[0] or 0], names[match.seeds[1] or 0],
             str(match.score or ""), match.open)
        for match in made.needed
        if match.known
    ]  # fmt: skip


def _rows(desk: Desk, number: int) -> list[Cells]:
    return [row for row in desk.matches.rows if round_of(row) == number and row.get("player2")]


def _line(desk: Desk, row: Cells) -> ScoreLine:
    mark = "F" * (row.get("status") == "forfeit")
    score = f"{row['score1']}{mark}-{row['score2']}{mark}" if row.get("score1") else ""
    one, two = desk.shown(row["player1"]), desk.shown(row["player2"])
    return ScoreLine(str(table_of(row) or ""), one, two, score, is_open(row))
