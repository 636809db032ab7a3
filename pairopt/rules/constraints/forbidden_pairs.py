"""Constraint `forbidden_pairs`, from --forbid and from the event itself."""

from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import NO_PAIRS, Constraint


@dataclass(frozen=True)
class ForbiddenPairs(Constraint):
    """These players do not meet in this round (--forbid, or XXP in a TRF)."""

    kind = "forbidden_pairs"
    option = "--forbid"

    players: tuple[tuple[int, int], ...]

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        if arcs.typical:
            return np.ones(len(arcs), np.bool_)
        n = len(state.event.players)
        one, two = np.array(self.players, np.int64).T
        banned = np.minimum(one, two) * n + np.maximum(one, two)
        a, b = state.player[arcs.first], state.player[arcs.second]
        return arcs.bye | ~np.isin(np.minimum(a, b) * n + np.maximum(a, b), banned)

    def pairs(self, state: State) -> IntArray:
        position = {int(p): k for k, p in enumerate(state.player)}
        active = [pair for pair in self.players if pair[0] in position and pair[1] in position]
        if not active:
            return NO_PAIRS
        return np.array([[position[a], position[b]] for a, b in active], np.int64)
