"""Files made by earlier versions are opened, go on, and mean what they meant.

`1.0.0` holds what version 1.0.0 made: three event folders (cards; chess in FIDE mode with virtual
points; a top cut), a model, a proof, a study with its results (`study.zip`), requests of programs
with their answers, and the wheel of the example distribution, which imports from the modules that
extensions imported from then.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from frozen.today import paths_in
from places import ROOT, SAMPLE

from pairopt import check_all, read_event
from pairopt.cli import main
from pairopt.lab.studies.check import check_study
from pairopt.proof import verify

OLD = Path(__file__).parent / "1.0.0"
FOLDERS = {"cards": 3, "chess": 2, "cut": 3}
"""The event folders, with how many rounds each has."""
MOST = 300_000
"""Bytes of the files of one version."""
HILL = """
name = "hill"
system = "king_of_the_hill"
[constraints]
no_rematch = true
"""
NEAR = """
name = "near"
[constraints]
max_score_gap = 6
[[criteria]]
kind = "rested"
"""


def run(*words: object, given: str | None = None) -> Result:
    done = CliRunner().invoke(main, [*map(str, words)], input=given)
    assert done.exit_code == 0, done.output
    return done


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A copy that may be changed."""
    return Path(shutil.copytree(OLD, tmp_path / "old"))


def test_the_corpus_is_small() -> None:
    assert sum(path.stat().st_size for path in OLD.rglob("*") if path.is_file()) < MOST


@pytest.mark.parametrize("name", FOLDERS)
def test_an_event_folder_is_read_and_its_rounds_agree(name: str) -> None:
    event = read_event(OLD / name, unfinished=True)
    assert event.round == FOLDERS[name] + 1
    checks = [*check_all(event)]
    assert [each.round for each in checks] == [*range(1, FOLDERS[name] + 1)]
    assert all(each.agrees for each in checks)


@pytest.mark.long
@pytest.mark.parametrize("name", FOLDERS)
def test_an_event_folder_is_intact_and_its_steps_are_undone(
    name: str, here: Path
) -> None:
    run("mend", here / name)
    before = (here / name / "matches.csv").read_bytes()
    steps = (here / name / "log.csv").read_text(encoding="utf-8").count("\n") - 1
    run("undo", here / name, "--to", "1")
    assert read_event(here / name).round == 1
    run("undo", here / name, "--to", steps)
    assert (here / name / "matches.csv").read_bytes() == before


@pytest.mark.long
def test_the_cards_event_goes_on(here: Path) -> None:
    run("result", here / "cards", "3", "0-3")
    done = run("pair", here / "cards")
    assert "Round 4" in done.stdout
    run("standings", here / "cards")


@pytest.mark.long
def test_the_chess_event_goes_on_in_fide_mode(here: Path) -> None:
    done = run("pair", here / "chess")
    assert "Round 3, by fide-dutch" in done.stdout
    assert "fide = true" in (here / "chess" / "event.toml").read_text(encoding="utf-8")
    run("convert", here / "chess", here / "chess.trf")


def test_the_top_cut_goes_on(here: Path) -> None:
    run("result", here / "cut", "B1", "3-0")
    run("result", here / "cut", "B2", "3-0")
    done = run("bracket", here / "cut")
    assert "winner of" not in done.stdout


@pytest.mark.long
def test_kept_proofs_hold() -> None:
    for name in FOLDERS:
        run("check", OLD / name, "--proofs")
    run("check", OLD / "cards", "--proof", OLD / "cards3.proof.json", "--round", "3")


@pytest.mark.long
def test_a_proof_is_verified_by_the_file_alone() -> None:
    words = [sys.executable, "-I", str(verify.__file__), str(OLD / "cards3.proof.json")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_model_pairs() -> None:
    done = run("solve", OLD / "cards", "--round", "3", "--model", OLD / "near.toml")
    assert "by near" in done.stdout


@pytest.mark.sweep
def test_a_study_is_checked(tmp_path: Path) -> None:
    with zipfile.ZipFile(OLD / "study.zip") as packed:
        packed.extractall(tmp_path / "study")
    found = check_study(tmp_path / "study", sample=2)
    # figures may be drawn otherwise; registration, games, tables and texts may not change
    assert not [
        fault for fault in found.faults if not str(fault).startswith("figures/")
    ]
    assert found.replayed == 2


TEXTS = {"sentence", "text", "clauses", "why"}
"""Keys whose values are English, which may change; the kind of a message may not."""


def only_keys_of(then: object, now: object) -> object:
    """Return a value of today without the keys that it did not have then."""
    if isinstance(then, dict) and isinstance(now, dict):
        return {
            key: then[key] if key in TEXTS else only_keys_of(then[key], now[key])
            for key in then
            if key in now
        }
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        return [only_keys_of(*each) for each in zip(then, now, strict=True)]
    return now


@pytest.mark.parametrize(("name", "code"), [("request", 0), ("refused-request", 3)])
def test_a_request_is_answered_as_then(name: str, code: int) -> None:
    """Keys may be added; those of then are all there, and the pairing is the same."""
    asked = (OLD / f"{name}.json").read_text(encoding="utf-8")
    done = CliRunner().invoke(main, ["pair", "--json"], input=asked)
    assert done.exit_code == code
    answer = json.loads(done.stdout)
    then = json.loads(
        (OLD / f"{name.replace('request', 'answer')}.json").read_text("utf-8")
    )
    assert {*paths_in(then, "")} <= {*paths_in(answer, "")}
    for key in ("matches", "status"):
        assert only_keys_of(then.get(key), answer.get(key)) == then.get(key)


@pytest.mark.sweep
def test_a_plug_in_works(here: Path) -> None:
    """A criterion, a constraint, a system, a tie-break, an engine, a format and a command."""
    site = here / "site"
    with zipfile.ZipFile(next(here.glob("*.whl"))) as packed:
        packed.extractall(site)
    (here / "near-club.toml").write_text(NEAR, encoding="utf-8")
    (here / "hill.toml").write_text(HILL, encoding="utf-8")
    weekly = [str(SAMPLE / "matches.csv"), "--players", str(SAMPLE / "players.csv")]
    study = [
        "--players",
        "8",
        "--rounds",
        "2",
        "--replicates",
        "2",
        "--models",
        "standard",
    ]
    calls = [
        ["solve", *weekly, "--model", "near-club.toml"],
        ["solve", *weekly, "--model", "hill.toml"],
        ["solve", *weekly, "--engine", "by_lot", "--model", "double-sided"],
        ["standings", *weekly, "--tie-breaks", "games_drawn"],
        ["convert", str(SAMPLE / "players.csv"), "out.roll"],
        ["solve", "out.roll"],
        ["roster", *weekly],
        ["study", *study, "--metrics", "upsets", "--world", "coins", "-o", "out"],
    ]
    child = (
        "import json, sys\n"
        "from click.testing import CliRunner\n"
        "from pairopt.cli import main\n"
        "from pairopt.web.views import VIEWS\n"
        "done = [CliRunner().invoke(main, call) for call in json.loads(sys.argv[1])]\n"
        "assert VIEWS['names']\n"
        "print(json.dumps([(each.exit_code, each.output) for each in done]))\n"
    )
    path = os.pathsep.join([str(site), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", child, json.dumps(calls)],
        cwd=here,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for words, (code, output) in zip(calls, json.loads(done.stdout), strict=True):
        assert code in (0, 4) if "by_lot" in words else code == 0, (words, output)
