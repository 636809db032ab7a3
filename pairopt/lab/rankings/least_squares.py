"""Ranking `least_squares`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairopt.event.arcs import FloatArray
from pairopt.event.event import PLAYED, Event


@dataclass(frozen=True)
class LeastSquares:
    """Numbers whose differences are nearest to the differences in points of all matches played.

    The sum of the squares is least; Massey, "Statistical models applied to the rating of sports
    teams" (1997). Parts of the field that have not met have their means at 0.
    """

    kind: ClassVar[str] = "least_squares"

    def __call__(self, event: Event, /) -> FloatArray:
        rows, n = event.before, len(event.players)
        rows = rows.take(rows.status == PLAYED)
        table = np.zeros((len(rows), n))
        each = np.arange(len(rows))
        table[each, rows.first], table[each, rows.second] = 1, -1
        margin = (rows.score1 - rows.score2) / event.scale
        found = np.linalg.lstsq(table.T @ table, table.T @ margin, rcond=1e-9)[0]
        return np.asarray(found, np.float64)
