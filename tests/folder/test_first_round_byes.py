"""One rule for a bye that is asked for, by the column or by the command, and it is said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from organiser import client, event, fields, said
from telling import said_by
from test_verbs import content, run

from pairopt import read_event, solve
from pairopt.errors import ConfirmationError
from pairopt.folder import bye, change, new, pair, result


def begun(path: Path) -> Path:
    """Five players, one of them with a bye in round 1 by the column."""
    listed = path.with_suffix(".csv")
    listed.write_text("name,first_round_bye\nAnn,true\nBob,\nCyd,\nDee,\nEve,\n")
    new(path, listed, points="3-1-0", model="monrad")
    return path


def points_in_round_1(folder: Path, player: str) -> str:
    rows = [row.split(",") for row in (folder / "matches.csv").read_text().splitlines()]
    (row,) = (row for row in rows if row[0] == "1" and row[2] == player)
    assert row[7] == "requested"
    return row[5]


@pytest.mark.long
@pytest.mark.parametrize(("setting", "points"), [(None, "0"), ("1", "1"), ("3", "3")])
def test_the_column_and_the_command_give_the_same(
    tmp_path: Path, setting: str | None, points: str
) -> None:
    folder = begun(tmp_path / "event")
    if setting is not None:
        change(folder, {"points.requested_bye": setting})
    done = bye(folder, "Bob", round=1)
    assert f"for {points} point" in said_by(done)[0]
    pair(folder)
    assert (
        points_in_round_1(folder, "Ann") == points_in_round_1(folder, "Bob") == points
    )


def test_a_round_of_a_file_gives_the_same_without_a_folder(tmp_path: Path) -> None:
    listed = tmp_path / "players.csv"
    listed.write_text("player,first_round_bye\nA,true\nB,\nC,\n")
    asked = solve(read_event(listed), "monrad").matches[-1]
    named = solve(read_event(listed), "monrad", request_bye=["B"]).matches
    assert (asked["player1"], asked["score1"]) == ("A", "0")
    assert {row["score1"] for row in named if row["status"] == "requested"} == {"0"}


@pytest.mark.long
def test_what_it_gives_is_said(tmp_path: Path) -> None:
    listed = tmp_path / "list.csv"
    listed.write_text("name,first_round_bye\nAnn,true\nBob,\nCyd,\nDee,\n")
    shown = run("new", tmp_path / "event", "--players", listed, "--points", "3-1-0")
    assert (
        "The list gives 1 player a bye in round 1. A bye in round 1 is worth 0 points"
        in (" ".join(shown.stderr.split()))
    )
    page = client(tmp_path / "event").get("/players").text
    assert "1 (0 points)" in said(page) or "1 (0 points)" in page
    assert "first_round_bye" in run("bye", "--help").stdout
    assert "If you leave the points empty, the bye gives 0 points." in page


@pytest.mark.long
def test_it_is_taken_off_as_any_other(tmp_path: Path) -> None:
    folder = begun(tmp_path / "event")
    bye(folder, "Ann", round=1, off=True)
    pair(folder)
    assert "requested" not in (folder / "matches.csv").read_text()


@pytest.mark.long
def test_rows_that_are_there_keep_their_points(tmp_path: Path) -> None:
    folder = begun(tmp_path / "event")
    pair(folder)
    path = folder / "matches.csv"
    path.write_text(
        path.read_text().replace("Ann,,,0,,requested", "Ann,,,3,,requested")
    )
    result(folder, 1, "3-0")
    assert points_in_round_1(folder, "Ann") == "3"


@pytest.mark.long
def test_more_points_than_a_win_are_asked_about(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDE", points="3-1-0")
    before = content(folder)
    with pytest.raises(
        ConfirmationError,
        match="A bye of 7 points gives more than a win, which is worth 3",
    ):
        bye(folder, "A", points="7")
    shown = run("bye", folder, "A", "--points", "7")
    assert shown.exit_code == 2
    assert "--sure" in shown.stderr
    page = client(folder)
    form = {
        **fields(page.get("/players").text, "/players/bye"),
        "player": "A",
        "round": "1",
    }
    asked = page.post("/players/bye", data={**form, "points": "7"})
    assert "gives more than a win" in said(asked.text)
    assert content(folder) == before
    page.post(
        "/players/bye", data={**fields(asked.text, "/players/bye"), "sure": "yes"}
    )
    assert points_in_round_1(folder, "A") == "7"
    assert run("bye", folder, "B", "--points", "7", "--sure").exit_code == 0
    assert run("bye", folder, "C", "--points", "3").exit_code == 0
    pair(folder)
    shown = run("result", folder, "--bye", "C", "9")
    assert shown.exit_code == 2
    assert run("result", folder, "--bye", "C", "9", "--sure").exit_code == 0


def test_the_page_shows_the_bye_of_the_list_beside_a_later_one(tmp_path: Path) -> None:
    folder = begun(tmp_path / "event")
    bye(folder, "Ann", round=3)
    text = client(folder).get("/players").text
    shown = re.findall(r"bye in round </span>([^<,]*)", text)
    assert shown == ["1 (0 points)", "3 (0 points)"]
