"""Whatever is asked: a clean answer, the right exit code, and all outputs or none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result
from places import SAMPLE

from pairopt import UsageError, check, compare, explain, read_event, solve
from pairopt.cli import main

WEEKLY = [
    "solve",
    str(SAMPLE / "matches.csv"),
    "--players",
    str(SAMPLE / "players.csv"),
]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def players_file(folder: Path, *names: str) -> Path:
    path = folder / "players.csv"
    pd.DataFrame({"player": names}).to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--time-limit", "nan"], "time-limit"),
        (["--time-limit", "0"], "time-limit"),
        (["--time-limit", "inf"], "time-limit"),
        (["--workers", "100000"], "workers"),
        (["--lookahead", "-1"], "lookahead"),
        (["--engine", "magic"], "cpsat"),
    ],
)
def test_values_out_of_range_are_usage_errors(given: list[str], said: str) -> None:
    done = run(*WEEKLY, *given)
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stdout == ""


def test_the_interface_refuses_what_a_command_does_not_use() -> None:
    event = read_event(pd.DataFrame({"player": ["A", "B"]}))
    with pytest.raises(UsageError, match="explain has no option 'verify'"):
        explain(event, verify=True)
    with pytest.raises(UsageError, match="check has no option 'choose'"):
        check(event, pd.DataFrame(), choose="uniform")
    with pytest.raises(UsageError, match="compare has no option 'count'"):
        compare(event, ["standard", "monrad"], count=True)
    with pytest.raises(UsageError, match="solve has no option 'speed'"):
        solve(event, speed=1)


def test_a_pair_that_can_be_read_in_two_ways_is_asked_back(tmp_path: Path) -> None:
    path = players_file(tmp_path, "A", "B:C", "A:B", "C")
    done = run("solve", path, "--force", "A:B:C")
    assert done.exit_code == 2
    assert "this may mean 'A' and 'B:C' or 'A:B' and 'C'" in done.stderr


@pytest.mark.long
def test_nothing_is_written_where_one_output_cannot_be(tmp_path: Path) -> None:
    output = tmp_path / "round.csv"
    done = run(
        *WEEKLY, "-o", output, "--report", tmp_path / "no folder" / "report.html"
    )
    assert done.exit_code == 2
    assert not output.exists()
    assert list(tmp_path.iterdir()) == []


def test_a_procedure_is_neither_verified_nor_drawn_from() -> None:
    done = run(*WEEKLY, "--model", "aesops-by-hand", "--verify")
    assert done.exit_code == 0
    assert (
        "There was no cross-check by a second engine: The engine aesops_by_hand is a heuristic"
        in done.stderr
    )
    assert "time limit" not in done.stderr
    for asked in (["--choose", "uniform"], ["--count"]):
        drawn = run(*WEEKLY, "--model", "aesops-by-hand", *asked)
        assert drawn.exit_code == 2
        assert "can't prove that a pairing is optimal" in drawn.stderr


def test_a_full_disk_is_no_missing_pairing() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "pairopt", *WEEKLY],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="pipes are others there")
@pytest.mark.parametrize(
    "asked", [WEEKLY, ["models"], ["--help"]], ids=lambda asked: asked[0]
)
def test_a_reader_who_has_had_enough_is_no_missing_pairing(asked: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "pairopt", *asked],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)
    assert done.returncode == 2
    assert "pipe" not in done.stderr.lower()


@pytest.mark.parametrize(
    "asked",
    [
        ["solve", ""],
        [*WEEKLY, "-o", ""],
        [*WEEKLY, "--report", ""],
        [*WEEKLY[:2], "--players", ""],
        ["check", WEEKLY[1], ""],
        ["convert", WEEKLY[1], ""],
        ["pair", ""],
        ["plot", ""],
        ["standings", WEEKLY[1], "-o", ""],
        ["study", "--players", "8", "--models", "standard", "-o", ""],
        ["simulate", "--players", "8", "--rounds", "2", "-o", ""],
    ],
    ids=" ".join,
)
def test_a_shells_empty_variable_is_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*asked)
    assert done.exit_code == 2
    assert "expected a name, found nothing" in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "code"), [(KeyboardInterrupt, 130), (ZeroDivisionError, 70)]
)
def test_exit_code_1_means_no_pairing_only(
    monkeypatch: pytest.MonkeyPatch, error: type[BaseException], code: int
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("pairopt.cli.solve.solve", fails)
    assert run(*WEEKLY).exit_code == code


def test_what_a_file_says_cannot_steer_the_terminal(tmp_path: Path) -> None:
    path = players_file(tmp_path, "A", "B\x1b[31m", "C")
    for more in (
        ["--bye", "nobody\x1b[2J"],
        ["--force", "A:B\x1b[31m", "--forbid", "A:B\x1b[31m"],
    ):
        done = run("solve", path, *more)
        assert done.exit_code in (1, 2)
        assert "\x1b" not in done.stdout + done.stderr
        assert done.stderr
