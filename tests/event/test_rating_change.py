"""Expected rating changes: numbers worked by hand, and rules at their limits."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from pairopt import read_event
from pairopt.event.event import Event
from pairopt.event.rating_change import (
    ExpectedRating,
    RatedGame,
    expected_ratings,
    expected_score,
    initial_rating,
    limit_coefficient,
    performance_rating,
    rating_change,
    round_change,
    usual_coefficient,
)
from pairopt.event.settings import EventSettings


def games(*pairs: tuple[int, float]) -> list[RatedGame]:
    return [RatedGame(Fraction(rating), Fraction(score)) for rating, score in pairs]


COSTA = games((1790, 0.5), (1655, 0), (2102, 0.5), (1985, 0.5))
IVANOV = games((2287, 1), (1790, 0.5), (1655, 0.5), (2214, 0.5))
NEW_PLAYER = games((1500, 1), (1550, 0.5), (1600, 0.5), (1650, 0.5), (1665, 0))


def test_costa_loses_28_points_and_8_tenths() -> None:
    rating = Fraction(2102)
    expected = [expected_score(rating, game.opponent) for game in COSTA]
    assert expected == [Fraction(percent, 100) for percent in (86, 92, 50, 66)]
    assert rating_change(rating, COSTA, 20) == Fraction("-28.8")


def test_ivanov_gains_54_points_and_4_tenths() -> None:
    rating = Fraction(1716)
    assert sum(expected_score(rating, game.opponent) for game in IVANOV) == Fraction(
        "1.14"
    )
    assert rating_change(rating, IVANOV, 40) == Fraction("54.4")
    assert performance_rating(IVANOV) == 2082


def test_a_new_player_has_two_draws_against_1800_added() -> None:
    assert sum(game.opponent for game in NEW_PLAYER) / 5 == 1593
    assert initial_rating(NEW_PLAYER) == 1652


def test_a_new_player_without_points_has_no_initial_rating() -> None:
    assert initial_rating(games((1500, 0), (1600, 0))) is None


def test_an_initial_rating_is_at_most_2200() -> None:
    assert initial_rating(games(*[(2500, 1)] * 9)) == 2200


@pytest.mark.parametrize(
    ("rating", "opponent", "kind", "percent"),
    [
        (2000, 1600, "standard", 92),
        (2000, 1000, "standard", 92),
        (1000, 2000, "standard", 8),
        (2649, 2000, "standard", 92),
        (2650, 2000, "standard", 99),
        (2650, 2000, "rapid", 92),
        (2800, 2000, "standard", 100),
        (2003, 2000, "standard", 50),
        (2004, 2000, "standard", 51),
        (2000, 2004, "standard", 49),
    ],
)
def test_the_400_rule_and_the_steps_of_the_table(
    rating: int, opponent: int, kind: str, percent: int
) -> None:
    score = expected_score(Fraction(rating), Fraction(opponent), kind)  # type: ignore[arg-type]
    assert score == Fraction(percent, 100)


@pytest.mark.parametrize(
    ("rating", "age", "coefficient"),
    [
        (1500, None, 20),
        (1500, 18, 40),
        (1500, 19, 20),
        (2299, 18, 40),
        (2300, 18, 20),
        (2399, None, 20),
        (2400, 15, 10),
    ],
)
def test_k_follows_from_rating_and_age(
    rating: int, age: int | None, coefficient: int
) -> None:
    assert usual_coefficient(Fraction(rating), age) == coefficient


def test_k_times_games_is_at_most_700() -> None:
    assert limit_coefficient(40, 17) == 40
    assert limit_coefficient(40, 18) == 38
    assert limit_coefficient(20, 35) == 20


@pytest.mark.parametrize(
    ("change", "rounded"), [("0.5", 1), ("-0.5", -1), ("-28.8", -29), ("0.4", 0)]
)
def test_half_a_point_is_rounded_away_from_zero(change: str, rounded: int) -> None:
    assert round_change(Fraction(change)) == rounded


def event_of_four(**columns: list[object]) -> Event:
    players = pd.DataFrame(
        {
            "player": ["Ann", "Bob", "Cid", "Dan"],
            "rating": [2102, 1790, None, 1985],
            **columns,
        }
    )
    matches = pd.DataFrame(
        [
            (1, "Ann", "Bob", "white", 0.5, 0.5, None),
            (1, "Cid", "Dan", "white", 1, 0, None),
            (2, "Ann", "Cid", "black", 1, 0, None),
            (2, "Bob", "Dan", "black", 1, 0, "forfeit"),
        ],
        columns=["round", "player1", "player2", "side1", "score1", "score2", "status"],
    )
    return read_event(matches, players)


def test_forfeits_and_unrated_opponents_do_not_count() -> None:
    ann, bob, cid, dan = expected_ratings(event_of_four())
    assert (ann.games, bob.games, cid.games, dan.games) == (1, 1, 2, 0)
    assert ann.change == 20 * (Fraction(1, 2) - Fraction("0.86"))
    assert dan == ExpectedRating(3, Fraction(1985), 0, Fraction(0))


def test_a_game_that_was_annulled_in_the_standings_is_rated() -> None:
    matches = pd.DataFrame(
        [
            (1, "Ann", "Bob", "white", 0.5, 0.5, None),
            (2, "Cid", "Bob", "white", 1, 0, "forfeit"),
            (3, "Bob", "Dan", "white", 0, 1, "forfeit"),
        ],
        columns=["round", "player1", "player2", "side1", "score1", "score2", "status"],
    )
    players = pd.DataFrame(
        {"player": ["Ann", "Bob", "Cid", "Dan"], "rating": [2102, 1790, 1800, 1985]}
    )
    event = read_event(matches, players)
    # Bob withdrew from a round robin before half of the games.
    event = replace(
        event,
        origin=replace(event.origin, all_rounds_open=True),
        declared_active=np.array([True, False, True, True]),
    )
    assert event.annulled.all()
    assert [change.games for change in expected_ratings(event)] == [1, 1, 0, 0]


def test_an_unrated_game_does_not_count_and_a_result_for_the_rating_alone_does() -> (
    None
):
    matches = pd.DataFrame(
        [
            (1, "Ann", "Bob", "white", 1, 0, "false", ""),
            (2, "Bob", "Ann", "white", 1, 0, "", "0.5-0.5"),
            (3, "Ann", "Bob", "black", 1, 0, "", "0-1"),
        ],
        columns=[
            "round",
            "player1",
            "player2",
            "side1",
            "score1",
            "score2",
            "rated",
            "rating_result",
        ],
    )
    players = pd.DataFrame({"player": ["Ann", "Bob"], "rating": [2000, 2000]})
    ann, bob = expected_ratings(read_event(matches, players))
    assert (ann.games, bob.games) == (2, 2)
    assert (ann.score, bob.score) == (Fraction(1, 2), Fraction(3, 2))


def test_an_unrated_player_gets_an_initial_rating_and_no_change() -> None:
    cid = expected_ratings(event_of_four())[2]
    assert cid.change is None
    assert cid.opponents_mean == Fraction(2102 + 1985, 2)
    # (2102 + 1985 + 3600) / 4 = 1921.75, and 2 points of 4
    assert cid.initial == 1922


def test_k_of_the_list_comes_before_age_and_rating() -> None:
    event = event_of_four(k=["10", "", "", ""], birth=["2010", "2010", "", ""])
    event = replace(event, settings=EventSettings(last_day=date(2026, 12, 31)))
    ann, bob, *_ = expected_ratings(event)
    assert (ann.k, ann.is_k_assumed) == (10, False)
    assert (bob.k, bob.is_k_assumed) == (40, True)


def test_points_of_another_system_are_counted_as_wins_and_draws() -> None:
    matches = pd.DataFrame(
        [(1, "Ann", "Bob", "white", 3, 0), (2, "Bob", "Ann", "white", 1, 1)],
        columns=["round", "player1", "player2", "side1", "score1", "score2"],
    )
    players = pd.DataFrame({"player": ["Ann", "Bob"], "rating": [2000, 2000]})
    ann, bob = expected_ratings(read_event(matches, players))
    assert (ann.score, bob.score) == (Fraction(3, 2), Fraction(1, 2))


def test_large_differences_are_not_rated_in_rapid_above_2600() -> None:
    matches = pd.DataFrame(
        [(1, "Ann", "Bob", "white", 1, 0)],
        columns=["round", "player1", "player2", "side1", "score1", "score2"],
    )
    players = pd.DataFrame({"player": ["Ann", "Bob"], "rating": [2610, 2010]})
    event = read_event(matches, players)
    rapid = replace(event, settings=EventSettings(rating_kind="rapid"))
    blitz = replace(event, settings=EventSettings(time_control="180+2"))
    assert expected_ratings(rapid)[0].games == expected_ratings(blitz)[0].games == 0
    assert expected_ratings(event)[0].games == 1
