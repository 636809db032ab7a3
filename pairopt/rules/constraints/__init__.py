"""Constraints: rules that may never be broken, found by their `kind`."""

from pairopt.registry import ExtensionRegistry
from pairopt.rules.base import Constraint

__all__ = ["CONSTRAINTS", "Constraint"]

CONSTRAINTS: ExtensionRegistry[type[Constraint]] = ExtensionRegistry(
    __name__, Constraint, "pairopt.constraints"
)
