"""Criterion `same_side`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Criterion, Label


@dataclass(frozen=True)
class SameSide(Criterion):
    """Let players change sides from one game to the next."""

    kind = "same_side"
    needs_sides = True

    def labels(self, state: State) -> Sequence[Label]:
        return [1]

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        first = state.last_side[arcs.first] == 0
        second = state.last_side[arcs.second] == 1
        again = np.where(arcs.bye, 0, first.astype(np.int64) + second)
        return again[:, None].repeat(len(labels), axis=1)

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        return (state.last_side,)

    def words(self, label: Label) -> str:
        return "players who play the same side again"
