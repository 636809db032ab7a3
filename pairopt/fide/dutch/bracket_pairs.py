"""Pairs that are still possible in a bracket, the bracket itself, and the ranked players.

`BracketPairs` also holds the levels whose optimal values are proven so far.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.allowed_arcs import single_pairs
from pairopt.engines.alternating_paths import index_pairs, pairs_at_minimum_cost
from pairopt.engines.base import LevelMinimizer
from pairopt.errors import UsageError
from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.fide_attributes import FideAttributes

# pairs a < b of ranks, as two arrays of the same length
RankPairs = tuple[IntArray, IntArray]


def fits_values(costs: IntArray, values: IntArray) -> BoolArray:
    """Return a mask of the pairs that cost no more than `values` in every level.

    `costs` has the shape (pairs, levels), `values` the shape (levels,).
    """
    return np.asarray((costs <= values).all(axis=1))


def is_member(ids: IntArray, members: IntArray) -> BoolArray:
    """Return a mask of the `ids` that are among `members`, all small integers from 0.

    It takes a tenth of the time of `np.isin`.
    """
    is_marked_member = np.zeros(
        max(ids.max(initial=0), members.max(initial=0)) + 1, np.bool_
    )
    is_marked_member[members] = True
    return is_marked_member[ids]


@dataclass(frozen=True)
class BracketPairs:
    """The pairs that are still possible in a bracket, and its proven levels.

    The pairs a[k] < b[k] join `vertices`, sorted ranks each of which needs exactly one
    pair; ranks of n and more stand for the bye and for seats of players further down.
    `costs`, shape (pairs, levels), is what each pair adds to the levels whose optimal
    `values`, shape (levels,), are proven. `used` are the indices of the pairs of one
    pairing that has these values, None if no pairing is known.
    """

    vertices: IntArray
    a: IntArray
    b: IntArray
    costs: IntArray
    values: IntArray
    used: IntArray | None = None

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.a)

    @property
    def known_pairs(self) -> RankPairs:
        """The upper and lower ranks of the pairs of the known pairing.

        There must be one: `used` must not be None.
        """
        return self.a[self.pairing], self.b[self.pairing]

    @cached_property
    def ends(self) -> IntArray:
        """Positions in `vertices` of the two ends of each pair, shape (pairs, 2)."""
        position_of_rank = np.zeros(self.vertices.max(initial=0) + 1, np.int64)
        position_of_rank[self.vertices] = np.arange(len(self.vertices))
        return position_of_rank[np.column_stack([self.a, self.b])]

    @property
    def pairing(self) -> IntArray:
        """Indices of the pairs of the known pairing, which must exist.

        They are `used`, checked not to be None.
        """
        assert self.used is not None
        return self.used

    def with_pairs(self, mask: BoolArray) -> Self:
        """Return a block with only the pairs in the mask `mask`, shape (pairs,).

        The known pairing is kept if all its pairs are, otherwise it is forgotten.
        Vertices and values stay. If the mask has all pairs, the result is the block
        itself.
        """
        if mask.all():
            return self
        kept_pairing = None
        if self.used is not None and mask[self.used].all():
            new_index_of_pair = np.cumsum(mask) - 1
            kept_pairing = new_index_of_pair[self.used]

        return replace(
            self,
            a=self.a[mask],
            b=self.b[mask],
            costs=self.costs[mask],
            used=kept_pairing,
        )

    def without_zero_levels(self) -> Self:
        """Return a copy without the levels of value 0.

        No pair may add to such a level: all pairs that do must have been removed
        before.
        """
        has_positive_value = self.values > 0
        return replace(
            self,
            costs=self.costs[:, has_positive_value],
            values=self.values[has_positive_value],
        )

    def with_tight_pairs(self, budget: Budget) -> Self:
        """Return a copy with only the pairs of pairings with the optimal values.

        These are the pairs whose reduced costs are 0. Dual values show that for a
        number of first levels; these levels are dropped, because all pairings of the
        remaining pairs have their values. Raises TimeUpError.
        """
        first_end, second_end = self.ends.T
        pair_number_matrix, partner_of_vertex = index_pairs(
            first_end, second_end, self.pairing
        )
        is_possible, level_count = pairs_at_minimum_cost(
            self.costs, pair_number_matrix, partner_of_vertex, budget
        )

        later_levels = replace(
            self,
            costs=self.costs[:, level_count:],
            values=self.values[level_count:],
        )
        return later_levels.with_pairs(
            is_possible[first_end, second_end] & is_possible[second_end, first_end]
        )

    def without_ends_of(self, pairs: IntArray) -> Self:
        """Return what is left of the block after the pairs with these indices are made.

        Their vertices and all pairs of these are removed, and their costs are
        subtracted from the values. Pairs that cost more than is left are removed, too.
        If a value becomes negative, there is no pairing, and such pairs stay.
        """
        removed_ranks = np.concatenate([self.a[pairs], self.b[pairs]])
        is_remaining_pair = ~(
            is_member(self.a, removed_ranks) | is_member(self.b, removed_ranks)
        )

        kept_pairing = None
        if self.used is not None and is_member(pairs, self.used).all():
            other_pairs = self.used[~is_member(self.used, pairs)]
            kept_pairing = (np.cumsum(is_remaining_pair) - 1)[other_pairs]

        remaining_values = self.values - self.costs[pairs].sum(axis=0)
        remaining_block = replace(
            self.with_pairs(is_remaining_pair),
            vertices=self.vertices[~is_member(self.vertices, removed_ranks)],
            values=remaining_values,
            used=kept_pairing,
        )
        if (remaining_values < 0).any():
            return remaining_block

        is_affordable = fits_values(remaining_block.costs, remaining_values)
        return remaining_block.with_pairs(is_affordable).without_zero_levels()

    def with_minimal_levels(
        self, costs: IntArray, minimize: LevelMinimizer, budget: Budget
    ) -> Self | None:
        """Return a copy with further levels minimised, None if there is no pairing.

        `costs`, shape (pairs, levels), is what each pair adds to the further levels, in
        order of priority. `minimize` minimises them among the pairings that have the
        proven values. The copy has the optimal values of old and new levels, a pairing
        that attains them, and only the pairs that cost no more than a value. If a
        pairing is known and the costs are all 0, or there are none, the block itself is
        returned. Raises TimeUpError.
        """
        if self.used is not None and not costs.any():
            # a pairing is known, and there is nothing to minimise
            return self
        budget.check()
        if (self.values < 0).any():
            return None
        vertex_positions = self.ends
        all_costs = costs
        if len(self.values):
            all_costs = np.hstack([self.costs, costs])
        if not is_member(np.arange(len(self.vertices)), vertex_positions.ravel()).all():
            # a vertex has no pair at all
            return None
        if not len(self.vertices):
            if self.values.any():
                return None
            return replace(self, used=np.zeros(0, np.int64))

        pair_columns = single_pairs(
            len(self.vertices),
            vertex_positions[:, 0],
            vertex_positions[:, 1],
            all_costs,
        )
        optimum = minimize(pair_columns, tuple(self.values.tolist()), self.used, budget)
        if optimum is None:
            return None

        optimal_values = np.array(optimum.values, np.int64)
        minimized_block = replace(
            self, costs=all_costs, values=optimal_values, used=optimum.used
        )
        return minimized_block.with_pairs(fits_values(all_costs, optimal_values))


# the pairs that are made in a bracket, and those of all other vertices
BracketPairing = tuple[RankPairs, RankPairs]


@dataclass(frozen=True)
class Bracket(ABC):
    """The bracket of score group `s`: how its first candidate is found.

    `ranking` has all players of the round, and `minimize` is an engine's function that
    minimises levels of pairs within `budget`. `has_halves` is True in a system in which
    the upper half of a bracket meets the lower half, in order. `find_first_candidate`
    is a system's own.
    """

    has_halves: ClassVar[bool] = False
    ranking: "RankedPlayers"
    s: int
    minimize: LevelMinimizer
    budget: Budget

    @abstractmethod
    def find_first_candidate(self, block: BracketPairs) -> BracketPairing:
        """Return the pairs of the first candidate, and the pairs of all other vertices.

        Both are an array of upper and one of lower ranks. `block` has the pairs with
        which all pairings of the best quality can be made. "First" is the system's
        order of candidates.
        """

    def split_candidate(
        self, block: BracketPairs, pairing: Sequence[int]
    ) -> BracketPairing:
        """Return the pairs of a pairing that are made in this bracket, and the others.

        `pairing` are indices of the block's pairs.
        """
        upper_ranks, lower_ranks = block.a[pairing], block.b[pairing]
        is_inside = self.is_inside(block)[pairing]
        return (
            (upper_ranks[is_inside], lower_ranks[is_inside]),
            (upper_ranks[~is_inside], lower_ranks[~is_inside]),
        )

    def is_inside(self, block: BracketPairs) -> BoolArray:
        """Return a mask of the pairs that are made in this bracket, shape (pairs,).

        In all other pairs of the block the upper player floats down.
        """
        return np.asarray(self.ranking.group_of(block.b) == self.s)

    def minimize_levels(self, block: BracketPairs, costs: IntArray) -> BracketPairs:
        """Return a block with further levels minimised; it must have a pairing.

        `costs`, shape (pairs, levels), is what each pair of the block adds to them, in
        order of priority. The result has a known pairing, and only pairs that cost no
        more than the optimal values. Raises TimeUpError.
        """
        minimized_block = block.with_minimal_levels(costs, self.minimize, self.budget)
        assert minimized_block is not None
        return minimized_block

    def pair_first_opponents(
        self,
        block: BracketPairs,
        players: IntArray,
        position: IntArray,
        floater_position: int,
    ) -> tuple[BracketPairs, RankPairs]:
        """Give each player, one after the other, the first opponent who is possible.

        `players` are ranks in order. `position`, indexed by rank, is the place of each
        rank among the opponents. A player may also float, at the place
        `floater_position`. Returns the block without the players who are paired, and
        with only the pairs in which the others float; and the new pairs. Raises
        TimeUpError.
        """
        is_inside = self.is_inside(block)
        level_count = block.costs.shape[1]
        place_costs_by_player = []
        for player_rank in players.tolist():
            is_own_pair = (block.a == player_rank) | (block.b == player_rank)
            opponent_ranks = np.where(block.a == player_rank, block.b, block.a)
            place_of_opponent = np.where(
                is_inside, position[opponent_ranks], floater_position
            )
            place_costs_by_player.append(place_of_opponent * is_own_pair)
        minimized_block = self.minimize_levels(
            block, np.column_stack(place_costs_by_player)
        )

        has_player = is_member(minimized_block.a, players) | is_member(
            minimized_block.b, players
        )
        is_made_here = has_player & self.is_inside(minimized_block)
        minimized_pairing = minimized_block.pairing
        made_pairs = minimized_pairing[is_made_here[minimized_pairing]]
        new_pairs = minimized_block.a[made_pairs], minimized_block.b[made_pairs]
        floaters = players[~is_member(players, np.concatenate(new_pairs))]

        original_levels = replace(
            minimized_block,
            costs=minimized_block.costs[:, :level_count],
            values=minimized_block.values[:level_count],
        )
        remaining_block = original_levels.without_ends_of(made_pairs)
        has_floater = is_member(remaining_block.a, floaters) | is_member(
            remaining_block.b, floaters
        )
        keeps_floater = has_floater & self.is_inside(remaining_block)
        return remaining_block.with_pairs(~keeps_floater), new_pairs


# there is a level for any two scores; 100 rounds have 201 scores
MOST_SCORES = 512


@dataclass(frozen=True)
class RankedPlayers:
    """The players in the order of score and pairing number (article 1.2), from the top.

    Arrays have one entry for each rank, from 0: `player` is the position in the State,
    `group` the score group, 0 for the highest, and `fide` the attributes. `scores` has
    the score of each group, times the event's scale. A rank of n or more stands for the
    bye or a player further down.
    """

    player: IntArray
    group: IntArray
    scores: tuple[int, ...]
    fide: FideAttributes

    def __len__(self) -> int:
        """Return the number of players."""
        return len(self.player)

    @property
    def is_odd(self) -> bool:
        """Whether the number of players is odd, so that one of them has the bye."""
        return len(self) % 2 == 1

    @cached_property
    def padded_group(self) -> IntArray:
        """The group of each rank, and at the end the number of groups, for rank n."""
        return np.append(self.group, len(self.scores))

    def group_of(self, rank: IntArray) -> IntArray:
        """Return the score group of each rank, the number of groups for ranks >= n."""
        return self.padded_group[np.minimum(rank, len(self))]

    def ranks_of(self, arcs: Arcs) -> RankPairs:
        """Return the ranks of the ends of arcs: the upper ones and the lower ones.

        The upper rank is the smaller number. The bye has the rank n, with n players.
        """
        bye_rank = len(self)
        # the last entry is that of BYE, which is -1
        rank_of_player = np.full(self.player.max(initial=0) + 2, bye_rank)
        rank_of_player[self.player] = np.arange(bye_rank)
        first_ranks, second_ranks = (
            rank_of_player[arcs.first],
            rank_of_player[arcs.second],
        )
        return np.minimum(first_ranks, second_ranks), np.maximum(
            first_ranks, second_ranks
        )

    def without(self, ranks: IntArray) -> "RankedPlayers":
        """Return a ranking without the players of these ranks; the others move up."""
        remaining_ranks = np.delete(np.arange(len(self)), ranks)
        return replace(
            _group_by_score(remaining_ranks, self.fide),
            player=self.player[remaining_ranks],
        )


def rank_players(fide: FideAttributes) -> RankedPlayers:
    """Return the ranking of all players of a round: by score, then by `fide.rank`.

    Raises UsageError if there are more than `MOST_SCORES` scores.
    """
    return _group_by_score(np.lexsort((fide.rank, -fide.score)), fide)


def _group_by_score(player: IntArray, fide: FideAttributes) -> RankedPlayers:
    """Return the ranking of players who are already in the order of ranks.

    `player` are positions in `fide`, sorted by score from the highest. Players of one
    score are one group. The ranking's attributes are in the same order. Raises
    UsageError if there are more than `MOST_SCORES` scores.
    """
    fide_attributes = fide.take(player)
    negated_scores, group_of_rank = np.unique(
        -fide_attributes.score, return_inverse=True
    )
    if len(negated_scores) > MOST_SCORES:
        raise UsageError("system.scores", scores=len(negated_scores), most=MOST_SCORES)
    return RankedPlayers(
        player,
        np.asarray(group_of_rank, np.int64),
        tuple((-negated_scores).tolist()),
        fide_attributes,
    )
