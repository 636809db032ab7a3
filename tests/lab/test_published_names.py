"""Published names: a class that moves keeps the name under which studies were registered."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest
from places import ROOT

from pairopt.lab import published_names
from pairopt.lab.identity import find_published_place
from pairopt.lab.published_names import CLASSES
from pairopt.lab.studies.study_file import read_study
from pairopt.lab.tasks import setting_to_json
from pairopt.rules.criteria.rematches import Rematches

STUDIES = sorted(path.parent for path in (ROOT / "studies").glob("*/datapackage.json"))


def test_there_are_nineteen_studies_of_version_1_0() -> None:
    """Later studies are next to them, and replace none."""
    days = [
        read_study(folder / "study.toml").file.registration.date for folder in STUDIES
    ]
    assert days.count("2026-11-28") == 19


@pytest.mark.parametrize("folder", STUDIES, ids=lambda path: path.name)
def test_registrations_are_those_that_are_published(folder: Path) -> None:
    published = json.loads((folder / "results.json").read_text("utf-8"))
    assert (
        read_study(folder / "study.toml").registered == published["registered_sha256"]
    )


@pytest.mark.parametrize("name", CLASSES)
def test_each_name_leads_to_its_class(name: str) -> None:
    module, _, qualname = CLASSES[name].partition(":")
    kind = getattr(importlib.import_module(module), qualname)
    assert (kind.__module__, kind.__qualname__) == (module, qualname)
    assert find_published_place(kind) == name


def test_a_class_that_moves_keeps_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    before = setting_to_json(Rematches())
    name = before["is"]
    assert name == "pairopt.rules.criteria.rematches:Rematches"
    monkeypatch.setattr(Rematches, "__module__", "pairopt.rules.criteria.repeats")
    assert setting_to_json(Rematches()) != before
    place = "pairopt.rules.criteria.repeats:Rematches"
    monkeypatch.setattr(published_names, "_NAMES", {place: name})
    assert setting_to_json(Rematches()) == before
