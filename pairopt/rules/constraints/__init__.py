"""Constraints: rules that may never be broken, one module each, found by their `kind`."""

import sys

from pairopt.registry import Found
from pairopt.rules.base import Constraint

__all__ = ["CONSTRAINTS", "Constraint"]

CONSTRAINTS: Found[Constraint] = Found(
    sys.modules[__name__],
    Constraint,  # type: ignore[type-abstract]
    group="pairopt.constraints",
)
