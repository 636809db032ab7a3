"""Streams that are closed or full: one line, exit code 2, and nothing half done."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT, SAMPLE
from sampled import one_in

from pairopt import read_event
from pairopt.cli import COMMANDS
from pairopt.files.rating_lists.store import add_list
from pairopt.folder import new, pair

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(os.name != "posix", reason="a shell closes the streams"),
]
CALLS = {
    "new": ["made", "--players", "weekly/players.csv"],
    "pair": ["weekly"],
    "result": ["open", "1", "3-0"],
    "enter": ["weekly", "Zoe"],
    "edit": ["weekly", "Aiko Tanaka", "--set", "club=Riga"],
    "drop": ["weekly", "Aiko Tanaka"],
    "remove": ["fresh", "Aiko Tanaka"],
    "bye": ["weekly", "Aiko Tanaka"],
    "forbid": ["weekly", "Aiko Tanaka", "Femi Adeyemi"],
    "set": ["weekly", "title", "Monday"],
    "undo": ["open"],
    "mend": ["weekly"],
    "standings": ["weekly"],
    "print": ["weekly", "cross-table"],
    "publish": ["weekly", "pages"],
    "bracket": ["weekly", "--cut", "4", "--by-lot"],
    "serve": ["weekly", "--no-browser"],
    "solve": ["weekly"],
    "check": ["weekly", "--all", "--no-solve"],
    "explain": ["weekly"],
    "compare": ["weekly", "--models", "standard,top-first"],
    "frontier": ["weekly", "--over", "side_difference,score_groups"],
    "incentive": ["weekly"],
    "odds": ["weekly", "--draws", "20"],
    "draw": [str(ROOT / "examples" / "cup-draw" / "players.csv")],
    "convert": ["weekly", "made.trf"],
    "lists": ["--lists", "stored"],
    "lists add": ["club.csv", "--month", "2026-11", "--lists", "made"],
    "lists find": ["Ann", "--lists", "stored"],
    "lists remove": ["club-2026-10", "--lists", "stored"],
    "ratings": ["weekly", "--lists", "stored"],
    "export": ["weekly", "made.opb"],
    "models": [],
    "simulate": ["--players", "8", "--rounds", "2", "-o", "made"],
    "study": [
        "--players",
        "8",
        "--rounds",
        "2",
        "--replicates",
        "2",
        "--models",
        "standard",
        "-o",
        "made",
    ],
    "study run": ["study.toml", "-o", "made"],
    "study check": ["played", "--replay", "1"],
    "study plan": ["study.toml", "--pilot", "5"],
    "plot": ["study"],
}
STUDY = """\
models = ["standard", "random"]
replicates = 2
world = { players = 8, rounds = 2 }
hypotheses = [{ model = "random", metric = "floats", claim = "more" }]
"""
ENDING = [name for name in CALLS if name != "serve"]
NO_FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
READING = pytest.param("1</dev/null", errno.EBADF, marks=pytest.mark.slow)
FULL = pytest.param(">/dev/full", errno.ENOSPC, marks=[NO_FULL, pytest.mark.slow])
Done = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An event, one with an open round, and the table of a study."""
    place = tmp_path_factory.mktemp("streams")
    for name in ("weekly", "open"):
        shutil.copytree(SAMPLE, place / name)
    pair(place / "open")
    new(place / "fresh", SAMPLE / "players.csv")
    club = place / "club.csv"
    club.write_text("Name,Rating\nAnn,1500\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAIROPT_LISTS", str(place / "stored"))
        add_list(club, month="2026-10")
    (place / "study.toml").write_text(STUDY, encoding="utf-8")
    for made in (
        [*CALLS["study"][:-1], "study"],
        ["run", "study.toml", "-o", "played"],
    ):
        command = [sys.executable, "-m", "pairopt", "study", *made]
        subprocess.run(command, cwd=place, check=True, capture_output=True)
    return place


@pytest.fixture
def place(there: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(there, tmp_path / "place"))


def called(place: Path, name: str, streams: str = "") -> Done:
    """The command, its streams as the shell has them."""
    return subprocess.run(
        [
            "/bin/sh",
            "-c",
            f'exec "$@" {streams}',
            "sh",
            sys.executable,
            "-m",
            "pairopt",
            *name.split(),
            *CALLS[name],
        ],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )


def content(place: Path) -> dict[str, bytes]:
    """All files."""
    return {
        str(path.relative_to(place)): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file()
    }


def require_whole(place: Path) -> None:
    """Events can be read, and nothing is left of what was not finished."""
    for name in ("weekly", "open", "made"):
        if (place / name / "event.toml").exists():
            read_event(place / name, unfinished=True)
    assert [path for path in place.rglob(".*") if path.name != ".pairopt"] == []
    assert [*place.rglob("pending.zip")] == []


def test_every_command_is_called() -> None:
    assert set(CALLS) == set(COMMANDS)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("closed", "why"),
    [
        (">&-", errno.EBADF),
        READING,
        pytest.param("<&- >&-", errno.EBADF, marks=pytest.mark.slow),
        FULL,
    ],
)
@pytest.mark.parametrize("name", one_in(2, CALLS))
def test_nothing_is_done_where_stdout_takes_nothing(
    name: str, closed: str, why: int, place: Path
) -> None:
    before = content(place)
    done = called(place, name, closed)
    assert done.returncode == 2
    said = f"Error: stdout can't be written, nothing was done: {os.strerror(why)}\n"
    assert done.stderr == said
    assert content(place) == before


@pytest.mark.sweep
def test_nothing_is_said_where_stderr_is_closed_too(place: Path) -> None:
    before = content(place)
    for name in ("result", "models"):
        assert called(place, name, ">&- 2>&-").returncode == 2
        assert called(place, name, ">&- 2</dev/null").returncode == 2
    assert content(place) == before


@pytest.mark.slow
@pytest.mark.parametrize("name", ENDING)
def test_a_command_goes_without_stdin_and_stderr(
    name: str, there: Path, place: Path, tmp_path: Path
) -> None:
    usual = Path(shutil.copytree(there, tmp_path / "usual"))
    expected, done = called(usual, name), called(place, name, "<&- 2>&-")
    assert expected.returncode == 0, expected.stderr
    assert done.returncode == 0
    assert done.stdout == expected.stdout
    assert [*content(place)] == [*content(usual)]


@NO_FULL
@pytest.mark.slow
@pytest.mark.parametrize("name", ENDING)
def test_stderr_that_is_full_leaves_what_is_done_whole(name: str, place: Path) -> None:
    done = called(place, name, "2>/dev/full")
    assert done.returncode in (0, 2)
    assert "Traceback" not in done.stdout
    require_whole(place)
