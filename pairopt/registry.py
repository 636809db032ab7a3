"""Registry: the one way in for parts, as criteria, formats, engines, views and commands.

Those shipped are modules of a package, found by their names: a new one is a new file. Other
distributions name theirs as entry points of the group, `name = "module"` or "module:object". To
find these takes a look at every installed package: only an unknown name, or a list of all, does.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pairopt.parts import COMPONENTS_BY_MODULE

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


def find_class_of_kind(module: ModuleType, kind: str) -> Any:
    """The class of a module that has this `kind` itself."""
    for member in vars(module).values():
        if isinstance(member, type) and vars(member).get("kind") == kind:
            return member
    raise TypeError(f"{module.__name__} has nothing of kind {kind}")


class ExtensionRegistry(Mapping[str, T], Generic[T]):
    """The parts of a group by their names, the shipped ones first, each in the order of names.

    The modules of `package` are the shipped parts: found when somebody asks for any, and imported
    when somebody asks for them; `pairopt.parts` lists those that do not have the name of their
    module. `base` is what a part is, `group` that of the entry points, `pick` the part of a name in
    a module, and with `packages`
    only sub-packages hold parts.
    """

    def __init__(
        self,
        package: str | None,
        base: type,
        group: str,
        pick: Callable[[ModuleType, str], T] = find_class_of_kind,
        packages: bool = False,
    ) -> None:
        self.what, self.group, self._pick = base.__name__.lower(), group, pick
        self._package, self._packages = package, packages
        self._parts: dict[str, T] = {}

    @cached_property
    def modules(self) -> dict[str, str]:
        """The modules of the shipped parts, by the names of the parts."""
        import pkgutil  # only where a package is to be looked through

        found = dict[str, str]()
        held = COMPONENTS_BY_MODULE.get(self.group.removeprefix("pairopt."), {})
        inside = (
            importlib.import_module(self._package).__path__ if self._package else ()
        )
        for info in pkgutil.iter_modules(inside):
            if info.ispkg or not self._packages:
                module = f"{self._package}.{info.name}"
                found |= dict.fromkeys(held.get(info.name, [info.name]), module)
        return found

    @property
    def shipped(self) -> list[str]:
        """The names of this package's own parts, and of those added."""
        return sorted(self.modules)

    def add(self, name: str, part: T) -> None:
        """One more, for this process. Raises UsageError where the name is taken."""
        if name in self.modules and self._parts.get(name) is not part:
            from pairopt.errors import UsageError

            raise UsageError("part.taken", name=name, what=self.what)
        self.modules[name], self._parts[name] = "", part

    def __getitem__(self, name: str) -> T:
        if name not in self._parts:
            known = self.modules.get(name)
            found = importlib.import_module(known) if known else None
            self._parts[name] = (
                self._pick(found, name) if found else self._entered(name)
            )
        return self._parts[name]

    def _entered(self, name: str) -> Any:
        """What an entry point stands for. Raises KeyError for none, UsageError for a bad one."""
        from pairopt.errors import UsageError

        first, *more = entry_points(self.group)[name]
        if more:
            values = [each.value for each in (first, *more)]
            raise UsageError("part.twice", group=self.group, name=name, found=values)
        try:
            found = first.load()
            return self._pick(found, name) if isinstance(found, ModuleType) else found
        except Exception as error:  # whatever a module does when it is imported
            raise UsageError(
                "part.broken",
                group=self.group,
                name=name,
                value=first.value,
                why=str(error),
            ) from error

    def __contains__(self, name: object) -> bool:
        return name in self.modules or name in entry_points(self.group)

    def __iter__(self) -> Iterator[str]:
        yield from self.shipped
        yield from sorted(entry_points(self.group).keys() - self.modules.keys())

    def __len__(self) -> int:
        return len(self.modules.keys() | entry_points(self.group).keys())


@cache
def entry_points(group: str) -> Mapping[str, list[EntryPoint]]:
    """The entry points of a group in all installed packages, by name."""
    import importlib.metadata

    found: dict[str, list[EntryPoint]] = {}
    for point in importlib.metadata.entry_points(group=group):
        found.setdefault(point.name, []).append(point)
    return found


def lazy_exports(
    package: str, stub: str = "__init__.pyi"
) -> tuple[Callable[[str], Any], list[str]]:
    """Make the `__getattr__` of a package or module, and list the names that its stub imports.

    Each name is imported when somebody asks for it: the package itself stays cheap.
    """
    import pkgutil

    text = (pkgutil.get_data(package, stub) or b"").decode()
    imports = (line.split() for line in text.splitlines() if line.startswith("from "))
    homes = {name: home for _, home, _, name, *_ in imports}

    def public(name: str) -> Any:
        if name in homes:
            return getattr(importlib.import_module(homes[name]), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return public, sorted(homes)
