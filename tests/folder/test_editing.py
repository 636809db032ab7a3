"""Players edited, checked in, and their byes for rounds missed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from telling import said_by
from test_verbs import change, content, finish, last, made, points_of, rows, run

from pairopt import UsageError, read_event
from pairopt.cli import main
from pairopt.errors import ConfirmationError
from pairopt.folder import (
    back,
    bye,
    check_in,
    check_proofs,
    edit,
    enter,
    forbid,
    new,
    pair,
    rename,
    undo,
)
from pairopt.folder.journal import Journal


def shown(folder: Path) -> list[str]:
    return [*read_event(folder, unfinished=True).shown]


@pytest.mark.sweep
@pytest.mark.parametrize("column", ["player", "name", "Name"])
def test_a_player_is_renamed_in_the_middle_of_an_event(
    tmp_path: Path, column: str
) -> None:
    folder = made(tmp_path / "event", "ABCDE")
    change(folder / "players.csv", "player", column)
    pair(folder, keep_proof=True)
    finish(folder)
    forbid(folder, "A", "B")
    bye(folder, "A", round=3)
    before, points = content(folder), points_of(folder)
    done = rename(folder, "A", "  Ann  Zoë Lee ")
    assert said_by(done) == ("Ann Zoë Lee: name Ann Zoë Lee (before: A)",)
    assert shown(folder)[0] == "Ann Zoë Lee"
    event = read_event(folder)
    assert event.forbidden == ((0, 1),)
    assert points_of(folder) == {
        name if name != "A" else "Ann Zoë Lee": p for name, p in points.items()
    }
    assert all(each.holds for each in check_proofs(folder))
    pair(folder)
    assert "A" in {*last(folder).player1, *last(folder).player2}
    assert said_by(rename(folder, "Ann Zoë Lee", "A")) == (
        "A: name A (before: Ann Zoë Lee)",
    )
    assert rename(folder, "A", "A").step is None
    undo(folder, 3)
    assert content(folder) == before


def test_what_names_a_player_by_name_goes_with_the_new_one(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "1234", more='forbid = [["Ann", "Bob"]]\n')
    (folder / "players.csv").write_text("player,name\n1,Ann\n2,Bob\n3,Cat\n4,Dan\n")
    with (folder / "event.toml").open("a") as out:
        out.write('[[byes]]\nplayer = "Ann"\nround = 2\n')
    pair(folder)
    assert "name1" in rows(folder)
    rename(folder, "1", "Ännchen")
    frame = rows(folder)
    assert {*frame.name1, *frame.name2} == {"Ännchen", "Bob", "Cat", "Dan"}
    event = read_event(folder, unfinished=True)
    assert event.forbidden == ((0, 1),)
    finish(folder)
    assert read_event(folder).away[0]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("b", "There is already a player 'B'. Choose another name."),
        (" ", "Type a name"),
        ("Anna", "There is already a player 'Anna'"),
    ],
)
def test_a_name_that_cannot_be(tmp_path: Path, name: str, told: str) -> None:
    folder = made(tmp_path / "event")
    rename(folder, "C", "Anna")
    before = content(folder)
    done = run("edit", folder, "A", "--name", name)
    assert done.exit_code == 2
    assert told in done.stderr
    assert content(folder) == before


def test_rating_and_club(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    done = run("edit", folder, "A", "--set", "Rating=1500", "--set", "club=Riga")
    assert done.exit_code == 0, done.stderr
    assert read_event(folder).rating[0] == 1500
    said = said_by(edit(folder, "A", {"rating": "1600.5", "club": ""}))
    assert said == ("A: rating 1600.5 (before: 1500)", "A: club removed (before: Riga)")
    assert (
        str(Journal(folder).steps()[-1].did)
        == "A changed: rating 1600.5 (before: 1500); club removed (before: Riga)"
    )
    assert edit(folder, "A", {"rating": "1600.5"}).step is None


@pytest.mark.parametrize(
    ("column", "cell", "told"),
    [
        ("rating", "x", "Found 'x'. Write a number"),
        ("player", "Z", "Change the player's name instead"),
        ("active", "false", "the column active"),
        ("table", "3", "the column table"),
        ("start", "7", "Type a number from 1 to 6"),
        ("start", "0", "Type a number from 1 to 6"),
        ("", "x", "can't have a column"),
        ("player1", "x", "can't have a column"),
    ],
)
def test_what_is_no_cell_to_edit(
    tmp_path: Path, column: str, cell: str, told: str
) -> None:
    folder = made(tmp_path / "event")
    before = content(folder)
    with pytest.raises(UsageError, match=told):
        edit(folder, "A", {column: cell})
    assert content(folder) == before


@pytest.mark.long
def test_start_numbers_are_exchanged_and_stay_after_round_4(tmp_path: Path) -> None:
    listed = [f"{name},{2000 - 50 * k}\n" for k, name in enumerate("ABCDEFGHIJ")]
    (tmp_path / "list.csv").write_text("player,rating\n" + "".join(listed))
    folder = tmp_path / "open"
    new(folder, tmp_path / "list.csv", model="fide-dutch", points="1-½-0", rounds=6)
    done = edit(folder, "A", {"start": "3"}, sure=True)
    assert said_by(done) == ("A: start number 3", "A: C has start number 1")
    assert read_event(folder).start_numbers.tolist() == [3, 2, 1, *range(4, 11)]
    for _ in range(4):
        assert pair(folder).step is not None
        finish(folder, "½-½")
    with pytest.raises(
        UsageError,
        match=r"start numbers may not change after the pairing of round 4 \(C\.04\.2\)",
    ):
        edit(folder, "A", {"start": "1"})
    assert edit(folder, "A", {"rating": "2100"}).step is not None
    assert pair(folder).step is not None


@pytest.mark.long
def test_check_in_before_round_1(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    bye(folder, "F", round=1)
    done = run("drop", folder, "--all")
    assert (
        f"5 players are not checked in yet. For each player who is here, type: pairopt drop {folder} NAME --off"
        in done.output
    )
    assert read_event(folder).present.tolist() == [False] * 5 + [True]
    for name in "ABC":
        back(folder, name)
    enter(folder, "Zoe")
    pair(folder)
    frame = last(folder)[lambda frame: frame.status != "requested"]
    assert {*frame.player1, *frame.player2} == {"A", "B", "C", "Zoe"}
    with pytest.raises(UsageError, match="Round 1 is already paired"):
        check_in(folder)
    undo(folder)
    check_in(folder, off=True)
    assert read_event(folder).present.all()
    assert check_in(folder, off=True).step is None


@pytest.mark.long
def test_a_bye_for_a_round_that_was_missed(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", points="1-½-0")
    for _ in range(2):
        pair(folder)
        finish(folder, "1-0")
    enter(folder, "Zoe")
    done = run("bye", folder, "Zoe", "--round", "1", "--points", "½")
    assert "Zoe has a bye in round 1 for 0.5 points" in done.output
    assert "Rounds that are already paired stay as they are." in done.output
    bye(folder, "Zoe", round=2, points="½")
    assert points_of(folder)["Zoe"] == 1
    with pytest.raises(UsageError, match="already has a bye in round 2"):
        bye(folder, "Zoe", round=2)
    with pytest.raises(UsageError, match="Round 2 is already paired"):
        bye(folder, "A", round=2)
    assert pair(folder).step is not None
    finish(folder, "1-0")


@pytest.mark.long
def test_check_in_under_baku_acceleration(tmp_path: Path) -> None:
    """The first half of those who are here has the virtual points, in whatever order they come."""
    listed = [f"{name},{2000 - 50 * k}\n" for k, name in enumerate("ABCDEFGH")]
    (tmp_path / "list.csv").write_text("player,rating\n" + "".join(listed))
    folder = tmp_path / "open"
    new(
        folder,
        tmp_path / "list.csv",
        model="fide-dutch",
        points="1-½-0",
        rounds=5,
        baku=True,
    )
    whole = read_event(folder).acceleration.any(axis=1).tolist()
    check_in(folder)
    for name in "FHCGBD":
        back(folder, name)
    event = read_event(folder)
    here = [
        name for name, there in zip("ABCDEFGH", event.present, strict=True) if there
    ]
    having = event.acceleration.any(axis=1)
    assert here == [*"BCDFGH"]
    assert [name for name in here if having[event.position(name)]] == [
        *"BCDF"
    ]  # 2 Q of 6 are 4
    check_in(folder, off=True)
    assert read_event(folder).acceleration.any(axis=1).tolist() == whole


@pytest.mark.parametrize(
    ("called", "column"),
    [
        ("fideid", "fide_id"),
        ("FideID", "fide_id"),
        ("fide_id", "fide_id"),
        ("Rtg", "rating"),
        ("elo", "rating"),
        ("DWZ", "rating"),
        ("Verein", "club"),
        ("Fed", "federation"),
        ("Titel", "title"),
        ("Corp ID", "corp_identity"),
        ("corp", "corp_identity"),
        ("Runner Identity", "runner_identity"),
        ("start", "start"),
    ],
)
def test_a_cell_is_called_as_lists_call_it(
    tmp_path: Path, called: str, column: str
) -> None:
    folder = made(tmp_path / "event")
    enter(folder, "Zoe", {called: "3"})
    assert read_event(folder).columns[column][-1] == "3"
    assert called == column or called not in read_event(folder).columns
    edit(folder, "Zoe", {called: "2"})
    assert read_event(folder).columns[column][-1] == "2"


def test_a_national_rating_is_one_where_there_is_such_a_column(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    enter(folder, "Zoe", {"national_rating": "3"})
    edit(folder, "Zoe", {"dwz": "1500"})
    assert read_event(folder).columns["national_rating"][-1] == "1500"


@pytest.mark.parametrize(
    ("called", "told"),
    [
        ("ratng", "no column ratng, but there is a column rating"),
        ("shoe", "no column shoe yet"),
        ("fideidd", "no column fideidd, but there is a column fide_id"),
        ("first", "no column first yet"),
    ],
)
def test_a_new_column_is_made_where_that_is_said(
    tmp_path: Path, called: str, told: str
) -> None:
    folder = made(tmp_path / "event")
    before = content(folder)
    for verb, player in ((enter, "Zoe"), (edit, "a")):
        with pytest.raises(ConfirmationError, match=re.escape(told)):
            verb(folder, player, {called: "1"})
        assert content(folder) == before
    done = CliRunner().invoke(main, ["edit", str(folder), "a", "--set", f"{called}=1"])
    assert done.exit_code == 2
    assert "type the command again with --sure" in done.stderr
    edit(folder, "a", {called: "1"}, sure=True)
    edit(folder, "b", {called: "2"})  # it is there now
    with pytest.raises(UsageError, match="You gave the column rating twice"):
        edit(folder, "b", {"rating": "1", "elo": "2"})


@pytest.mark.long
@pytest.mark.parametrize("rounds", [None, "2-4"])
def test_who_has_met_may_not_meet_from_now_on(
    rounds: str | None, tmp_path: Path
) -> None:
    """Rounds that are over agree as they did, in the folder and in its report."""
    folder = tmp_path / "event"
    (tmp_path / "list.csv").write_text("player\nA\nB\nC\nD\nE\nF\n", encoding="utf-8")
    made = run(
        "new",
        folder,
        "--players",
        tmp_path / "list.csv",
        "--model",
        "fide-dutch",
        "--rounds",
        4,
        "--seed",
        1,
        "--points",
        "3-1-0",
    )
    assert made.exit_code == 0, made.output
    for _ in range(2):
        pair(folder)
        finish(folder)
    for _, row in rows(folder).iterrows():
        turns = rounds if row["round"] == 1 else None
        args = ["--rounds", turns] if turns else []
        asked = run(
            "forbid", folder, row.player1, row.player2, *args, *["--against-fide"] * 2
        )
        assert asked.exit_code == 0, asked.output
    pair(folder)
    apart = {
        (each.one, each.two): each.rounds
        for each in read_event(folder, unfinished=True).prohibited
    }
    assert {first for first, _ in filter(None, apart.values())} == {2, 3}
    assert {last for _, last in filter(None, apart.values())} == {4}
    run("convert", folder, tmp_path / "event.trf")
    for given in (folder, tmp_path / "event.trf"):
        said = run("check", "--all", given).output
        assert said.count("agrees with fide-dutch") >= 2, said
        assert "not to meet" not in said
