"""Plug-ins: find what a name stands for, in pairopt, a package or a file."""

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar

from pairopt.errors import UsageError
from pairopt.registry import ExtensionRegistry
from pairopt.rules.base import Constraint, Criterion
from pairopt.rules.constraints import CONSTRAINTS
from pairopt.rules.criteria import CRITERIA

T = TypeVar("T")
NO_OWN: Final[Mapping[str, object]] = MappingProxyType({})


def load_plugins(names: Sequence[str]) -> dict[str, object]:
    """Import what each `module:name` stands for; return it by name.

    A module may be the path of a .py file. Criteria and constraints are registered
    instead, and may be named in model files from then on. Raises UsageError for a text
    that cannot be imported, and for two objects of one name.
    """
    objects: dict[str, object] = {}
    for text in names:
        module, _, name = text.rpartition(":")
        if not module or not name.isidentifier():
            raise UsageError("plugin.unfit", plugin=text)
        plugin = _import_attribute(text, module, name)
        if isinstance(plugin, type) and issubclass(plugin, Criterion):
            CRITERIA.add(plugin.kind, plugin)
        elif isinstance(plugin, type) and issubclass(plugin, Constraint):
            CONSTRAINTS.add(plugin.kind, plugin)
        elif objects.setdefault(name, plugin) is not plugin:
            raise UsageError("plugin.twice", plugin=text, name=name)
    return objects


def _import_attribute(text: str, module_or_path: str, name: str) -> Any:
    """Import an attribute of a module, which may be in the working directory."""
    path = Path(module_or_path)
    is_file = path.suffix == ".py"
    folder, module = (path.parent, path.stem) if is_file else (Path(), module_or_path)
    if is_file and not path.is_file():
        raise UsageError("plugin.no_file", plugin=text, file=module_or_path)
    search_folder = str(folder.resolve())
    if search_folder not in sys.path:
        sys.path.insert(0, search_folder)

    try:
        imported = importlib.import_module(module)
    except Exception as error:  # whatever the module does when it is imported
        kind = type(error).__name__
        raise UsageError(
            "plugin.broken", plugin=text, error=kind, why=str(error)
        ) from error
    if is_file and Path(str(imported.__file__)).resolve() != path.resolve():
        raise UsageError("plugin.other_module", plugin=text, module=module)
    if not hasattr(imported, name):
        raise UsageError(
            "plugin.no_name", plugin=text, module=module_or_path, name=name
        )
    return getattr(imported, name)


def resolve_name(
    text: str,
    shipped: ExtensionRegistry[type[T]],
    own_names: Mapping[str, object] = NO_OWN,
) -> T:
    """Return the object that a name stands for, made from its class if it is one.

    `name=value` passes the value to the class. Raises UsageError if nothing has this
    name.
    """
    name, has_value, value = text.partition("=")
    value_of_name: Any = own_names[name] if name in own_names else shipped.get(name)
    if value_of_name is None:
        raise UsageError(
            "part.unknown", name=repr(name), what=shipped.what, known=[*shipped]
        )
    if not isinstance(value_of_name, type) or not callable(value_of_name):
        if has_value:
            raise UsageError("part.no_value", given=text, name=name)
        return value_of_name  # type: ignore[no-any-return]
    make_object: Callable[..., T] = getattr(value_of_name, "of_text", value_of_name)
    try:
        return make_object(value) if has_value else value_of_name()
    except TypeError as error:
        raise UsageError("part.unfit", given=text, why=str(error)) from None
