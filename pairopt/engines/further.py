"""Further rounds of a lookahead: which pairs can they use?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pairopt.event.arcs import (
    BYE,
    Arcs,
    BoolArray,
    IntArray,
    all_pairs_and_byes,
    arcs_of,
)

if TYPE_CHECKING:
    from pairopt.engines.base import Solution
    from pairopt.problem.problem import Problem


@dataclass(frozen=True)
class Further:
    """A number of further rounds, and the pairs that can still be used in them.

    `first` < `second` are the pairs of players who have not met. A player who has had no bye is
    paired with `second` = n for it.
    """

    rounds: int
    players: int
    first: IntArray
    second: IntArray

    @property
    def too_many(self) -> bool:
        """Whether a player, or the bye, has fewer opponents left than there are further rounds.

        A player who has met nobody uses up one opponent in this round.
        """
        vertices = self.players + self.players % 2
        left = np.bincount(np.append(self.first, self.second), minlength=vertices)
        return bool((left - (left == vertices - 1) < self.rounds).any())

    @property
    def keys(self) -> IntArray:
        """One number for each pair."""
        return pair_keys(self.players, self.first, self.second)

    def without(self, arcs: Arcs) -> Further:
        """Leave out the pairs of a pairing."""
        second = np.where(arcs.bye, self.players, arcs.second)
        left = ~np.isin(self.keys, pair_keys(self.players, arcs.first, second))
        return replace(self, first=self.first[left], second=self.second[left])

    def arcs(self, chosen: BoolArray) -> Arcs:
        """Return the chosen pairs as arcs, with the second player n as a bye."""
        two = self.second[chosen]
        return arcs_of(self.first[chosen], np.where(two == self.players, BYE, two))


def pair_keys(players: int, one: IntArray, two: IntArray) -> IntArray:
    """Number each pair of positions, in either order; `players` stands for the bye."""
    low = np.minimum(one, two).astype(np.int64)
    high = np.maximum(one, two).astype(np.int64)
    return low * (players + 1) + high


def further_of(problem: Problem) -> Further | None:
    """The further rounds that a problem asks for, None without a lookahead."""
    if not problem.lookahead:
        return None
    n, state, arcs = len(problem), problem.state, all_pairs_and_byes(len(problem))
    fresh = np.where(arcs.bye, state.byes[arcs.first], state.meetings.met(arcs)) == 0
    second = np.where(arcs.bye, n, arcs.second)
    return Further(problem.lookahead, n, arcs.first[fresh], second[fresh])


def without_later_bounds(free: Solution) -> Solution:
    """Return an unfinished solution without the lookahead, as far as it holds with the lookahead.

    Only the bound of the first level holds. The bounds of later levels assume optimal values of
    the levels before, which perhaps no pairing with room for further rounds has.
    """
    return replace(free, bounds=(*free.bounds[:1], *[None] * len(free.bounds[1:])))
