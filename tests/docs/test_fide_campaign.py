"""The campaign of comparisons: killed and resumed, it has the rows of a whole run."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fide_campaign import COLUMNS
from places import ROOT
from tie_breaks import CODES

SEEDS = (2, 3)
"""Small tournaments: of 8 players and of 4 rounds at most."""
REPORT = ROOT / "examples" / "fide" / "limbo.trf"
PROGRAM = """\
#!/bin/sh
# makes one report for any seed, and pairs the second round of all others differently
echo call >> {calls}
if [ "$(wc -l < {calls})" -eq {kill_at} ]; then kill -9 $PPID; sleep 1; fi
if [ "$2" = "-g" ]; then cp {report} "$5"; else
printf '== Round #1 ==\\n\\n== Round #2 ==\\n 1 2\\n'; fi
"""
TRF2JSON = """\
class trf2json:
    def parse_file(self, text, verbose):
        self.players = [int(line[4:8]) for line in text.splitlines() if line[:3] == "001"]

    def get_tournament(self, number):
        return self.players
"""
TIEBREAK = """\
class tiebreak:
    def __init__(self, event, rounds, options):
        pass

    def compute_tiebreaks(self, event, options):
        row = {"rank": 0, "tiebreakScore": [0, 10**6]}
        return {"competitors": [{"cid": player, **row} for player in event]}
"""


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with stand-ins for both other programs."""
    package = tmp_path / "gacrux"
    package.mkdir()
    (package / "__init__.py").write_text("", "utf-8")
    (package / "trf2json.py").write_text(TRF2JSON, "utf-8")
    (package / "tiebreak.py").write_text(TIEBREAK, "utf-8")
    return tmp_path


def compare(
    folder: Path, output: str, *, kill_at: int = 0, block: int = 1
) -> subprocess.CompletedProcess[str]:
    """Run the command; the other program kills it when it is called so often."""
    program = folder / "program"
    calls = folder / "calls"
    calls.unlink(missing_ok=True)
    text = PROGRAM.format(calls=calls, kill_at=kill_at, report=REPORT)
    program.write_text(text, "utf-8")
    program.chmod(0o755)
    support = (ROOT, ROOT / "tests" / "support", folder)
    script = ROOT / "tests" / "benchmarks" / "fide_campaign.py"
    arguments = ["--bbp", program, "--program", "bbpPairings", "-o", folder / output]
    arguments += ["--tournaments", len(SEEDS), "--first-seed", SEEDS[0]]
    arguments += ["--block", block]
    return subprocess.run(
        [sys.executable, script, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, support))},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")
def test_a_killed_campaign_goes_on_to_the_same_file(programs: Path) -> None:
    whole = compare(programs, "whole.csv")
    assert whole.returncode == 0, whole.stderr

    killed = compare(programs, "resumed.csv", kill_at=3)
    assert killed.returncode == -signal.SIGKILL
    whole_text = (programs / "whole.csv").read_bytes()
    begun_text = (programs / "resumed.csv").read_bytes()
    assert whole_text.startswith(begun_text)
    assert begun_text.count(b"\n") == 3

    resumed = compare(programs, "resumed.csv")
    assert resumed.returncode == 0, resumed.stderr
    assert (programs / "calls").read_text("utf-8").count("call") == 2
    assert (programs / "resumed.csv").read_bytes() == whole_text
    assert not [*programs.glob("*.unfinished")]

    rows = [*csv.DictReader(whole_text.decode("utf-8").splitlines())]
    assert [tuple(row) for row in rows] == [COLUMNS] * 4
    assert [row["rounds_differ"] for row in rows[::2]] == ["2/2", "3/2"]
    players = REPORT.read_text("utf-8").count("\n001")
    assert rows[1]["tie_breaks"] == str(players * len(CODES))
    assert rows[1]["tie_breaks_differ"].split() == [f"2/{code}" for code in CODES]

    other = compare(programs, "whole.csv", block=2)
    assert other.returncode == 1
    assert "the file has another campaign" in other.stderr
    assert (programs / "whole.csv").read_bytes() == whole_text
