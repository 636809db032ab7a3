"""What a newcomer copies: three studies, each short, and a study's games in Arrow and in R."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pages
import pytest

TINY = {
    "replicates=100": "replicates=4",
    "replicates=50": "replicates=2",
    "replicates = 200": "replicates = 8",
    "--pilot 40": "--pilot 8",
}


def short(code: str) -> str:
    """A study with numbers to try it. Nothing else is changed, and each is there to be changed."""
    found = [(full, few) for full, few in TINY.items() if full in code]
    assert found
    for full, few in found:
        code = code.replace(full, few)
    return code


def studies() -> list[tuple[str, str]]:
    text = pages.page("researcher-three")
    return [
        (language, code)
        for language, code in re.findall(
            r"^```(sh|python)\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE
        )
    ]


def test_there_are_four_of_less_than_25_lines() -> None:
    found = studies()
    assert [language for language, _ in found] == ["sh", "python", "python", "python"]
    assert all(len(code.strip().splitlines()) < 25 for _, code in found)
    assert all("from pairopt.lab import *\n" in code for language, code in found[1:])


def test_the_metric_of_the_page_counts_from_the_winner() -> None:
    code = next(code for _, code in studies() if "best_in_three" in code)
    [metric] = [
        node
        for node in ast.parse(code).body
        if isinstance(node, ast.FunctionDef) and node.name == "best_in_three"
    ]
    names: dict[str, Any] = {"np": np}
    exec(compile(ast.Module([metric], []), "page", "exec"), names)  # noqa: S102
    place = np.array([3, 2, 1, 0])  # the winner's is highest
    for best, expected in enumerate((True, True, True, False)):
        strength = np.eye(4)[best]
        played = SimpleNamespace(place=place, strength=strength)
        assert names["best_in_three"](played) == expected


@pytest.mark.sweep
def test_a_study_as_a_file(tmp_path: Path) -> None:
    done = pages.run(short(studies()[0][1]), tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("everything agrees") == 2
    said = (tmp_path / "orders" / "sentences.md").read_text(encoding="utf-8")
    assert "excalibur/sides first has more floats than excalibur by more than 1" in said
    assert (tmp_path / "orders" / "figures" / "claims-1.svg").is_file()


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("number", "names", "metrics"),
    [
        (1, ["fide-dutch", "monrad"], ["kendall", "best_in_three"]),
        (3, ["downwards"], ["kendall", "rematches", "floats"]),
    ],
)
def test_a_study_in_python(
    number: int, names: list[str], metrics: list[str], tmp_path: Path
) -> None:
    """Every pair that was asked for is told, and nothing but that."""
    path = tmp_path / "own.py"
    path.write_text(short(studies()[number][1]), encoding="utf-8")
    done = pages.run_python(
        "import runpy; runpy.run_path('own.py', run_name='__main__')", tmp_path
    )
    assert done.returncode == 0, done.stderr
    told = re.findall(r"^\d+ +(\S+) +(\S+) ", done.stdout, flags=re.MULTILINE)
    assert sorted(told) == sorted(
        (name, metric) for name in names for metric in metrics
    )


@pytest.mark.sweep
def test_a_sweep_with_its_curve(tmp_path: Path) -> None:
    code = short(studies()[2][1])
    done = pages.run_python(code, tmp_path)
    assert done.returncode == 0, done.stderr
    told = re.findall(r"^\d+ +(\d+) +random +(\S+) ", done.stdout, flags=re.MULTILINE)
    assert told == [
        (str(rounds), metric)
        for rounds in (3, 5, 7, 9)
        for metric in ("kendall", "floats")
    ]
    assert (tmp_path / "floats.png").read_bytes()[1:4] == b"PNG"
    assert "left" in done.stderr


# ---------------------------------------------------------------------- Arrow and R


def games_of(language: str) -> str:
    (code,) = [
        b
        for b in pages.blocks(pages.page("laboratory"), language)
        if "games.parquet" in b
    ]
    if language == "python":
        imports = (ast.Import, ast.ImportFrom)
        statements = ast.parse(code).body
        assert sum(not isinstance(each, imports) for each in statements) <= 2
    return code


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """A folder beside which the lines of the page are run."""
    (tmp_path / "lab").mkdir()
    shutil.copy(pages.ROOT / "studies" / "bakert" / "games.parquet", tmp_path / "lab")
    return tmp_path


@pytest.mark.long
def test_the_lines_for_arrow(lab: Path) -> None:
    done = pages.run_python(games_of("python"), lab)
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in ("bakert", "mended", "score1_mean"))


@pytest.mark.long
def test_the_lines_for_r(lab: Path) -> None:
    r = shutil.which("Rscript")
    if r is None or subprocess.run([r, "-e", "library(arrow)"], check=False).returncode:
        pytest.skip("R with arrow is not installed")
    done = subprocess.run(
        [r, "-e", games_of("r")], cwd=lab, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in ("bakert", "mended"))
