"""10 MB of anything: both doors refuse it in 300 MB and few steps, in a process of its own.

A step is a line of pairopt's code, so a busy machine changes nothing. `-rP` prints what was
counted.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from proofs_hostile import HOSTILE, counted, doors, written

STEPS, MEGABYTES = 20_000_000, 300
TOO_LONG = "3,000 players and sets"
FAST = ("deep in the claim", "a long number")
LONG = ("60,000 players", "a million runs")


def ask(name: str, folder: Path, model: str = "standard") -> None:
    """Both doors on one hostile file."""
    for door, command in doors(*written(name, folder, model)).items():
        code, steps, most = counted(command, STEPS)
        print(f"{door} {name}: exit {code}, {steps:,} steps, {most} MB")
        assert code in (0, 1, 3)
        assert code != 0 or (
            door == "A" and ("3,000 players" in name or "levels" in name)
        )
        assert steps <= STEPS
        assert most < MEGABYTES


@pytest.mark.parametrize("name", FAST)
def test_a_few(name: str, tmp_path: Path) -> None:
    ask(name, tmp_path)


@pytest.mark.sweep
@pytest.mark.parametrize("name", LONG)
def test_more(name: str, tmp_path: Path) -> None:
    ask(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["standard", "fide-dutch"])
@pytest.mark.parametrize("name", [name for name in HOSTILE if name != TOO_LONG])
def test_all(name: str, model: str, tmp_path: Path) -> None:
    ask(name, tmp_path, model)


@pytest.mark.slow
@pytest.mark.xfail(strict=True, reason="as many matches as sets are multiplied")
def test_many_sets_of_a_large_field(tmp_path: Path) -> None:
    ask(TOO_LONG, tmp_path)
