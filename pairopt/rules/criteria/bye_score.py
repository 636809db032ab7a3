"""Criterion `bye_score`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Criterion, Label


@dataclass(frozen=True)
class ByeScore(Criterion):
    """Give the allocated bye to a player with as few points as possible."""

    kind = "bye_score"

    def labels(self, state: State) -> Sequence[Label]:
        return [1] if state.odd else []

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        points = np.where(arcs.bye, state.score[arcs.first] - self.offset(state), 0)
        return points[:, None].repeat(len(labels), axis=1)

    def bye_attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        return (state.score,)

    def scale(self, state: State) -> int:
        return state.scale

    def offset(self, state: State) -> int:
        return min(int(state.score.min(initial=0)), 0)

    def words(self, label: Label) -> str:
        return "points of the player with the bye"
