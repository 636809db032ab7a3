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

    `system` ranks the players and has the levels. `legal`, shape (n, n), marks pairs
    that may meet, and `may_bye`, shape (n,), players who may have the bye. `bye_group`
    is the score group of the player with the bye, or the number of groups if there is
    none or it is not known yet. `bye_bounds` are lower bounds of the bye's levels, ()
    before the bye is decided. `minimize` minimises levels within `budget`.
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
        """The players of the round as they are ranked by the pairing system."""
        return self.system.ranking

    def find_legal_pairs(self, players: IntArray) -> tuple[IntArray, IntArray]:
        """Return all pairs a < b of these players who may meet, as two arrays.

        `players` are ranks in ascending order.
        """
        first_positions, second_positions = np.nonzero(
            self.legal[players[:, None], players]
        )
        is_lower_first = first_positions < second_positions
        return players[first_positions[is_lower_first]], players[
            second_positions[is_lower_first]
        ]

    def find_bye_takers(self, players: IntArray) -> IntArray:
        """Return the ranks among `players` who can have the bye.

        They may have it, and they are of the score group of the player with the bye.
        """
        is_in_group = self.ranking.group[players] == self.bye_group
        return np.asarray(players[is_in_group & self.may_bye[players]])

    def has_complete_pairing(self, players: IntArray, with_bye: bool) -> bool:
        """Return whether the players of all these ranks can be paired among themselves.

        With `with_bye` one of them has the bye, who must be of the bye's score group.
        Only legality counts. Without players the answer is True, unless one has to have
        the bye. Sufficient conditions are tried first. Raises TimeUpError.
        """
        bye_takers = np.zeros(0, np.int64)
        if with_bye:
            bye_takers = self.find_bye_takers(players)
        elif self.is_surely_complete(players):
            return True
        for bye_taker in bye_takers[::-1][:TRIES]:
            if self.is_surely_complete(players[players != bye_taker]):
                return True

        first_ranks, second_ranks = self.find_legal_pairs(players)
        vertices = players
        if with_bye:
            bye_rank = len(self.ranking)
            first_ranks = np.append(first_ranks, bye_takers)
            second_ranks = np.append(second_ranks, np.full(len(bye_takers), bye_rank))
            vertices = np.append(players, bye_rank)
        no_levels = np.zeros((len(first_ranks), 0), np.int64)
        unpaired_block = BracketPairs(
            vertices, first_ranks, second_ranks, no_levels, np.zeros(0, np.int64)
        )
        paired_block = unpaired_block.with_minimal_levels(
            no_levels, self.minimize, self.budget
        )
        return paired_block is not None

    def is_surely_complete(self, players: IntArray) -> bool:
        """Return whether each player may meet at least half of these players.

        Then all of them can be paired (Dirac's theorem); False does not say that they
        cannot. True without players, and False for an odd number of players.
        """
        player_count = len(players)
        if player_count % 2 or not player_count:
            return not player_count
        opponent_counts = self.legal[np.ix_(players, players)].sum(axis=1)
        return bool(2 * opponent_counts.min() >= player_count)

    def is_next_group_optimal(
        self, s: int, floaters: IntArray, below: IntArray
    ) -> bool:
        """Return whether group s + 1 surely leaves over the fewest players (C8).

        `floaters` float from group `s` into the group s + 1, and `below` are all
        players below group `s`. True if the floaters can all be paired there, at most
        one player of the group leaves it, and all others below can be paired, too.
        False does not say the opposite. Raises TimeUpError.
        """
        group_of_below = self.ranking.group[below]
        next_group = below[group_of_below == s + 1]
        players_below_next = below[group_of_below > s + 1]
        for floater in floaters:
            possible_partners = next_group[self.legal[floater, next_group]]
            if not len(possible_partners):
                return False
            next_group = next_group[next_group != possible_partners[-1]]

        is_bye_below = len(self.ranking) % 2 == 1 and self.bye_group > s + 1
        if len(next_group) % 2 == 0:
            return (
                self.has_complete_pairing(next_group, False)
                and len(players_below_next) % 2 == is_bye_below
                and self.has_complete_pairing(players_below_next, is_bye_below)
            )
        for leaving_player, remaining_below in self._iterate_leavers(
            next_group, players_below_next, is_bye_below
        ):
            rest_of_group = next_group[next_group != leaving_player]
            if self.has_complete_pairing(
                rest_of_group, False
            ) and self.has_complete_pairing(remaining_below, is_bye_below):
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
            for bye_taker in self.find_bye_takers(following)[::-1][:TRIES]:
                yield int(bye_taker), further
            return
        for leaving_player in following[::-1][:TRIES]:
            possible_partners = further[self.legal[leaving_player, further]]
            if len(possible_partners):
                yield int(leaving_player), further[further != possible_partners[0]]


def build_completion_field(
    problem: Problem, system: BracketSystem, minimize: LevelMinimizer, budget: Budget
) -> CompletionField:
    """Find out which pairs and byes of a round are legal.

    A pair is legal if it is legal with either player having the first side. In the
    result the bye is not decided yet. `minimize` and `budget` are kept for later.
    `system` ranks the players. Raises TimeUpError.
    """
    ranking = system.ranking
    player_count = len(ranking)
    player_of_rank = ranking.player
    legal_pair_matrix = np.zeros((player_count, player_count), np.bool_)
    rows_per_chunk = max(AT_ONCE // max(player_count, 1), 1)
    for chunk_start in budget.iterate(range(0, player_count, rows_per_chunk)):
        first_ranks_in_chunk, second_ranks = np.triu_indices(
            min(rows_per_chunk, player_count - chunk_start),
            chunk_start + 1,
            player_count,
        )
        chunk_arcs = arcs_of(
            player_of_rank[first_ranks_in_chunk + chunk_start],
            player_of_rank[second_ranks],
        )
        is_legal_pair = problem.legal(chunk_arcs)
        illegal_positions = np.flatnonzero(~is_legal_pair)
        reversed_arcs = arcs_of(
            chunk_arcs.second[illegal_positions], chunk_arcs.first[illegal_positions]
        )
        is_legal_pair[illegal_positions] = problem.legal(reversed_arcs)
        legal_pair_matrix[
            first_ranks_in_chunk + chunk_start, second_ranks
        ] = legal_pair_matrix[second_ranks, first_ranks_in_chunk + chunk_start] = (
            is_legal_pair
        )

    may_bye = problem.legal(arcs_of(player_of_rank, np.full(player_count, BYE)))
    bye_group = len(ranking.scores)
    return CompletionField(
        system, legal_pair_matrix, may_bye, bye_group, minimize, budget
    )
