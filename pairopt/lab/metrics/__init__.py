"""Metrics: what is measured of a tournament.

`rounds` has those that every study has; the others are found by their `kind`.
"""

import sys

from pairopt.lab.metrics.base import Metric, Value
from pairopt.registry import Registry

__all__ = ["METRICS", "Metric", "Value"]

METRICS: Registry[Metric] = Registry(
    sys.modules[__name__],
    Metric,  # type: ignore[type-abstract]
    besides=("base", "rounds"),
    group="pairopt.metrics",
    families={"tournaments": ("side_points", "strength_gap", "unique_winner", "winner")},
)
