"""Import paths of version 1.0.0 lead to the names of today, with a warning."""

from __future__ import annotations

import importlib

import pytest
from promised import names

import pairopt.extend
from pairopt.common.old_paths import moved_names

OLD = {
    "pairopt.engines.base:Settle": "LevelMinimizer",
    "pairopt.show.verbs:Verb": "FolderCommand",
    "pairopt.folder.desk:opened": "open_folder",
    "pairopt.files.source:Source": "TextSource",
}


@pytest.mark.parametrize("path", OLD)
def test_an_old_name_is_that_of_today_and_warns(path: str) -> None:
    module, _, name = path.partition(":")

    with pytest.warns(DeprecationWarning, match=f"{name} goes in version 2.0"):
        found = getattr(importlib.import_module(module), name)

    assert found is getattr(pairopt.extend, OLD[path])
    assert path in names("import_paths")


def test_another_name_is_no_attribute() -> None:
    find = moved_names("pairopt.old", {"Old": "pairopt.event.event:Event"})

    with pytest.raises(AttributeError, match="has no attribute 'New'"):
        find("New")
