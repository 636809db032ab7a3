"""Constraint `no_equal_absolute_preference_below_topscorers`."""

from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import IntArray
from pairopt.event.state import State
from pairopt.rules.constraints.no_equal_absolute_preference import NoEqualAbsolutePreference


@dataclass(frozen=True)
class NoEqualAbsolutePreferenceBelowTopscorers(NoEqualAbsolutePreference):
    """Nobody who must have a side meets another who must, unless one is a top scorer.

    A top scorer has more than half of what could be scored so far.

    Source: FIDE Handbook C.04.3, articles 1.8 and 2.1.3, for the last round.
    """

    kind = "no_equal_absolute_preference_below_topscorers"

    def _bound(self, state: State) -> IntArray:
        return np.where(state.fide.topscorer, -1, super()._bound(state))
