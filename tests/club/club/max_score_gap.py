"""Constraint `max_score_gap`."""

from dataclasses import dataclass

import numpy as np

from pairopt.extend import Arcs, BoolArray, Constraint, IntArray, State, UsageError


@dataclass(frozen=True)
class MaxScoreGap(Constraint):
    """The points of two opponents differ by at most this number."""

    kind = "max_score_gap"

    most: int

    def __post_init__(self) -> None:
        if self.most < 0:
            raise UsageError(f"max_score_gap: expected 0 or more, found {self.most}")

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        gap = np.abs(state.score[arcs.first] - state.score[arcs.second])
        legal: BoolArray = arcs.bye | (gap <= self.most * state.scale)
        return legal

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        return (state.score,)
