"""Constraint `forced_pairs`, from --force."""

from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Constraint


@dataclass(frozen=True)
class ForcedPairs(Constraint):
    """These players meet each other in this round (--force)."""

    kind = "forced_pairs"
    option = "--force"

    players: tuple[tuple[int, int], ...]

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        legal = np.ones(len(arcs), np.bool_)
        player = state.player[arcs.first]
        other = np.where(arcs.bye, -1, state.player[arcs.second])
        for one, two in self.players:
            in_pair = (player == one) | (player == two)
            other_in_pair = (other == one) | (other == two)
            legal &= in_pair == other_in_pair
        return legal

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        # both players of a forced pair become types of their own
        return tuple((state.player == p).astype(np.int64) for pair in self.players for p in pair)
