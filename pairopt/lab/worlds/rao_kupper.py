"""World `rao_kupper`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairopt.errors import UsageError
from pairopt.lab.worlds.base import Chances, Encounters


@dataclass(frozen=True)
class RaoKupper:
    """Draws where the better performance is ahead by less than a threshold.

    Rao and Kupper, "Ties in paired-comparison experiments: a generalization of the Bradley-Terry
    model", Journal of the American Statistical Association 62 (1967). `draws`, below 1, is the
    probability of a draw between equals.
    """

    kind: ClassVar[str] = "rao_kupper"

    def __call__(self, met: Encounters, /) -> Chances:
        draws = met.draws
        if draws >= 1:
            raise UsageError("world rao_kupper: expected draws below 1")
        threshold, ratio = (1 + draws) / (1 - draws), 10 ** (met.gap / 400)
        win, loss = 1 / (1 + threshold * ratio), ratio / (threshold + ratio)
        return np.asarray(win), np.maximum(1 - win - loss, 0)
