"""Ctrl-C, in processes of their own: one line, exit code 130, files whole or not there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from interrupts import PATIENCE, hear_interrupts
from test_commands import run

from pairopt.common.atomic_write import EXIT_INTERRUPTED, INTERRUPTED
from pairopt.lab.studies.run import read_rounds

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        sys.platform == "win32", reason="signals are sent as POSIX has them"
    ),
]
COMMAND = "from pairopt.__main__ import share, {0}; share(); {0}()"
WAYS = ["in_child", "in_thread"] if sys.platform == "linux" else ["in_thread"]
"""How the command is run: the second is for other systems, and works everywhere."""


def started(way: str, *arguments: object) -> subprocess.Popen[str]:
    return _started("-c", COMMAND.format(way), *arguments)


def _started(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        text=True,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=hear_interrupts,
    )


def interrupt(
    process: subprocess.Popen[str], group: bool = False, times: int = 1
) -> None:
    """Send the signal, and see that the process ends by it and says so in one line.

    A terminal sends the signal to the `group`, another program to the process alone. What is
    interrupted would take minutes, and end with another code.
    """
    for turn in range(times):
        time.sleep(0.3 * (turn > 0))  # else they would be heard as one
        (os.killpg if group else os.kill)(process.pid, signal.SIGINT)
    try:
        code = process.wait(PATIENCE)
        out, said = process.communicate(timeout=PATIENCE)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    lines = [
        line for line in said.splitlines() if not line.startswith("  ")
    ]  # no progress
    assert (code, out, lines) == (EXIT_INTERRUPTED, "", [INTERRUPTED])


@pytest.fixture
def hard(tmp_path: Path) -> Sequence[object]:
    """A round that takes CP-SAT minutes: 30 more rounds without a rematch, of 31."""
    run("simulate", "--players", "32", "--rounds", "1", "-o", tmp_path / "event")
    return (
        "solve",
        tmp_path / "event" / "matches.csv",
        "--lookahead",
        "30",
        "--time-limit",
        "1000",
    )


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("group", "times"),
    [
        (True, 1),
        pytest.param(False, 1, marks=pytest.mark.slow),
        pytest.param(True, 3, marks=pytest.mark.slow),
    ],
)
def test_a_long_solve(
    hard: Sequence[object], way: str, group: bool, times: int
) -> None:
    process = started(way, *hard, "-o", "/dev/null")
    time.sleep(3)
    interrupt(process, group, times)


@pytest.mark.skipif("in_child" not in WAYS, reason="a thread cannot be")
def test_a_call_that_lets_nobody_else_run() -> None:
    stuck = (
        "import re; import pairopt.__main__ as it\n"
        "it._command = lambda: print(re.fullmatch('(a*)*b', 'a' * 60))\n"
        "it.run()"
    )
    process = _started("-c", stuck)
    time.sleep(1)
    interrupt(process)


@pytest.mark.parametrize("way", WAYS)
def test_files_that_are_being_written_are_waited_for(tmp_path: Path, way: str) -> None:
    slow = (
        "import sys, time; import pairopt.__main__ as it; from pathlib import Path\n"
        "from pairopt.files import write\n"
        "def move(self, target, real=Path.replace):\n"
        "    Path('begun').touch(); time.sleep(1); real(self, target)\n"
        "def command():\n"
        "    Path.replace = move\n"
        "    write.write_all({Path('one'): '1', Path('two'): '2'}); time.sleep(60)\n"
        f"it._command = command; it.share(); it.{way}()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", slow],
        cwd=tmp_path,
        text=True,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=hear_interrupts,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    while not (tmp_path / "begun").exists():
        assert process.poll() is None
        time.sleep(0.05)
    interrupt(process, group=True, times=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["begun", "one", "two"]


@pytest.mark.slow
def test_a_folder_is_as_before(tmp_path: Path, hard: Sequence[object]) -> None:
    folder = tmp_path / "folder"
    assert (
        run(
            "new",
            folder,
            "--players",
            tmp_path / "event" / "players.csv",
            "--sides",
            "corp,runner",
        ).exit_code
        == 0
    )
    (folder / "matches.csv").write_bytes(
        (tmp_path / "event" / "matches.csv").read_bytes()
    )
    assert run("drop", folder, "p1").exit_code == 0  # a first step
    assert run("drop", folder, "p1", "--off").exit_code == 0
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    process = started(
        WAYS[0], "pair", folder, "--lookahead", "30", "--time-limit", "1000"
    )
    time.sleep(3)
    interrupt(process)
    assert {
        path: path.read_bytes() for path in folder.rglob("*") if path.is_file()
    } == before


@pytest.mark.slow
@pytest.mark.parametrize("group", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_study_in_several_processes_goes_on_where_it_was(
    tmp_path: Path, group: bool
) -> None:
    pytest.importorskip("joblib")
    study = ["study", "--players", 8, "--rounds", 3, "--models", "excalibur"]
    many = [*study, "--replicates", "4000", "-o", tmp_path / "study"]
    process = started(WAYS[0], *many, "--jobs", "2")
    parts = tmp_path / "study" / "games.parts"
    while not parts.is_dir() or len(list(parts.iterdir())) < 5:
        assert process.poll() is None
        time.sleep(0.05)
    interrupt(process, group)
    kept = list(parts.iterdir())
    assert [path for path in kept if path.name.startswith(".")] == []
    (tmp_path / "study" / "study.toml").unlink()
    few = [*study, "--replicates", "30", "-o"]
    assert run(*few, tmp_path / "study").exit_code == 0
    assert run(*few, tmp_path / "again").exit_code == 0
    for name in ("games.parquet", "tournaments.csv", "results.json"):
        one, two = (tmp_path / folder / name for folder in ("study", "again"))
        assert one.read_bytes() == two.read_bytes()
    assert len(read_rounds(tmp_path / "again")) == 90


@pytest.mark.skipif("in_child" not in WAYS, reason="there is no child")
@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.slow
def test_the_child_ends_with_whoever_waits_for_it(
    hard: Sequence[object], by: int
) -> None:
    process = started("in_child", *hard)
    time.sleep(3)
    process.send_signal(by)
    process.communicate(timeout=PATIENCE)  # the child holds the other ends
    assert process.returncode == -by


def test_exit_codes_are_handed_on() -> None:
    for arguments, code in (
        (["models"], 0),
        (["models", "none"], 2),
        (["solve", "none"], 3),
    ):
        done = [
            subprocess.run(
                [sys.executable, "-c", COMMAND.format(way), *arguments],
                capture_output=True,
                check=False,
            )
            for way in WAYS
        ]
        assert {each.returncode for each in done} == {code}
        assert len({(each.stdout, each.stderr) for each in done}) == 1
