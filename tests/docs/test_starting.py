"""start.sh and its like: one double-click, and what they say where it can't go on."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from interrupts import hear_interrupts
from places import ROOT
from waiting import PATIENCE

pytestmark = pytest.mark.skipif(
    os.name != "posix", reason="start.sh is for POSIX systems"
)
SHELL = str(shutil.which("sh"))
TOOLS = ("cat", "cmp", "cp", "dirname", "mkdir", "sh", "tail")
"""All that start.sh needs of a system, besides Python."""
PYTHON = """#!/bin/sh
# a stand-in for Python, which makes an environment with itself, and says how it was called
case "$1" in
  -c) exec {real} "$@" ;;
  --version) echo "Python 3.11.7" ;;
  -m)
    echo "$2 $3 $4 $5" >> "$HOME/calls"
    case "$2" in
      venv) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
      pip) {pip} ;;
      pairopt) echo "serving $(pwd -P)"; {serve} ;;
    esac ;;
esac
"""
OLD = '#!/bin/sh\n[ "$1" = --version ] || exit 1\necho "Python 3.9.2"\n'
SCRIPTS = ["start.sh", "start.command"]


class Computer:
    """A new computer: an empty home, the folder of pairopt, and a few programs."""

    def __init__(self, place: Path) -> None:
        self.home, self.folder, self.bin = (
            place / "home",
            place / "my pairopt",
            place / "bin",
        )
        for folder in (self.home, self.bin, self.folder / "pairopt"):
            folder.mkdir(parents=True)
        for name in (*SCRIPTS, "pairopt/version.py"):
            shutil.copy(ROOT / name, self.folder / name)
        for tool in TOOLS:
            (self.bin / tool).symlink_to(str(shutil.which(tool)))

    def with_program(self, name: str, code: str) -> None:
        path = self.bin / name
        path.unlink(missing_ok=True)
        path.write_text(code)
        path.chmod(0o755)

    def with_python(self, pip: str = ":", serve: str = ":") -> None:
        self.with_program(
            "python3", PYTHON.format(real=sys.executable, pip=pip, serve=serve)
        )

    def start(
        self, script: str = "start.sh", *options: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [SHELL, self.folder / script, *options],
            text=True,
            cwd=self.home,
            env={"HOME": str(self.home), "PATH": str(self.bin)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )

    def calls(self) -> list[str]:
        """What Python was asked to run so far."""
        return (self.home / "calls").read_text().splitlines()


@pytest.fixture
def computer(tmp_path: Path) -> Computer:
    return Computer(tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("script", SCRIPTS)
def test_it_is_set_up_once_and_served_each_time(
    script: str, computer: Computer
) -> None:
    computer.with_python()
    first, second = computer.start(script), computer.start(script)
    assert (first.returncode, second.returncode) == (0, 0), first.stdout
    assert "pairopt is set up once" in first.stdout
    assert "pairopt is set up once" not in second.stdout
    events = computer.home / "pairopt-events"
    assert f"serving {events}" in first.stdout
    assert f"Your events are in {events}" in second.stdout
    run = [call.split()[0] for call in computer.calls()]
    assert run == ["venv", "pip", "pairopt", "pairopt"]
    assert computer.calls()[1] == f"pip install --quiet {computer.folder}[web]"


def test_another_version_is_set_up_again(computer: Computer) -> None:
    computer.with_python()
    computer.start()
    (computer.folder / "pairopt/version.py").write_text('__version__ = "99"\n')
    assert "pairopt is set up once" in computer.start().stdout


def test_a_set_up_that_was_stopped_is_done_again(computer: Computer) -> None:
    computer.with_python(pip="exit 1")
    assert computer.start().returncode == 1
    computer.with_python()
    assert computer.start().returncode == 0


def without_python(computer: Computer) -> None:
    """There is none."""


def with_old_python(computer: Computer) -> None:
    computer.with_program("python3", OLD)


def without_network(computer: Computer) -> None:
    computer.with_python(pip="echo 'ERROR: No matching distribution'; exit 1")


def in_a_read_only_folder(computer: Computer) -> None:
    computer.with_python()
    computer.with_program("mkdir", "#!/bin/sh\nexit 1\n")


def with_a_port_that_is_taken(computer: Computer) -> None:
    computer.with_python(serve="echo 'Error: port 8440 cannot be used'; exit 2")


@pytest.mark.parametrize(
    ("prepare", "sentences"),
    [
        (without_python, ["There is no Python", "https://www.python.org/downloads/"]),
        (with_old_python, ["has Python 3.9.2", "needs Python 3.11 or later"]),
        (without_network, ["No matching distribution", "connected to the internet?"]),
        (
            in_a_read_only_folder,
            ["This folder can't be written", "Copy the whole folder"],
        ),
        (with_a_port_that_is_taken, ["port 8440 cannot be used", "sh start.sh --port"]),
    ],
)
def test_where_it_cannot_go_on_it_says_what_to_do(
    prepare: Callable[[Computer], None], sentences: list[str], computer: Computer
) -> None:
    prepare(computer)
    done = computer.start()
    assert done.returncode == 1
    for sentence in sentences:
        assert sentence in done.stdout
    assert "Traceback" not in done.stdout


def test_ctrl_c_is_an_ordinary_end(computer: Computer) -> None:
    computer.with_python(serve="exit 130")
    done = computer.start()
    assert done.returncode == 0
    assert "ended with the error" not in done.stdout


def test_the_file_for_windows_has_each_place_that_it_goes_to() -> None:
    """No Windows is at hand: this looks at the file alone."""
    raw = (ROOT / "start.bat").read_bytes()
    assert raw.count(b"\r\n") == raw.count(b"\n")
    code = raw.decode("ascii")
    labels = re.findall(r"^:(\w+)", code, re.MULTILINE)
    assert len(labels) == len({*labels})
    assert {*re.findall(r"goto (\w+)", code)} == {*labels}
    variables = {*re.findall(r'set "(\w+)=', code)} | {"USERPROFILE"}
    assert {*re.findall(r"%(\w+)%", code)} <= variables
    assert all(line.count('"') % 2 == 0 for line in code.splitlines())


def test_the_scripts_are_programs() -> None:
    for name in SCRIPTS:
        assert os.access(ROOT / name, os.X_OK), name
        done = subprocess.run([SHELL, "-n", ROOT / name], check=False)
        assert done.returncode == 0


def test_the_oldest_python_is_that_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    least = re.fullmatch(r">=(\d+)\.(\d+)", project["requires-python"])
    assert least is not None
    for name in ("start.sh", "start.bat"):
        code = (ROOT / name).read_text("utf-8")
        assert f"sys.version_info < ({', '.join(least.groups())})" in code


@pytest.mark.slow
def test_a_real_set_up_on_a_new_computer(tmp_path: Path) -> None:
    """A real set-up with an empty home; it asks the package index for what pairopt needs."""
    folder = tmp_path / "my pairopt"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".*", "__pycache__"))
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith("PYTHON")
    }
    with subprocess.Popen(
        [SHELL, folder / "start.sh", "--no-browser"],
        text=True,
        preexec_fn=hear_interrupts,
        env={**kept, "HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if "Ctrl-C ends" in line:
                break
        os.killpg(process.pid, signal.SIGINT)
        process.wait(PATIENCE)
    assert any("http://127.0.0.1:" in line for line in said), "".join(said)
    assert (tmp_path / "pairopt-events").is_dir()
