"""`pairopt.extend`: the names that extensions import."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT
from promised import names

import pairopt.extend

CLUB = ROOT / "tests" / "club" / "club"


def test_the_names_stay() -> None:
    assert {*names("extend")} <= {*pairopt.extend.__all__}


@pytest.mark.parametrize("name", pairopt.extend.__all__)
def test_each_name_is_there_and_listed(name: str) -> None:
    assert getattr(pairopt.extend, name) is not None
    assert f"`{name}`" in str(pairopt.extend.__doc__)


def test_nothing_is_imported_before_it_is_asked_for() -> None:
    code = (
        "import sys, pairopt.extend; print(sorted({'numpy', 'click'} & {*sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("path", sorted(CLUB.rglob("*.py")), ids=lambda path: path.stem)
def test_the_example_imports_from_there_alone(path: Path) -> None:
    """Besides the functions that everybody calls, as `read_event`."""
    modules = re.findall(
        r"^\s*(?:from|import) (pairopt[\w.]*)", path.read_text("utf-8"), re.M
    )
    assert {*modules} <= {"pairopt", "pairopt.extend"}
