"""World `davidson`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairopt.errors import UsageError
from pairopt.lab.worlds.base import Chances, Encounters


@dataclass(frozen=True)
class Davidson:
    """Draws in proportion to the geometric mean of both players' worth.

    Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison
    experiments", Journal of the American Statistical Association 65 (1970). `draws`, below 1, is
    the probability of a draw between equals.
    """

    kind: ClassVar[str] = "davidson"

    def __call__(self, met: Encounters, /) -> Chances:
        draws = met.draws
        if draws >= 1:
            raise UsageError("world davidson: expected draws below 1")
        ratio = 10 ** (met.gap / 800)  # square root of the worth of two over that of one
        even = 2 * draws / (1 - draws)
        total = 1 + ratio**2 + even * ratio
        return np.asarray(1 / total), np.asarray(even * ratio / total)
