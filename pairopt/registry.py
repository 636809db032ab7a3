"""Registry: find criteria, formats, engines, views and other extensions by name.

Those shipped are modules of a package, found by their names: a new one is a new file.
Other distributions name theirs as entry points of the group, `name = "module"` or
"module:object". Entry points take a look at every installed package: only an unknown
name, or a list of all names, needs them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pairopt.parts import COMPONENTS_BY_MODULE

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


def find_class_of_kind(module: ModuleType, kind: str) -> Any:
    """Return the class in a module whose own attribute `kind` equals `kind`.

    Classes that only inherit it do not count. If several have it, the first one is
    returned. Raises TypeError if there is none.
    """
    for module_member in vars(module).values():
        if isinstance(module_member, type) and vars(module_member).get("kind") == kind:
            return module_member
    raise TypeError(f"{module.__name__} has nothing of kind {kind}")


class ExtensionRegistry(Mapping[str, T], Generic[T]):
    """The extensions of a group by name: shipped ones first, each in order of names.

    The modules of `package` are the shipped extensions (None: there are none). They are
    listed at the first look-up, and each is imported when its name is looked up;
    `pairopt.parts` lists those that do not have the name of their module. `base` is the
    class of an extension, for errors. `group` is the entry-point group where other
    packages name theirs. `pick` takes the extension of a name out of a module. With
    `packages`, only sub-packages hold extensions. A look-up raises KeyError for an
    unknown name.
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
        """The full module names of pairopt's own extensions, by name of the extension.

        Extensions that were added have "" instead of a module. The dict is cached and
        changes when an extension is added.
        """
        import pkgutil  # only where a package is to be looked through

        short_group_name = self.group.removeprefix("pairopt.")
        extensions_by_module = COMPONENTS_BY_MODULE.get(short_group_name, {})
        package_path: Iterable[str] = ()
        if self._package:
            package_path = importlib.import_module(self._package).__path__

        modules_by_name: dict[str, str] = {}
        for module_info in pkgutil.iter_modules(package_path):
            if self._packages and not module_info.ispkg:
                continue
            for extension_name in extensions_by_module.get(
                module_info.name, [module_info.name]
            ):
                modules_by_name[extension_name] = f"{self._package}.{module_info.name}"
        return modules_by_name

    @property
    def shipped(self) -> list[str]:
        """The names of pairopt's own extensions and of those added, sorted.

        Extensions of other packages are not among them.
        """
        return sorted(self.modules)

    def add(self, name: str, part: T) -> None:
        """Add an extension for this process, to be found by this name.

        `part` is the extension itself. Adding it again does nothing. Raises UsageError
        if another shipped or added extension has the name.
        """
        if name in self.modules and self._parts.get(name) is not part:
            from pairopt.errors import UsageError

            raise UsageError("part.taken", name=name, what=self.what)
        self.modules[name], self._parts[name] = "", part

    def __getitem__(self, name: str) -> T:
        if name not in self._parts:
            module_name = self.modules.get(name)
            if module_name:
                extension = self._pick(importlib.import_module(module_name), name)
            else:
                extension = self._load_entry_point(name)
            self._parts[name] = extension
        return self._parts[name]

    def _load_entry_point(self, name: str) -> Any:
        """Import and return the extension that an entry point of the group names.

        Raises KeyError if there is none of this name, UsageError if there are two or
        the import fails.
        """
        from pairopt.errors import UsageError

        points_of_name = entry_points(self.group)[name]
        if len(points_of_name) > 1:
            entry_point_values = [entry_point.value for entry_point in points_of_name]
            raise UsageError(
                "part.twice", group=self.group, name=name, found=entry_point_values
            )
        entry_point = points_of_name[0]
        try:
            extension = entry_point.load()
            if isinstance(extension, ModuleType):
                return self._pick(extension, name)
            return extension
        except Exception as error:  # whatever a module does when it is imported
            raise UsageError(
                "part.broken",
                group=self.group,
                name=name,
                value=entry_point.value,
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
    """Return the entry points of a group in all installed packages, by name.

    A name may belong to several packages. The result is cached, so do not change it.
    """
    import importlib.metadata

    points_by_name: dict[str, list[EntryPoint]] = {}
    for entry_point in importlib.metadata.entry_points(group=group):
        points_by_name.setdefault(entry_point.name, []).append(entry_point)
    return points_by_name


def lazy_exports(
    package: str, stub: str = "__init__.pyi"
) -> tuple[Callable[[str], Any], list[str]]:
    """Return a package's `__getattr__`, and the sorted names that its stub imports.

    `stub` is the name of the stub file in the package; its lines `from module import
    name` say where each name comes from. Each name is imported at its first use, so the
    package itself imports quickly.
    """
    import pkgutil

    stub_text = (pkgutil.get_data(package, stub) or b"").decode()
    import_words = (
        stub_line.split()
        for stub_line in stub_text.splitlines()
        if stub_line.startswith("from ")
    )
    module_by_name = {name: module for _, module, _, name, *_ in import_words}

    def import_name(name: str) -> Any:
        """Import and return a public name; raise AttributeError for any other name."""
        if name in module_by_name:
            return getattr(importlib.import_module(module_by_name[name]), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return import_name, sorted(module_by_name)
