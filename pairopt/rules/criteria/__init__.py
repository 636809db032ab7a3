"""Criteria: rules of preference, one module each, found by their `kind`."""

import sys

from pairopt.registry import found_in
from pairopt.rules.base import Criterion

__all__ = ["CRITERIA", "Criterion"]

CRITERIA: dict[str, type[Criterion]] = found_in(
    sys.modules[__name__],
    Criterion,  # type: ignore[type-abstract]
)
