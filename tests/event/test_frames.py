"""An event as pandas has it: what is read from its frames is paired in the same way."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from operator import attrgetter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from events import REPEATABLE, Field, event_of, events
from hypothesis import given, settings

from pairopt import Event, InputError, read_event, solve
from pairopt.event.score_checks import points_of
from pairopt.event.state import State, state_of
from pairopt.round.check import Check, check, check_played

READ = (
    "player",
    "win",
    "seed",
    "score",
    "bias",
    "last_side",
    "streak",
    "byes",
    "unplayed_win",
    "floats",
    "meetings.n",
    "meetings.keys",
    "meetings.count",
    "meetings.low_first",
)
PLAYERS = (
    "player,name,rating,club,table,first_round_bye,start,virtual,score,active\n"
    "1,Ann,1500.5,Oslo,,true,2,1 0.5,2.25,yes\n"
    "2,Bob,,,7,,1,,1,no\n"
    "3,Cleo,1200,Bonn,,,3,1,,yes\n"
)
MATCHES = (
    "round,table,player1,player2,side1,score1,score2,status\n"
    "1,1,1,2,white,0.5,0.5,\n"
    "1,,3,,,1,,bye\n"
)
DTYPES = {
    "round": "Int64",
    "table": "Int64",
    "player1": "string",
    "player2": "string",
    "side1": "string",
    "score1": "float64",
    "score2": "float64",
    "status": "string",
}


def same(one: State, other: State) -> bool:
    """Whether all that the rules read of the active players is equal."""
    return all(
        np.array_equal(attrgetter(name)(one), attrgetter(name)(other)) for name in READ
    )


def again(event: Event) -> Event:
    return read_event(event.matches_frame, event.players_frame, round=event.round)


def said(way: Callable[..., Check], **options: int) -> object:
    """What is found of a round, or why it is no pairing (a bye too many, say)."""
    try:
        return way(model="standard", solve=False, **options).to_dict()
    except InputError as error:
        return error.faults


@pytest.fixture(params=["python", "pyarrow"])
def storage(request: pytest.FixtureRequest) -> str:
    if request.param == "pyarrow":
        pytest.importorskip("pyarrow")
    return str(request.param)


@pytest.mark.sweep
@settings(REPEATABLE, max_examples=60)
@given(events(max_rounds=5))
def test_what_is_read_from_the_frames_is_the_same_event(field: Field) -> None:
    event = event_of(field.rows, field.players)
    for number in range(1, event.round + 1):
        before = event.at_round(number)
        read = again(before)
        assert same(state_of(before), state_of(read))
        assert before.round == read.round
        assert (before.players, before.sides, before.requested) == (
            read.players,
            read.sides,
            read.requested,
        )
        points = [
            [Fraction(int(p), e.scale) for p in points_of(e)] for e in (before, read)
        ]
        assert points[0] == points[1]
    assert (
        solve(event, "standard").to_dict() == solve(again(event), "standard").to_dict()
    )


@pytest.mark.long
@settings(REPEATABLE, max_examples=40)
@given(events(min_rounds=1, max_rounds=4))
def test_a_played_round_is_checked_as_its_table_is(field: Field) -> None:
    event = event_of(field.rows, field.players)
    for number in range(1, event.round):
        ways = partial(check_played, event), partial(check, event, event.matches_frame)
        one, other = (said(way, round=number) for way in ways)
        assert one == other


def test_the_types_of_the_columns(tmp_path: Path, storage: str) -> None:
    (tmp_path / "players.csv").write_text(PLAYERS)
    (tmp_path / "matches.csv").write_text(MATCHES)
    event = read_event(tmp_path / "matches.csv", tmp_path / "players.csv")
    with pd.option_context("mode.string_storage", storage):
        matches, players = event.matches_frame, event.players_frame
        assert {name: str(kind) for name, kind in matches.dtypes.items()} == DTYPES
        assert {name: str(kind) for name, kind in players.dtypes.items()} == {
            "player": "string",
            "name": "string",
            "rating": "float64",
            "score": "float64",
            "table": "Int64",
            "first_round_bye": "boolean",
            "start": "Int64",
            "virtual": "string",
            "active": "boolean",
            "club": "string",
        }
        assert players["score"].tolist() == [2.25, 1.0, 0.0]
        assert players["virtual"].tolist() == ["1 0.5", "0 0", "1 0"]
        assert players["club"].isna().tolist() == [False, True, False]
        assert matches["player2"].isna().tolist() == [False, True]
        assert np.isnan(matches["score2"][1])
        read = again(event)
    assert same(state_of(event), state_of(read))
    for name in (
        "rating",
        "start_numbers",
        "acceleration",
        "fixed_table",
        "first_round_bye",
        "declared_active",
        "names",
    ):
        assert np.array_equal(getattr(event, name), getattr(read, name)), name
    assert (event.scale, event.rating_scale) == (read.scale, read.rating_scale)
    nobody = event.at_round(1).matches_frame.iloc[:0]
    assert {name: str(kind) for name, kind in nobody.dtypes.items()} == DTYPES


def test_a_frame_is_the_callers_own() -> None:
    event = event_of([], [{"player": "Ann"}, {"player": "Bob"}])
    frame = event.players_frame
    frame["player"] = "Cleo"
    assert event.players_frame["player"].tolist() == ["Ann", "Bob"]
    assert event.matches_frame.empty
    assert again(event).round == 1


def test_digits_are_kept() -> None:
    players = pd.DataFrame(
        {"player": ["A", "B"], "score": ["999999.999999", "0.000001"]}
    )
    event = read_event(pd.DataFrame(columns=[*DTYPES]), players)
    read = again(event)
    assert (read.scale, read.brought.tolist()) == (event.scale, event.brought.tolist())
    assert Decimal(read.points_text(int(read.brought[0]))) == Decimal("999999.999999")


def test_standings_hold_no_results() -> None:
    table = {"player": ["A", "B"], "score": [3, 0], "opponents": ["B", "A"]}
    event = read_event(pd.DataFrame(table))
    assert event.matches_frame[["score1", "score2"]].isna().all(axis=None)
    with pytest.raises(InputError, match="has no result"):
        read_event(event.matches_frame, event.players_frame)
    assert same(state_of(event), state_of(read_event(event.players_frame)))


@pytest.mark.long
def test_pairopt_is_imported_without_pandas() -> None:
    code = "import sys, pairopt; pairopt.Event; assert 'pandas' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
