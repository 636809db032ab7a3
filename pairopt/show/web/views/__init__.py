"""Views: the pages of an event, found by their modules: a new one is a module and a template."""

import importlib
import pkgutil
from functools import cache

from pairopt.show.web.view import View


@cache
def known_views() -> tuple[View, ...]:
    """The views of all modules."""
    names = sorted(info.name for info in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return tuple(v for module in modules for v in vars(module).values() if isinstance(v, View))


def menu() -> list[View]:
    """The views that have a place in the menu, in its order."""
    return sorted((view for view in known_views() if view.place), key=lambda view: view.place)
