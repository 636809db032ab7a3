"""World `elo`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairopt.lab.worlds.base import Chances, Encounters


@dataclass(frozen=True)
class Elo:
    """Elo's logistic model; draws take nothing from what a player may expect.

    With e the expected score of a player (a draw a half), a draw has the probability
    draws * 2 min(e, 1 - e), and a win what makes e right.
    """

    kind: ClassVar[str] = "elo"

    def __call__(self, met: Encounters, /) -> Chances:
        expected = met.expected
        drawn = met.draws * 2 * np.minimum(expected, 1 - expected)
        return expected - drawn / 2, drawn
