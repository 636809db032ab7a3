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
COMMAND = "from pairopt.__main__ import run; run()"


def started(*arguments: object) -> subprocess.Popen[str]:
    return _started("-c", COMMAND, *arguments)


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
@pytest.mark.parametrize(
    ("group", "times"),
    [
        (True, 1),
        pytest.param(False, 1, marks=pytest.mark.slow),
        pytest.param(True, 3, marks=pytest.mark.slow),
    ],
)
def test_a_long_solve(hard: Sequence[object], group: bool, times: int) -> None:
    process = started(*hard, "-o", "/dev/null")
    time.sleep(3)
    interrupt(process, group, times)


def test_files_that_are_being_written_are_waited_for(tmp_path: Path) -> None:
    slow = (
        "import sys, time; import pairopt.__main__ as it; from pathlib import Path\n"
        "from pairopt.files import write\n"
        "def move(self, target, real=Path.replace):\n"
        "    Path('begun').touch(); time.sleep(1); real(self, target)\n"
        "def command():\n"
        "    Path.replace = move\n"
        "    write.write_all({Path('one'): '1', Path('two'): '2'}); time.sleep(60)\n"
        "it._run_command = command; it.run()"
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
    process = started("pair", folder, "--lookahead", "30", "--time-limit", "1000")
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
    process = started(*many, "--jobs", "2")
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


def test_exit_codes_are_handed_on() -> None:
    for arguments, code in (
        (["models"], 0),
        (["models", "none"], 2),
        (["solve", "none"], 3),
    ):
        done = subprocess.run(
            [sys.executable, "-c", COMMAND, *arguments],
            capture_output=True,
            check=False,
        )
        assert done.returncode == code


def test_ctrl_c_that_is_ignored_stays_so() -> None:
    """As after `nohup pairopt … &`, where a shell ignores it for the whole group."""
    ignored = (
        "import os, signal, pairopt.__main__ as it\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "it._run_command = lambda: os.kill(os.getpid(), signal.SIGINT) or print('done')\n"
        "it.run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", ignored], capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"done\n", b"")
