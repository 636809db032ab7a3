"""Metrics: what is measured of a tournament.

`rounds` has those that every study has; the others, one module each, are found by their `kind`.
"""

import sys

from pairopt.lab.metrics.base import Metric, Value
from pairopt.registry import Found

__all__ = ["METRICS", "Metric", "Value"]

METRICS: Found[Metric] = Found(
    sys.modules[__name__],
    Metric,  # type: ignore[type-abstract]
    besides=("base", "rounds"),
    group="pairopt.metrics",
)
