"""Systems: ways of pairing whose levels are not those of criteria, one sub-package each."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from pairopt.systems.dutch.system import Dutch

if TYPE_CHECKING:
    from pairopt.event.state import State
    from pairopt.systems.base import System, Words

SYSTEMS: dict[str, Callable[[State], System]] = {"dutch": Dutch.of}
"""Each system by its name in model files."""


def words_of(system: System) -> Words:
    """What a system says of its pairings."""
    return cast("Words", importlib.import_module(f"{__name__}.{system.name}.words"))
