"""CP-SAT's modelling layer without pandas.

The layer imports pandas for methods that are not called here. That takes 0.3 s of the
0.4 s that a command takes. pandas is loaded when a user of the layer asks for a series.
"""

import importlib
import sys
from types import ModuleType
from typing import Any

MODELLING = "ortools.sat.python.cp_model"


class _LazyModule(ModuleType):
    """A stand-in for a module, which is imported when one of its names is needed."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self.__name__), name)


def load_modelling() -> None:
    """Import the modelling layer without pandas, unless either is loaded already.

    Call it before other threads import, because they may miss pandas meanwhile.
    """
    if "pandas" in sys.modules or MODELLING in sys.modules:
        return
    pandas_stand_in: Any = ModuleType("pandas")
    # annotations use these names
    pandas_stand_in.Index = pandas_stand_in.Series = object
    sys.modules["pandas"] = pandas_stand_in
    try:
        modelling_layer: Any = importlib.import_module(MODELLING)
    finally:
        del sys.modules["pandas"]
    modelling_layer.pd = _LazyModule("pandas")
