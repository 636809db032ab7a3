"""Players who are pasted or dropped: an event founded, or many entered at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from places import DATA
from telling import said_by
from test_verbs import content, finish, made

from pairopt import InputError, UsageError, read_event
from pairopt.files.read import read_upload
from pairopt.folder import table, undo
from pairopt.folder.create import new
from pairopt.folder.journal import Journal
from pairopt.folder.pair_round import pair
from pairopt.folder.roster import drop, enter_all

LIST = b"player,rating,club,active\nCid,1500,Riga,false\na,1400,,true\nDan,1300,Oslo,true\n"


@pytest.mark.long
def test_what_was_understood_becomes_an_event(tmp_path: Path) -> None:
    raw = (DATA / "byes_and_forfeits.trf").read_bytes()
    new(tmp_path / "one", read_upload(raw, "pasted.trf").event, id="x")
    (listed := tmp_path / "pasted.trf").write_bytes(raw)
    new(tmp_path / "two", listed, id="x")
    toml = (tmp_path / "one" / "event.toml").read_text()
    assert (
        toml.replace('"one"', '"two"') == (tmp_path / "two" / "event.toml").read_text()
    )
    for name in ("players.csv", "matches.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (
            tmp_path / "two" / name
        ).read_bytes()


def test_an_event_that_waits_for_results_is_not_founded(tmp_path: Path) -> None:
    waiting = read_upload(
        b"round,table,player1,player2,score1,score2\n1,1,A,B,,\n", "pasted"
    )
    with pytest.raises(InputError, match="Enter the result first"):
        new(tmp_path / "event", waiting.event)
    assert not (tmp_path / "event").exists()


@pytest.mark.long
def test_many_come_in_as_one_step(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABEF")
    pair(folder)
    finish(folder)
    before = content(folder)
    done = enter_all(folder, read_upload(LIST, "pasted").event)
    assert said_by(done) == (
        "2 players play from round 2 on.",
        "These players are already in the event, so pairopt left them out: A.",
    )
    assert str(Journal(folder).steps()[-1].did) == "2 players entered"
    event = read_event(folder)
    assert event.players == ("A", "B", "E", "F", "Cid", "Dan")
    assert event.active.all()
    assert event.columns["club"][-2:] == ("Riga", "Oslo")
    assert event.rating[-2:].tolist() == [1500, 1300]
    undo(folder)
    assert content(folder) == before


@pytest.mark.long
def test_an_event_with_rounds_gives_its_players_alone(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "AB")
    matches = b"round,player1,player2,score1,score2\n1,Ann,Bob,3,0\n2,Ann,A,3,0\n"
    enter_all(folder, read_upload(matches, "pasted").event)
    assert read_event(folder).players == ("A", "B", "Ann", "Bob")
    assert read_event(folder).round == 1


@pytest.mark.long
def test_names_beside_identifiers(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "AB")
    enter_all(folder, read_upload(b"player,name\n7,Ann Lee\n8,b\n", "pasted").event)
    assert read_event(folder).names == ("A", "B", "Ann Lee")
    drop(folder, "Ann Lee")
    with pytest.raises(
        UsageError,
        match=r"Nothing was added, because all players in this list are already in the event: Ann Lee, B.",
    ):
        enter_all(folder, read_upload(b"player,name\n7,Ann\n9,B\n", "pasted").event)


def test_a_table_that_is_taken(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "AB")
    table(folder, "A", 3)
    before = content(folder)
    with pytest.raises(InputError, match="Table 3 is already the fixed table"):
        enter_all(folder, read_upload(b"player,table\nCid,3\nDan,4\n", "pasted").event)
    assert content(folder) == before
