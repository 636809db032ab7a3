"""Procedures: ways to pair by hand, one module each; heuristics that prove nothing."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from pairopt.arcs import Arcs
    from pairopt.problem import Problem

PROCEDURES = sorted(info.name for info in pkgutil.iter_modules(__path__))


class Procedure(Protocol):
    """A module of `pairopt.procedures` with this function."""

    def pair(self, problem: Problem) -> Arcs | None:
        """A pairing that keeps the constraints, by the problem's seed; None if it finds none."""


def load_procedure(name: str) -> Procedure:
    """The procedure of that name, one of PROCEDURES."""
    return cast(Procedure, importlib.import_module(f"{__name__}.{name}"))
