"""Lab: what does each order of criteria buy and cost over whole tournaments, on equal luck? The
names below are imported on first use."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pairopt.lab.measuring.statistics.comparing import designs as designs
    from pairopt.lab.measuring.statistics.comparing import differences as differences
    from pairopt.lab.measuring.statistics.comparing import ended_early as ended_early
    from pairopt.lab.measuring.statistics.comparing import means as means
    from pairopt.lab.measuring.statistics.comparing import per_tournament as per_tournament
    from pairopt.lab.playing.permuting import orderings as orderings
    from pairopt.lab.playing.simulating import Tournament as Tournament
    from pairopt.lab.playing.simulating import simulate as simulate
    from pairopt.lab.playing.world import World as World
    from pairopt.lab.running.comparison import compare_models as compare_models
    from pairopt.lab.running.comparison import compare_on_events as compare_on_events

_HOMES = {
    "Tournament": "playing.simulating", "World": "playing.world",
    "compare_models": "running.comparison", "compare_on_events": "running.comparison",
    "designs": "measuring.statistics.comparing", "differences": "measuring.statistics.comparing",
    "ended_early": "measuring.statistics.comparing", "means": "measuring.statistics.comparing",
    "orderings": "playing.permuting", "per_tournament": "measuring.statistics.comparing",
    "simulate": "playing.simulating",
}  # fmt: skip
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
    """Finds modules by their names outside, as kept studies and plug-ins have them. They are the
    same modules, imported once."""

    def find_spec(self, fullname: str, *more: object) -> ModuleSpec | None:
        lab, _, inside = fullname.partition(f"{__name__}.")
        known = not lab and inside.split(".")[0] in _homes()
        return ModuleSpec(fullname, self) if known else None

    def exec_module(self, module: ModuleType) -> None:
        name, *rest = module.__name__.removeprefix(f"{__name__}.").split(".")
        home = ".".join((__name__, _homes()[name], *rest))
        sys.modules[module.__name__] = importlib.import_module(home)


sys.meta_path.insert(0, _Published())


def __getattr__(name: str) -> Any:
    """Import the public names on first use."""
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
