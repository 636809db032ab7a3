"""Finds the rules and tie-breaks of a package by its modules: a new one is a new file, no more."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")


def found_in(package: ModuleType, base: type[T]) -> dict[str, type[T]]:
    """Every concrete subclass of `base` defined in the package's modules, by its `kind`."""
    found: dict[str, type[T]] = {}
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        for _, member in inspect.getmembers(module, inspect.isclass):
            if (
                issubclass(member, base)
                and not inspect.isabstract(member)
                and member.__module__ == module.__name__
            ):
                found[str(getattr(member, "kind", member.__name__))] = member
    return found
