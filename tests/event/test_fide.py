"""What FIDE's systems read of a player (C.04.3, articles 1.2 to 1.8), by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from dutch_cases import BAKU, field, player

from pairopt import Event, read_event
from pairopt.event.fide_attributes import (
    ABSOLUTE,
    DOWN,
    MILD,
    NONE,
    STRONG,
    UP,
    _preferences,
)
from pairopt.event.matches import PlayerRounds
from pairopt.event.state import state_of

WHITE, BLACK = 0, 1


@pytest.mark.parametrize(
    ("sides", "preferred", "strength", "repeated"),
    [
        ("", -1, NONE, -1),
        ("w", BLACK, STRONG, -1),
        ("b", WHITE, STRONG, -1),
        ("wb", WHITE, MILD, -1),  # the other one than in the last game
        ("bw", BLACK, MILD, -1),
        ("ww", BLACK, ABSOLUTE, WHITE),
        ("wbw", BLACK, STRONG, -1),
        ("wbb", WHITE, ABSOLUTE, BLACK),  # a difference of 1, but two in a row
        ("wwb", BLACK, STRONG, -1),  # though the last one was Black
        ("wwbb", WHITE, ABSOLUTE, BLACK),  # no difference
        ("wwbw", BLACK, ABSOLUTE, -1),  # a difference of 2
        ("bbbw", WHITE, ABSOLUTE, -1),
        ("wwwbb", WHITE, ABSOLUTE, BLACK),  # a difference of 1 the other way
        ("wwwwbb", BLACK, ABSOLUTE, BLACK),  # the difference of 2 is what counts
    ],
)
def test_preferences(sides: str, preferred: int, strength: int, repeated: int) -> None:
    """Article 1.7."""
    latest = np.array([[-1] + ["wb".index(side) for side in sides]])
    turns = PlayerRounds(latest, latest, latest, latest)
    assert [int(each[0]) for each in _preferences(turns.bias, *turns.streaks)] == [
        preferred,
        strength,
        repeated,
    ]


def read(folder: Path, *lines: str) -> Event:
    path = folder / "event.trf"
    path.write_text("\n".join([*lines, ""]), "utf-8")
    return read_event(path)


def facts(event: Event, name: str) -> dict[str, object]:
    """A fact of each player, by number."""
    state = state_of(event)
    return dict(zip(state.names, getattr(state.fide, name).tolist(), strict=True))


@pytest.fixture
def event(tmp_path: Path) -> Event:
    """After round 1: 1, 2 and 6 have a point, 3 a half, 4 and 5 nothing."""
    return read(
        tmp_path,
        player(1, 1.5, "   4 w 1", "   3 b ="),
        player(2, 1, "   5 w 1", "   6 w 0"),
        player(3, 1, "0000 - H", "   1 w ="),
        player(4, 1, "   1 b 0", "   5 - +"),
        player(5, 0, "   2 b 0", "   4 - -"),
        player(6, 2, "0000 - U", "   2 b 1"),
        "XXR 5",
    )


def test_floats_of_one_and_of_two_rounds_ago(event: Event) -> None:
    """Articles 1.4.2 and 1.4.3."""
    assert facts(event, "floats") == {
        "1": [DOWN, 0],  # 3 had fewer points
        "2": [0, 0],  # 6 had as many
        "3": [UP, DOWN],  # a half without playing is more than a loss
        "4": [DOWN, 0],  # so is a win by forfeit
        "5": [0, 0],  # a loss by forfeit is not
        "6": [0, DOWN],  # the bye
    }


def test_a_bye_is_a_float_whatever_it_is_worth() -> None:
    rows = [
        (1, "A", "B", "white", "1", "0", ""),
        (1, "C", None, None, "0", None, "bye"),
    ]
    columns = ["round", "player1", "player2", "side1", "score1", "score2", "status"]
    event = read_event(pd.DataFrame(rows, columns=columns))
    assert facts(event, "floats") == {"A": [0, 0], "B": [0, 0], "C": [DOWN, 0]}


def test_floats_with_virtual_points(tmp_path: Path) -> None:
    """1 to 4 have a point more before round 1, which 1 meets 5 in."""
    games = {1: "   5 w 1", 5: "   1 b 0", 2: "   3 b =", 3: "   2 w ="}
    worth = {1: 1, 2: 0.5, 3: 0.5}
    lines = [player(k, worth.get(k, 0), games.get(k, "0000 - Z")) for k in range(1, 9)]
    found = facts(read(tmp_path, *lines, "XXR 8", *BAKU), "floats")
    assert [found[str(k)] for k in (1, 2, 3, 5)] == [[DOWN, 0], [0, 0], [0, 0], [UP, 0]]


def test_topscorers_have_more_than_half_of_the_most(event: Event) -> None:
    """Article 1.8: after two rounds that is more than 1."""
    assert {name for name, top in facts(event, "topscorer").items() if top} == {
        "1",
        "6",
    }


def test_rounds_without_a_game(event: Event) -> None:
    assert facts(event, "unplayed") == {"1": 0, "2": 0, "3": 1, "4": 1, "5": 1, "6": 1}


def test_sides_of_games_alone(event: Event) -> None:
    assert facts(event, "difference") == {
        "1": 0,
        "2": 2,
        "3": 1,
        "4": -1,
        "5": -1,
        "6": -1,
    }
    assert facts(event, "latest") == {
        "1": [WHITE, BLACK],
        "2": [WHITE, WHITE],
        "3": [-1, WHITE],
        "4": [-1, BLACK],
        "5": [-1, BLACK],
        "6": [-1, BLACK],
    }


def test_players_are_ranked_by_score_then_number(event: Event) -> None:
    """Article 1.2: 6 has 2 points, 1 has 1.5, then 2, 3 and 4 have 1, 5 has none."""
    rank = facts(event, "rank")
    assert sorted(rank, key=lambda name: str(rank[name])) == [*"612345"]


def test_before_round_1_nothing_is_known(tmp_path: Path) -> None:
    event = read(tmp_path, *field(4), "XXR 5")
    assert facts(event, "rank") == {"1": 0, "2": 1, "3": 2, "4": 3}
    for name, value in (("strength", NONE), ("floats", [0, 0]), ("unplayed", 0)):
        assert list(facts(event, name).values()) == [value] * 4
