"""The folder in which the commands of the pages run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pages
import pytest
from places import ROOT, SAMPLE


@pytest.fixture
def weekly(tmp_path: Path) -> Path:
    """A folder as a reader has it: the sample event, and the guide's model of one's own."""
    shutil.copytree(SAMPLE, tmp_path, dirs_exist_ok=True)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (own,) = pages.blocks(pages.page("guide"), "toml")
    (tmp_path / "mine.toml").write_text(own, encoding="utf-8")
    return tmp_path
