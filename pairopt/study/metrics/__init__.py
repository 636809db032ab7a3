"""Metrics: what is measured of a tournament.

`rounds` has those that every study has; the others, one module each, are found by their `kind`.
"""

import sys

from pairopt.registry import Found
from pairopt.study.metrics.base import Metric, Value

__all__ = ["METRICS", "Metric", "Value"]

METRICS: Found[Metric] = Found(
    sys.modules[__name__],
    Metric,  # type: ignore[type-abstract]
    besides=("base", "rounds"),
    group="pairopt.metrics",
)
