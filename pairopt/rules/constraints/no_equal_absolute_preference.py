"""Constraint `no_equal_absolute_preference`."""

from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.fide import ABSOLUTE
from pairopt.event.state import State
from pairopt.rules.base import Constraint


@dataclass(frozen=True)
class NoEqualAbsolutePreference(Constraint):
    """Nobody meets a player who must have the same side: two games more on the other, or in a row.

    Source: FIDE Handbook C.04.3, article 2.1.3 (C3).
    """

    kind = "no_equal_absolute_preference"
    needs_sides = True

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        side = self._bound(state)
        equal: BoolArray = (side[arcs.first] >= 0) & (side[arcs.first] == side[arcs.second])
        return arcs.bye | ~equal

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        return (self._bound(state),)

    def _bound(self, state: State) -> IntArray:
        """The side that each player must have, -1 where there is none."""
        return np.where(state.fide.strength == ABSOLUTE, state.fide.preferred, -1)
