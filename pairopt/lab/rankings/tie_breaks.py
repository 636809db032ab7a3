"""Points with tie-breaks as a ranking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import IntArray
from pairopt.event.event import Event
from pairopt.event.standings import ranked


@dataclass(frozen=True)
class TieBreaks:
    """Points, then these tie-breaks in their order, as `pairopt standings` has them."""

    tie_breaks: tuple[str, ...]

    @property
    def name(self) -> str:
        """What it is called."""
        return "+".join(self.tie_breaks) or "points"

    def __call__(self, event: Event, /) -> IntArray:
        rank = np.zeros(len(event.players), np.int64)
        for line in ranked(event, self.tie_breaks):
            rank[event.index[line.player]] = line.rank
        return -rank
