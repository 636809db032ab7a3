"""Criterion `bye_score`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Label, SingleLevel


@dataclass(frozen=True)
class ByeScore(SingleLevel):
    """Give the pairing-allocated bye to a player with as few points as possible."""

    kind = "bye_score"
    counts = "points of the player with the bye"
    bye_reads = ("score",)

    def labels(self, state: State) -> Sequence[Label]:
        """Return the one level if the number of players is odd, otherwise none."""
        return [1] if state.odd else []

    def cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return the score of the player with the bye, 0 for a match, shape (m,).

        Scores are multiplied by the event's scale. If the lowest score is negative,
        they count from there, so that no cost is negative.
        """
        return np.where(arcs.bye, state.score[arcs.first] - self.offset(state), 0)

    def scale(self, state: State) -> int:
        """Return the event's scale, with which scores are whole numbers."""
        return state.scale

    def offset(self, state: State) -> int:
        """Return the lowest score if it is negative, otherwise 0."""
        return min(int(state.score.min(initial=0)), 0)
