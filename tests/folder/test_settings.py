"""Settings of an event folder: `pairopt set`, a step like any other."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from telling import said_by
from test_verbs import content, finish, made, run

from pairopt import UsageError, read_event
from pairopt.event.settings import SETTINGS
from pairopt.folder import change, pair, undo
from pairopt.folder.journal import Journal
from pairopt.folder.open_folder import read_folder_state
from pairopt.folder.settings import read_current_settings

OWN = """# mine
title = "Weekly" # of the club
forbid = [["A", "B"]]

[points]
win = 1
draw = 0.5

[[byes]]
player = "E"
round = 2

[[conflicts]]
column = "club"
place = 2
"""
VALUES = [
    ("title", "Größe 5", "Größe 5"),
    ("rounds", "5", 5),
    ("sides", "white,black", ["white", "black"]),
    ("sides", "none", []),
    ("seed", "7", 7),
    ("tie_breaks", "sos, esos", ["sos", "esos"]),
    ("first_round", "fold", "fold"),
    ("lookahead", "2", 2),
    (
        "conflicts",
        "active, Active:2",
        [{"column": "active"}, {"column": "Active", "place": 2}],
    ),
    ("proofs", "false", False),
    ("model", "monrad", "monrad"),
]


def said_in(folder: Path) -> dict[str, object]:
    return tomllib.loads((folder / "event.toml").read_text("utf-8"))


@pytest.mark.parametrize(("key", "text", "value"), VALUES)
def test_each_setting_is_written_and_undone(
    tmp_path: Path, key: str, text: str, value: object
) -> None:
    folder = made(tmp_path / "event", sides=["corp", "runner"])
    before = content(folder)
    done = run("set", folder, key, text)
    assert done.exit_code == 0, done.output
    assert said_in(folder)[key] == value
    assert Journal(folder).steps()[-1].verb == "set"
    assert read_current_settings(read_folder_state(folder))[key] == text.replace(
        ", ", ","
    )
    undo(folder)
    assert content(folder) == before


@pytest.mark.parametrize(
    ("model", "key", "text", "why"),
    [
        (
            "standard",
            "conflicts",
            "town",
            "column 'town', but players.csv has only these columns: active",
        ),
        ("fide-dutch", "lookahead", "2", "looks at one round only"),
        ("fide-dutch", "conflicts", "active:1", "has a fixed order of rules"),
    ],
)
def test_nothing_is_settled_with_which_no_round_can_be_paired(
    tmp_path: Path, model: str, key: str, text: str, why: str
) -> None:
    folder = made(
        tmp_path / "event", model=model, sides=["white", "black"], points="1-0.5-0"
    )
    before = content(folder)
    with pytest.raises(UsageError, match=why):
        change(folder, {key: text})
    assert content(folder) == before
    with pytest.raises(UsageError, match=why):
        made(tmp_path / "other", model=model, sides=["white", "black"], **{key: text})
    assert not (tmp_path / "other").exists()


def test_what_it_says_of_itself_changes_nothing(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    (folder / "event.toml").write_text(OWN)
    steps = len(Journal(folder).steps())
    done = change(folder, dict(read_current_settings(read_folder_state(folder))))
    assert done.step is None
    assert (folder / "event.toml").read_text() == OWN
    assert len(Journal(folder).steps()) == steps


def test_what_else_the_file_says_stays_as_it_was(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    (folder / "event.toml").write_bytes(OWN.replace("\n", "\r\n").encode())
    done = change(
        folder, {"rounds": "4", "title": "Monday", "points.bye": "½", "conflicts": None}
    )
    assert said_by(done) == (
        "title: Monday (before: Weekly)",
        "rounds: 4",
        "conflicts: removed (before: club:2)",
        "points.bye: 0.5",
    )
    text = (folder / "event.toml").read_bytes().decode()
    assert "# mine\r\n" in text
    assert "# of the club" in text
    assert "\n" not in text.replace("\r\n", "")
    now = said_in(folder)
    assert now["forbid"] == [["A", "B"]]
    assert now["points"] == {"win": 1, "draw": 0.5, "bye": 0.5}
    assert "conflicts" not in now
    assert read_event(folder).settings.rounds == 4


@pytest.mark.parametrize(
    ("points", "win", "games"),
    [("3-1-0", 3, None), ("1-½-0", 1, None), ("3-1-0x2", 3, 2)],
)
def test_points(tmp_path: Path, points: str, win: int, games: int | None) -> None:
    folder = made(tmp_path / "event", points="2-1-0")
    change(folder, {"points": points, "points.requested_bye": "0.5"})
    table = said_in(folder)["points"]
    assert isinstance(table, dict)
    assert (table["win"], table.get("games"), table["requested_bye"]) == (
        win,
        games,
        0.5,
    )
    assert read_current_settings(read_folder_state(folder))["points"] == points.replace(
        "½", "0.5"
    )
    change(folder, {"points": "2-1-0"})
    assert "games" not in said_in(folder)["points"]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("rounds", "0", "rounds is 0. Give a number from 1 to 500."),
        ("rounds", "five", "rounds is five. Give a number from 1 to 500."),
        ("rounds", "9" * 30, "from 1 to 500"),
        ("sides", "white", "Write two labels with a comma"),
        ("tie_breaks", "luck", "There is no tie-break 'luck'"),
        ("lookahead", "all", '"all" needs the number of rounds'),
        ("initial_side", "white", "this event has no sides"),
        ("points", "1-2-0", "A win must give more points than a loss"),
        ("points.bye", "x", "Write a number of points"),
        ("proofs", "perhaps", "Write true or false."),
        ("model", "nobody", "nobody"),
        (
            "forbid",
            "A,B",
            "There is no setting 'forbid'. The settings are: title, fide, model, rounds,",
        ),
        ("round", "5", "There is no setting 'round'. Did you mean rounds?"),
        ("conflicts", "club:x", "conflicts is x. Give a number from 1 to 1000000."),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    tmp_path: Path, key: str, value: str, told: str
) -> None:
    folder = made(tmp_path / "event", sides=[])
    before = content(folder)
    done = run("set", folder, key, value)
    assert done.exit_code == 2, done.output
    assert told in done.stderr
    assert content(folder) == before


@pytest.mark.long
def test_a_round_that_is_paired(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    for _ in range(2):
        pair(folder)
        finish(folder)
    with pytest.raises(
        UsageError,
        match="The event can't have only 1 rounds, because round 2 is already paired",
    ):
        change(folder, {"rounds": "1"})
    assert "Rounds 1 to 2 stay as they were paired." in said_by(
        change(folder, {"model": "monrad"})
    )
    with pytest.raises(UsageError, match="3"):
        change(folder, {"points": "1-½-0"})


def test_a_model_of_ones_own_comes_into_the_folder(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    own = tmp_path / "club.toml"
    own.write_text(
        (Path("models") / "standard.toml").read_text().replace("standard", "club", 1)
    )
    change(read_folder_state(folder), {"model": str(own)})
    assert not (folder / "club.toml").exists()
    change(folder, {"model": str(own)})
    assert said_in(folder)["model"] == "club.toml"
    assert pair(folder).result.model == "club"  # type: ignore[union-attr]
    assert change(folder, {"model": "club.toml"}).step is None
    own.write_text(own.read_text() + "# other\n")
    with pytest.raises(
        UsageError, match=r"already contains a different file club\.toml"
    ):
        change(folder, {"model": str(own)})


@pytest.mark.long
def test_a_value_or_off(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", rounds=5)
    assert run("set", folder, "rounds").exit_code == 2
    assert run("set", folder, "rounds", "5", "--off").exit_code == 2
    assert "rounds: removed (before: 5)" in run("set", folder, "rounds", "--off").output
    assert "rounds" not in said_in(folder)
    assert all(run("set", folder, key, "--off").exit_code == 0 for key in SETTINGS)
