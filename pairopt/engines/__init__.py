"""Engines: each a sub-package with a module `engine`, imported only when it is used."""

from __future__ import annotations

import importlib
import pkgutil
from typing import cast

from pairopt.engines.base import Engine
from pairopt.errors import UsageError

ENGINES = sorted(info.name for info in pkgutil.iter_modules(__path__) if info.ispkg)

EXACT = ("cpsat", "matching")
"""Engines that prove their pairings; each verifies the other."""


def load_engine(name: str) -> Engine:
    """The engine of that name. Raises UsageError when there is none."""
    if name not in ENGINES:
        raise UsageError(f"no engine {name!r}; engines: {', '.join(ENGINES)}")
    return cast(Engine, importlib.import_module(f"{__name__}.{name}.engine"))
