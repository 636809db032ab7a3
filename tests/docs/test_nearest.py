"""The table of tests for planted faults has some for every module, and they are there."""

from __future__ import annotations

import nearest
import pytest
from places import ROOT

ROOMS = sorted(path.parent.name for path in (ROOT / "pairopt").glob("*/__init__.py"))


@pytest.mark.parametrize("room", ROOMS)
def test_each_module_of_a_room_has_tests(room: str) -> None:
    own = [path for path in nearest.modules() if path.startswith(f"pairopt/{room}/")]
    assert own
    for path in own:
        assert_there(path)
        folder = "tests/common" if room == "show" else f"tests/{room}"
        assert path in nearest.OWN or any(
            folder in word for call in nearest.calls_for(path) for word in call
        )


def test_each_single_file_has_tests() -> None:
    single = [path for path in nearest.modules() if path.count("/") == 1]
    assert len(single) > 5
    for path in single:
        assert_there(path)


def assert_there(path: str) -> None:
    """Every test that is named is there."""
    calls = [*nearest.calls_for(path)]
    assert calls, path
    for call in calls:
        named = [word for word in call if word.startswith("tests/")]
        assert named, path
        assert [word for word in named if not (ROOT / word).exists()] == [], path


def test_what_is_listed_is_there() -> None:
    assert [path for path in nearest.OWN if not (ROOT / path).exists()] == []
    assert set(nearest.BESIDE) <= set(ROOMS)


def test_a_module_in_a_folder_without_tests_has_those_above() -> None:
    first, *_ = nearest.calls_for("pairopt/engines/cpsat/level_by_level.py")
    assert first == ("tests/engines", "-k", "level_by_level or levelbylevel")
    first, *_ = nearest.calls_for("pairopt/web/views/score_lines.py")
    assert first == ("tests/web", "-k", "score_lines or scorelines")
    first, *_ = nearest.calls_for("pairopt/__main__.py")
    assert first[0] == "tests/cli"
