"""What a command does not need it does not import: most of a call from the shell is imports."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from dutch_random import random_round
from places import SAMPLE

from pairopt.folder import new, pair

WEEKLY = [str(SAMPLE / "matches.csv"), "--players", str(SAMPLE / "players.csv")]
SOLVERS = {"ortools", "rustworkx"}
HEAVY = {
    "pandas",
    "pydantic",
    "annotated_types",
    "rich.console",
    "matplotlib",
    "scipy",
    "joblib",
    "tomlkit",
    "charset_normalizer",
    "openpyxl",
}
ON_FOLDERS = {
    "pairopt.problem.model",
    "pairopt.round.solve",
    "pairopt.round.result",
    "pairopt.proof",
    "pairopt.engines.matching",
    "pairopt.engines.cpsat",
    "pairopt.folder.settings",
    "pairopt.files.formats.trf.reading",
    "pairopt.files.conversion_losses",
    "difflib",
}
"""What a step that asks for no pairing does without, too."""
OF_STANDINGS = {
    "pairopt.event.standings",
    "pairopt.event.tie_breaks",
    "pairopt.event.state",
    "pairopt.files.formats.crosstable",
}
ALL = (
    "import sys\n"
    "from pairopt.cli import main\n"
    "try: main(sys.argv[1:])\n"
    "except SystemExit as end: code = end.code\n"
    "sys.stderr.write(' '.join(sys.modules)); sys.exit(code)"
)


def imported(*arguments: str) -> set[str]:
    """The modules that a command has imported in the end."""
    done = subprocess.run(
        [sys.executable, "-c", ALL, *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split("\n")[-1].split())


@pytest.fixture(scope="module")
def paired(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pairing of the sample, by somebody."""
    path = tmp_path_factory.mktemp("paired") / "round.csv"
    subprocess.run(
        [sys.executable, "-m", "pairopt", "solve", *WEEKLY, "-o", str(path)], check=True
    )
    return path


@pytest.fixture(scope="module")
def open_round(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An event folder, in round 1."""
    folder = tmp_path_factory.mktemp("open") / "event"
    roster = folder.with_name("players.csv")
    roster.write_text("player,rating\n" + "".join(f"{one},1500\n" for one in "ABCDEF"))
    new(folder, roster, seed=1)
    pair(folder)
    return folder


@pytest.mark.long
@pytest.mark.parametrize(
    "arguments",
    [
        ("result", "1", "3-0"),
        ("standings",),
        ("drop", "F"),
        ("drop", "F", "--off"),
        ("undo",),
    ],
    ids=" ".join,
)
def test_what_a_step_does_without(open_round: Path, arguments: Sequence[str]) -> None:
    verb, *rest = arguments
    found = imported(verb, str(open_round), *rest)
    assert "pairopt.files.event_toml" in found
    assert found & {*SOLVERS, *HEAVY, *ON_FOLDERS} == set()
    assert (found & OF_STANDINGS == set()) == (verb != "standings")


@pytest.mark.long
def test_help_and_the_package_do_without_almost_all() -> None:
    without = {*SOLVERS, *HEAVY, *ON_FOLDERS, "numpy", "pathlib", "fractions", "rich"}
    assert imported("--help") & without == set()
    code = "import pairopt, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert {*done.stdout.split()} & {*without, "dataclasses", "tomllib"} == set()


@pytest.mark.long
def test_a_server_has_the_engines_before_the_first_pairing() -> None:
    code = (
        "import sys\n"
        "from pairopt import engines, read_event, solve\n"
        "engines.preload_engines()\n"
        "before = {*sys.modules}\n"
        "matches, players = sys.argv[1:]\n"
        "solve(read_event(matches, players), verify=True)\n"
        "print(*{*sys.modules} - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, WEEKLY[0], WEEKLY[2]],
        capture_output=True,
        text=True,
        check=True,
    )
    later = [name.split(".")[:2] for name in done.stdout.split()]
    assert ["pairopt", "rules"] in later
    assert ["pairopt", "engines"] not in later
    assert "ortools" not in {package for package, *_ in later}


@pytest.mark.long
def test_an_engine_call_does_without(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from pairopt.__main__ import run_fide\n"
        "try: run_fide()\n"
        "except SystemExit as end: assert end.code == 0\n"
        "sys.stderr.write(' '.join(sys.modules))"
    )
    path = tmp_path / "report.trf"
    path.write_text(random_round(4).trf(), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", code, "--dutch", str(path), "-p"],
        capture_output=True,
        text=True,
        check=True,
    )
    found = set(done.stderr.split("\n")[-1].split())
    assert "pairopt.fide.dutch.pair_brackets" in found
    without = {"numpy.ma", "pairopt.proof.claim", "pairopt.files.pasted", "ortools"}
    assert found & {*without, *HEAVY} == set()


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("arguments", "without"),
    [
        (["models"], SOLVERS | HEAVY),
        (["standings", *WEEKLY], SOLVERS | HEAVY),
        (
            ["solve", *WEEKLY, "--engine", "matching", "--no-verify"],
            {"ortools", *HEAVY},
        ),
        (["solve", *WEEKLY], HEAVY),
        (["solve", *WEEKLY, "--engine", "cpsat"], HEAVY),
    ],
    ids=lambda each: each[0] if isinstance(each, list) else "",
)
def test_what_is_not_imported(arguments: Sequence[str], without: set[str]) -> None:
    assert imported(*arguments) & without == set()


@pytest.mark.long
def test_check_does_without_a_solver(paired: Path) -> None:
    found = imported("check", *WEEKLY, str(paired), "--no-solve")
    assert found & {"ortools", "pandas"} == set()


@pytest.mark.long
def test_rules_and_tie_breaks_are_imported_when_they_are_named() -> None:
    found = imported("standings", *WEEKLY, "--tie-breaks", "wins,buchholz")
    kinds = {
        name.rsplit(".", 1)[1]
        for name in found
        if name.startswith("pairopt.event.tie_br")
    }
    assert {"own_results", "buchholz"} <= kinds
    assert not kinds & {"sonneborn_berger", "ratings"}
    found = imported("solve", *WEEKLY, "--engine", "matching", "--model", "monrad")
    assert "pairopt.rules.criteria.bye_score" in found
    assert "pairopt.rules.criteria.aesops" not in found


@pytest.mark.long
def test_what_a_plain_round_does_without() -> None:
    found = imported("solve", *WEEKLY)
    parts = (
        "files.formats.trf.reading",
        "files.formats.nrtm_json.reading",
        "fide.dutch",
        "proof.proving",
        "proof.certifying",
        "folder.journal",
        "folder.open_folder",
    )
    assert not found & {
        "numpy.ma",
        "tempfile",
        "zipfile",
        *(f"pairopt.{part}" for part in parts),
    }
