"""The matches of a round as people see them."""

from __future__ import annotations

import pandas as pd

from pairopt import read_event, solve
from pairopt.report.views import paired_round, round_view


def test_scores_are_turned_with_the_players() -> None:
    """The first side's player comes first, and so do their points."""
    rows = [
        (1, 1, "A", "B", "corp", "3", "0", ""),
        (1, 2, "C", "D", "runner", "3", "0", ""),
        (1, 3, "E", "F", "runner", "0", "3", "forfeit"),
        (1, "", "G", None, None, "3", None, "bye"),
    ]
    columns = [
        "round",
        "table",
        "player1",
        "player2",
        "side1",
        "score1",
        "score2",
        "status",
    ]
    event = read_event(pd.DataFrame(rows, columns=columns))
    assert event.sides == ("corp", "runner")
    found = round_view(event, 1).lines
    assert [
        (line.table, line.one, line.two, line.score, line.bye) for line in found
    ] == [
        ("1", "A", "B", "3-0", ""),
        ("2", "D", "C", "0-3", ""),
        ("3", "F", "E", "3F-0F", ""),
        ("", "G", "", "", "has the bye"),
    ]


def test_a_paired_round_tells_kinds_of_byes_apart() -> None:
    columns = ["round", "table", "player1", "player2", "score1", "score2"]
    rows = [(1, 1, "A", "B", "1", "0"), (1, 2, "C", "D", "1", "0")]
    event = read_event(pd.DataFrame(rows, columns=columns))
    result = solve(event, request_bye=["D"])
    lines = {line.one: line.bye for line in paired_round(result).lines if line.bye}
    assert lines["D"] == "bye on request"
    assert [*lines.values()].count("has the bye") == 1


def test_players_as_they_are_listed() -> None:
    """Results are written down in the order of the file, whoever has which side."""
    rows = [(1, 2, "A", "B", "corp", "3", "0"), (1, 1, "C", "D", "runner", "0", "3")]
    columns = ["round", "table", "player1", "player2", "side1", "score1", "score2"]
    event = read_event(pd.DataFrame(rows, columns=columns))
    found = round_view(event, 1, listed=True)
    assert [(line.table, line.names, line.score) for line in found.lines] == [
        ("1", ("C", "D"), "0-3"),
        ("2", ("A", "B"), "3-0"),
    ]
    assert found.sides == ("", "")  # C plays the second side
    assert round_view(event, 1).sides == ("Corp", "Runner")


def test_seats_have_their_own_points_first() -> None:
    rows = [
        (1, 1, "B", "A", "corp", "3", "0", ""),
        (1, "", "C", None, None, "3", None, "bye"),
    ]
    columns = [
        "round",
        "table",
        "player1",
        "player2",
        "side1",
        "score1",
        "score2",
        "status",
    ]
    found = round_view(read_event(pd.DataFrame(rows, columns=columns)), 1).seats
    assert [seat[:6] for seat in found] == [
        ("A", "1", "Runner", "B", "0-3", "lost"),
        ("B", "1", "Corp", "A", "3-0", "won"),
        ("C", "", "", "has the bye", "", ""),
    ]
