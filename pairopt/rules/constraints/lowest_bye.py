"""Constraint `lowest_bye`."""

from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Constraint


@dataclass(frozen=True)
class LowestBye(Constraint):
    """The bye goes to the lowest of those without one who have played.

    Lowest by points, then strength of schedule, then extended SoS. Where there is no such player it
    goes to the lowest of those with the fewest byes."""

    kind = "lowest_bye"

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        return arcs.match | self._lowest(state)[arcs.first]

    def bye_attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        return (self._lowest(state),)

    def _lowest(self, state: State) -> BoolArray:
        """True for the players (several where they are equal) who may have it, shape (n,)."""
        active = state.by_schedule
        eligible = (state.byes == 0) & np.array([line.games > 0 for line in active], np.bool_)
        if not eligible.any():
            eligible = state.byes == state.byes.min()
        rank = np.array([line.rank for line in active], np.int64)
        return np.asarray(eligible & (rank == rank[eligible].max()), np.bool_)
