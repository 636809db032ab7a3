"""Worlds: how results arise, one module each, found by their `kind`."""

import sys

from pairopt.registry import Found
from pairopt.study.worlds.base import Chances, Encounters, Results

__all__ = ["WORLDS", "Chances", "Encounters", "Results"]

WORLDS: Found[Results] = Found(
    sys.modules[__name__],
    Results,  # type: ignore[type-abstract]
    besides=("base",),
    group="pairopt.worlds",
)
