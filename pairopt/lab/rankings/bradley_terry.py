"""Ranking `bradley_terry`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairopt.event.arcs import FloatArray
from pairopt.event.event import PLAYED, Event

STEPS, NEAR = 1000, 1e-10


@dataclass(frozen=True)
class BradleyTerryFit:
    """The worth of each player under which the results are likeliest, as its logarithm.

    Bradley and Terry's model, a draw half a win of each. Who has won everything would be worth
    without end: each player has `prior` more wins and as many losses against one of worth 1.
    Solved by minorisation and maximisation: Hunter, "MM algorithms for generalized Bradley-Terry
    models", Annals of Statistics 32 (2004).
    """

    kind: ClassVar[str] = "bradley_terry"

    prior: float = 0.5

    def __call__(self, event: Event, /) -> FloatArray:
        rows, n = event.before, len(event.players)
        rows = rows.take(rows.status == PLAYED)
        share = (1 + np.sign(rows.score1 - rows.score2)) / 2
        wins = (
            self.prior + np.bincount(rows.first, share, n) + np.bincount(rows.second, 1 - share, n)
        )
        worth = np.ones(n)
        for _ in range(STEPS):
            each = 1 / (worth[rows.first] + worth[rows.second])
            met = np.bincount(rows.first, each, n) + np.bincount(rows.second, each, n)
            better = wins / (met + 2 * self.prior / (worth + 1))
            near = np.abs(np.log(better / worth)).max(initial=0) < NEAR
            worth = better
            if near:
                break
        return np.asarray(np.log(worth), np.float64)
