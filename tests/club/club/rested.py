"""Criterion `rested`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pairopt.extend import Arcs, BoolArray, Criterion, IntArray, Label, State


@dataclass(frozen=True)
class Rested(Criterion):
    """Avoid matches of two players who have both had a bye, rematches most of all."""

    kind = "rested"

    def labels(self, state: State) -> Sequence[Label]:
        return [1]

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        had = state.byes > 0
        both = arcs.match & had[arcs.first] & had[arcs.second]
        cost = np.where(both, 1 + (state.meetings.met(arcs) > 0), 0)
        return cost[:, None].repeat(len(labels), axis=1)

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        return (state.byes > 0,)

    def pairs(self, state: State) -> IntArray:
        return state.meetings.pairs()

    def words(self, label: Label) -> str:
        return "matches of players who have both had a bye"
