"""Finds the rules and tie-breaks of a package by its modules: a new one is a new file, no more.

Other packages add their own as entry points of a group, such as `pairopt.criteria`.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType, ModuleType
from typing import Any, Generic, TypeVar

from pairopt.errors import UsageError

T = TypeVar("T")


class Registry(Mapping[str, type[T]], Generic[T]):
    """The classes of a package's modules that are a `base`, each by its `kind`.

    That is the module's name too, so a module is imported when somebody asks for its kind; those
    in `families` hold the kinds that are listed, and those `besides` none. What no module has is
    looked for among the entry points of the `group`, and only then: `get` and `in` know it, a loop
    over the names does not.
    """

    def __init__(
        self,
        package: ModuleType | None,
        base: type[T],
        besides: tuple[str, ...] = (),
        group: str = "",
        families: Mapping[str, Iterable[str]] = MappingProxyType({}),
    ) -> None:
        self._base, self._group = base, group
        self._modules: dict[str, str] = {}
        self._kinds: dict[str, type[T] | None] = {}
        if package is not None:
            self.look_in(package, {**dict.fromkeys(besides, ()), **families})

    def look_in(self, package: ModuleType, families: Mapping[str, Iterable[str]]) -> None:
        """Take in the modules of a package, which are imported when somebody asks for them."""
        for info in pkgutil.iter_modules(package.__path__):
            for kind in families.get(info.name, [info.name]):
                self._modules[kind] = f"{package.__name__}.{info.name}"
        self._kinds |= dict.fromkeys(sorted(self._modules))

    @property
    def what(self) -> str:
        """What it holds, as its messages call one of them."""
        return self._base.__name__.lower()

    def add(self, kind: str, member: type[T]) -> None:
        """One more, for this process. Raises UsageError where the name is taken."""
        if self._kinds.get(kind, member) is not member:
            raise UsageError(f"{kind} is the name of a {self.what} already")
        self._kinds[kind] = member

    def __getitem__(self, kind: str) -> type[T]:
        if kind not in self._kinds:
            self._kinds[kind] = entry_point(self._group, kind)
        found = self._kinds[kind]
        if found is None:
            found = self._kinds[kind] = self._imported(kind)
        return found

    def _imported(self, kind: str) -> type[T]:
        module = importlib.import_module(self._modules[kind])
        for _, member in inspect.getmembers(module, inspect.isclass):
            if vars(member).get("kind") == kind:
                found: Any = member
                return found  # type: ignore[no-any-return]
        raise TypeError(f"{module.__name__} has no {self._base.__name__} of its own name")

    def __contains__(self, kind: object) -> bool:
        return kind in self._kinds or kind in entry_points(self._group)

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)


def entry_points(group: str) -> Mapping[str, Any]:
    """The entry points of a group by name; finding them takes a look at every installed package."""
    if not group:
        return {}
    from importlib.metadata import entry_points as found

    return {point.name: point for point in found(group=group)}


def entry_point(group: str, name: str) -> Any:
    """What an entry point stands for.

    Raises KeyError where there is none, UsageError where it cannot be imported.
    """
    point = entry_points(group)[name]
    try:
        return point.load()
    except Exception as error:
        raise UsageError(f"{group} {name} ({point.value}): {error}") from error
