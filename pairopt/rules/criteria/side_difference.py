"""Criterion `side_difference`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Criterion, Label, one_hot


@dataclass(frozen=True)
class SideDifference(Criterion):
    """Keep the number of games on each side near equal, the largest differences first.

    Counts the players whose side difference becomes each of at_least ... at_most.
    """

    kind = "side_difference"
    needs_sides = True

    at_least: int = 3
    at_most: int | None = None

    def __post_init__(self) -> None:
        if self.at_least < 1:
            raise ValueError("Expected at_least >= 1.")
        if self.at_most is not None and self.at_most < self.at_least:
            raise ValueError("Expected at_most >= at_least.")

    def labels(self, state: State) -> Sequence[Label]:
        largest = int(np.abs(state.bias).max(initial=0)) + (len(state) > 1)
        top = largest if self.at_most is None else min(largest, self.at_most)
        return range(top, self.at_least - 1, -1)

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        match = arcs.match.astype(np.int64)
        first = one_hot(np.abs(state.bias[arcs.first] + match), labels)
        second = one_hot(np.abs(state.bias[arcs.second] - 1), labels)
        return first + second * match[:, None]

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        return (np.where(np.abs(state.bias) >= self.at_least - 1, state.bias, 0),)

    def words(self, label: Label) -> str:
        return f"players whose side difference becomes {label}"
