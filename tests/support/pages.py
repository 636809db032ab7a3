"""The pages people read, README.md and docs/*.md: their code blocks, and how these are run."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest
from click.testing import CliRunner
from places import ROOT

from pairopt.cli import fide, main

RESULTS = ROOT / "tests" / "benchmarks" / "results"
README = ROOT / "README.md"
PAGES = [
    README,
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/how-to").glob("*.md")),
    *sorted((ROOT / "docs/studies").glob("*.md")),
    *sorted((ROOT / "docs/extend").glob("*.md")),
]
SETUP = "python3 -m venv"
"""What tells the blocks that .ci/run runs."""

Folder = Path


def text(path: Path) -> str:
    """A page as it is stored."""
    return path.read_text(encoding="utf-8")


def page(name: str) -> str:
    """The page docs/NAME.md."""
    return text(ROOT / "docs" / f"{name}.md")


def blocks(content: str, language: str) -> list[str]:
    """The code blocks of a language."""
    return re.findall(
        rf"^```{language}\n(.*?)^```", content, flags=re.DOTALL | re.MULTILINE
    )


def named_files(content: str) -> dict[str, str]:
    """The code blocks that a page introduces by a file's name, for example "`rules.py`:"."""
    found = re.findall(
        r"^`([\w-]+\.\w+)`:\n\n```\w+\n(.*?)^```",
        content,
        flags=re.DOTALL | re.MULTILINE,
    )
    return dict(found)


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command line with this environment's pairopt for `pairopt`."""
    return _finished(["bash", "-euc", _ours(command)], folder)


PLAIN = re.compile(r"pairopt(-fide)? [^\\|<>;&$`*?#(){}~]*")


def plain_lines(block: str) -> list[str]:
    """The commands of a block, a line each; none where one needs more of a shell than quotes."""
    lines = [line.removeprefix(".venv/bin/") for line in block.strip().splitlines()]
    return lines if all(map(PLAIN.fullmatch, lines)) else []


def run_here(command: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit code of a single command in this process, and folder, and all that it says."""
    name, *words = shlex.split(command)
    if name == "pairopt":
        done = CliRunner().invoke(main, words)
        return done.exit_code, done.output
    assert name == "pairopt-fide"
    code = 0
    with contextlib.suppress(SystemExit), patch("sys.stdin", io.StringIO()):
        code = fide.run_command(words, name)
    return code, "".join(capsys.readouterr())


def said_first(command: str, folder: Path) -> str:
    """The first line that a command says which does not end by itself; then it is ended."""
    words = ["bash", "-euc", f"exec {_ours(command)}"]
    with subprocess.Popen(
        words,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        try:
            return process.stderr.readline()
        finally:
            process.kill()


def _ours(command: str) -> str:
    own = {
        "pairopt": "-m pairopt",
        "pairopt-fide": "-c 'from pairopt.__main__ import run_fide; run_fide()'",
    }
    return re.sub(
        r"(^|\n)(?:\.venv/bin/)?(pairopt(?:-fide)?) ",
        lambda found: f'{found[1]}"{sys.executable}" {own[found[2]]} ',
        command,
    )


def run_python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python code."""
    return _finished([sys.executable, "-c", code], folder)


def _finished(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
