"""Every notebook runs from top to bottom, and what is stored in it is what comes out."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
import numpy as np
import pytest
from make_notebooks import NOTEBOOKS, SVG, run
from places import ROOT

from pairopt.files.samples import SAMPLES

TIME = re.compile(r"\d+\.\d+")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
XMLNS = "{http://www.w3.org/2000/svg}"
PAGE, MOST_COLUMNS = 736, 7
"""How wide the text of the site is in pixels, and a table in columns of values."""
EMPTY = {"", "None", "nan", "NaN", "<NA>"}
MOST_OF_A_NAME = 30
"""Letters of a label or a name; what is longer is a sentence."""
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


def pictures(cell: Any) -> list[str]:
    """The figures a cell drew, as SVG."""
    return [
        output.data[SVG] for output in cell.outputs if SVG in output.get("data", {})
    ]


def texts(picture: str) -> list[str]:
    """What a figure says; of letters that are drawn as outlines nothing is left."""
    root = ElementTree.fromstring(picture)  # noqa: S314 - from this repository
    return ["".join(each.itertext()).strip() for each in root.iter(f"{XMLNS}text")]


def words(picture: str) -> list[str]:
    """What a figure says without numbers, such as those of ticks."""
    return [text for text in texts(picture) if re.search("[A-Za-z]", text)]


def places(picture: str) -> np.ndarray:
    """All numbers of a figure in points, but those of names and of embedded pictures."""
    drawn = re.findall(r' (?:d|x|y|points|transform)="([^"]*)"', picture)
    return np.array([float(each) for one in drawn for each in NUMBER.findall(one)])


def tables(cell: Any) -> list[list[tuple[str, ...]]]:
    """The columns of values of each table shown, without their heads."""
    shown = [output.get("data", {}).get("text/html", "") for output in cell.outputs]
    found = [re.search(r"<tbody>.*</tbody>", html, flags=re.DOTALL) for html in shown]
    bodies = [ElementTree.fromstring(each[0]) for each in found if each]  # noqa: S314
    rows = [[[td.text or "" for td in tr.iter("td")] for tr in body] for body in bodies]
    return [list(zip(*each, strict=True)) for each in rows]


@pytest.mark.sweep
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=pytest.mark.slow if path.name[0] != "1" else ())
        for path in NOTEBOOKS
    ],
    ids=NAMES,
)
def test_what_is_stored_is_what_comes_out(path: Path) -> None:
    stored = nbformat.read(path, as_version=4)
    for old, new in zip(cells(stored), cells(run(path)), strict=True):
        assert said(old) == said(new), "run `python tests/make/make_notebooks.py`"
        has_times = "times" in old.metadata.get("tags", ())
        for one, other in zip(pictures(old), pictures(new), strict=True):
            if has_times:  # an axis of times has other ticks on another machine
                assert words(one) == words(other)
                continue
            assert texts(one) == texts(other)
            # fonts may differ by some points
            assert np.allclose(places(one), places(other), atol=6)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=NAMES)
def test_every_figure_is_drawn_and_every_value_there(path: Path) -> None:
    """A cell that ends with an expression has an output; one that makes a figure, a picture."""
    for cell in cells(nbformat.read(path, as_version=4)):
        last = cell.source.splitlines()[-1]
        shows = not re.match(r"(assert|from|import|[\w, ]+ = |\s|[)\]}])", last)
        assert bool(cell.outputs) or not shows, cell.source
        assert all(output.output_type != "error" for output in cell.outputs)
        assert all(output.get("name") != "stderr" for output in cell.outputs)
        if re.search(r"(plt\.show|get_figure|set_title\()", cell.source):
            (picture,) = pictures(cell)
            assert (
                max(map(len, texts(picture))) > MOST_OF_A_NAME
            )  # its conclusion, as text
            (width,) = re.findall(r'<svg[^>]* width="([\d.]+)pt"', picture)
            assert float(width) * 4 / 3 < PAGE


@pytest.mark.parametrize("path", NOTEBOOKS, ids=NAMES)
def test_a_figure_each_and_no_table_with_an_empty_column(path: Path) -> None:
    every = cells(nbformat.read(path, as_version=4))
    assert any(pictures(cell) for cell in every)
    shown = [table for cell in every for table in tables(cell)]
    assert shown
    for columns in shown:
        assert all({*column} - EMPTY for column in columns), columns
        assert len(columns) <= MOST_COLUMNS


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=NAMES)
def test_a_notebook_needs_only_the_package_and_its_data(path: Path) -> None:
    """It runs where pairopt is installed, beside the examples and the published studies."""
    for cell in cells(nbformat.read(path, as_version=4)):
        assert "sys.path" not in cell.source
        folders = set(re.findall(r"\.\./(\w+)", cell.source))
        assert folders <= {"examples", "studies"}, cell.source


@pytest.mark.parametrize("path", NOTEBOOKS, ids=NAMES)
def test_a_notebook_reads_only_samples_that_the_wheel_has(path: Path) -> None:
    """People download a notebook alone; the samples are in the installed package."""
    code = "\n".join(cell.source for cell in cells(nbformat.read(path, as_version=4)))
    assert "../" not in code
    read = re.findall(r'sample\(f?"(.*?)"\)', code)
    assert read
    for name in read:
        pattern = re.sub(r"\{.*?\}", "[^/]+", name)
        assert any(
            re.fullmatch(pattern, shipped) or name.startswith(f"{shipped}/")
            for shipped in SAMPLES
        ), name


def test_the_wheel_has_the_samples() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert {
        name: f"pairopt/samples/{name}" for name in SAMPLES
    }.items() <= included.items()
