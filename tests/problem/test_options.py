"""Options of a round: each is declared once, and Python's values are checked by the declaration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from places import SAMPLE

import pairopt
from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.problem.option_declaration import TYPES
from pairopt.problem.options import SolveOptions, declared_options, parse_options

DECLARED = declared_options(SolveOptions)
WRONG: dict[str, tuple[Any, ...]] = {
    "flag": ("no", 1, None),
    "switch": ("yes", 1, None),
    "choice": ("other", 3, ["any"]),
    "number": ("7", 2.0, True, [7]),
    "seconds": ("5", True, float("nan"), 0, -1),
    "engine": (3, ["auto"]),
    "text": (3, (3, 1, 0)),
    "labels": ("ab", [1, 2]),
    "name": (["Ann"], 3),
    "names": ("Ann", [3], None),
    "pairs": (
        "Ann",
        ["Ann", "Bob"],
        ["AB"],
        [("Ann", 3)],
        [("Ann",)],
        ("Ann", "Bob"),
        None,
    ),
}
"""Values that no option of this reading has."""
RIGHT: dict[str, tuple[Any, ...]] = {
    "flag": (True, False, np.True_),
    "switch": (True, False, "small"),
    "number": (1, np.int64(2)),
    "seconds": (1, 0.5, np.float32(0.5)),
    "engine": ("auto",),
    "text": ("3-1-0",),
    "labels": (("corp", "runner"), ["corp", "runner"], ()),
    "name": ("Ann",),
    "names": (["Ann"], ("Ann", "Bob"), []),
    "pairs": ([("Ann", "Bob")], (["Ann", "Bob"],), []),
}


@pytest.fixture(scope="module")
def event() -> Event:
    return pairopt.read_event(SAMPLE / "matches.csv", SAMPLE / "players.csv")


@pytest.mark.parametrize("name", DECLARED)
def test_a_value_of_another_type_is_a_usage_error_with_the_name(name: str) -> None:
    for value in WRONG[DECLARED[name].reading]:
        with pytest.raises(UsageError, match=rf"^{name} is "):
            SolveOptions(**{name: value})


@pytest.mark.parametrize("name", DECLARED)
def test_a_value_of_the_right_type_is_kept_as_it_is(name: str) -> None:
    declared = DECLARED[name]
    for value in RIGHT.get(declared.reading, declared.choices):
        assert getattr(SolveOptions(**{name: value}), name) is value
    assert getattr(SolveOptions(**{name: declared.default}), name) is declared.default


@pytest.mark.parametrize(
    ("name", "value"), [("seed", -1), ("workers", 0), ("round", 10**9)]
)
def test_a_number_out_of_range_is_a_usage_error(name: str, value: int) -> None:
    with pytest.raises(UsageError, match=f"^{name} is {value}\\. Give a number from "):
        SolveOptions(**{name: value})


def test_each_reading_is_tried() -> None:
    assert (
        {*WRONG} == {*TYPES, "choice"} == {each.reading for each in DECLARED.values()}
    )


def test_what_solve_is_given_in_python_is_checked(event: Event) -> None:
    with pytest.raises(UsageError, match=r"^seed is '7'\. Give a whole number"):
        pairopt.solve(event, seed="7")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"^forbid is 'Ann'\. Give a list of pairs"):
        pairopt.solve(event, forbid="Ann")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"^drop is 'Ann'\. Give a list of names"):
        pairopt.explain(event, drop="Ann")


def test_the_help_of_each_option_stands_alone() -> None:
    for declared in DECLARED.values():
        assert declared.help.endswith(".")
        assert ("Repeatable." in declared.help) == (
            declared.reading in ("names", "pairs")
        )


@pytest.mark.parametrize(
    "names",
    [{"Ann", "Bob"}, np.array(["Ann", "Bob"]), pd.Index(["Ann", "Bob"]), iter(["Ann"])],
    ids=lambda names: type(names).__name__,
)
def test_names_may_be_any_iterable(event: Event, names: Any) -> None:
    """Version 1.0 took them so."""
    options = parse_options(event, SolveOptions, {"no_bye": names}, "solve")
    assert options.no_bye in (("Ann", "Bob"), ("Ann",))


@pytest.mark.parametrize(
    "pairs",
    [
        {("Ann", "Bob")},
        [frozenset({"Ann", "Bob"})],
        np.array([("Ann", "Bob")]),
        {"Ann": "Bob"}.items(),
    ],
    ids=lambda pairs: type(pairs).__name__,
)
def test_pairs_may_be_any_iterable(event: Event, pairs: Any) -> None:
    options = parse_options(event, SolveOptions, {"forbid": pairs}, "solve")
    assert options.forbid == (("Ann", "Bob"),)


def test_none_is_an_option_that_is_not_given(event: Event) -> None:
    given = dict.fromkeys(DECLARED)
    assert parse_options(event, SolveOptions, given, "solve") == parse_options(
        event, SolveOptions, {}, "solve"
    )


def test_a_text_is_no_list(event: Event) -> None:
    for name in ("no_bye", "forbid", "sides"):
        with pytest.raises(UsageError, match=f"^{name} is 'Ann'\\. Give "):
            parse_options(event, SolveOptions, {name: "Ann"}, "solve")
