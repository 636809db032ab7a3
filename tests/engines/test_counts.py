"""What CP-SAT's bounds, which are floating-point numbers, prove of whole ones."""

from __future__ import annotations

import pytest

from pairopt.engines.allowed_arcs import round_bound_down


@pytest.mark.parametrize(
    ("bound", "proven"),
    [
        (3.0, 3),
        (3.0000001, 3),  # a rounding error
        (2.9999999, 3),
        (3.00001, 4),
        (3.5, 4),
        (0.0000001, 0),
        (-0.0000001, 0),
        (-1.5, -1),
    ],
)
def test_a_bound_is_rounded_up_but_for_its_error(bound: float, proven: int) -> None:
    assert round_bound_down(bound) == proven


@pytest.mark.parametrize("number", [2**53 + 1, 2**60 - 1, 10**17 + 3, -(2**60) - 1])
def test_a_bound_beyond_what_floats_tell_apart_is_never_too_high(number: int) -> None:
    assert round_bound_down(float(number)) <= number
    assert round_bound_down(float(number)) >= number - abs(number) * 1e-14
