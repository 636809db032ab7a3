"""Sample files: found in a checkout, refused if unknown."""

from __future__ import annotations

from pathlib import Path

import pytest
from places import ROOT

from pairopt import UsageError
from pairopt.files import samples
from pairopt.files.samples import SAMPLES, sample


@pytest.mark.parametrize("name", [*SAMPLES, "examples/weekly/matches.csv"])
def test_a_sample_is_found(name: str) -> None:
    assert sample(name) == ROOT / name
    assert sample(name).exists()


@pytest.mark.parametrize("name", ["weekly", "examples/weekly/x.csv", "pyproject.toml"])
def test_another_name_is_refused(name: str) -> None:
    with pytest.raises(
        UsageError, match=f"no example file '{name}'. Choose one of these"
    ):
        sample(name)


def test_an_installed_package_has_its_own_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "pairopt" / "samples" / "examples" / "weekly"
    folder.mkdir(parents=True)
    monkeypatch.setattr(
        samples, "__file__", str(tmp_path / "pairopt" / "files" / "samples.py")
    )
    assert sample("examples/weekly") == folder
