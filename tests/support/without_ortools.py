"""Run commands in a process of their own in which OR-Tools cannot be imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from places import ROOT

RUN = """
import json
import sys

blocked = sys.argv[1] == "blocked"


class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "ortools":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


if blocked:
    sys.meta_path.insert(0, Blocker())

from click.testing import CliRunner

from pairopt.cli import main

for arguments in json.load(sys.stdin):
    done = CliRunner().invoke(main, arguments)
    fault = "" if isinstance(done.exception, SystemExit | None) else repr(done.exception)
    print(json.dumps([done.exit_code, done.stdout, done.stderr, fault]))

if blocked:
    assert not [name for name in sys.modules if name.partition(".")[0] == "ortools"]
"""


@dataclass(frozen=True)
class Done:
    """What a command said; `fault` is an exception that is no exit."""

    code: int
    stdout: str
    stderr: str
    fault: str


def run_commands(
    folder: Path, *commands: list[str], blocked: bool = True
) -> list[Done]:
    """Run command lines one after another, in a folder; `blocked` means without OR-Tools."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", RUN, "blocked" if blocked else "as it is"],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    return [Done(*json.loads(line)) for line in done.stdout.splitlines()]
