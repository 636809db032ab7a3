"""Criteria on how far apart opponents are, in points or in rank."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import MOST_POWER, Criterion, Label, require_fit


@dataclass(frozen=True)
class RankGap(Criterion):
    """Pair players of near rank in the standings: the sum of rank gaps to a power.

    Ranks run from 1 to n over all players by score, rating, then players.csv order; the bye
    ranks last, n + 1.
    """

    kind = "rank_gap"
    per_player = True

    power: int = 2

    def __post_init__(self) -> None:
        if not 1 <= self.power <= MOST_POWER:
            raise ValueError(f"Expected power from 1 to {MOST_POWER}.")

    def labels(self, state: State) -> Sequence[Label]:
        require_fit(self.kind, len(state) ** self.power, len(state))
        return [1]

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        rank = state.overall_rank
        other = np.where(arcs.bye, len(state) + 1, rank[arcs.second])
        gap = np.abs(rank[arcs.first] - other) ** self.power
        return gap[:, None].repeat(len(labels), axis=1)

    def words(self, label: Label) -> str:
        return f"rank gaps to the power {self.power}" if self.power > 1 else "rank gaps"


@dataclass(frozen=True)
class ScoreDifference(Criterion):
    """Pair players of near scores: the sum over matches of the gap in points to a power."""

    kind = "score_difference"

    power: int = 2

    def __post_init__(self) -> None:
        if not 1 <= self.power <= MOST_POWER:
            raise ValueError(f"Expected power from 1 to {MOST_POWER}.")

    def labels(self, state: State) -> Sequence[Label]:
        require_fit(self.kind, int(np.ptp(state.score)) ** self.power, len(state))
        return [1]

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        gap = np.abs(state.score[arcs.first] - state.score[arcs.second])
        cost = np.where(arcs.bye, 0, gap**self.power)
        return cost[:, None].repeat(len(labels), axis=1)

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        return (state.score,)

    def scale(self, state: State) -> int:
        scale: int = state.scale**self.power
        return scale

    def words(self, label: Label) -> str:
        return f"score gaps to the power {self.power}" if self.power > 1 else "score gaps"
