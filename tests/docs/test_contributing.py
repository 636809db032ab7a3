"""CONTRIBUTING.md: what it adds line by line is added to a copy of the project and tested there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

pytestmark = pytest.mark.long
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"`([\w/]+\.py)`:\n\n```python\n(.*?)```", TEXT, flags=re.DOTALL))
MODULE = "pairopt/rules/criteria/rested.py"
ORACLE, EVENTS = "tests/support/oracle.py", "tests/support/events.py"
FORMAT = "pairopt/files/formats/roll_text.py"
ENGINE = [f"pairopt/engines/in_order/{name}.py" for name in ("__init__", "engine")]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package, its models, and the tests that the text names."""
    here = tmp_path / "copy"
    for name in ("pairopt", "models", "examples", "tests/support", "tests/rules"):
        shutil.copytree(ROOT / name, here / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", here)
    return here


def run(here: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(here)},
        capture_output=True,
        encoding="utf-8",
    )


def add_criterion(here: Path) -> None:
    (here / MODULE).write_text(BLOCKS[MODULE], encoding="utf-8")
    with (here / ORACLE).open("a", encoding="utf-8") as file:
        file.write("\n\n" + BLOCKS[ORACLE])
    events = (here / EVENTS).read_text(encoding="utf-8")
    begins = re.search(r"^CRITERIA: .* = \{\n", events, flags=re.MULTILINE)
    assert begins is not None
    added = events[: begins.end()] + BLOCKS[EVENTS] + events[begins.end() :]
    (here / EVENTS).write_text(added, encoding="utf-8")


def test_a_criterion_is_its_module_the_oracle_and_the_events(copy: Path) -> None:
    assert set(BLOCKS) == {MODULE, ORACLE, EVENTS, FORMAT, *ENGINE}
    add_criterion(copy)
    (command,) = re.findall(r"`(pytest [^`]*)`", TEXT[TEXT.index("That is all") :])[:1]
    done = run(copy, *command.split(), "-p", "no:cacheprovider")
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout  # brute force, the classes, and what is left out


def test_a_criterion_that_forgets_its_pairs_is_caught(copy: Path) -> None:
    add_criterion(copy)
    module = copy / MODULE
    less = re.sub(r"    def pairs.*?\n\n", "", BLOCKS[MODULE], flags=re.DOTALL)
    assert less != BLOCKS[MODULE]
    module.write_text(less, encoding="utf-8")
    done = run(
        copy, "pytest", "tests/rules/test_contract.py", "-k", "rested", "-p", "no:cacheprovider"
    )
    assert done.returncode == 1, done.stdout
    assert "rested reads more than it says" in done.stdout


def test_a_format_is_its_module(copy: Path) -> None:
    event = copy / "club.roll"
    event.write_text("Players:\nAnn\nBob\n", encoding="utf-8")
    assert run(copy, "pairopt", "solve", "club.roll").returncode == 3
    (copy / FORMAT).write_text(BLOCKS[FORMAT], encoding="utf-8")
    done = run(copy, "pairopt", "solve", "club.roll", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert {"Ann", "Bob"} <= set(done.stdout.replace("\n", ",").split(","))
    event.write_text("Players:\nAnn\nAnn\n", encoding="utf-8")
    again = run(copy, "pairopt", "solve", "club.roll")
    assert (again.returncode, "expected each name once" in again.stderr) == (3, True)
    bad = copy / "other.txt"
    bad.write_text("nothing known\n", encoding="utf-8")
    assert "a roll of players" in run(copy, "pairopt", "solve", "other.txt").stderr


def test_an_engine_is_its_folder(copy: Path) -> None:
    (copy / ENGINE[0]).parent.mkdir()
    for name in ENGINE:
        (copy / name).write_text(BLOCKS[name], encoding="utf-8")
    event = ["examples/weekly/matches.csv", "--players", "examples/weekly/players.csv"]
    done = run(copy, "pairopt", "solve", *event, "--engine", "in_order", "--model", "double-sided")
    assert done.returncode == 0, done.stderr
    assert "Made by a procedure that proves nothing." in done.stdout + done.stderr
    assert "in_order" in run(copy, "pairopt", "solve", "--help").stdout
