"""Constraints: rules that may never be broken, one module each, found by their `kind`."""

import sys

from pairopt.registry import found_in
from pairopt.rules.base import Constraint

__all__ = ["CONSTRAINTS", "Constraint"]

CONSTRAINTS: dict[str, type[Constraint]] = found_in(
    sys.modules[__name__],
    Constraint,  # type: ignore[type-abstract]
)
