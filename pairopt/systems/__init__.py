"""Systems: ways of pairing whose levels are not those of criteria, one sub-package each."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from pairopt.systems.base import Kind, System, Words

SYSTEMS = tuple(sorted(info.name for info in pkgutil.iter_modules(__path__) if info.ispkg))
"""The systems by their names in model files."""


def kind_of(name: str) -> Kind:
    """What makes the levels of a system's rounds."""
    return cast("Kind", importlib.import_module(f"{__name__}.{name}.system").KIND)


def words_of(system: System) -> Words:
    """What a system says of its pairings."""
    return cast("Words", importlib.import_module(f"{__name__}.{system.name}.words"))
