"""Constraint `no_repeat_bye`."""

from dataclasses import dataclass

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Constraint


@dataclass(frozen=True)
class NoRepeatBye(Constraint):
    """Nobody has a second allocated bye."""

    kind = "no_repeat_bye"

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        legal: BoolArray = arcs.match | (state.byes[arcs.first] == 0)
        return legal

    def bye_attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        return (state.byes > 0,)
