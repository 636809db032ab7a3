"""Criteria: rules of preference, found by their `kind`."""

from pairopt.registry import Registry
from pairopt.rules.base import Criterion

__all__ = ["CRITERIA", "Criterion"]

CRITERIA: Registry[type[Criterion]] = Registry(__name__, Criterion, "pairopt.criteria")
