"""Who may meet in the round, and whether the players left over can be paired (C4, C8)."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.base import LevelMinimizer
from pairopt.event.arcs import BYE, BoolArray, IntArray, arcs_of
from pairopt.fide.dutch.bracket_pairs import BracketPairs, RankedPlayers
from pairopt.fide.dutch.bracket_system import BracketSystem
from pairopt.problem.problem import Problem

# players who are tried with the bye, or as floaters, before all are
TRIES = 4
# pairs whose legality is asked for at a time
AT_ONCE = 2**16


@dataclass(frozen=True)
class CompletionField:
    """The players of a round by rank, who may meet whom, and who may have the bye.

    `legal`, shape (n, n), marks pairs that may meet, `may_bye` players who may have the bye.
    `bye_group` is the score group of the player with the bye, or the number of groups if
    there is none or it is not known yet. `bye_bounds` are lower bounds of the bye's levels.
    """

    system: BracketSystem
    legal: BoolArray
    may_bye: BoolArray
    bye_group: int
    minimize: LevelMinimizer
    budget: Budget
    bye_bounds: tuple[int, ...] = ()

    @property
    def ranking(self) -> RankedPlayers:
        """The ranked players."""
        return self.system.ranking

    def find_legal_pairs(self, players: IntArray) -> tuple[IntArray, IntArray]:
        """Return all pairs a < b of these players who may meet."""
        i, j = np.nonzero(self.legal[players[:, None], players])
        is_ordered = i < j
        return players[i[is_ordered]], players[j[is_ordered]]

    def find_bye_takers(self, players: IntArray) -> IntArray:
        """Return the ranks among `players` who can have the bye.

        They may have it, and they are of the score group of the player with the bye.
        """
        is_in_group = self.ranking.group[players] == self.bye_group
        return np.asarray(players[is_in_group & self.may_bye[players]])

    def has_complete_pairing(self, players: IntArray, with_bye: bool) -> bool:
        """Return whether the players of all these ranks can be paired among themselves.

        With `with_bye` one of them has the bye, who must be of the bye's score group.
        Only legality counts. Sufficient conditions are tried first. Raises TimeUpError.
        """
        takers = np.zeros(0, np.int64)
        if with_bye:
            takers = self.find_bye_takers(players)
        elif self.is_surely_complete(players):
            return True
        for taker in takers[::-1][:TRIES]:
            if self.is_surely_complete(players[players != taker]):
                return True

        a, b = self.find_legal_pairs(players)
        vertices = players
        if with_bye:
            n = len(self.ranking)
            a = np.append(a, takers)
            b = np.append(b, np.full(len(takers), n))
            vertices = np.append(players, n)
        no_levels = np.zeros((len(a), 0), np.int64)
        block = BracketPairs(vertices, a, b, no_levels, np.zeros(0, np.int64))
        pairing = block.with_minimal_levels(no_levels, self.minimize, self.budget)
        return pairing is not None

    def is_surely_complete(self, players: IntArray) -> bool:
        """Return whether each player may meet at least half of these players.

        Then all of them can be paired (Dirac's theorem). False does not say that they cannot.
        """
        count = len(players)
        if count % 2 or not count:
            return not count
        degrees = self.legal[np.ix_(players, players)].sum(axis=1)
        return bool(2 * degrees.min() >= count)

    def is_next_group_optimal(
        self, s: int, floaters: IntArray, below: IntArray
    ) -> bool:
        """Return whether group s + 1 surely leaves over the fewest players (C8).

        `floaters` float from group `s` into the group s + 1, and `below` are all
        players below group `s`. True if the floaters can all be paired there, at most
        one player of the group leaves it, and all others below can be paired, too.
        False does not say the opposite.
        """
        group = self.ranking.group[below]
        following = below[group == s + 1]
        further = below[group > s + 1]
        for floater in floaters:
            partners = following[self.legal[floater, following]]
            if not len(partners):
                return False
            following = following[following != partners[-1]]

        is_bye_below = len(self.ranking) % 2 == 1 and self.bye_group > s + 1
        if len(following) % 2 == 0:
            return (
                self.has_complete_pairing(following, False)
                and len(further) % 2 == is_bye_below
                and self.has_complete_pairing(further, is_bye_below)
            )
        for leaver, remaining in self._iterate_leavers(
            following, further, is_bye_below
        ):
            rest_of_group = following[following != leaver]
            if self.has_complete_pairing(
                rest_of_group, False
            ) and self.has_complete_pairing(remaining, is_bye_below):
                return True
        return False

    def _iterate_leavers(
        self, following: IntArray, further: IntArray, is_bye_below: bool
    ) -> Iterable[tuple[int, IntArray]]:
        """Yield ways in which one player leaves the group `following`.

        Each item is the player, and the players of `further` who remain. The player
        takes the bye if that is not further down (`is_bye_below`), and otherwise meets
        a player of `further`. Only the lowest ranks of the group are tried, at most
        `TRIES`.
        """
        if self.bye_group < len(self.ranking.scores) and not is_bye_below:
            for taker in self.find_bye_takers(following)[::-1][:TRIES]:
                yield int(taker), further
            return
        for player in following[::-1][:TRIES]:
            partners = further[self.legal[player, further]]
            if len(partners):
                yield int(player), further[further != partners[0]]


def build_completion_field(
    problem: Problem, system: BracketSystem, minimize: LevelMinimizer, budget: Budget
) -> CompletionField:
    """Find out which pairs and byes of a round are legal. Raises TimeUpError.

    A pair is legal if it is legal with either player having the first side.
    """
    ranking = system.ranking
    n = len(ranking)
    player = ranking.player
    legal = np.zeros((n, n), np.bool_)
    row_count = max(AT_ONCE // max(n, 1), 1)
    for start in budget.iterate(range(0, n, row_count)):
        i, j = np.triu_indices(min(row_count, n - start), start + 1, n)
        arcs = arcs_of(player[i + start], player[j])
        is_allowed = problem.legal(arcs)
        barred = np.flatnonzero(~is_allowed)
        reversed_arcs = arcs_of(arcs.second[barred], arcs.first[barred])
        is_allowed[barred] = problem.legal(reversed_arcs)
        legal[i + start, j] = legal[j, i + start] = is_allowed

    may_bye = problem.legal(arcs_of(player, np.full(n, BYE)))
    bye_group = len(ranking.scores)
    return CompletionField(system, legal, may_bye, bye_group, minimize, budget)
