"""One way in: a distribution of somebody else brings a part of each kind, in a wheel made here.

Nothing of it is in this process: a child has it on its path, as `pip install` would have put it.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import importlib.metadata
import json
import os
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from places import ROOT, SAMPLE

pytestmark = pytest.mark.long

CLUB = ROOT / "tests" / "club"
PROJECT = tomllib.loads((CLUB / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
GROUPS = PROJECT["entry-points"]
WEEKLY = [str(SAMPLE / "matches.csv"), "--players", str(SAMPLE / "players.csv")]
NEAR = """
name = "near"
[constraints]
max_score_gap = 6
[[criteria]]
kind = "rested"
[[criteria]]
kind = "rematches"
"""
STUDY = [
    "study",
    "--players",
    "8",
    "--rounds",
    "3",
    "--replicates",
    "2",
    "--models",
    "standard,alphabet",
    "--metrics",
    "upsets",
    "--rankings",
    "most_wins",
    "--world",
    "coins",
    "-o",
    "study",
]
CALLS: Mapping[str, list[str]] = {
    "models": ["models", "near.toml"],
    "solve": ["solve", *WEEKLY, "--model", "near.toml", "--verify"],
    "too near": ["solve", *WEEKLY, "--model", "nearest.toml"],
    "standings": [
        "standings",
        *WEEKLY,
        "--tie-breaks",
        "games_drawn",
        "--format",
        "csv",
    ],
    "study": STUDY,
    "read": ["solve", "club.roll", "--format", "csv"],
    "twice": ["solve", "twice.roll"],
    "unknown": ["solve", "unknown.txt"],
    "convert": ["convert", "club.roll", "again.roll"],
    "named": ["convert", "club.roll", "plain.txt", "--format", "roll"],
    "lost": ["convert", WEEKLY[0], "weekly.roll"],
    "engine": ["solve", *WEEKLY, "--engine", "by_lot", "--model", "double-sided"],
    "no engine": ["solve", *WEEKLY, "--engine", "by_luck"],
    "system": ["solve", *WEEKLY, "--model", "hill.toml", "--verify"],
    "no program": ["export", *WEEKLY, "hill.opb", "--model", "hill.toml"],
    "command": ["roster", *WEEKLY],
    "help": ["roster", "--help"],
}
CHILD = """
import json, sys
from pathlib import Path
from click.testing import CliRunner
from organiser import client, event
from pairopt.cli import main

done = {}
for name, call in json.loads(sys.argv[1]).items():
    result = CliRunner().invoke(main, call)
    done[name] = result.exit_code, result.output
page = client(event(Path("friday"), ["Bob", "ann"])).get("/names")
done["page"] = page.status_code, page.text
print(json.dumps(done))
"""


def wheel(folder: Path) -> Path:
    """The wheel of the club's project, as PEP 427 has it."""
    name = f"{PROJECT['name'].replace('-', '_')}-{PROJECT['version']}"
    info, made = f"{name}.dist-info", folder / f"{name}-py3-none-any.whl"
    files = {
        str(path.relative_to(CLUB)): path.read_bytes()
        for path in sorted((CLUB / "club").rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    points = (
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in named.items())
        for group, named in GROUPS.items()
    )
    said = f"Metadata-Version: 2.1\nName: {PROJECT['name']}\nVersion: {PROJECT['version']}\n"
    files |= {
        f"{info}/METADATA": said.encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "\n".join(points).encode(),
    }
    with zipfile.ZipFile(made, "w") as pack:
        lines = []
        for path, content in files.items():
            pack.writestr(path, content)
            digest = (
                base64.urlsafe_b64encode(hashlib.sha256(content).digest())
                .decode()
                .rstrip("=")
            )
            lines.append(f"{path},sha256={digest},{len(content)}\n")
        pack.writestr(f"{info}/RECORD", "".join([*lines, f"{info}/RECORD,,\n"]))
    return made


def installed(folder: Path) -> Path:
    """A folder for the path of a process: a pure wheel is put where it is found."""
    place = folder / "site"
    with zipfile.ZipFile(wheel(folder)) as pack:
        pack.extractall(place)
    return place


def in_child(place: Path | None, folder: Path, code: str, *given: str) -> Any:
    """What a child with such a path prints as JSON."""
    path = [str(each) for each in (place, ROOT, ROOT / "tests" / "support") if each]
    done = subprocess.run(
        [sys.executable, "-c", code, *given],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


FILES: Mapping[str, str] = {
    "near.toml": NEAR,
    "nearest.toml": NEAR.replace("near", "nearest").replace("= 6", "= -1"),
    "hill.toml": 'name = "hill"\nsystem = "king_of_the_hill"\n[constraints]\nno_rematch = true',
    "club.roll": "Players:\nAnn\nBob\nCleo\n",
    "twice.roll": "Players:\nAnn\nAnn\n",
    "unknown.txt": "nothing known\n",
}


def called(place: Path | None, folder: Path, calls: Mapping[str, list[str]]) -> Any:
    """Exit code and output of these calls, and the page, with such a folder on the path."""
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return in_child(place, folder, CHILD, json.dumps(calls))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("club")


@pytest.fixture(scope="module")
def done(folder: Path) -> dict[str, tuple[int, str]]:
    """What every call says where the wheel is installed."""
    found: dict[str, tuple[int, str]] = called(installed(folder), folder, CALLS)
    return found


def test_every_kind_is_there_and_none_is_in_this_process() -> None:
    code = "\n".join(
        path.read_text("utf-8") for path in sorted((ROOT / "pairopt").rglob("*.py"))
    )
    taken = {group for group in GROUPS if f'"{group}"' in code}
    assert taken == set(GROUPS)
    for group, named in GROUPS.items():
        assert not {*named} & {
            each.name for each in importlib.metadata.entry_points(group=group)
        }


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("call", "code", "said"),
    [
        ("models", 0, ["both had a bye", "differ by at most this number"]),
        (
            "solve",
            0,
            ["matches of players who have both had a bye", "proven", "cross-check"],
        ),
        ("too near", 2, ["max_score_gap: expected 0 or more, found -1"]),
        ("read", 0, ["Ann", "Bob", "Cleo"]),
        ("twice", 3, ["expected each name once"]),
        ("unknown", 3, ["a roll of players"]),
        ("convert", 0, ["written to again.roll"]),
        ("named", 0, ["written to plain.txt"]),
        ("lost", 2, ["a roll of players holds no matches"]),
        (
            "engine",
            0,
            [
                "A heuristic procedure made this pairing. Such a procedure can't prove that no pairing is better."
            ],
        ),
        ("no engine", 2, ["no engine 'by_luck'", "by_lot", "matching"]),
        (
            "system",
            0,
            [
                "Proven: no pairing is better",
                "squared differences between the places of opponents",
                "(cross-check)",
            ],
        ),
        ("command", 0, ["Femi Adeyemi"]),
        ("help", 0, ["List the players of EVENT"]),
        (
            "page",
            200,
            ["<li>ann</li>", '<a href="/names" aria-current="page">Names</a>'],
        ),
    ],
)
def test_a_part_of_somebody_else_does_what_those_that_ship_do(
    done: dict[str, tuple[int, str]], call: str, code: int, said: list[str]
) -> None:
    assert done[call][0] == code, done[call][1]
    for each in said:
        assert each in done[call][1]


@pytest.mark.sweep
def test_its_tie_break_ranks(done: dict[str, tuple[int, str]]) -> None:
    code, said = done["standings"]
    assert code == 0, said
    rows = list(csv.DictReader(said.splitlines()))
    assert {row["games_drawn"] for row in rows} > {"0"}


@pytest.mark.sweep
def test_its_metric_and_its_world_are_in_a_study(
    done: dict[str, tuple[int, str]], folder: Path
) -> None:
    assert done["study"][0] == 0, done["study"][1]
    with (folder / "study" / "tournaments.csv").open(
        encoding="utf-8", newline=""
    ) as file:
        rows = list(csv.DictReader(file))
    assert {row["model"] for row in rows} == {"standard", "alphabet"}
    assert any(row["kendall_most_wins"] for row in rows)
    values = [float(row["upsets"]) for row in rows if row["upsets"]]
    assert values
    assert all(0 <= value <= 1 for value in values)


def test_its_format_is_read_and_written(
    done: dict[str, tuple[int, str]], folder: Path
) -> None:
    assert done["convert"][0] == 0
    for name in ("again.roll", "plain.txt"):
        assert (folder / name).read_text("utf-8") == (folder / "club.roll").read_text(
            "utf-8"
        )


def test_a_system_without_sums_has_no_program(done: dict[str, tuple[int, str]]) -> None:
    code, said = done["no program"]
    assert code == 2
    assert "the system king_of_the_hill can't be proven" in said


def test_without_the_wheel_nothing_of_it_is_known(tmp_path: Path) -> None:
    names = ("models", "read", "engine", "system", "command")
    found = called(None, tmp_path, {name: CALLS[name] for name in names})
    assert {name: code for name, (code, _) in found.items()} == {
        "models": 3,
        "read": 0,
        "engine": 2,
        "system": 3,
        "command": 2,
        "page": 404,
    }


TWO = """
import json
from pairopt.errors import UsageError
from pairopt.event.tie_breaks import TIE_BREAKS
said = {}
for name in ("games_drawn", "nowhere", "sos"):
    try:
        said[name] = TIE_BREAKS[name].__module__
    except UsageError as error:
        said[name] = f"{error.kind}: {error}"
said["all"] = [name for name in TIE_BREAKS if name not in TIE_BREAKS.shipped]
print(json.dumps(said))
"""


def test_one_name_is_of_one_package_and_what_ships_keeps_its_own(
    tmp_path: Path,
) -> None:
    place = installed(tmp_path)
    other = place / "other-1.0.dist-info"
    other.mkdir()
    (other / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: other\nVersion: 1.0\n", "utf-8"
    )
    (other / "entry_points.txt").write_text(
        "[pairopt.tie_breaks]\ngames_drawn = club.games_drawn\nnowhere = not_there_at_all\n"
        "sos = club.games_drawn\n",
        "utf-8",
    )
    said = in_child(place, tmp_path, TWO)
    assert said.pop("games_drawn").startswith("part.twice: ")
    assert said.pop("nowhere") == (
        "part.broken: The extension nowhere in pairopt.tie_breaks (not_there_at_all) "
        "can't be loaded: No module named 'not_there_at_all'"
    )
    assert said == {
        "all": ["games_drawn", "nowhere"],
        "sos": "pairopt.event.tie_breaks.buchholz",
    }
