"""Finds the rules and tie-breaks of a package by its modules: a new one is a new file, no more."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Generic, TypeVar

T = TypeVar("T")


class Found(Mapping[str, type[T]], Generic[T]):
    """The concrete subclasses of `base` in the modules of a package, each by its `kind`.

    That is the module's name too, so a module is imported when somebody asks for its kind. Those
    `besides` hold none.
    """

    def __init__(self, package: ModuleType, base: type[T], besides: tuple[str, ...] = ()) -> None:
        self._package, self._base = package.__name__, base
        names = sorted(info.name for info in pkgutil.iter_modules(package.__path__))
        self._kinds: dict[str, type[T] | None] = {n: None for n in names if n not in besides}

    def __getitem__(self, kind: str) -> type[T]:
        found = self._kinds[kind]
        if found is None:
            found = self._kinds[kind] = self._imported(kind)
        return found

    def _imported(self, kind: str) -> type[T]:
        module = importlib.import_module(f"{self._package}.{kind}")
        for _, member in inspect.getmembers(module, inspect.isclass):
            if issubclass(member, self._base) and getattr(member, "kind", None) == kind:
                return member
        raise TypeError(f"{module.__name__} has no {self._base.__name__} of its own name")

    def __contains__(self, kind: object) -> bool:
        return kind in self._kinds

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)
