"""Criteria: rules of preference, one module each, found by their `kind`."""

import sys

from pairopt.criteria.base import Criterion
from pairopt.registry import rules_in

__all__ = ["CRITERIA", "Criterion"]

CRITERIA: dict[str, type[Criterion]] = rules_in(
    sys.modules[__name__],
    Criterion,  # type: ignore[type-abstract]
)
