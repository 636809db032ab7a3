"""Promised names: what may not be renamed, stored in `tests/frozen/names`, a name a line."""

from __future__ import annotations

from places import ROOT

NAMES = ROOT / "tests" / "frozen" / "names"


def names(row: str) -> list[str]:
    """The promised names of a row."""
    return (NAMES / f"{row}.txt").read_text(encoding="utf-8").splitlines()
