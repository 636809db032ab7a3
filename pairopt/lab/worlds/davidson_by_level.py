"""World `davidson_by_level`."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairopt.errors import UsageError
from pairopt.lab.worlds import Chances, Games

LEVEL = 100.0  # Elo points in which levels are counted


@dataclass(frozen=True, kw_only=True)
class DavidsonByLevel:
    """Davidson's model with draws that depend on the level of both players, too.

    With m the mean strength of both, kept inside `low` to `high`, and x = (m - `center`) / 100, the
    logarithm of the draws' factor is `slope` x + `bend` x^2 more than at `center`, where `draws`,
    below 1, is the probability of a draw between equals. Glickman, "Paired comparison models with
    strength-dependent ties and order effects", arXiv 2505.24783 (2025), there without `bend`;
    `davidson` is this where `slope` and `bend` are 0, as here.
    """

    kind: ClassVar[str] = "davidson_by_level"

    center: float = 2000.0
    slope: float = 0.0
    bend: float = 0.0
    low: float = 1000.0
    high: float = 3000.0

    def __call__(self, met: Games, /) -> Chances:
        draws = met.draws
        if draws >= 1:
            raise UsageError("world.draws_certain", world=self.kind)
        mean = (met.strength[met.one] + met.strength[met.two]) / 2
        level = (np.clip(mean, self.low, self.high) - self.center) / LEVEL
        even = (
            2 * draws / (1 - draws) * np.exp(self.slope * level + self.bend * level**2)
        )
        ratio = 10 ** (
            met.gap / 800
        )  # square root of the worth of two over that of one
        total = 1 + ratio**2 + even * ratio
        return np.asarray(1 / total), np.asarray(even * ratio / total)
