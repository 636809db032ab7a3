"""Metric `unique_winner`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pairopt.event.turns import points_of
from pairopt.lab.metrics.base import Measured

if TYPE_CHECKING:
    from pairopt.lab.simulating import Tournament


@dataclass(frozen=True)
class UniqueWinner:
    """After each round 1 if one player alone has the most points, else 0."""

    kind: ClassVar[str] = "unique_winner"

    def __call__(self, played: Tournament, /) -> Measured:
        found = []
        for number in range(2, played.event.round + 1):
            points = points_of(played.event.at_round(number))
            found.append(int((points == points.max()).sum() == 1))
        return found
