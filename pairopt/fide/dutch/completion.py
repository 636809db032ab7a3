"""Field: who may meet in the round, and whether those left over can be paired."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.base import LevelMinimizer
from pairopt.event.arcs import BYE, BoolArray, IntArray, arcs_of
from pairopt.fide.dutch.bracket_pairs import BracketPairs, RankedPlayers
from pairopt.fide.dutch.bracket_system import BracketSystem
from pairopt.problem.problem import Problem

TRIES = 4  # players who are tried before all are
AT_ONCE = 2**16  # so many pairs are asked at a time whether they may meet


@dataclass(frozen=True)
class CompletionField:
    """The players by rank: `legal`, shape (n, n), may meet, `may_bye` may have the bye. `bye_group`
    is that of the bye's player (else their number), `bye_bounds` are what its levels are at
    least.
    """

    system: BracketSystem
    legal: BoolArray
    may_bye: BoolArray
    bye_group: int
    settle: LevelMinimizer
    budget: Budget
    bye_bounds: tuple[int, ...] = ()

    @property
    def ranking(self) -> RankedPlayers:
        return self.system.ranking

    def pairs_of(self, players: IntArray) -> tuple[IntArray, IntArray]:
        i, j = np.nonzero(np.triu(self.legal[np.ix_(players, players)], 1))
        return players[i], players[j]

    def takers(self, players: IntArray) -> IntArray:
        """Those of these ranks who may have the bye at the score that it has."""
        here = self.ranking.group[players] == self.bye_group
        return np.asarray(players[here & self.may_bye[players]])

    def complete(self, players: IntArray, bye: bool) -> bool:
        """Whether all these ranks can be paired, one of them with the bye."""
        takers = self.takers(players) if bye else np.zeros(0, np.int64)
        if not bye and self.surely_complete(players):
            return True
        for taker in takers[::-1][:TRIES]:
            if self.surely_complete(players[players != taker]):
                return True
        a, b = self.pairs_of(players)
        n, vertices = len(self.ranking), players
        if bye:
            a, b = np.append(a, takers), np.append(b, np.full(len(takers), n))
            vertices = np.append(players, n)
        nothing = np.zeros((len(a), 0), np.int64)
        block = BracketPairs(vertices, a, b, nothing, np.zeros(0, np.int64))
        return block.settled(nothing, self.settle, self.budget) is not None

    def surely_complete(self, players: IntArray) -> bool:
        """Whether each of them may meet half of them: then all can be paired (Dirac's theorem)."""
        m = len(players)
        if m % 2 or not m:
            return not m
        return bool(2 * self.legal[np.ix_(players, players)].sum(axis=1).min() >= m)

    def next_at_best(self, s: int, floaters: IntArray, below: IntArray) -> bool:
        """Whether group s + 1 surely leaves over as few as can be, and none of these floaters: a
        pairing of all below is at hand in which it leaves over one player at most.
        """
        group = self.ranking.group[below]
        following, rest = below[group == s + 1], below[group > s + 1]
        for floater in floaters:
            partners = following[self.legal[floater, following]]
            if not len(partners):
                return False
            following = following[following != partners[-1]]
        bye_below = len(self.ranking) % 2 == 1 and self.bye_group > s + 1
        if len(following) % 2 == 0:
            fits = self.complete(following, False) and len(rest) % 2 == bye_below
            return fits and self.complete(rest, bye_below)
        return any(
            self.complete(following[following != one], False)
            and self.complete(others, bye_below)
            for one, others in self._leavers(following, rest, bye_below)
        )

    def _leavers(
        self, following: IntArray, rest: IntArray, bye_below: bool
    ) -> Iterable[tuple[int, IntArray]]:
        """Some who could float on out of `following`, and who is then left of `rest`."""
        if self.bye_group < len(self.ranking.scores) and not bye_below:
            for taker in self.takers(following)[::-1][:TRIES]:
                yield int(taker), rest
            return
        for one in following[::-1][:TRIES]:
            partners = rest[self.legal[one, rest]]
            if len(partners):
                yield int(one), rest[rest != partners[0]]


def build_completion_field(
    problem: Problem, system: BracketSystem, settle: LevelMinimizer, budget: Budget
) -> CompletionField:
    ranking = system.ranking
    n, player = len(ranking), ranking.player
    legal = np.zeros((n, n), np.bool_)
    rows = max(AT_ONCE // max(n, 1), 1)
    for start in budget.iterate(range(0, n, rows)):
        i, j = np.triu_indices(min(rows, n - start), start + 1, n)
        arcs = arcs_of(player[i + start], player[j])
        allowed = problem.legal(arcs)
        barred = np.flatnonzero(~allowed)
        allowed[barred] = problem.legal(
            arcs_of(arcs.second[barred], arcs.first[barred])
        )
        legal[i + start, j] = legal[j, i + start] = allowed
    may_bye = problem.legal(arcs_of(player, np.full(n, BYE)))
    return CompletionField(system, legal, may_bye, len(ranking.scores), settle, budget)
