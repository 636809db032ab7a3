"""Where things are: the checkout, the sample event, and real files that may be beside it."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "examples" / "weekly"
DATA = ROOT / "tests" / "data"
"""A small file of each format, made for the tests."""
REAL = ROOT.parent / "shared" / "data"
"""Public tournament records, not part of the project: tests that need them skip without."""


def last_rounds(paths: Iterable[Path]) -> list[Any]:
    """Files as parameters, in order: of an event with a file after each round all but the last are
    slow, which say no more than it does."""
    events: dict[tuple[Path, str], Path] = {}
    for path in sorted(paths):
        events[path.parent, re.sub(r"_r\d+$", "", path.stem)] = path
    last = {*events.values()}
    marks = {path: () if path in last else pytest.mark.slow for path in sorted(paths)}
    return [
        pytest.param(path, marks=mark, id=path.name) for path, mark in marks.items()
    ]
