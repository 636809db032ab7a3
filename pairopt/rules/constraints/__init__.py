"""Constraints: rules that may never be broken, one module each, found by their `kind`."""

import sys

from pairopt.registry import Registry
from pairopt.rules.base import Constraint

__all__ = ["CONSTRAINTS", "Constraint"]

CONSTRAINTS: Registry[Constraint] = Registry(
    sys.modules[__name__],
    Constraint,  # type: ignore[type-abstract]
    group="pairopt.constraints",
)
