"""Constraint `max_side_difference`."""

from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Constraint


@dataclass(frozen=True)
class MaxSideDifference(Constraint):
    """No match raises anybody's side difference above this; lowering is always legal."""

    kind = "max_side_difference"
    needs_sides = True

    most: int

    def __post_init__(self) -> None:
        if self.most < 1:
            raise ValueError("Expected max_side_difference >= 1.")

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        first = state.bias[arcs.first] >= self.most
        second = state.bias[arcs.second] <= -self.most
        return arcs.bye | ~(first | second)

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        return (np.sign(state.bias) * (np.abs(state.bias) >= self.most),)
