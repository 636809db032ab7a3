"""What an option overrides of an event's own rules is said."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from notes import notes_of

from pairopt import Event, compare, read_event, solve
from pairopt.cli import main
from pairopt.event.points import CHESS

TOML = """model = "standard"
rounds = 5
sides = ["white", "black"]
lookahead = 1
[points]
win = 3
draw = 1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "event.toml").write_text(TOML)
    pd.DataFrame({"player": list("ABCDEFGH")}).to_csv(
        tmp_path / "players.csv", index=False
    )
    return tmp_path


@pytest.fixture
def event(folder: Path) -> Event:
    return read_event(folder)


SAID = {
    "This time, the model is monrad. The event's own model is standard.": {
        "model": "monrad"
    },
    "This time, the lookahead (number of later rounds to plan ahead) is 2. The event's own lookahead is 1.": {
        "lookahead": 2
    },
    "This time, the points are 1-0.5-0 (bye 1). The event's own points are 3-1-0 (bye 3).": {
        "points": "1-½-0"
    },
    "This time, the sides are corp and runner. The event's own sides are white and black.": {
        "sides": ["corp", "runner"]
    },
    "This time, the sides are none. The event's own sides are white and black.": {
        "sides": []
    },
    "This time, round 1 is the last round. The event itself has 5 rounds.": {
        "last_round": True
    },
}


@pytest.mark.parametrize("note", SAID)
def test_an_option_that_overrides(event: Event, note: str) -> None:
    assert note in notes_of(solve(event, **SAID[note]))  # type: ignore[arg-type]


def test_what_says_the_same_overrides_nothing(event: Event) -> None:
    same = solve(
        event,
        "standard",
        lookahead=1,
        points="3-1-0",
        sides=["white", "black"],
        last_round=False,
    )
    assert notes_of(same) == notes_of(solve(event))


def test_overridden_sides_are_those_of_the_round(event: Event) -> None:
    assert {row["side1"] for row in solve(event, sides=["corp", "runner"]).matches} == {
        "corp"
    }
    assert {row["side1"] for row in solve(event, sides=[]).matches} == {None}


def test_sides_stay_once_a_match_was_played(folder: Path) -> None:
    (folder / "matches.csv").write_text(
        "round,player1,player2,side1,score1,score2\n1,A,B,white,3,0\n"
    )
    done = solve(read_event(folder), sides=[], drop=list("CD"))
    assert (
        "The sides are white and black, as in the matches that were played."
        in notes_of(done)
    )


def test_overridden_points_are_those_of_a_bye(event: Event) -> None:
    done = solve(event, points="1-½-0", drop=["H"])
    assert [row["score1"] for row in done.matches if row["status"] == "bye"] == ["1"]
    assert done.problem.state.win == CHESS.win


def test_the_command_line_says_it_too(folder: Path) -> None:
    done = CliRunner().invoke(
        main, ["solve", str(folder), "--model", "monrad", "--sides", "none"]
    )
    assert done.exit_code == 0, done.output
    assert (
        "note: This time, the model is monrad. The event's own model is standard.\n"
        in done.stderr
    )
    assert (
        "note: This time, the sides are none. The event's own sides are white and black.\n"
        in done.stderr
    )
    done = CliRunner().invoke(main, ["pair", str(folder), "--last-round"])
    assert (
        "note: This time, round 1 is the last round. The event itself has 5 rounds.\n"
        in done.stderr
    )


def test_models_that_are_compared_override_nothing(event: Event) -> None:
    for one in compare(event, ["monrad", "standard"]).results:
        assert not any("instead" in note for note in notes_of(one))
