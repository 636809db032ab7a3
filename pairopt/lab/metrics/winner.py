"""Metric `winner`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pairopt.lab.metrics.base import Measured

if TYPE_CHECKING:
    from pairopt.lab.simulating import Tournament


@dataclass(frozen=True)
class Winner:
    """`winner_rank`: the winner's rank by true strength; `best_wins`: whether the best wins.

    Winner is who is first by points and strength of schedule. Of several the rank is the mean,
    and `best_wins` the best one's part among them; its mean over tournaments is the probability
    that the best player wins. Players of equal strength share the mean of their ranks.
    """

    kind: ClassVar[str] = "winner"
    columns: ClassVar[tuple[str, ...]] = ("winner_rank", "best_wins")

    def __call__(self, played: Tournament, /) -> Mapping[str, Measured]:
        strength, place = played.strength, played.place
        first = strength[place == place.max()]
        above = (strength[None, :] > first[:, None]).sum(axis=1)
        equal = (strength[None, :] == first[:, None]).sum(axis=1)
        best = (strength == strength.max()).sum()
        return {
            "winner_rank": float(np.mean(above + (equal + 1) / 2)),
            "best_wins": float(np.mean(first == strength.max()) / best),
        }
