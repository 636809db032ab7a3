"""The pages of docs/: their tables are those of the results, their commands run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import make_tables
import pytest
from places import ROOT
from test_readme import run

SYSTEMS, CHOOSING = (path.read_text(encoding="utf-8") for path in make_tables.PAGES)


def test_the_tables_are_those_of_the_results() -> None:
    for page in (SYSTEMS, CHOOSING):
        assert make_tables.page(page) == page, "run `python tests/make/make_tables.py`"
    assert all(table() in SYSTEMS + CHOOSING for table in make_tables.TABLES.values())


@pytest.mark.parametrize(("model", "rematches"), [("bakert", 2), ("gatherling", 0)])
def test_the_rematch_that_could_be_avoided(model: str, rematches: int, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (command,) = [
        block
        for block in re.findall(r"```sh\n(.*?)```", SYSTEMS, flags=re.DOTALL)
        if model in block
    ]
    done = run(command, tmp_path)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    pairs = [{"Ann", "Bob"}, {"Cem", "Dag"}]
    assert sum(pair <= set(line) for line in lines for pair in pairs) == rematches


def test_the_command_of_the_lot(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "weekly", tmp_path, dirs_exist_ok=True)
    (command,) = re.findall(r"```sh\n(.*?)```", CHOOSING, flags=re.DOTALL)
    done = run(command, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "exactly as likely" in done.stdout
