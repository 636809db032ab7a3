"""pairopt: pairs a round of a Swiss tournament and proves that no pairing is better."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from pairopt import fide
from pairopt.problem.system import SYSTEMS
from pairopt.version import __version__

if TYPE_CHECKING:
    from pairopt.errors import InputError, PairoptError, UsageError
    from pairopt.event.event import Event
    from pairopt.event.standings import standings
    from pairopt.files import read_event
    from pairopt.files.export import write_event
    from pairopt.lab.frontier.frontier import frontier, frontiers
    from pairopt.lab.incentive.incentive import incentive, incentives
    from pairopt.lab.simulating import simulate
    from pairopt.problem.model import Model, load_model
    from pairopt.proof.checking import check_proof
    from pairopt.round.check import check
    from pairopt.round.compare import compare
    from pairopt.round.explain import explain
    from pairopt.round.odds import odds
    from pairopt.round.program import Program, program
    from pairopt.round.replay import check_all
    from pairopt.round.result import Result
    from pairopt.round.solve import solve
    from pairopt.round.typical import typical

_HOMES = {
    "Event": "pairopt.event.event",
    "InputError": "pairopt.errors",
    "Model": "pairopt.problem.model",
    "PairoptError": "pairopt.errors",
    "Program": "pairopt.round.program",
    "Result": "pairopt.round.result",
    "UsageError": "pairopt.errors",
    "check": "pairopt.round.check",
    "check_all": "pairopt.round.replay",
    "check_proof": "pairopt.proof.checking",
    "compare": "pairopt.round.compare",
    "explain": "pairopt.round.explain",
    "frontier": "pairopt.lab.frontier.frontier",
    "frontiers": "pairopt.lab.frontier.frontier",
    "incentive": "pairopt.lab.incentive.incentive",
    "incentives": "pairopt.lab.incentive.incentive",
    "load_model": "pairopt.problem.model",
    "odds": "pairopt.round.odds",
    "program": "pairopt.round.program",
    "read_event": "pairopt.files",
    "simulate": "pairopt.lab.simulating",
    "solve": "pairopt.round.solve",
    "standings": "pairopt.event.standings",
    "typical": "pairopt.round.typical",
    "write_event": "pairopt.files.export",
}

SYSTEMS.look_in(fide)

__all__ = [
    "Event",
    "InputError",
    "Model",
    "PairoptError",
    "Program",
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
    "program",
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
