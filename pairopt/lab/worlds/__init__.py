"""Worlds: how results arise, found by their `kind`."""

import sys

from pairopt.lab.worlds.base import Chances, Encounters, Results
from pairopt.registry import Registry

__all__ = ["WORLDS", "Chances", "Encounters", "Results"]

WORLDS: Registry[Results] = Registry(
    sys.modules[__name__],
    Results,  # type: ignore[type-abstract]
    besides=("base",),
    group="pairopt.worlds",
    families={"laws": ("bradley_terry", "davidson", "elo", "rao_kupper")},
)
