"""Criteria: rules of preference, one module each, found by their `kind`."""

import sys

from pairopt.rules.base import Criterion
from pairopt.rules.registry import rules_in

__all__ = ["CRITERIA", "Criterion"]

CRITERIA: dict[str, type[Criterion]] = rules_in(
    sys.modules[__name__],
    Criterion,  # type: ignore[type-abstract]
)
