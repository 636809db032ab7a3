"""Metric `side_points`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pairopt.lab.metrics.base import Measured

if TYPE_CHECKING:
    from pairopt.lab.simulating import Tournament


@dataclass(frozen=True)
class SidePoints:
    """Points that a match more with the first side instead of the second is worth.

    The coefficient of half the side difference in a linear regression of the players' points on
    it and on their true strength, by least squares. No value where it cannot be told: no sides,
    or everybody has played both equally often.
    """

    kind: ClassVar[str] = "side_points"

    def __call__(self, played: Tournament, /) -> Measured:
        games, n = played.games, len(played.strength)
        sided = games.side >= 0
        first, second = games.first[sided], games.second[sided]
        ahead = np.where(games.side[sided] == 0, 1, -1)
        difference = np.bincount(first, ahead, n) - np.bincount(second, ahead, n)
        strength = played.strength - played.strength.mean()
        spread = np.abs(strength).max()
        known = [np.ones(n), difference / 2]
        known += [strength / spread] if spread > 0 else []
        table = np.column_stack(known)
        if np.linalg.matrix_rank(table) < table.shape[1]:
            return None
        return float(np.linalg.lstsq(table, played.points, rcond=None)[0][1])
