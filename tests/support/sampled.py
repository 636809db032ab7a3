"""Parameters of which a part runs each time: the others are slow, `pytest -m slow` runs them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def one_in(share: int, values: Iterable[Any], name: Any = None) -> list[Any]:
    """One of so many values, the first among them; the rest are slow. `name` makes their ids."""
    return [
        pytest.param(
            *(value if isinstance(value, list) else [value]),
            marks=() if k % share == 0 else pytest.mark.slow,
            id=None if name is None else name(value),
        )
        for k, value in enumerate(values)
    ]


def some_of(often: Iterable[Any], values: Iterable[Any]) -> list[Any]:
    """These values; the rest are slow."""
    chosen = [*often]
    return [
        pytest.param(value, marks=() if value in chosen else pytest.mark.slow)
        for value in values
    ]
