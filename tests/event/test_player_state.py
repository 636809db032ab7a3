"""What the rules read about the players, worked out by hand from a small event."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from pairopt import read_event
from pairopt.event.arcs import arcs_of, random_generator
from pairopt.event.state import State, state_of

COLUMNS = ["round", "player1", "player2", "side1", "score1", "score2", "status"]
ROWS = [
    # A beats B as corp; C wins by forfeit; E has the bye
    (1, "A", "B", "corp", "3", "0", ""),
    (1, "C", "D", "", "3", "0", "forfeit"),
    (1, "E", "", "", "3", "", "bye"),
    # A (3) beats C (3) as corp; B (0) loses to E (3) as corp; D asks for a bye
    (2, "C", "A", "runner", "0", "3", ""),
    (2, "B", "E", "corp", "0", "3", ""),
    (2, "D", "", "", "1.5", "", "requested"),
    # A (6) as runner draws with E (6); B (0) as corp beats A's earlier opponent C (3)
    (3, "A", "E", "runner", "1", "1", ""),
    (3, "B", "C", "corp", "3", "0", ""),
    (3, "D", "", "", "3", "", "bye"),
]


@pytest.fixture
def state() -> State:
    return state_of(read_event(pd.DataFrame(ROWS, columns=COLUMNS)), seed=5)


def by_name(state: State, values: object) -> dict[str, object]:
    return dict(sorted(zip(state.names, values.tolist(), strict=True)))  # type: ignore[attr-defined]


def test_scores_and_groups(state: State) -> None:
    assert state.scale == 2
    assert by_name(state, state.score) == {"A": 14, "B": 6, "C": 6, "D": 9, "E": 14}
    assert by_name(state, state.group) == {"A": 0, "B": 2, "C": 2, "D": 1, "E": 0}
    assert state.win == 3


def test_sides(state: State) -> None:
    assert by_name(state, state.bias) == {"A": 1, "B": 1, "C": -2, "D": 0, "E": 0}
    assert by_name(state, state.last_side) == {"A": 1, "B": 0, "C": 1, "D": -1, "E": 0}
    # C's forfeit is no game: two games, both as runner
    assert by_name(state, state.streak) == {"A": 1, "B": 2, "C": 2, "D": 0, "E": 1}


def test_byes_and_wins_without_playing(state: State) -> None:
    assert by_name(state, state.byes) == {"A": 0, "B": 0, "C": 0, "D": 1, "E": 1}
    expected = {"A": False, "B": False, "C": True, "D": True, "E": True}
    assert by_name(state, state.unplayed_win) == expected


def test_floats(state: State) -> None:
    floats = {name: state.floats[k].tolist() for k, name in enumerate(state.names)}
    assert floats == {
        "A": [0, 0, 0],
        "B": [0, -1, -1],
        "C": [1, 0, 1],
        "D": [0, 0, 1],  # a forfeit loss, a bye asked for with less than a win, a bye
        "E": [1, 1, 0],
    }


@pytest.mark.parametrize("few", [0, 64])
def test_meetings_know_their_sides(
    state: State, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pairopt.event.state.MOST_CACHED_PLAYERS", few)
    at = {name: k for k, name in enumerate(state.names)}
    met = {frozenset(state.names[p] for p in pair) for pair in state.meetings.pairs()}
    assert met == {
        frozenset(pair) for pair in ("AB", "AC", "BE", "AE", "BC")
    }  # not the forfeit
    arcs = arcs_of(
        [at["A"], at["C"], at["C"], at["A"]], [at["C"], at["A"], at["D"], -1]
    )
    assert state.meetings.met(arcs).tolist() == [1, 1, 0, 0]
    assert state.meetings.met_same_sides(arcs).tolist() == [1, 0, 0, 0]


def test_ranks_inside_score_groups() -> None:
    players = pd.DataFrame(
        {
            "player": list("ABCDEF"),
            "rating": ["1500", "", "1700", "1500", "1600", "1700.5"],
            "score": ["1", "1", "1", "1", "0", "0"],
        }
    )
    state = state_of(read_event(players, relax=["history"]))
    assert by_name(state, state.rank) == {
        "A": 2,
        "B": 4,
        "C": 1,
        "D": 3,
        "E": 2,
        "F": 1,
    }
    assert by_name(state, state.overall_rank) == {
        "A": 2,
        "B": 4,
        "C": 1,
        "D": 3,
        "E": 6,
        "F": 5,
    }
    assert sorted(state.shuffled_rank[state.group == 0].tolist()) == [1, 2, 3, 4]


def test_only_active_players_make_score_groups() -> None:
    rows = [(1, "A", "B", "", "3", "0", ""), (1, "C", "D", "", "1", "1", "")]
    roster = pd.DataFrame(
        {"player": list("ABCD"), "active": ["true", "true", "false", "false"]}
    )
    state = state_of(read_event(pd.DataFrame(rows, columns=COLUMNS), roster))
    assert by_name(state, state.group) == {"A": 0, "B": 1}


def test_a_win_is_what_the_model_says() -> None:
    rows = [(1, "A", "B", "", "1", "0", ""), (1, "C", "", "", "0.5", "", "requested")]
    event = read_event(pd.DataFrame(rows, columns=COLUMNS))
    assert state_of(event).win == 1
    assert not state_of(event).unplayed_win.any()
    assert state_of(event, Fraction(1, 2)).unplayed_win.sum() == 1


def test_a_forfeit_loss_is_no_float_whatever_it_gives() -> None:
    rows = [(1, "A", "B", "", "3", "1", "forfeit"), (1, "C", "D", "", "1", "0", "")]
    state = state_of(read_event(pd.DataFrame(rows, columns=COLUMNS)))
    floats = {name: state.floats[k].tolist() for k, name in enumerate(state.names)}
    assert floats == {"A": [1], "B": [0], "C": [0], "D": [0]}
    assert by_name(state, state.unplayed_win) == {
        "A": True,
        "B": True,
        "C": False,
        "D": False,
    }


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, 2**32, 2**64 + 7])
def test_a_seed_means_what_numpy_makes_of_it(seed: int) -> None:
    drawn = [
        lots.permutation(40)
        for lots in (random_generator(seed, 1), np.random.default_rng([seed, 1]))
    ]
    assert (drawn[0] == drawn[1]).all()
