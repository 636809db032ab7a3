"""Systems: ways of pairing whose levels are not those of criteria, one sub-package each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pairopt.systems.dutch.system import Dutch

if TYPE_CHECKING:
    from pairopt.event.state import State
    from pairopt.systems.base import System

SYSTEMS: dict[str, Callable[[State], System]] = {"dutch": Dutch.of}
"""Each system by its name in model files."""
