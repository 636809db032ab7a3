"""Keep the import paths of version 1.0.0 that extensions use, until version 2.0."""

import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def moved_names(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module whose names have moved.

    Parameters
    ----------
    module : str
        The old module, as error messages and warnings call it.
    names : Mapping[str, str]
        The old names, each with its new module and name, for example
        `{"Settle": "pairopt.engines.base:LevelMinimizer"}`.

    Returns
    -------
    Callable[[str], Any]
        A function that warns and imports the name from its new module. It raises
        AttributeError for other names.
    """

    def import_moved_name(name: str) -> Any:
        """Import a moved name from its new module, with a DeprecationWarning.

        Raises AttributeError for a name that has not moved.
        """
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        new_module, _, new_name = names[name].partition(":")
        warnings.warn(
            f"{module}.{name} goes in version 2.0: import it from pairopt.extend",
            DeprecationWarning,
            stacklevel=2,
        )
        return getattr(import_module(new_module), new_name)

    return import_moved_name
