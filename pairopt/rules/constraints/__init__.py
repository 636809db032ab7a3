"""Constraints: rules that may never be broken, found by their `kind`."""

from pairopt.registry import Registry
from pairopt.rules.base import Constraint

__all__ = ["CONSTRAINTS", "Constraint"]

CONSTRAINTS: Registry[type[Constraint]] = Registry(
    __name__, Constraint, "pairopt.constraints"
)
