"""Score lines: the matches of a round, or of the bracket, as their results are written down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pairopt.folder.cutting import bracket
from pairopt.folder.desk import Desk
from pairopt.folder.results import written
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
    rows = desk.rows
    here = np.flatnonzero((rows.round == number) & (rows.second >= 0))
    return [_line(desk, row) for row in here[np.argsort(rows.table[here], kind="stable")].tolist()]


def heads(desk: Desk, number: int | None) -> tuple[str, str]:
    """What stands above both players: the sides, where all first players have the first one."""
    one, two = sides_of(desk.event)
    rows = desk.rows
    here = (rows.round == number) & (rows.second >= 0)
    same = number is not None and one and bool((rows.side[here] == 0).all())
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


def _line(desk: Desk, row: int) -> ScoreLine:
    rows, names = desk.rows, desk.event.shown
    one, two = names[rows.first[row]], names[rows.second[row]]
    score = str(written(desk, row) or "")
    return ScoreLine(str(rows.table[row] or ""), one, two, score, bool(rows.open[row]))
