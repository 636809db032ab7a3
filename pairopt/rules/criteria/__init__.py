"""Criteria: rules of preference, found by their `kind`."""

from pairopt.registry import ExtensionRegistry
from pairopt.rules.base import Criterion

__all__ = ["CRITERIA", "Criterion"]

CRITERIA: ExtensionRegistry[type[Criterion]] = ExtensionRegistry(
    __name__, Criterion, "pairopt.criteria"
)
