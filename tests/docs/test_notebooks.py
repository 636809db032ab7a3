"""Every notebook runs from top to bottom, and what is stored in it is what comes out."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from make_notebooks import NOTEBOOKS, run
from matplotlib.image import imread

TIME = re.compile(r"\d+\.\d+")
NAMES = [path.stem for path in NOTEBOOKS]


def cells(book: Any) -> list[Any]:
    return [cell for cell in book.cells if cell.cell_type == "code"]


def said(cell: Any) -> list[str]:
    """What a cell printed or returned as text; of times only that there are some."""
    texts = []
    for output in cell.outputs:
        text = output.get("text") or output.data.get("text/plain", "")
        if "times" in cell.metadata.get("tags", ()):
            text = re.sub(r"[ \\n]+", " ", TIME.sub("0.0", text))
        texts.append(f"{output.output_type}: {text}")
    return texts


def pictures(cell: Any) -> list[np.ndarray]:
    """The pixels a cell drew, shape (height, width, 4)."""
    data = [output.get("data", {}).get("image/png") for output in cell.outputs]
    return [imread(io.BytesIO(base64.b64decode(png)), "png") for png in data if png]


@pytest.mark.long
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=pytest.mark.slow if path.name[0] not in "13" else ())
        for path in NOTEBOOKS
    ],
    ids=NAMES,
)
def test_what_is_stored_is_what_comes_out(path: Path) -> None:
    stored = nbformat.read(path, as_version=4)
    for old, new in zip(cells(stored), cells(run(path)), strict=True):
        assert said(old) == said(new), "run `python tests/make/make_notebooks.py`"
        drawn = list(zip(pictures(old), pictures(new), strict=True))
        for one, other in drawn:  # fonts may differ by a pixel
            assert one.shape[2] == other.shape[2]
            assert abs(one.shape[0] - other.shape[0]) + abs(one.shape[1] - other.shape[1]) < 20
            assert one[..., :3].mean() == pytest.approx(other[..., :3].mean(), abs=0.02)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=NAMES)
def test_every_figure_is_drawn_and_every_value_there(path: Path) -> None:
    """A cell that ends with an expression has an output; one that makes a figure, a picture."""
    for cell in cells(nbformat.read(path, as_version=4)):
        last = cell.source.splitlines()[-1]
        shows = not re.match(r"(assert|from|import|[\w, ]+ = |\s|[)\]}])", last)
        assert bool(cell.outputs) or not shows, cell.source
        assert all(output.output_type != "error" for output in cell.outputs)
        if "figures." in cell.source:
            (picture,) = pictures(cell)
            assert picture[..., :3].min() < 0.5  # not a white sheet
            assert np.ptp(picture[..., :3], axis=(0, 1)).min() > 0.5


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 3
