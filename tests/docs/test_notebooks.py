"""Every notebook runs from top to bottom, and carries no stored output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from places import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    space: dict[str, object] = {}
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    for cell in code:
        assert not cell["outputs"]
        assert cell["execution_count"] is None
        exec(compile("".join(cell["source"]), path.name, "exec"), space)  # noqa: S102


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS
