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


def load_plugins(named: Sequence[str]) -> dict[str, object]:
    """Import what each `module:name` stands for; return it by name.

    A module may be the path of a .py file. Criteria and constraints are registered
    instead, and may be named in model files from then on. Raises UsageError for a text
    that cannot be imported, and for two objects of one name.
    """
    own: dict[str, object] = {}
    for text in named:
        where, _, name = text.rpartition(":")
        if not where or not name.isidentifier():
            raise UsageError("plugin.unfit", plugin=text)
        found = _import_attribute(text, where, name)
        if isinstance(found, type) and issubclass(found, Criterion):
            CRITERIA.add(found.kind, found)
        elif isinstance(found, type) and issubclass(found, Constraint):
            CONSTRAINTS.add(found.kind, found)
        elif own.setdefault(name, found) is not found:
            raise UsageError("plugin.twice", plugin=text, name=name)
    return own


def _import_attribute(text: str, where: str, name: str) -> Any:
    """Import an attribute of a module, which may be in the working directory."""
    path = Path(where)
    folder, module = (
        (path.parent, path.stem) if path.suffix == ".py" else (Path(), where)
    )
    if path.suffix == ".py" and not path.is_file():
        raise UsageError("plugin.no_file", plugin=text, file=where)
    place = str(folder.resolve())
    if place not in sys.path:
        sys.path.insert(0, place)
    try:
        found = importlib.import_module(module)
    except Exception as error:  # whatever the module does when it is imported
        kind = type(error).__name__
        raise UsageError(
            "plugin.broken", plugin=text, error=kind, why=str(error)
        ) from error
    if path.suffix == ".py" and Path(str(found.__file__)).resolve() != path.resolve():
        raise UsageError("plugin.other_module", plugin=text, module=module)
    if not hasattr(found, name):
        raise UsageError("plugin.no_name", plugin=text, module=where, name=name)
    return getattr(found, name)


def resolve_name(
    text: str, shipped: ExtensionRegistry[type[T]], own: Mapping[str, object] = NO_OWN
) -> T:
    """Return the object that a name stands for, made from its class if it is one.

    `name=value` passes the value to the class. Raises UsageError if nothing has this
    name.
    """
    name, has_value, value = text.partition("=")
    found: Any = own[name] if name in own else shipped.get(name)
    if found is None:
        raise UsageError(
            "part.unknown", name=repr(name), what=shipped.what, known=[*shipped]
        )
    if not isinstance(found, type) or not callable(found):
        if has_value:
            raise UsageError("part.no_value", given=text, name=name)
        return found  # type: ignore[no-any-return]
    make: Callable[..., T] = getattr(found, "of_text", found)
    try:
        return make(value) if has_value else found()
    except TypeError as error:
        raise UsageError("part.unfit", given=text, why=str(error)) from None
