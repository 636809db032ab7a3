"""Lab: what does each order of criteria buy and cost over whole tournaments, on equal luck?

The names below are imported on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pairopt.lab.comparison import compare_models as compare_models
    from pairopt.lab.comparison import compare_on_events as compare_on_events
    from pairopt.lab.permuting import orderings as orderings
    from pairopt.lab.simulating import Tournament as Tournament
    from pairopt.lab.simulating import simulate as simulate
    from pairopt.lab.statistics.comparing import differences as differences
    from pairopt.lab.statistics.comparing import means as means
    from pairopt.lab.statistics.tournaments import designs as designs
    from pairopt.lab.statistics.tournaments import ended_early as ended_early
    from pairopt.lab.statistics.tournaments import per_tournament as per_tournament
    from pairopt.lab.world import World as World

_HOMES = {
    "Tournament": "simulating",
    "World": "world",
    "compare_models": "comparison",
    "compare_on_events": "comparison",
    "designs": "statistics.tournaments",
    "differences": "statistics.comparing",
    "ended_early": "statistics.tournaments",
    "means": "statistics.comparing",
    "orderings": "permuting",
    "per_tournament": "statistics.tournaments",
    "simulate": "simulating",
}


def __getattr__(name: str) -> Any:
    """Import the public names on first use."""
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
