"""A chess file is paired by the system that it names, else by the Dutch one, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from dutch_cases import SECOND
from notes import notes_of
from telling import said_by

from pairopt import UsageError, read_event, solve, write_event
from pairopt.cli import main
from pairopt.folder.create import new

REFUSED = [
    "192 FIDE_DUBOV",
    "192 FIDE_DUBOV_BAKU",
    "192 FIDE_DUTCH_2017",
    "192 FIDE_TEAM",
    "192 FIDE_LIM",
    "192 FIDE_DOUBLESWISS",
    "192 CUSTOM_SWISS",
    "192 AMALFI",
    "192 something",
    "092 FIDE_DUBOV",
    "092 Individual: Swiss Dubov",
    "092 Swiss (Lim)",
    "092 Team: Swiss-System",
    "092 Individual: Round Robin",
]
DUTCH = [
    "",
    "192 FIDE_DUTCH",
    "192 FIDE_DUTCH_2026",
    "192 FIDE_DUTCH_BAKU",
    "192",
    "092 Individual: Swiss-System",
    "092 Swiss Dutch",
    "092 FIDE_DUTCH",
]
ODD_PLACES = ["192 FIDE_DUBOV", "092 Individual: Round Robin"]


def written(folder: Path, *lines: str) -> Path:
    path = folder / "open.trf"
    path.write_text("\n".join(["012 Open", *SECOND, "XXR 8", "XXC white1", *lines, ""]))
    return path


def called(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(main, [str(word) for word in words])
    return done.exit_code, done.stderr


@pytest.mark.parametrize("said", DUTCH)
def test_by_the_dutch_system(tmp_path: Path, said: str) -> None:
    event = read_event(written(tmp_path, said))
    own, dutch = solve(event), solve(event, "fide-dutch")
    assert own.model == "fide-dutch"
    assert own.pairs == dutch.pairs
    assert solve(event, "standard").model == "standard"


def test_by_the_burstein_system(tmp_path: Path) -> None:
    for said in (
        "192 FIDE_BURSTEIN",
        "092 FIDE_BURSTEIN",
        "092 Individual: Swiss Burstein",
    ):
        assert solve(read_event(written(tmp_path, said))).model == "fide-burstein"


@pytest.mark.parametrize("said", REFUSED)
def test_another_system_is_refused(tmp_path: Path, said: str) -> None:
    event = read_event(written(tmp_path, said))
    with pytest.raises(UsageError, match="pairopt doesn't have that system"):
        solve(event)
    assert solve(event, "fide-dutch").model == "fide-dutch"
    assert any(
        note.startswith("The file names a pairing system") for note in notes_of(event)
    )


@pytest.mark.parametrize("said", ODD_PLACES)
@pytest.mark.parametrize(
    "verb", ["solve", "explain", "check --all", "odds", "incentive", "new"]
)
def test_by_every_command_with_2(tmp_path: Path, verb: str, said: str) -> None:
    path, folder = written(tmp_path, said), tmp_path / "made"
    words = (
        ["new", folder, "--players", path] if verb == "new" else [*verb.split(), path]
    )
    code, error = called(*words)
    assert code == 2, error
    assert (
        "pairopt doesn't have that system. Choose another model, for example --model"
        in error
    )
    assert not folder.exists()
    if verb in ("new", "solve", "explain", "check --all"):
        code, error = called(*words, "--model", "standard")
        assert code in (0, 1), error


def test_of_many_files_only_that_one_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    other = tmp_path / "other.trf"
    other.write_text(path.read_text() + "192 FIDE_DUBOV\n")
    done = CliRunner().invoke(main, ["check", "--all", str(path), str(other)])
    assert done.exit_code == 2
    assert f"{path}, round 1: " in done.stdout
    assert f"not checked to the end: {other}" in done.stdout


def test_what_pairs_nothing_does_not_refuse(tmp_path: Path) -> None:
    path = written(tmp_path, "192 FIDE_DUBOV")
    assert called("standings", path)[0] == 0
    assert called("convert", path, tmp_path / "again.trf")[0] == 0
    assert "192 FIDE_DUBOV" in (tmp_path / "again.trf").read_text()
    assert called("solve", tmp_path / "again.trf")[0] == 2


def test_a_folder_of_a_report(tmp_path: Path) -> None:
    done = new(tmp_path / "dutch", written(tmp_path, "022 Riga"))
    assert (
        "Model: fide-dutch (the Dutch System, because this event is chess; change the model with --model)"
        in said_by(done)
    )
    said = tmp_path / "dutch" / "event.toml"
    said.write_text(said.read_text().replace('model = "fide-dutch"\n', ""))
    assert solve(read_event(tmp_path / "dutch")).model == "fide-dutch"
    new(tmp_path / "club", written(tmp_path), model="standard")
    assert solve(read_event(tmp_path / "club")).model == "standard"
    new(tmp_path / "burstein", written(tmp_path, "192 FIDE_BURSTEIN"))
    assert solve(read_event(tmp_path / "burstein")).model == "fide-burstein"


@pytest.mark.long
def test_the_system_survives_a_report(tmp_path: Path) -> None:
    """What is written without its system would be paired by the Dutch one."""
    for model, lost in (
        ("fide-dutch", False),
        ("fide-burstein", False),
        ("standard", True),
    ):
        new(tmp_path / model, written(tmp_path, "192 FIDE_DUBOV"), model=model)
        done = write_event(read_event(tmp_path / model), tmp_path / f"{model}.trf")
        assert (
            "The file leaves out these settings: model, seed." in notes_of(done)
        ) == lost
        assert (
            "The file leaves out these entries of the file that you read (trf): 192."
            in notes_of(done)
        )
        named = "\n192 " in (tmp_path / f"{model}.trf").read_text()
        assert named != lost
        again = solve(read_event(tmp_path / f"{model}.trf"))
        assert again.model == ("fide-dutch" if lost else model)


@pytest.mark.long
@pytest.mark.parametrize(
    ("listed", "fide"),
    [
        ("Name,FideID,Rtg\nAnn,1234,2000\nBob,,1900\n", True),
        ("Name,Title,Rtg\nAnn,wgm,2000\nBob,,1900\n", True),
        ("Name,Title,Rtg\nAnn,Dr,2000\nBob,,1900\n", False),
        ("Name,FideID,Rtg\nAnn,,2000\nBob,,1900\n", False),
        ("Name,Rtg\nAnn,2000\nBob,1900\n", False),
    ],
)
def test_a_list_of_chess_is_in_fide_mode(
    tmp_path: Path, listed: str, fide: bool
) -> None:
    """Players with FIDE numbers or titles play by FIDE's rules unless somebody says otherwise."""
    path = tmp_path / "players.csv"
    path.write_text(listed)
    said = [each.kind for each in new(tmp_path / "open", path).said]
    event = read_event(tmp_path / "open")
    assert event.settings.fide is (True if fide else None)
    assert (event.settings.model == "fide-dutch") == fide
    assert (event.sides == ("white", "black")) == fide
    assert ("new.fide" in said) == fide
    other = read_event(new_folder(tmp_path / "club", path, model="standard"))
    assert other.settings.fide is (False if fide else None)


def new_folder(folder: Path, players: Path, **how: Any) -> Path:
    new(folder, players, **how)
    return folder


@pytest.mark.parametrize("line", ["192 FIDE_DUTCH", "092 FIDE_DUTCH"])
def test_a_report_names_no_system_that_the_event_is_not_paired_by(
    line: str, tmp_path: Path
) -> None:
    for model, kept in (("fide-dutch", True), ("standard", False)):
        new(tmp_path / model, written(tmp_path, line), model=model)
        write_event(read_event(tmp_path / model), tmp_path / f"{model}.trf")
        assert (line in (tmp_path / f"{model}.trf").read_text()) == kept
