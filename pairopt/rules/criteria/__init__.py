"""Criteria: rules of preference, one module each, found by their `kind`."""

import sys

from pairopt.registry import Registry
from pairopt.rules.base import Criterion

__all__ = ["CRITERIA", "Criterion"]

CRITERIA: Registry[Criterion] = Registry(
    sys.modules[__name__],
    Criterion,  # type: ignore[type-abstract]
    group="pairopt.criteria",
)
