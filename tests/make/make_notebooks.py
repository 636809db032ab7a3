"""The notebooks run anew, with what they print and draw: all of them, or those named.

python tests/make/make_notebooks.py [6_odds …]
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from places import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
DATE = re.compile(r" *<dc:date>.*?</dc:date>\n")
SVG = "image/svg+xml"


def run(path: Path) -> Any:
    """The notebook after a run from top to bottom, without what is no result: times and counts.

    It runs in an empty folder, as a downloaded notebook does.
    """
    book = nbformat.read(path, as_version=4)
    settings = {**os.environ, "MATPLOTLIBRC": str(path.parent / "matplotlibrc")}
    with tempfile.TemporaryDirectory() as place:
        resources = {"metadata": {"path": place}}
        NotebookClient(book, timeout=600, resources=resources).execute(env=settings)
    for cell in book.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.execution_count = None
            for output in cell.outputs:
                if "execution_count" in output:
                    output.execution_count = None
                if SVG in output.get("data", {}):
                    output.data[SVG] = DATE.sub("", output.data[SVG])
    book.metadata.language_info = {"name": "python"}
    return book


def main(*names: str) -> None:
    known = {path.stem: path for path in NOTEBOOKS}
    for name in names or known:
        text = nbformat.writes(run(known[name]), indent=1)
        known[name].write_text(f"{text.rstrip()}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
