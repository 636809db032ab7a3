"""pairopt: pairs a round of a Swiss tournament and proves that no pairing is better."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pairopt.checking import check
    from pairopt.comparing import compare
    from pairopt.errors import InputError, PairoptError, UsageError
    from pairopt.event import Event
    from pairopt.explaining import explain
    from pairopt.io import read_event
    from pairopt.io.export import write_event
    from pairopt.model import Model, load_model
    from pairopt.ranking import standings
    from pairopt.result import Result
    from pairopt.solving import solve
    from pairopt.study.simulating import simulate

__version__ = "0.1.0"

_HOMES = {
    "Event": "pairopt.event",
    "InputError": "pairopt.errors",
    "Model": "pairopt.model",
    "PairoptError": "pairopt.errors",
    "Result": "pairopt.result",
    "UsageError": "pairopt.errors",
    "check": "pairopt.checking",
    "compare": "pairopt.comparing",
    "explain": "pairopt.explaining",
    "load_model": "pairopt.model",
    "read_event": "pairopt.io",
    "simulate": "pairopt.study.simulating",
    "solve": "pairopt.solving",
    "standings": "pairopt.ranking",
    "write_event": "pairopt.io.export",
}

__all__ = [
    "Event",
    "InputError",
    "Model",
    "PairoptError",
    "Result",
    "UsageError",
    "__version__",
    "check",
    "compare",
    "explain",
    "load_model",
    "read_event",
    "simulate",
    "solve",
    "standings",
    "write_event",
]


def __getattr__(name: str) -> Any:
    """Import the public names on first use: `import pairopt` stays cheap."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
