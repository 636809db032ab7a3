"""pairopt: pairs a round of a Swiss tournament and proves that no pairing is better."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from pairopt.version import __version__

if TYPE_CHECKING:
    from pairopt.errors import InputError, PairoptError, UsageError
    from pairopt.event.event import Event
    from pairopt.event.standings import standings
    from pairopt.instruments.frontier import frontier, frontiers
    from pairopt.instruments.incentive import incentive, incentives
    from pairopt.instruments.odds import odds
    from pairopt.instruments.typical import typical
    from pairopt.io import read_event
    from pairopt.io.export import write_event
    from pairopt.problem.model import Model, load_model
    from pairopt.round.check import check
    from pairopt.round.compare import compare
    from pairopt.round.explain import explain
    from pairopt.round.proof.checking import check_proof
    from pairopt.round.replay import check_all
    from pairopt.round.result import Result
    from pairopt.round.solve import solve
    from pairopt.study.simulating import simulate

_HOMES = {
    "Event": "pairopt.event.event",
    "InputError": "pairopt.errors",
    "Model": "pairopt.problem.model",
    "PairoptError": "pairopt.errors",
    "Result": "pairopt.round.result",
    "UsageError": "pairopt.errors",
    "check": "pairopt.round.check",
    "check_all": "pairopt.round.replay",
    "check_proof": "pairopt.round.proof.checking",
    "compare": "pairopt.round.compare",
    "explain": "pairopt.round.explain",
    "frontier": "pairopt.instruments.frontier",
    "frontiers": "pairopt.instruments.frontier",
    "incentive": "pairopt.instruments.incentive",
    "incentives": "pairopt.instruments.incentive",
    "load_model": "pairopt.problem.model",
    "odds": "pairopt.instruments.odds",
    "read_event": "pairopt.io",
    "simulate": "pairopt.study.simulating",
    "solve": "pairopt.round.solve",
    "standings": "pairopt.event.standings",
    "typical": "pairopt.instruments.typical",
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
    "check_all",
    "check_proof",
    "compare",
    "explain",
    "frontier",
    "frontiers",
    "incentive",
    "incentives",
    "load_model",
    "odds",
    "read_event",
    "simulate",
    "solve",
    "standings",
    "typical",
    "write_event",
]


def __getattr__(name: str) -> Any:
    """Import the public names on first use: `import pairopt` stays cheap."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
