"""Law of results `davidson_by_level`."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairopt.errors import UsageError
from pairopt.lab.worlds import Chances, Games

# the unit of levels, in Elo points
LEVEL = 100.0


@dataclass(frozen=True, kw_only=True)
class DavidsonByLevel:
    """Davidson's model with more or fewer draws between stronger players.

    Let m be the mean strength of both players, clipped to `low` and `high`, and x = (m - `center`)
    / 100. The log of the draws' factor is `slope` x + `bend` x^2 larger than at `center`, where
    `draws`, below 1, is the probability of a draw between equals. Glickman, "Paired comparison
    models with strength-dependent ties and order effects", arXiv 2505.24783 (2025), has no `bend`.
    With `slope` and `bend` 0, the defaults, this is `davidson`.
    """

    kind: ClassVar[str] = "davidson_by_level"

    center: float = 2000.0
    slope: float = 0.0
    bend: float = 0.0
    low: float = 1000.0
    high: float = 3000.0

    def __call__(self, met: Games, /) -> Chances:
        """Return the probabilities of a win of `one` and of a draw.

        Both have shape (m,). Raises UsageError if `draws` is 1.
        """
        equal_draw_probability = met.draws
        if equal_draw_probability >= 1:
            raise UsageError("world.draws_certain", world=self.kind)
        mean_strength = (met.strength[met.one] + met.strength[met.two]) / 2
        clipped_level = (
            np.clip(mean_strength, self.low, self.high) - self.center
        ) / LEVEL
        draw_factor = (
            2
            * equal_draw_probability
            / (1 - equal_draw_probability)
            * np.exp(self.slope * clipped_level + self.bend * clipped_level**2)
        )
        # square root of the worth of two over that of one
        root_worth_ratio = 10 ** (met.gap / 800)
        total_weight = 1 + root_worth_ratio**2 + draw_factor * root_worth_ratio
        return np.asarray(1 / total_weight), np.asarray(
            draw_factor * root_worth_ratio / total_weight
        )
