"""Pairs who may not meet, and players who stay at one table."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from telling import said_by
from test_verbs import content, finish, made, rows, run

from pairopt import InputError, UsageError, read_event
from pairopt.event.forbidden_pairs import ForbiddenMeeting
from pairopt.files.event_toml import with_event_id
from pairopt.folder import forbid, table, undo
from pairopt.folder.create import new
from pairopt.folder.pair_round import pair
from pairopt.folder.roster import back, bye, drop, enter


def pairs(folder: Path) -> object:
    return tomllib.loads((folder / "event.toml").read_text())["forbid"]


@pytest.mark.long
def test_a_pair_is_kept_apart_until_it_is_not(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "AB")
    assert said_by(forbid(folder, "B", "A")) == ("B - A may not meet.",)
    done = pair(folder)
    assert done.result is not None
    assert done.result.status == "infeasible"
    assert forbid(folder, "A", "B").step is None
    assert said_by(forbid(folder, "A", "B", off=True)) == ("A - B may meet again.",)
    assert pairs(folder) == []
    assert forbid(folder, "A", "B", off=True).step is None
    assert pair(folder).step is not None
    assert "Table 1 of round 1 stays" in said_by(forbid(folder, "A", "B"))[1]


TOMLS = [
    b'title = "x" # mine\n\n# Points follow\n[points]\nwin = 3\ndraw = 1\n',
    b'\xef\xbb\xbftitle = "x" # mine\r\n[points]\r\nwin = 3\r\ndraw = 1\r\n',
    b'forbid = [ # mine\n  ["E", "D"], # family\n  ["D", "C"],\n]\n[[byes]]\nplayer="A"\nround=2\n',
    b'# mine\nforbid = [["E", "D"]]',
    b"# mine",
]


@pytest.mark.long
@pytest.mark.parametrize("text", TOMLS)
def test_the_rest_of_the_file_stays(tmp_path: Path, text: bytes) -> None:
    folder = made(tmp_path / "event", "ABCDE")
    (folder / "event.toml").write_bytes(text)
    before = read_event(folder)
    forbid(folder, "A", "E")
    after = (folder / "event.toml").read_bytes()
    assert set(read_event(folder).forbidden) == {*before.forbidden, (0, 4)}
    assert read_event(folder).settings == before.settings
    assert all(
        line in after.split(b"\n")
        for line in text.split(b"\n")
        if not line.removeprefix(b"\xef\xbb\xbf").startswith(
            (b"forbid", b"# mine", b"title")
        )
    )
    assert after.count(b"# mine") == 1
    assert after.count(b"\n") in (
        after.count(b"\r\n"),
        after.count(b"\n") * (b"\r" not in text),
    )
    assert after.startswith(b"\xef\xbb\xbf") == text.startswith(b"\xef\xbb\xbf")
    forbid(folder, "E", "A", off=True)
    assert read_event(folder).forbidden == before.forbidden
    undo(folder, 2)
    assert (folder / "event.toml").read_bytes() == with_event_id(text, "made")


def test_a_pair_listed_twice_is_taken_away_twice(tmp_path: Path) -> None:
    folder = made(
        tmp_path / "event", "ABC", 'forbid = [["A", "B"], ["C", "A"], ["B", "A"]]\n'
    )
    forbid(folder, "A", "B", off=True)
    assert pairs(folder) == [["C", "A"]]


@pytest.mark.long
def test_a_player_stays_at_a_table(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCDEF")
    assert said_by(table(folder, "F", 7)) == ("F has table 7 from round 1 on.",)
    for _ in range(2):
        pair(folder)
        finish(folder)
    frame = rows(folder)
    assert all(
        "F" in (row.player1, row.player2)
        for row in frame[frame["table"] == "7"].itertuples()
    )
    assert (frame["table"] == "7").sum() == 2
    assert table(folder, "F", 7).step is None
    with pytest.raises(
        UsageError,
        match="Table 7 is already the fixed table of F",
    ):
        table(folder, "A", 7)
    assert said_by(table(folder, "F", None)) == (
        "F has no fixed table any more, from round 3 on.",
    )
    assert table(folder, "F", None).step is None
    assert not read_event(folder).fixed_table.any()


@pytest.mark.parametrize("number", [0, -1, 10_000])
def test_tables_that_are_none(tmp_path: Path, number: int) -> None:
    folder = made(tmp_path / "event")
    before = content(folder)
    with pytest.raises(UsageError, match="Type a number from 1"):
        table(folder, "A", number)
    assert content(folder) == before


@pytest.mark.parametrize(("one", "two"), [("A", "A"), ("A", "Zoe")])
def test_pairs_that_are_none(tmp_path: Path, one: str, two: str) -> None:
    folder = made(tmp_path / "event")
    before = content(folder)
    with pytest.raises(UsageError, match=r"themselves|not a player"):
        forbid(folder, one, two)
    assert content(folder) == before


@pytest.mark.long
def test_names_of_players_with_identifiers(tmp_path: Path) -> None:
    listed = tmp_path / "list.csv"
    listed.write_text("player,name\n7,Ann Lee\n8,Bob\n9,Ann Lee\n")
    new(folder := tmp_path / "event", listed)
    assert said_by(forbid(folder, "Bob", "9")) == ("Bob - Ann Lee (9) may not meet.",)
    assert pairs(folder) == [["8", "9"]]
    assert said_by(table(folder, "Bob", 3)) == ("Bob has table 3 from round 1 on.",)
    with pytest.raises(UsageError, match="Type the identifier: 7 or 9"):
        table(folder, "Ann Lee", 4)


@pytest.mark.long
def test_a_list_with_a_column_of_names_alone(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "AB")
    (folder / "players.csv").write_text("Name;Club\nAnn;X\nBob;Y\n")
    enter(folder, "Cid")
    drop(folder, "Ann")
    back(folder, "Ann")
    bye(folder, "Bob")
    table(folder, "Cid", 2)
    assert (folder / "players.csv").read_text() == (
        "Name;Club;active;table\nAnn;X;true;\nBob;Y;true;\nCid;;true;2\n"
    )


def test_on_the_command_line(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    assert run("forbid", folder, "A", "B").exit_code == 0
    assert pairs(folder) == [["A", "B"]]
    assert run("forbid", folder, "A", "B", "--off").exit_code == 0
    assert run("edit", folder, "A", "--table", 3).exit_code == 0
    assert run("edit", folder, "A", "--off").exit_code == 0
    assert run("edit", folder, "A").exit_code == 2
    assert run("edit", folder, "A", "--table", 3, "--off").exit_code == 2
    assert run("edit", folder, "A", "--table", 0).exit_code == 2


SAID = {
    ("2-4",): ([{"players": ["A", "B"], "rounds": "2-4"}], {2, 3, 4}),
    ("3",): ([{"players": ["A", "B"], "rounds": "3"}], {3}),
    (None, "2-2"): ([{"players": ["A", "B"], "rounds": "2"}], {2}),
    ("2", None): ([["A", "B"]], {1, 2, 3, 4, 5}),
}
"""What is asked for, one verb after the other: what event.toml says then, and the rounds."""


@pytest.mark.long
@pytest.mark.parametrize("asked", SAID)
def test_a_pair_is_kept_apart_in_its_rounds(
    asked: tuple[str | None, ...], tmp_path: Path
) -> None:
    folder = made(tmp_path / "event", "ABCDE")
    for rounds in asked:
        assert forbid(folder, "A", "B", rounds=rounds).step is not None
    assert forbid(folder, "B", "A", rounds=asked[-1]).step is None
    said, held = SAID[asked]
    assert pairs(folder) == said
    event = read_event(folder)
    turns = {k for k in range(1, 6) if replace(event, round=k).forbidden}
    assert turns == held
    assert {
        k for k in range(1, 6) if replace(event, round=k).forbidden == ((0, 1),)
    } == held
    run("edit", str(folder), "A", "--name", "Ann")
    assert replace(read_event(folder), round=max(held)).forbidden == ((0, 1),)
    forbid(folder, "Ann", "B", off=True)
    assert pairs(folder) == []


@pytest.mark.long
def test_rounds_of_a_pair_by_the_command(tmp_path: Path) -> None:
    """Two who are kept apart in round 1 alone meet in round 2, as nobody else is there."""
    folder = made(tmp_path / "event", "AB")
    assert run("forbid", str(folder), "A", "B", "--rounds", "1").exit_code == 0
    done = pair(folder)
    assert done.result is not None
    assert done.result.status == "infeasible"
    assert run("forbid", str(folder), "A", "B", "--rounds", "2-9").exit_code == 0
    assert read_event(folder).prohibited == (ForbiddenMeeting(0, 1, (2, 9)),)
    assert pair(folder).step is not None
    for wrong in ("0", "4-2", "1-", "x", "-3", "1-99999", "2-4-5"):
        answer = run("forbid", str(folder), "A", "B", "--rounds", wrong)
        assert answer.exit_code == 2, wrong
        assert "Rounds go from 1 to" in answer.stderr
    assert run("forbid", str(folder), "A", "B", "--off", "--rounds", "2").exit_code == 2


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            'forbid = [{players = ["A", "B"], rounds = "2-x"}]',
            "forbid[0]: Write one round",
        ),
        (
            'forbid = [{players = ["A", "A"]}]',
            'forbid[0]: Write two different players, for example ["Ann", "Bob"].',
        ),
        (
            'forbid = [{players = ["A", "B"], rounds = 2}]',
            "forbid[0]: Write players and rounds",
        ),
        (
            'forbid = [{players = ["A", "B"], turns = "2"}]',
            "forbid[0]: Write players and round",
        ),
        ('forbid = [["A", "B"], "C"]', "forbid[1]: Write two different players"),
        ('forbid = [["A", 3]]', "forbid[0]: Write two different players"),
        (
            'forbid = [{players = ["A", "Z"], rounds = "2"}]',
            "forbid[0]: 'Z' is not in players.csv",
        ),
    ],
)
def test_what_event_toml_may_not_say_of_a_pair(
    tmp_path: Path, line: str, said: str
) -> None:
    folder = made(tmp_path / "event", "AB")
    toml = folder / "event.toml"
    toml.write_text(f"{line}\n{toml.read_text()}")
    with pytest.raises(InputError) as error:
        read_event(folder)
    assert said in str(error.value)
