"""Files of events: what is read from them, and every way in which they can be broken."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from notes import notes_of

from pairopt import InputError, UsageError, read_event, solve
from pairopt.cli import main
from pairopt.errors import CellLocation
from pairopt.event.score_checks import points_of
from pairopt.event.state import state_of
from pairopt.files import build_event

HEADER = "round,table,player1,player2,side1,score1,score2,status\n"
ROUND1 = "1,1,Ann,Bob,corp,3,0,\n1,2,Cid,Dee,runner,1,1,\n1,,Eve,,,3,,bye\n"
PLAYERS = "player\nAnn\nBob\nCid\nDee\nEve\n"


def write(folder: Path, text: str | bytes, name: str = "matches.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def points(event: object) -> dict[str, float]:
    return dict(
        zip(event.players, (points_of(event) / event.scale).tolist(), strict=True)
    )  # type: ignore[attr-defined, arg-type]


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t,
        lambda t: "\ufeff" + t,
        lambda t: t.replace(",", ";"),
        lambda t: t.replace(",", "\t"),
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t.replace("round,table", "Round,TABLE").replace("score1", "Score1"),
        lambda t: t.replace("\n", ",extra\n"),
        lambda t: t.replace("1,1,Ann", "1.0,1.0,Ann"),
        lambda t: t + "\n,,,,,,,\n",
    ],
)
def test_ways_to_write_the_same_event(tmp_path: Path, change: object) -> None:
    text = (HEADER + ROUND1).replace("\n", "\n")
    event = read_event(write(tmp_path, change(text)))  # type: ignore[operator]
    assert event.round == 2
    assert event.sides == ("corp", "runner")
    assert points(event) == {"Ann": 3, "Bob": 0, "Cid": 1, "Dee": 1, "Eve": 3}
    assert event.active.all()


@pytest.mark.parametrize("separator", [";", "\t"])
def test_decimal_commas_where_no_comma_separates(
    tmp_path: Path, separator: str
) -> None:
    text = "round;player1;player2;score1;score2\n1;a;b;0,5;0,25\n"
    event = read_event(write(tmp_path, text.replace(";", separator)))
    assert event.scale == 4
    assert points(event) == {"a": 0.5, "b": 0.25}


def test_who_has_dropped_who_is_late_and_who_asked_for_a_bye(tmp_path: Path) -> None:
    text = (
        HEADER
        + ROUND1
        + "2,1,Ann,Cid,corp,3,0,\n2,,Dee,,,0,,requested\n3,,Ann,,,0,,requested\n"
    )
    event = read_event(
        write(tmp_path, text), write(tmp_path, PLAYERS + "Fay\n", "players.csv")
    )
    assert event.round == 3
    active = {p for p, on in zip(event.players, event.active, strict=True) if on}
    assert active == {"Cid", "Dee", "Fay"}  # Bob and Eve have no row in round 2
    assert notes_of(event) == (
        "These players have no match and no bye in round 2, so these players count as dropped: Bob, Eve.",
    )


def test_a_column_active_decides(tmp_path: Path) -> None:
    roster = "player,active\nAnn,true\nBob,no\nCid,1\nDee,TRUE\nEve,0\n"
    event = read_event(
        write(tmp_path, HEADER + ROUND1), write(tmp_path, roster, "players.csv")
    )
    assert event.active.tolist() == [True, False, True, True, False]
    assert notes_of(event) == ()


def test_an_earlier_round(tmp_path: Path) -> None:
    text = (
        HEADER + ROUND1 + "2,1,Ann,Cid,corp,,,\n2,,Dee,,,,,bye\n2,,Bob,,,0,,requested\n"
    )
    path = write(tmp_path, text)
    event = read_event(path, round=2)
    assert event.active.tolist() == [True, False, True, True, False]
    assert points(event)["Ann"] == 3
    first = read_event(path, round=1)
    assert first.active.all()
    assert first.sides == ("corp", "runner")
    with pytest.raises(UsageError, match="Round 4"):
        read_event(path, round=4)
    with pytest.raises(InputError, match="has no result"):
        read_event(path)


def test_the_first_rounds_without_opponent_are_byes_as_many_as_there_were() -> None:
    rows = [("A", "bye;bye;-", 2), ("B", "C;C;C", 0), ("C", "B;B;B", 0)]
    event = read_event(pd.DataFrame(rows, columns=["player", "opponents", "byes"]))
    own = event.matches_frame.query("player1 == 'A'").sort_values("round")
    assert own["status"].tolist() == ["bye", "bye", "requested"]


def test_players_that_are_too_many_are_refused_where_the_first_of_them_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_event, "MOST_PLAYERS", 3)
    with pytest.raises(
        InputError, match="row 5: There are too many players"
    ) as refused:
        read_event(write(tmp_path, PLAYERS, "players.csv"))
    assert len(refused.value.faults) == 1


def test_a_first_round_from_players_alone(tmp_path: Path) -> None:
    roster = "player,score,first_round_bye,table\nAnn,0.5,,\nBob,0,yes,\nCid,0,,7\nDee,0,,\nEve,0,,\n"
    path = write(tmp_path, roster, "players.csv")
    for event in (
        read_event(path, relax=["history"]),
        read_event(write(tmp_path, HEADER), path),
    ):
        assert event.round == 1
        result = solve(event)
        rows = result.pairings.set_index("player1")
        assert rows.loc["Bob", ["status", "score1"]].tolist() == ["requested", "0"]
        tables = {row["table"] for row in result.matches if row["player2"] is not None}
        seats = next(r for r in result.matches if "Cid" in (r["player1"], r["player2"]))
        assert seats["table"] == 7
        assert tables == {1, 7}


def test_a_frame_is_read_and_not_changed() -> None:
    frame = pd.DataFrame(
        {
            "round": [1, 1],
            "player1": ["a", "c"],
            "player2": ["b", None],
            "score1": [1, 1.5],
            "score2": [0, np.nan],
        }
    )
    before = frame.copy(deep=True)
    event = read_event(frame)
    assert points(event) == {"a": 1, "b": 0, "c": 1.5}
    pd.testing.assert_frame_equal(frame, before)


def test_declared_sides(tmp_path: Path) -> None:
    text = (HEADER + ROUND1).replace("corp", "attack").replace("runner", "defence")
    path = write(tmp_path, text)
    with pytest.raises(
        InputError, match="runner or white or black, or name the two sides"
    ):
        read_event(path)
    event = read_event(path, sides=["attack", "defence"])
    assert event.sides == ("attack", "defence")
    state = state_of(event)
    bias = {state.names[k]: int(b) for k, b in enumerate(state.bias)}
    assert bias == {"Ann": 1, "Bob": -1, "Cid": -1, "Dee": 1, "Eve": 0}


STANDINGS = """player,score,opponents,sides,byes
Ann,6,Bob Cid,corp runner,0
Bob,0,Ann -,runner -,1
Cid,3,BYE Ann,- corp,1
"""


def test_standings_hold_meetings_sides_and_byes(tmp_path: Path) -> None:
    event = read_event(write(tmp_path, STANDINGS))
    assert event.round == 3
    assert points(event) == {"Ann": 6, "Bob": 0, "Cid": 3}
    state = state_of(event)
    at = {name: k for k, name in enumerate(state.names)}
    assert state.byes[at["Bob"]] == state.byes[at["Cid"]] == 1
    assert state.bias[at["Ann"]] == 0
    assert state.last_side[at["Cid"]] == 0
    assert {
        frozenset(state.names[p] for p in pair) for pair in state.meetings.pairs()
    } == {
        frozenset({"Ann", "Bob"}),
        frozenset({"Ann", "Cid"}),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (STANDINGS.replace("BYE Ann", "BYE Bob"), "row 2, column opponents"),
        (STANDINGS.replace("corp runner", "corp"), "row 2, column sides"),
        (STANDINGS.replace("- corp", "- runner"), "row 2, column sides"),
        (STANDINGS.replace("Bob Cid", "Bob Zed"), "'Zed'"),
        ("player,score\nAnn,3\nBob,0\n", "row 2, column score"),
    ],
)
def test_broken_standings(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_event(write(tmp_path, text, "standings.csv"))
    assert said in str(caught.value)


BROKEN = {
    "empty": ("", "The file is empty"),
    "blank": (" \n\n", "The file is empty"),
    "header only": (HEADER, "nobody to pair"),
    "binary": (b"\x89PNG\r\n\x1a\n\x00\xff", "not a text file in UTF-8"),
    "nul": (
        HEADER + "1,1,A\0,B,,1,0,\n",
        "line 2: This file is not a text file, because it contains a NUL byte",
    ),
    "missing column": (
        "round,table,player1,player2,score1\n1,1,a,b,1\n",
        "column score2: This column is missing",
    ),
    "other columns": ("x,y\n1,2\n", "pairopt also reads any of these files"),
    "text score": (
        HEADER + "1,1,Ann,Bob,,three,0,\n",
        "row 2, column score1: Found 'three'",
    ),
    "infinite score": (
        HEADER + "1,1,Ann,Bob,,inf,0,\n",
        "row 2, column score1: Found 'inf'",
    ),
    "nan score": (
        HEADER + "1,1,Ann,Bob,,0,nan,\n",
        "row 2, column score2: Found 'nan'",
    ),
    "huge score": (HEADER + "1,1,Ann,Bob,,1e400,0,\n", "row 2, column score1"),
    "tiny score": (HEADER + "1,1,Ann,Bob,,1e-400,0,\n", "row 2, column score1"),
    "twice in a round": (
        HEADER + ROUND1 + "1,3,Ann,Fay,corp,3,0,\n",
        "row 5, column player1: 'Ann' is already in round 1, row 2. A player has one match or bye per round, so remove or correct one of the two rows.",
    ),
    "against oneself": (HEADER + "1,1,Ann,Ann,,1,0,\n", "row 2, column player2"),
    "unknown side": (
        HEADER + "1,1,Ann,Bob,north,1,0,\n",
        "row 2, column side1: 'north' is not a side",
    ),
    "two kinds of sides": (
        HEADER + ROUND1 + "2,1,Ann,Cid,white,1,0,\n",
        "row 5, column side1",
    ),
    "a side missing": (HEADER + ROUND1 + "2,1,Ann,Cid,,1,0,\n", "row 5, column side1"),
    "negative round": (
        HEADER + "-1,1,Ann,Bob,,1,0,\n",
        "row 2, column round: Found '-1'",
    ),
    "round 0": (HEADER + "0,1,Ann,Bob,,1,0,\n", "row 2, column round"),
    "text round": (HEADER + "one,1,Ann,Bob,,1,0,\n", "row 2, column round"),
    "no round": (HEADER + ",1,Ann,Bob,,1,0,\n", "row 2, column round"),
    "half round": (HEADER + "1.5,1,Ann,Bob,,1,0,\n", "row 2, column round"),
    "huge round": (HEADER + "999999999999,1,Ann,Bob,,1,0,\n", "row 2, column round"),
    "unknown status": (
        HEADER + "1,1,Ann,Bob,,1,0,won\n",
        "row 2, column status: Found 'won'",
    ),
    "no player": (HEADER + "1,1,,Bob,,1,0,\n", "row 2, column player1"),
    "one score": (HEADER + "1,1,Ann,Bob,,1,,\n", "row 2, column score2"),
    "unfinished": (
        HEADER + "1,1,Ann,Bob,,,,\n1,2,Cid,Dee,,1,0,\n",
        "row 2, column score1",
    ),
    "a gap": (HEADER + "1,1,Ann,Bob,,1,0,\n3,1,Ann,Bob,,1,0,\n", "Round 2 has no rows"),
    "too many cells": (
        HEADER + "1,1,Ann,Bob,,1,0,,,9\n",
        "row 2: This row has 10 cells, but the heading has 8",
    ),
    "columns twice": (
        "round,player1,player2,score1,score2,Round\n",
        "Two columns have the heading 'round'",
    ),
    "forfeit unscored": (HEADER + "1,1,Ann,Bob,,,,forfeit\n", "row 2, column score1"),
    "forfeit alone": (HEADER + "1,1,Ann,,,1,,forfeit\n", "row 2, column player2"),
    "bye with opponent": (HEADER + "1,1,Ann,Bob,,1,0,bye\n", "row 2, column player2"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_matches(tmp_path: Path, name: str) -> None:
    text, said = BROKEN[name]
    path, out = write(tmp_path, text), tmp_path / "out.csv"
    with pytest.raises(InputError) as caught:
        read_event(path)
    assert said in str(caught.value)
    done = CliRunner().invoke(main, ["solve", str(path), "-o", str(out)])
    assert done.exit_code == 3
    assert str(path) in done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.output
    assert not out.exists()


@pytest.mark.parametrize(
    ("roster", "said"),
    [
        (
            "player\nAnn\nBob\nCid\nDee\n",
            "row 4, column player1: 'Eve' is not a player",
        ),
        (
            PLAYERS + "Ann\n",
            "row 7, column player: 'Ann' is already in row 2. Remove or rename one of the two players.",
        ),
        (
            PLAYERS.replace("player", "nickname"),
            "column player: This column is missing",
        ),
        ("player,active\nAnn,\nBob,true\n", "row 2, column active"),
        ("player,active\nAnn,perhaps\n", "row 2, column active: Found 'perhaps'"),
        ("player,rating\nAnn,strong\n", "row 2, column rating"),
        ("player,table\nAnn,4\nBob,4\n", "row 3, column table"),
        ("", "The file is empty"),
    ],
)
def test_broken_players(tmp_path: Path, roster: str, said: str) -> None:
    path, players = (
        write(tmp_path, HEADER + ROUND1),
        write(tmp_path, roster, "players.csv"),
    )
    done = CliRunner().invoke(main, ["solve", str(path), "--players", str(players)])
    assert done.exit_code == 3
    assert said in done.stderr


def test_points_of_more_rounds_than_there_can_be(tmp_path: Path) -> None:
    matches = write(tmp_path, "round,player1,player2,score1,score2\n1,A,B,3,0\n")
    roster = write(tmp_path, f"player,adjusted\nA,{'1 ' * 501}\nB,\n", "players.csv")
    with pytest.raises(InputError) as caught:
        read_event(matches, roster)
    assert "column adjusted" in str(caught.value)
    assert "At most 500 numbers are possible" in str(caught.value)


def test_all_faults_are_listed_at_once(tmp_path: Path) -> None:
    text = HEADER + "x,1,Ann,Bob,,1,0,\n1,1,Cid,Dee,,y,z,\n1,1,Eve,Fay,,1,0,lost\n"
    with pytest.raises(InputError) as caught:
        read_event(write(tmp_path, text))
    places = [fault.place for fault in caught.value.faults]
    assert places == [
        CellLocation(2, "round"),
        CellLocation(3, "score1"),
        CellLocation(3, "score2"),
        CellLocation(4, "status"),
    ]


def test_a_folder_and_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="This file does not exist"):
        read_event(tmp_path / "nowhere.csv")
    with pytest.raises(InputError, match="Is a directory"):
        read_event(tmp_path)


@pytest.mark.long
@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    edits=st.lists(
        st.tuples(
            st.integers(0, 10**6),
            st.sampled_from(
                [b"", b",", b"\n", b"x", b"9", b"\xff", b'"', b"-", b"1e9", b";", b"\0"]
            ),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_a_damaged_file_is_read_or_refused(
    tmp_path: Path, edits: list[tuple[int, bytes]]
) -> None:
    raw = (
        HEADER + ROUND1 + "2,1,Ann,Cid,runner,3,0,\n2,2,Eve,Bob,corp,0,3,forfeit\n"
    ).encode()
    for place, new in edits:
        at = place % len(raw)
        raw = raw[:at] + new + raw[at + 1 :]
    with suppress(InputError, UsageError):
        event = read_event(write(tmp_path, raw))
        assert solve(event).status in ("optimal", "infeasible")
