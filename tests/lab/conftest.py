"""What tests of the laboratory share."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import MagicMock

import pytest

from pairopt.lab import figures, sweep_figures


@pytest.fixture
def sketched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes most of a small study's time: where figures are not what is tested, nobody
    draws, and their files have nothing but their names in them."""

    def images(_: object, path: Path, suffixes: tuple[str, ...]) -> dict[Path, bytes]:
        names = [path.with_name(path.name + suffix) for suffix in suffixes]
        return {name: name.name.encode() for name in names}

    axes = MagicMock(**{"get_ylim.return_value": (0.0, 1.0)})
    monkeypatch.setattr(figures, "new_axes", lambda *_: axes)
    monkeypatch.setattr(figures, "images", images)
    monkeypatch.setattr(sweep_figures, "sweep_panels", lambda *_: axes)
