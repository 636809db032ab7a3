"""pairopt: pairs a round of a Swiss tournament and proves that no pairing is better."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from pairopt import fide
from pairopt.problem.system import SYSTEMS
from pairopt.version import __version__

if TYPE_CHECKING:
    from pairopt.errors import InputError as InputError
    from pairopt.errors import PairoptError as PairoptError
    from pairopt.errors import UsageError as UsageError
    from pairopt.event.event import Event as Event
    from pairopt.event.standings import standings as standings
    from pairopt.files import read_event as read_event
    from pairopt.files.formats import write_event as write_event
    from pairopt.lab.instruments.frontier.frontier import frontier as frontier
    from pairopt.lab.instruments.frontier.frontier import frontiers as frontiers
    from pairopt.lab.instruments.incentive.incentive import incentive as incentive
    from pairopt.lab.instruments.incentive.incentive import incentives as incentives
    from pairopt.lab.playing.simulating import simulate as simulate
    from pairopt.problem.model import Model as Model
    from pairopt.problem.model import load_model as load_model
    from pairopt.proof.checking import check_proof as check_proof
    from pairopt.round.check import check as check
    from pairopt.round.compare import compare as compare
    from pairopt.round.explain import explain as explain
    from pairopt.round.odds import odds as odds
    from pairopt.round.program import Program as Program
    from pairopt.round.program import program as program
    from pairopt.round.repair import repair as repair
    from pairopt.round.replay import check_all as check_all
    from pairopt.round.result import Result as Result
    from pairopt.round.solve import solve as solve
    from pairopt.round.typical import typical as typical

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
    "frontier": "pairopt.lab.instruments.frontier.frontier",
    "frontiers": "pairopt.lab.instruments.frontier.frontier",
    "incentive": "pairopt.lab.instruments.incentive.incentive",
    "incentives": "pairopt.lab.instruments.incentive.incentive",
    "load_model": "pairopt.problem.model",
    "odds": "pairopt.round.odds",
    "program": "pairopt.round.program",
    "read_event": "pairopt.files",
    "repair": "pairopt.round.repair",
    "simulate": "pairopt.lab.playing.simulating",
    "solve": "pairopt.round.solve",
    "standings": "pairopt.event.standings",
    "typical": "pairopt.round.typical",
    "write_event": "pairopt.files.formats",
}

SYSTEMS.look_in(fide, {})

__all__ = [*sorted(_HOMES), "__version__"]


def __getattr__(name: str) -> Any:
    """Import the public names on first use: `import pairopt` stays cheap."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
