"""Lab: what does each order of criteria buy and cost over whole tournaments, on equal luck?

The names below are imported on first use.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from pairopt.lab import rooms

if TYPE_CHECKING:
    from pairopt.lab.measuring.statistics.comparing import differences as differences
    from pairopt.lab.measuring.statistics.comparing import means as means
    from pairopt.lab.measuring.statistics.tournaments import designs as designs
    from pairopt.lab.measuring.statistics.tournaments import ended_early as ended_early
    from pairopt.lab.measuring.statistics.tournaments import per_tournament as per_tournament
    from pairopt.lab.playing.permuting import orderings as orderings
    from pairopt.lab.playing.simulating import Tournament as Tournament
    from pairopt.lab.playing.simulating import simulate as simulate
    from pairopt.lab.playing.world import World as World
    from pairopt.lab.running.comparison import compare_models as compare_models
    from pairopt.lab.running.comparison import compare_on_events as compare_on_events

_HOMES = {
    "Tournament": "playing.simulating",
    "World": "playing.world",
    "compare_models": "running.comparison",
    "compare_on_events": "running.comparison",
    "designs": "measuring.statistics.tournaments",
    "differences": "measuring.statistics.comparing",
    "ended_early": "measuring.statistics.tournaments",
    "means": "measuring.statistics.comparing",
    "orderings": "playing.permuting",
    "per_tournament": "measuring.statistics.tournaments",
    "simulate": "playing.simulating",
}
sys.meta_path.insert(0, rooms.Published())


def __getattr__(name: str) -> Any:
    """Import the public names on first use."""
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
