"""Constraint `forced_bye`, from --bye."""

from dataclasses import dataclass

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Constraint


@dataclass(frozen=True)
class ForcedBye(Constraint):
    """This player has the allocated bye (--bye)."""

    kind = "forced_bye"
    option = "--bye"

    player: int

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        chosen = state.player == self.player
        legal: BoolArray = arcs.bye == (chosen[arcs.first] | (chosen[arcs.second] & arcs.match))
        return legal

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        return (state.player == self.player,)
