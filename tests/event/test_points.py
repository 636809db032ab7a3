"""What a win is worth: as the event says, else as its results show, never just the highest."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from notes import notes_of
from oracle import win_shown

from pairopt import UsageError, read_event, solve
from pairopt.event.points import (
    infer_points_of_results,
    parse_number_of_points,
    parse_points,
)
from pairopt.event.score_checks import infer_points, points_shown_by_results

HALF = Fraction(1, 2)


def after(*scores: str, sides: bool = False) -> pd.DataFrame:
    """A round of matches that ended so."""
    rows = [
        (1, f"p{k}", f"q{k}", "white" if sides else None, *score.split("-"))
        for k, score in enumerate(scores)
    ]
    return pd.DataFrame(
        rows, columns=["round", "player1", "player2", "side1", "score1", "score2"]
    )


@pytest.mark.parametrize(
    ("scores", "text"),
    [
        ("0.5-0.5", "1-0.5-0"),
        ("1-1", "3-1-0"),
        ("1-0 0-1", "1-0.5-0"),
        ("3-0", "3-1-0"),
        ("2-0 1-1", "2-1-0"),
        ("6-0 3-3", "3-1-0x2"),
        ("6-0 4-1 3-3 2-2", "3-1-0x2"),
        ("1.5-0.5 2-0", "1-0.5-0x2"),
        ("2-0.25 0.75-0.75", "2-0.75-0.25"),
    ],
)
def test_points_that_results_show(scores: str, text: str) -> None:
    points, fit = points_shown_by_results(read_event(after(*scores.split())))
    assert str(points) == text
    assert fit


def test_a_slip_of_the_pen_is_no_win_and_is_named() -> None:
    event = read_event(after("3-0", "0-3", "30-0", "1-1", "3-0"))
    points, fit = points_shown_by_results(event)
    assert str(points) == "3-1-0"
    assert not fit
    result = solve(event, "double-sided", drop=["p0"])
    bye = result.matches[-1]
    assert (bye["status"], bye["score1"]) == ("bye", "3")
    assert any("row 4" in note and "30-0" in note for note in notes_of(result))


def test_where_nothing_shows_it_a_note_says_what_is_taken() -> None:
    event = read_event(pd.DataFrame({"player": ["A", "B", "C"]}))
    result = solve(event, "double-sided")
    assert result.matches[-1]["score1"] == "6"
    assert any(
        "A win counts 6 points." in note and "--points" in note
        for note in notes_of(result)
    )
    chess = solve(event, "fide-dutch")
    assert any("A win counts 1 point." in note for note in notes_of(chess))
    said = solve(event, "double-sided", points="1-0.5-0")
    assert said.matches[-1]["score1"] == "1"
    assert not any("A win counts" in note for note in notes_of(said))


def test_points_of_the_option_go_before_what_results_show() -> None:
    event = read_event(after("1-0", "1-0"))
    assert infer_points(event).win == 1
    result = solve(event, "double-sided", points="3-1-0", drop=["p0"])
    assert result.matches[-1]["score1"] == "3"
    with pytest.raises(
        UsageError, match=r"Points 3-1 are not possible\. Write win, draw and loss"
    ):
        solve(event, points="3-1")


@pytest.mark.parametrize(
    "text", ["", "3", "3-1-0-0", "0-1-3", "1--1", "nan-0-0", "1e9-0-0", "²-1-0"]
)
def test_no_points(text: str) -> None:
    with pytest.raises(ValueError, match=r"Write|A win must"):
        parse_points(text)


def test_halves() -> None:
    assert parse_points("1-½-0").draw == parse_points("1-0,5-0").draw == HALF


FEW = st.sampled_from([Fraction(k, 2) for k in range(13)])


@pytest.mark.long
@given(st.lists(st.tuples(FEW, FEW), max_size=8))
@example(
    [(Fraction(0), Fraction(1)), (HALF, Fraction(3, 2))]
)  # two games a match, once only one
@settings(max_examples=300, derandomize=True, database=None, deadline=None)
def test_the_win_is_that_of_the_oracle(scores: list[tuple[Fraction, Fraction]]) -> None:
    seen: dict[tuple[Fraction, Fraction], int] = {}
    for a, b in scores:
        seen[max(a, b), min(a, b)] = seen.get((max(a, b), min(a, b)), 0) + 1
    points, _ = infer_points_of_results(seen)
    assert (None if points is None else points.win) == win_shown(list(scores))


def test_a_half_stands_at_the_end() -> None:
    assert [parse_number_of_points(text) for text in ("½", "1½", "3")] == [
        Fraction(1, 2),
        Fraction(3, 2),
        3,
    ]
    for strange in ("½1", "½½", "1½0"):
        with pytest.raises(ValueError, match="Write a number of points"):
            parse_number_of_points(strange)
