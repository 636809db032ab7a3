"""A player who has never been paired can be removed, and nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest
from organiser import client, fields
from test_mode import open_of, played, run, toml
from test_verbs import content, made

from pairopt import UsageError, read_event
from pairopt.files.event_folder import build_event_from_files
from pairopt.folder import (
    bracket,
    bye,
    drop,
    edit,
    enter,
    forbid,
    pair,
    remove,
    result,
    undo,
)
from pairopt.folder.open_folder import read_folder_state


def players(folder: Path) -> dict[str, int]:
    """Everybody with their start number."""
    event = read_folder_state(folder).event
    return dict(zip(event.players, event.start_numbers.tolist(), strict=True))


@pytest.mark.long
def test_a_row_that_is_no_player_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCDE", points="3-1-0")
    enter(folder, "60 Total", {"score": "4"})
    forbid(folder, "60 Total", "A")
    forbid(folder, "A", "B")
    bye(folder, "60 Total", round=2)
    before = content(folder)

    remove(folder, "60 Total")

    files = ("players.csv", "matches.csv", "event.toml")
    assert not any("Total" in (folder / name).read_text() for name in files)
    assert toml(folder)["forbid"] == [["A", "B"]]
    pair(folder)
    assert "Total" not in (folder / "matches.csv").read_text()
    undo(folder, 2)
    assert content(folder) == before


@pytest.mark.parametrize("is_renamed", [False, True])
def test_names_in_event_toml_that_only_look_the_same(
    tmp_path: Path, is_renamed: bool
) -> None:
    """A letter with an accent may be one character or two."""
    folder = made(tmp_path / "event", "ABCDE", points="3-1-0")
    enter(folder, "x1", {"name": "Jos\u00e9"})
    enter(folder, "x2", {"name": "Jose\u0301"}, sure=True)
    path = folder / "event.toml"
    bye_by_name = '\n[[byes]]\nplayer = "Jos\u00e9"\nround = 2\n'
    path.write_text(path.read_text("utf-8") + bye_by_name, "utf-8")
    if is_renamed:
        edit(folder, "x1", {"name": "Zed"})
        assert [bye["player"] for bye in toml(folder)["byes"]] == ["x1"]
    else:
        remove(folder, "x1")
        assert not toml(folder).get("byes")


def test_what_means_another_player_stays(tmp_path: Path) -> None:
    """The name of the removed player is the identifier of another player."""
    folder = made(tmp_path / "event", "ABCDE", points="3-1-0")
    enter(folder, "a2", {"name": "A"})
    forbid(folder, "A", "B")
    bye(folder, "A", round=2)
    before = toml(folder)
    remove(folder, "a2")
    assert toml(folder) == before
    remove(folder, "A")
    assert not toml(folder).get("forbid")
    assert not toml(folder).get("byes")


@pytest.mark.long
def test_start_numbers_close_up_and_the_report_is_without_them(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 1)
    enter(folder, "Total", {"rating": "2431"})
    assert players(folder)["Total"] == 6
    remove(folder, "Total")
    assert sorted(players(folder).values()) == list(range(1, 10))
    played(folder)
    pair(folder)
    assert toml(folder)["fide"] is True
    assert "breaches" not in toml(folder)


@pytest.mark.long
def test_after_round_four_the_other_numbers_stay(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 4)
    before = players(folder)
    enter(folder, "Total")
    remove(folder, "Total")
    assert players(folder) == before
    played(folder)
    pair(folder)


@pytest.mark.long
def test_a_late_entry_with_byes_of_rounds_that_are_over(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 2)
    enter(folder, "Late")
    bye(folder, "Late", round=1, points="0.5")
    remove(folder, "Late")
    assert "Late" not in (folder / "matches.csv").read_text()


@pytest.mark.long
def test_who_has_been_paired_stays_and_the_refusal_says_what_to_do(
    tmp_path: Path,
) -> None:
    folder = made(tmp_path / "event", "ABCDE", points="3-1-0")
    pair(folder)
    before = content(folder)
    for player in "ABCDE":  # one of them has the bye
        with pytest.raises(UsageError, match="was paired in round 1"):
            remove(folder, player)
    drop(folder, "A")
    with pytest.raises(UsageError, match="drop instead"):
        remove(folder, "A")
    shown = run("remove", folder, "A")
    assert shown.exit_code == 2
    assert f"pairopt drop {folder} 'A'" in shown.stderr
    undo(folder)
    assert content(folder) == before


@pytest.mark.long
def test_of_the_bracket_nobody_is_removed(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCD", points="3-1-0")
    pair(folder)
    for table in (1, 2):
        result(folder, table, "3-0")
    enter(folder, "E")
    edit(folder, "E", {"score": "9"})
    bracket(folder, 4, by_lot=True)
    with pytest.raises(UsageError, match="E plays in the bracket"):
        remove(folder, "E")


def test_names_and_identifiers(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCDE", points="3-1-0")
    edit(folder, "E", {"name": "Eve"})
    forbid(folder, "Eve", "A")
    assert run("remove", folder, "eve").exit_code == 0
    assert build_event_from_files(
        {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}, folder
    ).players == tuple("ABCD")
    assert len(read_event(folder).players) == 4


@pytest.mark.long
def test_by_the_menu_of_the_player(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCDE", points="3-1-0")
    page = client(folder)
    form = fields(page.get("/players").text, "/players/remove")
    answer = page.post("/players/remove", data={**form, "player": "E"})
    assert "E is removed from the event." in answer.text
    assert [*players(folder)] == [*"ABCD"]
    pair(folder)
    text = page.get("/players").text
    assert "Remove from the event" not in text
    answer = page.post(
        "/players/remove", data={**fields(text, "/players/remove"), "player": "A"}
    )
    assert "Click Drop" in answer.text
