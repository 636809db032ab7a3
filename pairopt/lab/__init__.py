"""Lab: what does each order of criteria buy and cost over whole tournaments, on equal luck?"""

import importlib
import pkgutil
import sys
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from pairopt.registry import on_first_use

__getattr__, __all__ = on_first_use(__name__)
ROOMS = ("playing", "measuring", "running", "instruments")
RENAMED = {"settings": "running.tasks", "fitted": "playing.grid"}
"""Modules that are called otherwise now, by their names outside."""


@cache
def _homes() -> dict[str, str]:
    """The modules in all rooms by their names outside, where a room is no part of the name."""
    here = Path(__file__).parent
    return RENAMED | {
        module.name: f"{room}.{module.name}"
        for room in ROOMS
        for module in pkgutil.iter_modules([str(here / room)])
    }


class _Published(MetaPathFinder, Loader):
    """Finds modules by their names outside, as kept studies and plug-ins have them."""

    def find_spec(self, fullname: str, *more: object) -> ModuleSpec | None:
        lab, _, inside = fullname.partition(f"{__name__}.")
        known = not lab and inside.split(".")[0] in _homes()
        return ModuleSpec(fullname, self) if known else None

    def exec_module(self, module: ModuleType) -> None:
        name, *rest = module.__name__.removeprefix(f"{__name__}.").split(".")
        home = ".".join((__name__, _homes()[name], *rest))
        sys.modules[module.__name__] = importlib.import_module(home)


sys.meta_path.insert(0, _Published())
