"""CP-SAT's modelling layer without pandas, which it imports for methods that are not called here.
Loading pandas takes 0.3 s of the 0.4 s that a call from the shell has: more than all else together.
It is loaded when somebody does ask the layer for a series.
"""

import importlib
import sys
from types import ModuleType
from typing import Any

MODELLING = "ortools.sat.python.cp_model"


class _LazyModule(ModuleType):
    """Stands for a module until one of its names is asked for."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self.__name__), name)


def load_modelling() -> None:
    """Import the modelling layer; where others import beside it, they may miss pandas: call first.
    Does nothing where either is loaded already.
    """
    if "pandas" in sys.modules or MODELLING in sys.modules:
        return
    stand_in: Any = ModuleType("pandas")
    stand_in.Index = stand_in.Series = object  # what annotations name
    sys.modules["pandas"] = stand_in
    try:
        layer: Any = importlib.import_module(MODELLING)
    finally:
        del sys.modules["pandas"]
    layer.pd = _LazyModule("pandas")
