"""The fuzzer itself: a small run of it finds nothing, and it would see what is not clean."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import fuzz
import pytest
from click.testing import CliRunner
from places import ROOT

from pairopt import InputError

PLAYERS = fuzz.Input({"p.csv": b"player\na\nb\nc\n"}, "p.csv", None, "random", 0)


@pytest.mark.sweep
def test_a_small_run(tmp_path: Path) -> None:
    words = ["--inputs", "400", "--folder", str(tmp_path / "found")]
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "fuzz.py"), *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout
    assert "finding" not in done.stdout
    assert all(
        f" {said}" in done.stdout for said in ("refused", "optimal", "infeasible")
    )
    assert not (tmp_path / "found").exists()


def test_an_input_depends_on_seed_and_number_alone() -> None:
    assert fuzz.made(1, 5) == fuzz.made(1, 5)
    assert fuzz.made(1, 5) != fuzz.made(1, 6)


def test_a_clean_answer(tmp_path: Path) -> None:
    assert fuzz.answer(PLAYERS, tmp_path) == "optimal"


class _LoudError(InputError):
    """An error that steers the terminal."""

    def __str__(self) -> str:
        return "\x1b[31m"


@pytest.mark.parametrize(
    ("error", "said"),
    [(KeyError("x"), "x"), (_LoudError("file", "fault"), "an error of 5")],
)
def test_what_is_not_clean_is_found(
    error: Exception, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(fuzz, "read_event", refuse)
    with pytest.raises((KeyError, fuzz.FindingError), match=said):
        fuzz.answer(PLAYERS, tmp_path)


def test_points_that_change_on_the_way_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = iter([[0, 0, 0], [0, 0, 1]])
    monkeypatch.setattr(fuzz, "points_of", lambda _: next(given))
    with pytest.raises(fuzz.FindingError, match="csv: points"):
        fuzz.answer(PLAYERS, tmp_path)


@pytest.mark.long
def test_one_input_again(tmp_path: Path) -> None:
    done = CliRunner().invoke(fuzz.command, ["--only", "0", "--folder", str(tmp_path)])
    assert done.exit_code == 0
    assert done.output.strip() in (
        "refused",
        "read",
        "optimal",
        "infeasible",
        "heuristic",
    )
    assert {path.name for path in (tmp_path / "0-0").iterdir()} >= set(
        fuzz.made(0, 0).files
    )
