"""The points of a bye that was given: corrected by two verbs, named, undone."""

from __future__ import annotations

from pathlib import Path

import pytest
from organiser import event, scored
from telling import said_by
from test_verbs import content, points_of, run

from pairopt import UsageError, read_event
from pairopt.errors import ConfirmationError
from pairopt.folder import bye, edit, new, pair, result, undo
from pairopt.folder.journal import Journal
from pairopt.folder.open_folder import read_folder_state


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Seven players, round 1 played, round 2 open; somebody has had the bye of each."""
    return event(tmp_path / "event", "ABCDEFG", rounds=2, points="3-1-0")


def with_bye(folder: Path, number: int) -> str:
    rows = read_folder_state(folder).rows
    here = (rows.round == number) & (rows.second < 0)
    return read_folder_state(folder).event.players[int(rows.first[here][0])]


def of_round(folder: Path, number: int) -> list[str]:
    lines = (folder / "matches.csv").read_text().splitlines()
    return [line for line in lines if line.startswith(f"{number},,")]


@pytest.mark.long
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("way", ["bye", "result"])
def test_an_allocated_bye_gives_other_points(
    folder: Path, number: int, way: str
) -> None:
    player, before = with_bye(folder, number), content(folder)
    points = points_of(folder)[player]
    words = {
        "bye": ("bye", folder, player, "--points", "0.5"),
        "result": ("result", folder, "--bye", player, "0.5"),
    }[way]
    done = run(*words, "--round", number)
    assert done.exit_code == 0, done.stderr
    told = f"The bye of {player} in round {number} now gives 0.5 points. Before the change, the bye gave 3."
    assert told in done.stderr
    assert of_round(folder, number) == [f"{number},,{player},,,0.5,,bye"]
    assert points_of(folder)[player] == points - 2.5
    step = Journal(folder).steps()[-1]
    assert (
        str(step.did)
        == f"the bye of {player} in round {number} now gives 0.5 points (before: 3)"
    )
    assert (
        (folder / "log.csv")
        .read_text()
        .splitlines()[-1]
        .endswith(f"{player},,{player},,0.5,3")
    )
    undo(folder)
    assert content(folder) == before


def test_the_last_round_is_meant_by_result(folder: Path) -> None:
    player = with_bye(folder, 2)
    assert (
        "in round 2 now gives 1 point"
        in said_by(result(folder, player, "1", bye=True))[0]
    )
    again = result(folder, player, "1", bye=True)
    assert (again.step, "already" in said_by(again)[0]) == (None, True)


@pytest.mark.long
def test_a_bye_asked_for_in_a_round_that_was_played(folder: Path) -> None:
    scored(folder)
    bye(folder, "A", points="1")
    pair(folder)
    scored(folder)
    pair(folder)
    done = bye(folder, "A", round=3, points="0")
    assert (
        "in round 3 now gives 0 points. Before the change, the bye gave 1."
        in said_by(done)[0]
    )
    assert of_round(folder, 3)[0] == "3,,A,,,0,,requested"


@pytest.mark.long
def test_one_of_a_round_to_come(folder: Path) -> None:
    bye(folder, "A", round=4)
    assert (
        "Before the change, the bye gave 0."
        in said_by(bye(folder, "A", round=4, points=0.5))[0]
    )
    with pytest.raises(UsageError, match="already has a bye in round 4"):
        bye(folder, "A", round=4)


def test_what_is_refused(folder: Path) -> None:
    player, before = with_bye(folder, 1), content(folder)
    other = next(p for p in "ABCDEFG" if p not in (player, with_bye(folder, 2)))
    for words, told in (
        ((other, "1", "--round", "1"), f"{other} has no bye in round 1"),
        ((player, "-1", "--round", "1"), "'-1' is not a number of points"),
        ((player, "1", "--round", "9"), "has no bye in round 9"),
        (
            (player, "--off"),
            "The score is missing. Give a SCORE, for example 3-0, or --off for no result.",
        ),
        (("nobody", "1"), "nobody"),
    ):
        done = run(
            "result", folder, "--bye", *(("--", *words) if "-1" in words else words)
        )
        if "-1" in words:  # what follows -- is no option
            done = run("result", folder, "--bye", "--round", "1", "--", player, "-1")
        assert done.exit_code == 2, words
        assert told in done.stderr, (words, done.stderr)
    assert run("bye", folder, other, "--round", 1, "--points", 1).exit_code == 2
    assert content(folder) == before


@pytest.mark.long
def test_later_rounds_that_would_have_been_others_are_named(tmp_path: Path) -> None:
    folder = event(
        tmp_path / "event", "ABCDE", rounds=3, points="3-1-0", model="monrad"
    )
    told = said_by(bye(folder, with_bye(folder, 1), round=1, points="0"))
    assert len(told) > 1
    assert all("round" in line for line in told[1:])
    assert read_event(folder, unfinished=True).round == 4


def unpaired(tmp_path: Path) -> Path:
    """An event of six rounds, none of which is paired; a draw is worth 1 point."""
    (tmp_path / "list.csv").write_text("player\nA\nB\nC\nD\n")
    new(tmp_path / "event", tmp_path / "list.csv", rounds=6, points="3-1-0")
    return tmp_path / "event"


def test_a_second_half_point_bye_is_warned_of(tmp_path: Path) -> None:
    folder = unpaired(tmp_path)
    warning = "Warning: A has a half-point bye in round 3 already."
    said = said_by(bye(folder, "A", points="1", round=3))
    assert not any(line.startswith("Warning") for line in said)
    # A bye of no points, and that of another player, are not second ones.
    for player, points, number in (("A", "0", 4), ("B", "1", 4)):
        said = said_by(bye(folder, player, points=points, round=number))
        assert not any(line.startswith("Warning") for line in said)
    said = said_by(bye(folder, "A", points="1", round=5))
    assert any(line.startswith(warning) for line in said)


def test_a_player_is_excluded_from_half_point_byes(tmp_path: Path) -> None:
    folder = unpaired(tmp_path)
    edit(folder, "A", {"half_point_byes": "no"})
    before = content(folder)
    with pytest.raises(ConfirmationError, match="A is excluded from half-point byes"):
        bye(folder, "A", points="1", round=3)
    assert content(folder) == before
    bye(folder, "A", points="0", round=3)
    bye(folder, "B", points="1", round=3)
    bye(folder, "A", points="1", round=4, sure=True)
    assert len(of_round(folder, 4)) == 1


def test_new_points_of_a_bye_make_it_a_half_point_bye(tmp_path: Path) -> None:
    folder = unpaired(tmp_path)
    edit(folder, "A", {"half_point_byes": "no"})
    bye(folder, "A", points="0", round=1)
    bye(folder, "B", points="1", round=2)
    bye(folder, "B", points="0", round=3)
    before = content(folder)
    with pytest.raises(ConfirmationError, match="A is excluded from half-point byes"):
        bye(folder, "A", points="1", round=1)
    with pytest.raises(ConfirmationError, match="A is excluded from half-point byes"):
        result(folder, "A", "1", bye=True, round=1)
    assert content(folder) == before
    said = said_by(bye(folder, "B", points="1", round=3))
    assert any(line.startswith("Warning: B has a half-point bye in") for line in said)


def test_an_allocated_bye_is_no_half_point_bye(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("player,half_point_byes\nA,no\nB,no\nC,no\n")
    folder = tmp_path / "event"
    new(folder, tmp_path / "list.csv", rounds=3, points="3-1-0")
    pair(folder)
    said = said_by(bye(folder, with_bye(folder, 1), points="1", round=1))
    assert not any(line.startswith("Warning") for line in said)


def test_a_bye_that_is_refused_asks_nothing_first(tmp_path: Path) -> None:
    folder = unpaired(tmp_path)
    edit(folder, "A", {"half_point_byes": "no"})
    with pytest.raises(UsageError, match="round 7"):
        bye(folder, "A", points="1", round=7)


def test_the_command_says_how_to_confirm_a_half_point_bye(tmp_path: Path) -> None:
    folder = unpaired(tmp_path)
    edit(folder, "A", {"half_point_byes": "no"})
    refused = run("bye", folder, "A", "--points", 1)
    assert refused.exit_code == 2
    assert "To give A a half-point bye nevertheless" in refused.stderr
    assert "--sure" in refused.stderr
