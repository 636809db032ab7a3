"""Ranking `performance`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.arcs import FloatArray
from pairopt.event.event import NO_RATING, Event
from pairopt.event.history import history_of
from pairopt.event.tie_breaks.performance_rating import PerformanceRating


@dataclass(frozen=True)
class Performance:
    """FIDE's tournament performance rating alone, points aside; see `PerformanceRating`.

    Raises UsageError where nobody is rated.
    """

    kind: ClassVar[str] = "performance"

    def __call__(self, event: Event, /) -> FloatArray:
        if (event.rating == NO_RATING).all():
            raise UsageError("performance needs ratings, and no player has one")
        values = PerformanceRating().values(history_of(event), ())
        return np.array([float(value) for value in values])
