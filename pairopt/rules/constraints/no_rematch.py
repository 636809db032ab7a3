"""Constraint `no_rematch`."""

from dataclasses import dataclass

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Constraint


@dataclass(frozen=True)
class NoRematch(Constraint):
    """Nobody meets the same opponent twice."""

    kind = "no_rematch"

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        legal: BoolArray = state.meetings.met(arcs) == 0
        return legal

    def pairs(self, state: State) -> IntArray:
        return state.meetings.pairs()
