"""Levels by hand: values and bounds with their offsets, what is proven, and what differs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from events import model_of

from pairopt import read_event
from pairopt.event.arcs import arcs_of
from pairopt.problem.build import prepare
from pairopt.problem.levels import (
    LevelValue,
    decisive_levels,
    difference_lines,
    first_deviation,
    level_values,
    zeros_text,
)
from pairopt.problem.problem import Problem

SCORES = {"A": "5", "B": "4", "C": "-3"}
"""Below 0, so that `bye_score` has an offset: -3."""


def problem(weights: tuple[int, int] | None = None) -> Problem:
    """Three players and the criteria `bye_score` and `score_groups`."""
    listed = pd.DataFrame({"player": list(SCORES), "score": list(SCORES.values())})
    criteria: list[dict[str, Any]] = [{"kind": "bye_score"}, {"kind": "score_groups"}]
    raw: dict[str, Any] = {"name": "x", "criteria": criteria}
    if weights:
        raw["objective"] = "weighted"
        for row, weight in zip(criteria, weights, strict=True):
            row["weight"] = weight
    return prepare(read_event(listed, relax=["history", "penalties"]), model_of(raw))


def seen(levels: tuple[LevelValue, ...]) -> list[tuple[object, ...]]:
    return [(each.value, each.bound, each.proven) for each in levels]


@pytest.mark.long
def test_levels_in_order() -> None:
    of = problem()
    assert [(level.criterion, level.offset) for level in of.levels] == [
        ("bye_score", -3),
        ("score_groups", 0),
        ("score_groups", 0),
    ]
    found = level_values(of, "lexicographic", (-3, 0, 1), (0, 0, 1))
    assert [(v.criterion, v.level, v.scale, v.place, v.words) for v in found] == [
        (level.criterion, level.label, level.scale, level.place, level.words)
        for level in of.levels
    ]
    assert seen(found) == [(-3, -3, True), (0, 0, True), (1, 1, True)]
    assert decisive_levels(found) == found


@pytest.mark.parametrize(
    ("values", "bounds", "expected"),
    [
        # a bound says nothing once a level before is not proven
        ((4, 0, 1), (0, 0, 1), [(4, -3, False), (0, None, False), (1, None, False)]),
        (
            (-3, 0, 1),
            (0, None, 1),
            [(-3, -3, True), (0, None, False), (1, None, False)],
        ),
        ((-3, 0, 1), None, [(-3, None, False), (0, None, False), (1, None, False)]),
        (
            None,
            (0, 0, 1),
            [(None, -3, False), (None, None, False), (None, None, False)],
        ),
    ],
)
def test_what_is_proven(
    values: tuple[int, ...] | None,
    bounds: tuple[int | None, ...] | None,
    expected: list[tuple[object, ...]],
) -> None:
    found = level_values(problem(), "lexicographic", values, bounds)
    assert seen(found) == expected
    assert decisive_levels(found) == found


@pytest.mark.parametrize(
    ("values", "bound", "expected"),
    [
        # 2 for a point, 5 for a match one group apart; the offset counts with its weight
        ((-3, 0, 1), 5, (-1, -1, True)),
        ((4, 0, 1), 5, (13, -1, False)),
        ((-3, 0, 1), None, (-1, None, False)),
        (None, 5, (None, -1, False)),
    ],
)
def test_the_weighted_sum_comes_first(
    values: tuple[int, ...] | None, bound: int | None, expected: tuple[object, ...]
) -> None:
    of = problem((2, 5))
    found = level_values(of, "weighted", values, (bound, None, None))
    assert [each.criterion for each in found] == [
        "weighted_sum",
        "bye_score",
        *["score_groups"] * 2,
    ]
    assert seen(found)[0] == expected
    assert seen(found)[1:] == [(value, None, None) for value in values or [None] * 3]
    assert decisive_levels(found) == found[:1]
    assert (found[0].level, found[0].scale, found[0].place) == (1, 1, -1)
    assert found[0].words == "sum of the levels below by their weights"
    # the same model paired by its levels
    assert len(level_values(of, "lexicographic", (-3, 0, 1), (0, 0, 1))) == 3


def level(
    place: int, label: int, value: int | None, proven: bool | None = True
) -> LevelValue:
    return LevelValue(
        "c", label, value, value, 2, proven, f"level {place}.{label}", place
    )


def test_differences_in_the_models_order() -> None:
    one = (level(0, 1, 2), level(1, 1, 3), level(2, 1, 5))
    other = (level(0, 1, 2), level(1, 1, 4), level(2, 1, 6))
    assert difference_lines(one, one) == []
    assert difference_lines(one, other) == [
        "level 1.1: 1.5 instead of 2",
        "level 2.1: 2.5 instead of 3",
    ]


def test_a_level_that_one_does_not_have_counts_nothing_there() -> None:
    fewer = (level(0, 1, 5), level(1, 2, 1))
    more = (level(0, 3, 2), level(0, 1, 4), level(1, 2, 2))
    assert difference_lines(more, fewer) == [
        "level 0.3: 1 instead of 0",
        "level 0.1: 2 instead of 2.5",
        "level 1.2: 1 instead of 0.5",
    ]
    assert difference_lines(fewer, more) == [
        "level 0.3: 0 instead of 1",
        "level 0.1: 2.5 instead of 2",
        "level 1.2: 0.5 instead of 1",
    ]
    # a level without a value is not compared
    assert difference_lines((level(0, 1, None),), (level(0, 1, 1),)) == []
    assert difference_lines((level(0, 1, 1),), (level(0, 1, None),)) == []


def test_a_weighted_sum_of_nothing_is_proven() -> None:
    raw = {
        "name": "x",
        "objective": "weighted",
        "criteria": [{"kind": "bye_score", "weight": 1}],
    }
    even = prepare(read_event(pd.DataFrame({"player": ["A", "B"]})), model_of(raw))
    assert not even.levels
    assert seen(level_values(even, "weighted", (), ())) == [(0, 0, True)]


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, ""), (1, "1 more level is 0."), (9, "9 more levels are 0.")],
)
def test_levels_that_are_0_are_counted_in_a_sentence(count: int, text: str) -> None:
    assert zeros_text(count) == text


def test_the_first_difference_may_be_in_a_level_of_one_pairing_alone() -> None:
    arcs = arcs_of(np.array([0]), np.array([1]))
    fewer = ((level(0, 1, 5),), arcs)
    more = ((level(0, 3, 2), level(0, 1, 5)), arcs)
    for pairing, best, values in ((more, fewer, (2, 0)), (fewer, more, (0, 2))):
        deviation = first_deviation(problem(), pairing, best)
        assert deviation is not None
        assert (deviation[0].value, deviation[1].value) == values
