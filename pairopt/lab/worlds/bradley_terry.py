"""World `bradley_terry`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairopt.errors import UsageError
from pairopt.lab.worlds.base import Chances, Encounters


@dataclass(frozen=True)
class BradleyTerry:
    """Wins in proportion to worth, 10^(strength / 400), and no draws.

    Bradley and Terry, "Rank analysis of incomplete block designs", Biometrika 39 (1952). It is
    `elo` without draws; `draws` have to be 0.
    """

    kind: ClassVar[str] = "bradley_terry"

    def __call__(self, met: Encounters, /) -> Chances:
        if met.draws:
            raise UsageError("world bradley_terry has no draws: expected draws 0")
        return met.expected, np.zeros(len(met.one))
