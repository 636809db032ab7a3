"""An event that begins without players: what it refuses, and its first player."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from organiser import HOST, client, founding
from rating_files import PERSONS, text_list
from starlette.testclient import TestClient

from pairopt import InputError, UsageError, read_event
from pairopt.cli import main
from pairopt.files.rating_lists.store import add_list
from pairopt.folder import change, enter, enter_listed, undo
from pairopt.folder.create import new
from pairopt.folder.pair_round import pair
from pairopt.web.access import NetworkShare
from pairopt.web.app import application
from pairopt.web.views import known_views

NOBODY = "The event has no players. Add players first."
FIDE = {"model": "fide-dutch", "sides": ("white", "black"), "points": "1-0.5-0"}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An event without players."""
    new(tmp_path / "open", title="Harbour Open", rounds=7, **FIDE)
    return tmp_path / "open"


def test_the_command_makes_an_event_without_players(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    answer = run("new", folder, "--model", "fide-dutch", "--rounds", 7)
    assert answer.exit_code == 0, answer.output
    assert "Players: none yet. Add the players one by one." in answer.output
    assert f"made {folder}; next: pairopt enter {folder} NAME" in answer.output
    event = read_event(folder)
    assert (event.players, event.round, event.settings.rounds) == ((), 1, 7)
    assert event.settings.fide is True


def test_players_come_one_by_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAIROPT_LISTS", str(folder.with_name("lists")))
    listed = folder.with_name("players_list_foa.txt")
    listed.write_bytes(text_list())
    add_list(listed, month="2026-11")
    person = PERSONS[0]
    enter_listed(folder, str(person.number))
    enter(folder, "Blum, Ada", {"rating": "1500"})
    event = read_event(folder)
    assert event.names == (person.name, "Blum, Ada")
    assert event.columns["fide_id"] == (str(person.number), "")
    assert pair(folder).step is not None
    undo(folder)
    undo(folder)
    undo(folder)
    assert read_event(folder).players == ()
    enter(folder, "Blum, Ada")
    assert read_event(folder).names == ("Blum, Ada",)


def test_a_player_who_is_entered_twice_is_named(folder: Path) -> None:
    enter(folder, "Blum, Ada", {"fide_id": "91000001"})
    with pytest.raises(UsageError, match="91000001 is already in this event"):
        enter(folder, "BLUM, Ada", {"fide_id": "91000001"})
    with pytest.raises(UsageError, match="is the FIDE number of both"):
        enter(folder, "Cox, Ben", {"fide_id": "91000001"})


def test_an_empty_name_is_not_nobody(folder: Path) -> None:
    for name in ("Ann", "Bob", "Cy"):
        enter(folder, name)
    answer = run("pair", folder, "--preview", "--bye", "")
    assert answer.exit_code == 2
    assert "Found an empty name." in answer.output


@pytest.mark.parametrize(
    "command",
    [
        "pair {}",
        "pair {} --preview",
        "explain {}",
        "solve {}",
        "bracket {} --cut 4",
        "standings {} --cut 4",
        "print {} starting-list",
        "print {} ranking",
        "print {} fide-counts",
        "print {} prizes",
        "publish {} {}-pages",
        "convert {} {}.trf",
        "convert {} {}.json",
        "convert {} {}.csv",
        "convert {} {}.pgn",
    ],
)
def test_commands_that_need_players_say_so(folder: Path, command: str) -> None:
    change(folder, {"prizes.main": "100"})
    answer = run(*command.format(*[folder] * command.count("{}")).split())
    assert answer.exit_code in (2, 3), answer.output
    assert NOBODY in answer.output


def test_standings_say_that_there_are_no_players(folder: Path) -> None:
    answer = run("standings", folder)
    assert answer.exit_code == 0, answer.output
    assert NOBODY in answer.output


def test_a_round_robin_without_players_is_not_paired(tmp_path: Path) -> None:
    new(tmp_path / "all", format="round-robin")
    with pytest.raises(UsageError, match="has no players"):
        pair(tmp_path / "all")


def test_a_file_without_players_is_still_refused(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("player,rating\n")
    with pytest.raises(InputError, match="has no players"):
        new(tmp_path / "open", tmp_path / "list.csv")


def test_players_may_be_separated_before_there_are_any(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    new(folder, conflicts=[{"column": "club"}])
    enter(folder, "Ann", {"club": "Riga"})
    enter(folder, "Bob", {"club": "Riga"})
    enter(folder, "Cat", {"club": "Oslo"})
    enter(folder, "Dan", {"club": "Oslo"})
    result = pair(folder).result
    assert result is not None
    assert result.arcs is not None


def test_the_page_begins_with_a_name_alone(tmp_path: Path) -> None:
    page = client(tmp_path / "open")
    refused = page.post("/new/event", data={"title": ""})
    assert refused.status_code == 422
    assert "The event has neither a name nor players." in refused.text

    asked = page.post("/new/event", data={"title": "Harbour Open", "game": "rated"})
    assert "No players yet. Add the players when the event is created" in asked.text
    assert "read as" not in asked.text
    made = page.post("/new/event", data=founding(asked.text))
    assert "This event has no players yet. Add the players below." in made.text
    event = read_event(tmp_path / "open")
    assert (event.players, event.settings.title) == ((), "Harbour Open")
    assert event.settings.rounds is None
    assert event.settings.fide is True


def test_every_view_of_an_event_without_players_answers(folder: Path) -> None:
    page = client(folder)
    for view in known_views():
        answer = page.get(f"/{view.path}")
        assert answer.status_code < 500, view.path
        assert "Internal" not in answer.text, view.path
    for path in ("players", "round", "standings", "print"):
        assert "This event has no players yet" in page.get(f"/{path}").text, path
    assert "Add players" in page.get("/results").text
    assert "Pair round 1" not in page.get("/round").text
    for path in ("files", "round/draft", "print/standings"):
        assert NOBODY in page.get(f"/{path}").text, path
    for unusable in ("Give a bye", "Check-in", "Forbidden pairings", "Fixed tables"):
        assert unusable not in page.get("/players").text, unusable
    assert "The event has no players yet." in page.get("/screen").text


def test_phones_read_that_there_are_no_players(folder: Path) -> None:
    share = NetworkShare(8441)
    address = f"http://127.0.0.1:{share.port}"
    phone = TestClient(application(folder, {HOST}, share), address)
    told = "The event has no players yet. This page updates automatically."
    assert told in phone.get("/standings").text
    enter(folder, "Ann")
    phone = TestClient(application(folder, {HOST}, share), address)
    assert told not in phone.get("/standings").text
