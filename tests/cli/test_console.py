"""Consoles that are not UTF-8: what they do not have is replaced; files are UTF-8 all the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

NAMES = ["Žofie Ščasná", "Łukasz", "名前", "Ann ½", "Éva"]


@pytest.mark.long
@pytest.mark.parametrize(
    "encoding",
    ["ascii", *(pytest.param(e, marks=pytest.mark.slow) for e in ("cp1252", "utf-8"))],
)
def test_any_console(tmp_path: Path, encoding: str) -> None:
    players = tmp_path / "players.csv"
    players.write_text("\n".join(["player", *NAMES, ""]), encoding="utf-8")
    out = tmp_path / "round1.csv"
    for more in ([], ["--drop", "Nobody → ½"], ["-o", str(out), "--drop", "Éva"]):
        done = subprocess.run(
            [sys.executable, "-m", "pairopt", "solve", str(players), *more],
            env={**os.environ, "PYTHONIOENCODING": encoding},
            capture_output=True,
            check=False,
        )
        shown = (done.stdout + done.stderr).decode(encoding)
        assert "Traceback" not in shown
        assert done.returncode == (2 if "Nobody → ½" in more else 0)
        if not more:
            wanted = {
                "ascii": ["Zofie Scasna", "Ann .5", "Eva", "-----", "??"],
                "cp1252": ["Žofie Šcasná", "Ann ½", "Éva", "-----", "??"],
                "utf-8": [*NAMES, "─────"],
            }
            assert [each for each in wanted[encoding] if each not in shown] == []
    machine = subprocess.run(
        [sys.executable, "-m", "pairopt", "solve", str(players), "--format", "csv"],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=True,
    )
    assert "Žofie Ščasná" in machine.stdout.decode("utf-8")
    assert "Žofie Ščasná" in out.read_text(encoding="utf-8")
