"""Constraint `no_same_sides_rematch`."""

from dataclasses import dataclass

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Constraint


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
