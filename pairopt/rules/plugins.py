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
    """Import the object that each text `module:name` names; return objects by name.

    A module may be the path of a .py file. A criterion or constraint is registered
    instead of returned, and model files may name it from then on. Imports add folders
    to `sys.path` for good. Raises UsageError for a text that cannot be imported, for
    two objects of one name, and for a criterion or constraint whose kind is taken.
    """
    plugins_by_name: dict[str, object] = {}
    for plugin_text in names:
        module_text, _, attribute_name = plugin_text.rpartition(":")
        if not module_text or not attribute_name.isidentifier():
            raise UsageError("plugin.unfit", plugin=plugin_text)
        plugin = _import_attribute(plugin_text, module_text, attribute_name)
        if isinstance(plugin, type) and issubclass(plugin, Criterion):
            CRITERIA.add(plugin.kind, plugin)
        elif isinstance(plugin, type) and issubclass(plugin, Constraint):
            CONSTRAINTS.add(plugin.kind, plugin)
        elif plugins_by_name.setdefault(attribute_name, plugin) is not plugin:
            raise UsageError("plugin.twice", plugin=plugin_text, name=attribute_name)
    return plugins_by_name


def _import_attribute(text: str, module_or_path: str, name: str) -> Any:
    """Import an attribute of a module, or of a .py file given by its path.

    The folder of the file, otherwise the working directory, is added to `sys.path` for
    good. `text` is what the user wrote, for errors. Raises UsageError for a file that
    does not exist, an import that fails, another module of the file's name, and a name
    that the module does not have.
    """
    module_path = Path(module_or_path)
    is_file = module_path.suffix == ".py"
    module_folder, module_name = (
        (module_path.parent, module_path.stem) if is_file else (Path(), module_or_path)
    )
    if is_file and not module_path.is_file():
        raise UsageError("plugin.no_file", plugin=text, file=module_or_path)
    search_folder = str(module_folder.resolve())
    if search_folder not in sys.path:
        sys.path.insert(0, search_folder)

    try:
        imported_module = importlib.import_module(module_name)
    except Exception as error:  # whatever the module does when it is imported
        error_name = type(error).__name__
        raise UsageError(
            "plugin.broken", plugin=text, error=error_name, why=str(error)
        ) from error
    if (
        is_file
        and Path(str(imported_module.__file__)).resolve() != module_path.resolve()
    ):
        raise UsageError("plugin.other_module", plugin=text, module=module_name)
    if not hasattr(imported_module, name):
        raise UsageError(
            "plugin.no_name", plugin=text, module=module_or_path, name=name
        )
    return getattr(imported_module, name)


def resolve_name(
    text: str,
    shipped: ExtensionRegistry[type[T]],
    own_names: Mapping[str, object] = NO_OWN,
) -> T:
    """Return the object that a name stands for; a class is called to make it.

    `text` is `name`, or `name=value`. A class is called without arguments for the
    first, and with the text of the value for the second, by its method `of_text` if it
    has one. An object that is no class is returned as it is, and takes no value.
    `own_names` come before `shipped` ones. Raises UsageError if nothing has this name,
    or the value does not fit.
    """
    plugin_name, equals_sign, value_text = text.partition("=")
    named_object: Any = (
        own_names[plugin_name] if plugin_name in own_names else shipped.get(plugin_name)
    )
    if named_object is None:
        raise UsageError(
            "part.unknown", name=repr(plugin_name), what=shipped.what, known=[*shipped]
        )
    if not isinstance(named_object, type) or not callable(named_object):
        if equals_sign:
            raise UsageError("part.no_value", given=text, name=plugin_name)
        return named_object  # type: ignore[no-any-return]
    make_object: Callable[..., T] = getattr(named_object, "of_text", named_object)
    try:
        return make_object(value_text) if equals_sign else named_object()
    except TypeError as error:
        raise UsageError("part.unfit", given=text, why=str(error)) from None
