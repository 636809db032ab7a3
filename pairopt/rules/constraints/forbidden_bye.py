"""Constraint `forbidden_bye`, from --no-bye."""

from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Constraint


@dataclass(frozen=True)
class ForbiddenBye(Constraint):
    """These players do not have the allocated bye (--no-bye)."""

    kind = "forbidden_bye"
    option = "--no-bye"

    players: tuple[int, ...]

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        return arcs.match | ~np.isin(state.player[arcs.first], self.players)

    def bye_attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        return (np.isin(state.player, self.players),)
