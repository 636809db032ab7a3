"""Check whether a bracket's pairing is the first of its best candidates.

The check takes one player after the other: could the player have an earlier opponent? It
counts the opponents who remain, then looks for alternating paths, and where these leave
the question open it asks the engine that minimises levels. It does not depend on how the
pairing was found.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

import numpy as np

from pairopt.engines.alternating_paths import (
    find_exchangeable_vertices,
    index_pairs,
    pack_bits,
)
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.fide.dutch.bracket_pairs import (
    Bracket,
    BracketPairing,
    BracketPairs,
    RankPairs,
)
from pairopt.fide.dutch.completion import CompletionField
from pairopt.fide.dutch.criteria import OrderLevelSum, compute_bracket_costs


def is_first(
    bracket: Bracket,
    remaining_pairs: BracketPairs,
    sums: Iterable[OrderLevelSum],
    candidate: BracketPairing,
) -> bool:
    """Return whether a candidate is proven to be the first of the best ones.

    `candidate` has the pairs made in the bracket and those of all other vertices, as
    ranks. The pairings of `remaining_pairs` that have its values are all that have the
    best quality. `sums` are the levels of the order of candidates, in order; each one
    compares candidates that are equal in the levels before. In every level the
    candidate must have the minimum. False also if it is no pairing of these pairs, or
    has other values. `bracket` is the bracket of the candidate. Raises TimeUpError.
    """
    pairs_with_candidate = _with_candidate(remaining_pairs, candidate)
    if pairs_with_candidate is None:
        return False
    remaining_pairs = pairs_with_candidate
    if len(remaining_pairs.values):
        remaining_pairs = remaining_pairs.with_tight_pairs(bracket.budget)

    if len(remaining_pairs) == len(remaining_pairs.pairing):
        # the candidate is the only pairing
        return True

    pair_table = _PairIndex(remaining_pairs)
    position_of_rank = np.full(int(remaining_pairs.vertices.max(initial=0)) + 1, -1)
    position_of_rank[remaining_pairs.vertices] = np.arange(
        len(remaining_pairs.vertices)
    )
    for level in bracket.budget.iterate(sums):
        if level.own is None:
            pairs_at_level = _fix_level(
                bracket, remaining_pairs, pair_table, level, candidate
            )
            if pairs_at_level is None:
                return False
            remaining_pairs = pairs_at_level
            pair_table = _PairIndex(remaining_pairs)
            continue

        player_position = int(position_of_rank[level.own])
        opponent_positions = np.flatnonzero(pair_table.number[player_position] >= 0)
        if len(opponent_positions) == 1:
            continue
        pairs_of_player = pair_table.number[player_position, opponent_positions]
        opponent_in_candidate = int(pair_table.mate[player_position])
        opponent_amounts = level.amounts(
            remaining_pairs.a[pairs_of_player], remaining_pairs.b[pairs_of_player]
        )
        candidate_amount = int(
            opponent_amounts[opponent_positions == opponent_in_candidate][0]
        )

        earlier_opponents = opponent_positions[opponent_amounts < candidate_amount]
        if len(earlier_opponents) and not pair_table.is_out_of_reach(
            player_position, earlier_opponents
        ):
            remaining_pairs = _with_indexed_pairs(remaining_pairs, pair_table.number)
            level_costs = level.amounts(*_clip_ranks(bracket, remaining_pairs))
            minimized_pairs = _minimize_level(bracket, remaining_pairs, level_costs)
            if minimized_pairs is None or minimized_pairs.values[-1] < candidate_amount:
                return False
            pair_table = _PairIndex(remaining_pairs)

        excluded_opponents = opponent_positions[opponent_amounts != candidate_amount]
        pair_table.separate(player_position, excluded_opponents)
        if len(excluded_opponents) == len(opponent_positions) - 1:
            # nobody else can have that opponent
            opponents_of_opponent = np.flatnonzero(
                pair_table.number[opponent_in_candidate] >= 0
            )
            pair_table.separate(
                opponent_in_candidate,
                opponents_of_opponent[opponents_of_opponent != player_position],
            )
    return True


def _fix_level(
    bracket: Bracket,
    block: BracketPairs,
    index: "_PairIndex",
    level: OrderLevelSum,
    candidate: BracketPairing,
) -> BracketPairs | None:
    """Check that a candidate has a level's minimum, and fix the level at it.

    `bracket` has the engine that minimises, and `level` sums over all pairs, not those
    of one player. `index` says which pairs of the block are left. `candidate` has the
    pairs made in the bracket and all others. Returns the block with only the pairings
    that have this minimum. Returns None if another pairing has a smaller value, or if
    there is no pairing at all. Raises TimeUpError.
    """
    block = _with_indexed_pairs(block, index.number)
    level_costs = level.amounts(*_clip_ranks(bracket, block))
    if not level_costs[block.pairing].any():
        return block.with_pairs(level_costs == 0)

    minimized_block = _minimize_level(bracket, block, level_costs)
    if minimized_block is None:
        return None
    return _with_candidate(minimized_block, candidate)


class _PairIndex:
    """A table of the pairs of a block that are left, and a pairing of them.

    Vertices are positions in the block's `vertices`. `number`, shape (n, n), is the
    index in the block of the pair of two vertices, -1 for none, and `mate`, shape (n,),
    is each vertex's partner in the block's known pairing. `separate` removes pairs from
    the table, not from the block.
    """

    def __init__(self, block: BracketPairs) -> None:
        """Index the pairs of a block that has a known pairing."""
        first_end, second_end = block.ends.T
        self.number, self.mate = index_pairs(first_end, second_end, block.pairing)

    @cached_property
    def opponents(self) -> list[int]:
        """The possible opponents of each vertex, as bits of an integer."""
        return [pack_bits(is_possible) for is_possible in self.number >= 0]

    def separate(self, vertex: int, opponents: IntArray) -> None:
        """Remove the pairs of a vertex with each of these opponents from the table."""
        self.number[vertex, opponents] = self.number[opponents, vertex] = -1
        if "opponents" in self.__dict__:
            for opponent in opponents.tolist():
                self.opponents[vertex] &= ~(1 << opponent)
                self.opponents[opponent] &= ~(1 << vertex)

    def is_out_of_reach(self, vertex: int, targets: IntArray) -> bool:
        """Return whether surely no pairing gives a vertex one of the `targets`.

        It holds for pairings of the pairs that are left in the table, and is decided by
        alternating paths from the vertex's partner. The vertex and the targets are
        positions. False does not say that there is such a pairing with the block's
        values.
        """
        partner_of_vertex = self.mate.tolist()
        former_partner = partner_of_vertex[vertex]
        partner_of_vertex[vertex] = partner_of_vertex[former_partner] = -1
        reachable_bits = find_exchangeable_vertices(
            self.opponents, partner_of_vertex, former_partner, removed=1 << vertex
        )
        return not any(reachable_bits >> target & 1 for target in targets.tolist())


def _with_indexed_pairs(block: BracketPairs, number: IntArray) -> BracketPairs:
    """Return the block with only the pairs that a table of pairs still has.

    `number`, from `_PairIndex`, is the index of the pair of two vertices, -1 for one
    that was removed.
    """
    first_end, second_end = block.ends.T
    return block.with_pairs(number[first_end, second_end] >= 0)


def _minimize_level(
    bracket: Bracket, block: BracketPairs, costs: IntArray
) -> BracketPairs | None:
    """Return the block with one more level, the last one, at its minimum.

    `costs`, shape (pairs,), is what each pair adds to the level. The result has a known
    pairing; it is None if there is no pairing. `bracket` has the engine and the budget.
    Raises TimeUpError.
    """
    return block.with_minimal_levels(costs[:, None], bracket.minimize, bracket.budget)


def is_first_of_all(
    field: CompletionField, s: int, residents: IntArray, pairs: RankPairs
) -> bool:
    """Return whether a bracket's `pairs` are proven to be first by a simple rule.

    `field` says who may meet. `residents` are the ranks of all players of group `s`'s
    bracket, without moved-down players, and `pairs` are upper and lower ranks. True if
    the upper half S1 is paired in order, no pair adds to a quality level, and every
    earlier opponent whom a player of S1 could still have is illegal or adds to one.
    False does not say that the pairs are not the first.
    """
    half_size = len(residents) // 2
    s1, s2 = residents[:half_size], residents[half_size:]
    if not np.array_equal(pairs[0], s1) or len({*pairs[1].tolist()}) < half_size:
        return False
    opponent_places = np.searchsorted(s2, pairs[1])
    if not np.array_equal(s2[np.minimum(opponent_places, len(s2) - 1)], pairs[1]):
        return False

    # is_earlier_and_free[i, j]: the player at place j of S2 comes before the opponent of the player
    # at place i of S1, and is not the opponent of a player above
    taker_of_place = np.full(len(s2), half_size)
    taker_of_place[opponent_places] = np.arange(half_size)
    is_earlier_and_free = np.arange(len(s2)) < opponent_places[:, None]
    is_earlier_and_free &= taker_of_place > np.arange(half_size)[:, None]
    s1_places, s2_places = np.nonzero(is_earlier_and_free & field.legal[np.ix_(s1, s2)])

    upper_ranks = np.append(s1[s1_places], s1)
    lower_ranks = np.append(s2[s2_places], pairs[1])
    quality_keys = field.system.quality_keys[s]
    no_byes = np.zeros(len(upper_ranks), np.bool_)
    quality_costs = compute_bracket_costs(
        field.ranking, s, quality_keys, upper_ranks, lower_ranks, no_byes
    )
    adds_to_quality: BoolArray = np.asarray(quality_costs.any(axis=1))
    return bool(
        adds_to_quality[: len(s1_places)].all()
        and not adds_to_quality[len(s1_places) :].any()
    )


def _with_candidate(
    block: BracketPairs, candidate: BracketPairing
) -> BracketPairs | None:
    """Return the block with a candidate as its known pairing.

    `candidate` has the pairs made in the bracket and those of all other vertices, as
    ranks. Returns None if it is not a pairing of the block's vertices by its pairs, or
    if it has other values than the block.
    """
    (inside_uppers, inside_lowers), (outside_uppers, outside_lowers) = candidate
    first_ranks, second_ranks = (
        np.append(inside_uppers, outside_uppers),
        np.append(inside_lowers, outside_lowers),
    )
    key_base = int(block.vertices.max(initial=0)) + 1

    # each pair as one number, to look up the candidate's pairs among the block's
    pair_keys = block.a * key_base + block.b
    key_order = np.argsort(pair_keys)
    candidate_keys = np.minimum(first_ranks, second_ranks) * key_base + np.maximum(
        first_ranks, second_ranks
    )
    place_of_key = np.searchsorted(pair_keys, candidate_keys, sorter=key_order)
    pairing = key_order[np.minimum(place_of_key, len(key_order) - 1)]

    covers_all_vertices = np.array_equal(
        np.sort(np.append(first_ranks, second_ranks)), block.vertices
    )
    if not covers_all_vertices or not np.array_equal(
        pair_keys[pairing], candidate_keys
    ):
        return None
    if not np.array_equal(block.costs[pairing].sum(axis=0), block.values):
        return None
    return replace(block, used=pairing)


def _clip_ranks(bracket: Bracket, block: BracketPairs) -> RankPairs:
    """Return the upper and lower ranks of a block's pairs, with n for bye and seats.

    n is the number of players of `bracket`. The bye has the rank n, and seats, which
    stand for players further down, have higher ranks; all of them become n.
    """
    player_count = len(bracket.ranking)
    return np.minimum(block.a, player_count), np.minimum(block.b, player_count)
