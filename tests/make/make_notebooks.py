"""The notebooks run anew, with what they print and draw.

python tests/make/make_notebooks.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from places import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def run(path: Path) -> Any:
    """The notebook after a run from top to bottom, without what is no result: times and counts."""
    book = nbformat.read(path, as_version=4)
    NotebookClient(book, timeout=600, resources={"metadata": {"path": str(path.parent)}}).execute()
    for cell in book.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.execution_count = None
            for output in cell.outputs:
                if "execution_count" in output:
                    output.execution_count = None
    book.metadata.language_info = {"name": "python"}
    return book


def main() -> None:
    for path in NOTEBOOKS:
        text = nbformat.writes(run(path), indent=1)
        path.write_text(f"{text.rstrip()}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
