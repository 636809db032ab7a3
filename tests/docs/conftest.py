"""The folder in which the commands of the pages run."""

from __future__ import annotations

from pathlib import Path

import outputs
import pytest


@pytest.fixture
def weekly(tmp_path: Path) -> Path:
    """A folder as a reader has it: the sample event, examples, and files that pages name."""
    outputs.copy_sample(tmp_path)
    return tmp_path
