"""The matches of a round as people see them."""

from __future__ import annotations

import pandas as pd

from pairopt import read_event
from pairopt.show.report.lines import round_lines


def test_scores_are_turned_with_the_players() -> None:
    """The first side's player comes first, and so do their points."""
    rows = [
        (1, 1, "A", "B", "corp", "3", "0", ""),
        (1, 2, "C", "D", "runner", "3", "0", ""),
        (1, 3, "E", "F", "runner", "0", "3", "forfeit"),
        (1, "", "G", None, None, "3", None, "bye"),
    ]
    columns = ["round", "table", "player1", "player2", "side1", "score1", "score2", "status"]
    event = read_event(pd.DataFrame(rows, columns=columns))
    assert event.sides == ("corp", "runner")
    found = round_lines(event, 1)
    assert [(line.table, line.one, line.two, line.score, line.bye) for line in found] == [
        ("1", "A", "B", "3-0", ""),
        ("2", "D", "C", "0-3", ""),
        ("3", "F", "E", "3F-0F", ""),
        ("", "G", "", "", "has the bye"),
    ]
    assert [line.one for line in round_lines(event, 1, player=event.position("C"))] == ["D"]
