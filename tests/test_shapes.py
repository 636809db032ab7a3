"""Shapes: what a table of a file may hold, and that all that does not fit is named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

import pytest

from pairopt.shapes import MisfitError, fitted


def even(number: int) -> int:
    if number % 2:
        raise ValueError("expected an even number")
    return number


def halved(number: int) -> int:
    return number // 2


@dataclass(frozen=True)
class Inner:
    OPEN: ClassVar[bool] = True

    size: int
    label: str = field(default="", metadata={"key": "labelText"})

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError("expected a size")


@dataclass(frozen=True)
class Outer:
    name: str
    parts: list[Inner] = field(default_factory=list)
    half: Annotated[int, even, halved] | None = None


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (int, 3, 3),
        (Decimal, 3, Decimal(3)),
        (Decimal, 0.1, Decimal("0.1")),
        (Decimal, Decimal("1e400"), Decimal("1e400")),
        (Any, [{"a": None}], [{"a": None}]),
        (Literal["up", 1], 1, 1),
        (int | Literal["all"] | None, "all", "all"),
        (int | None, None, None),
        (tuple[str, ...], ["a", "b"], ("a", "b")),
        (Mapping[str, Decimal], {"a": 1}, {"a": Decimal(1)}),
        (Annotated[int, even, halved], 6, 3),
        (
            Outer,
            {"name": "x", "half": 4, "parts": [{"size": 1, "labelText": "y", "more": 2}]},
            Outer("x", [Inner(1, "y")], 2),
        ),
    ],
)
def test_what_fits(kind: Any, value: Any, expected: Any) -> None:
    made = fitted(kind, value)
    assert made == expected
    assert type(made) is type(expected)


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        (int, True, ": expected a number (found True)"),
        (int, Decimal("2.5"), ": expected a whole number (found 2.5)"),
        (int, "3", ": expected a number (found '3')"),
        (Decimal, Decimal("nan"), ": expected a finite number (found NaN)"),
        (bool, 1, ": expected true or false (found 1)"),
        (str, 1, ": expected a text (found 1)"),
        (str, [0] * 100, f": expected a text (found {str([0] * 100)[:57]}...)"),
        (Literal[1, 2], True, ": expected 1 or 2 (found True)"),
        (list[int], {}, ": expected a list (found {})"),
        (Mapping[str, int], [], ": expected a table (found [])"),
        (Annotated[int, even], 3, ": expected an even number (found 3)"),
        (Outer, {}, "name: missing"),
        (Outer, {"name": "x", "nam": 1}, "nam: unknown key 'nam'; known keys: name, parts, half"),
        (Outer, {"name": "x", "parts": [{"size": 1}, {}]}, "parts[1].size: missing"),
        (
            Outer,
            {"name": "x", "parts": [{"size": -1}]},
            "parts[0]: expected a size (found {'size': -1})",
        ),
    ],
)
def test_what_does_not(kind: Any, value: Any, said: str) -> None:
    with pytest.raises(MisfitError) as caught:
        fitted(kind, value)
    assert [f"{each.place()}: {each}" for each in caught.value.misfits] == [said]


def test_all_misfits_at_once() -> None:
    with pytest.raises(MisfitError) as caught:
        fitted(Outer, {"parts": [{"size": "x"}, {"labelText": 0}], "half": 3, "x": 1})
    places = [each.place(1) for each in caught.value.misfits]
    assert places == ["x", "name", "parts[1].size", "parts[2].size", "parts[2].labelText", "half"]
