"""Criterion `cobra_cost`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Criterion, Label, require_fit
from pairopt.rules.criteria.aesops_2025_cost import largest_cost, match_cost


@dataclass(frozen=True)
class CobraCost(Criterion):
    """Cobra's cost: score gaps squared, the bye as an opponent of -1 points.

    Where the event has sides (single-sided) a match also costs 50^b, b the bias that the
    sides make worse, and 5 for a rematch. Source: the program of Cobra.
    """

    kind = "cobra_cost"

    def labels(self, state: State) -> Sequence[Label]:
        apart = int(np.ptp(np.append(state.score, -state.scale)))
        require_fit(self.kind, apart**2 + largest_cost(state), len(state))
        return [1]

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        alone = (state.score[arcs.first] + state.scale) ** 2
        cost = np.where(arcs.bye, alone, match_cost(state, arcs))
        return cost[:, None].repeat(len(labels), axis=1)

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        return (state.score, state.bias)

    def pairs(self, state: State) -> IntArray:
        return state.meetings.pairs()

    def scale(self, state: State) -> int:
        return state.scale**2

    def words(self, label: Label) -> str:
        return "cost of score gaps, sides and rematches"
