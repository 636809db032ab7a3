"""Metric `strength_gap`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pairopt.lab.metrics.base import Measured

if TYPE_CHECKING:
    from pairopt.lab.simulating import Tournament


@dataclass(frozen=True)
class StrengthGap:
    """The mean difference in true strength of two players who meet, in Elo points.

    `strength_gap` is that of all matches, `strength_gap_by_round` that of each round.
    """

    kind: ClassVar[str] = "strength_gap"
    columns: ClassVar[tuple[str, ...]] = ("strength_gap", "strength_gap_by_round")

    def __call__(self, played: Tournament, /) -> Mapping[str, Measured]:
        games = played.games.take(played.games.second >= 0)
        gap = np.abs(played.strength[games.first] - played.strength[games.second])
        rounds = [gap[games.round == number] for number in range(1, played.event.round)]
        means = [float(each.mean()) if len(each) else None for each in (gap, *rounds)]
        return {"strength_gap": means[0], "strength_gap_by_round": means[1:]}
