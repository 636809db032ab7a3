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
    """A stand-in for a module, which is imported when one of its names is needed.

    The stand-in has the name of the module, and passes on every look-up of an
    attribute.
    """

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self.__name__), name)


class _StandIn:
    """A switch that lets a stand-in take the place of pandas during an import.

    `is_allowed` is set on the class itself, for the whole process; there are no
    instances.
    """

    is_allowed = False


def allow_stand_in() -> None:
    """Let `load_modelling` put a stand-in in the place of pandas from now on.

    Call it only in a process in which no other thread imports: it would get the
    stand-in if it imported pandas at the same time.
    """
    _StandIn.is_allowed = True


def load_modelling() -> None:
    """Import CP-SAT's modelling layer, without pandas if a stand-in is allowed.

    If it is not allowed, or if pandas or the layer is loaded already, nothing is done:
    there is nothing to save, and a later import loads the layer as usual. The stand-in
    is taken out of `sys.modules` again, also if the import fails.
    """
    if not _StandIn.is_allowed or "pandas" in sys.modules or MODELLING in sys.modules:
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
