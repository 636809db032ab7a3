"""Criteria on how far apart opponents are, in points or in rank."""

from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, IntArray
from pairopt.event.state import State
from pairopt.rules.base import MOST_POWER, Label, SingleLevel


@dataclass(frozen=True)
class _Gaps(SingleLevel):
    """Base of the criteria on gaps between opponents, each raised to `power`."""

    power: int = 2

    def __post_init__(self) -> None:
        """Raise ValueError for a power that is out of range."""
        if not 1 <= self.power <= MOST_POWER:
            raise ValueError(f"Expected power from 1 to {MOST_POWER}.")

    def words(self, label: Label) -> str:
        """Return what the level counts, such as "rank gaps to the power 2".

        `label` does not matter, because there is one level. A power of 1 is left out.
        """
        gap_words = f"{self.kind.partition('_')[0]} gaps"
        return f"{gap_words} to the power {self.power}" if self.power > 1 else gap_words


@dataclass(frozen=True)
class RankGap(_Gaps):
    """Pair players with close ranks: minimise the sum of rank gaps, each raised to a power.

    pairopt ranks all players by score, then by rating, then by their order in
    players.csv. The bye counts as an opponent who ranks below the last player.
    """

    kind = "rank_gap"
    per_player = True
    ranks_by_rating = True

    def largest(self, state: State) -> int:
        """Return the number of players to the power: no rank gap is larger."""
        return int(len(state) ** self.power)

    def cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return the rank gap of each arc to the power, shape (m,).

        The bye has the rank after the last player.
        """
        overall_rank = state.overall_rank
        opponent_rank = np.where(arcs.bye, len(state) + 1, overall_rank[arcs.second])
        return np.abs(overall_rank[arcs.first] - opponent_rank) ** self.power


@dataclass(frozen=True)
class ScoreDifference(_Gaps):
    """Pair players with close scores: minimise the sum of score gaps, each raised to a power."""

    kind = "score_difference"
    reads = ("score",)

    def largest(self, state: State) -> int:
        """Return the gap between highest and lowest scaled score, to the power."""
        return int(int(np.ptp(state.score)) ** self.power)

    def cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return the scaled score gap of each match to the power, 0 for a bye.

        Shape (m,).
        """
        score_gap = np.abs(state.score[arcs.first] - state.score[arcs.second])
        return np.where(arcs.bye, 0, score_gap**self.power)

    def scale(self, state: State) -> int:
        """Return the event's scale to the power, because scaled gaps are raised to it."""
        return int(state.scale**self.power)
