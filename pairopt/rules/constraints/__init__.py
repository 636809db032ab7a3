"""Constraints: rules that may never be broken, one module each, found by their `kind`."""

import sys

from pairopt.rules.base import Constraint
from pairopt.rules.registry import rules_in

__all__ = ["CONSTRAINTS", "Constraint"]

CONSTRAINTS: dict[str, type[Constraint]] = rules_in(
    sys.modules[__name__],
    Constraint,  # type: ignore[type-abstract]
)
