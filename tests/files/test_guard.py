"""Nothing that was typed is lost: what holds results, or is read, is not replaced."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result
from places import ROOT, SAMPLE

from pairopt.cli import main
from pairopt.errors import UsageError
from pairopt.files.overwrite_guard import require_free


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def players(tmp_path: Path) -> Path:
    path = tmp_path / "players.csv"
    pd.DataFrame({"player": list("ABCD")}).to_csv(path, index=False)
    return path


@pytest.fixture
def matches(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLE / "matches.csv", tmp_path / "matches.csv"))


def refused(done: Result, path: Path, before: bytes) -> None:
    assert done.exit_code == 2, done.output
    assert str(path) in done.stderr
    assert "--overwrite" in done.stderr
    assert path.read_bytes() == before


def test_the_same_command_twice_keeps_the_results_typed_in_between(
    players: Path, tmp_path: Path
) -> None:
    output = tmp_path / "round1.csv"
    command = ["solve", players, "-o", output]
    assert run(*command).exit_code == 0
    assert run(*command, "--seed", 1).exit_code == 0  # nobody has typed anything yet
    frame = pd.read_csv(output, dtype=str)
    frame.loc[0, ["score1", "score2"]] = ["3", "0"]
    frame.to_csv(output, index=False)
    refused(run(*command), output, output.read_bytes())
    assert run(*command, "--overwrite").exit_code == 0
    assert pd.read_csv(output)["score2"].isna().all()


@pytest.mark.parametrize("more", [("solve", "-o"), ("standings", "-o")])
def test_what_is_read_is_not_replaced(more: tuple[str, str], matches: Path) -> None:
    command, option = more
    before = matches.read_bytes()
    refused(run(command, matches, option, matches), matches, before)


def test_a_report_does_not_replace_what_is_read(matches: Path) -> None:
    """A report has an ending of its own, but so may a file that is read."""
    before = matches.read_bytes()
    other_ending = run("solve", matches, "--report", matches)
    assert other_ending.exit_code == 2
    assert "The report needs a name that ends in .html" in other_ending.stderr
    assert matches.read_bytes() == before

    link = matches.with_suffix(".html")
    link.symlink_to(matches)
    refused(run("solve", matches, "--report", link), link, before)


def test_the_players_file_is_not_replaced(players: Path, matches: Path) -> None:
    shutil.copy(SAMPLE / "players.csv", players)
    before = players.read_bytes()
    refused(run("solve", matches, "--players", players, "-o", players), players, before)
    refused(run("standings", matches, "-o", players), players, before)


def test_however_the_path_of_what_is_read_is_spelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, link = tmp_path / "read.csv", tmp_path / "link.csv"
    link.symlink_to(file)
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    spelled = [file, link, tmp_path / "sub" / ".." / "read.csv", Path("read.csv")]
    for output in spelled:
        for read in spelled:
            with pytest.raises(UsageError, match="is also the input file"):
                require_free([output], [None, read])
            with pytest.raises(UsageError, match="for two outputs"):
                require_free([output, read])
    require_free([file], [tmp_path / "other.csv"])


@pytest.mark.long
def test_other_commands_keep_results_too(matches: Path, tmp_path: Path) -> None:
    before = matches.read_bytes()
    refused(
        run("simulate", "--rounds", 1, "--players", 4, "-o", tmp_path), matches, before
    )
    compared = run(
        "compare",
        SAMPLE / "matches.csv",
        "--players",
        SAMPLE / "players.csv",
        "--models",
        "standard,double-sided",
        "-o",
        matches,
    )
    refused(compared, matches, before)
    refused(run("convert", SAMPLE / "matches.csv", matches), matches, before)


def test_an_event_in_another_format_is_kept(tmp_path: Path, players: Path) -> None:
    data = ROOT / "tests" / "data"
    for path in (*data.glob("*.json"), *data.glob("*.trf")):
        mine = Path(shutil.copy(path, tmp_path / path.name))
        refused(run("solve", players, "-o", mine), mine, mine.read_bytes())


@pytest.mark.long
def test_an_answer_of_solve_may_be_made_again(tmp_path: Path, players: Path) -> None:
    for name in ("round1.json", "round1.csv", "round1.txt"):
        for seed in (0, 1):
            done = run("solve", players, "-o", tmp_path / name, "--seed", seed)
            assert done.exit_code == 0, done.stderr
