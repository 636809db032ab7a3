"""Constraint `no_same_sides_rematch`."""

from dataclasses import dataclass

from pairopt.arcs import Arcs, BoolArray, IntArray
from pairopt.constraints.base import Constraint
from pairopt.state import State


@dataclass(frozen=True)
class NoSameSidesRematch(Constraint):
    """Nobody meets the same opponent twice with the same sides."""

    kind = "no_same_sides_rematch"
    needs_sides = True

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        legal: BoolArray = state.meetings.met_same_sides(arcs) == 0
        return legal

    def pairs(self, state: State) -> IntArray:
        return state.meetings.pairs()
