"""Calls of `pairopt-fide` in this process, and reports to give it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from pairopt.cli.fide import main


class Said(NamedTuple):
    """What a call said, and its exit code."""

    code: int
    out: str
    err: str


class Called:
    """Calls `pairopt-fide` in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *arguments: object) -> Said:
        with pytest.raises(SystemExit) as end:
            main([*map(str, arguments)])
        assert isinstance(end.value.code, int)
        return Said(end.value.code, *self.capsys.readouterr())


def report(folder: Path, *lines: str, name: str = "trn.trfx") -> Path:
    path = folder / name
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path
