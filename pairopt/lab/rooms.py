"""Rooms: what a module of the lab is called outside, where its room is no part of the name.

So kept studies name the classes of their settings, and published plug-ins and the documentation
what they import: `pairopt.lab.world` is there, whatever room it is in.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

LAB = "pairopt.lab"
ROOMS = ("playing", "measuring", "running", "instruments")
RENAMED = {"settings": f"{LAB}.running.provenance"}
"""Modules that are called otherwise now, by their names outside."""


def published(module: str) -> str:
    """The name of a module outside."""
    lab, _, inside = module.partition(f"{LAB}.")
    room, _, rest = inside.partition(".")
    return f"{LAB}.{rest}" if not lab and rest and room in ROOMS else module


@cache
def _homes() -> dict[str, str]:
    """The modules in all rooms by their names outside."""
    here = Path(__file__).parent
    return RENAMED | {
        module.name: f"{LAB}.{room}.{module.name}"
        for room in ROOMS
        for module in pkgutil.iter_modules([str(here / room)])
    }


class Published(MetaPathFinder, Loader):
    """Finds modules by their names outside: they are the same modules, imported once."""

    def find_spec(self, fullname: str, *more: object) -> ModuleSpec | None:
        lab, _, inside = fullname.partition(f"{LAB}.")
        name, *rest = inside.split(".")
        if lab or name not in _homes():
            return None
        return ModuleSpec(fullname, self, origin=".".join((_homes()[name], *rest)))

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(str(spec.origin))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """It was executed under its own name, which it keeps."""
        module.__spec__ = getattr(module.__spec__, "loader_state", None)
