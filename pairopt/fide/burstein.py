"""The Burstein System: the bye, the criteria of each bracket and the order of pairings.

As in the Dutch System, which pairs its seeding rounds, a match is made in the bracket of its
lower player's score. The bye is given first, by score, games and rank. Then C5 to C8 of each
bracket are sums over matches. So is the place of a pairing among all pairings, once the
players of the bracket are known.

Source: FIDE Handbook C.04.4.2, in force since 1 February 2026.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from pairopt.engines.alternating_paths import index_pairs
from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.fide_attributes import FideAttributes, is_seeding_round
from pairopt.event.state import State
from pairopt.fide.dutch.bracket_pairs import (
    Bracket,
    BracketPairing,
    BracketPairs,
    RankPairs,
    is_member,
    rank_players,
)
from pairopt.fide.dutch.bracket_system import (
    ARTICLES,
    BracketSystem,
    Names,
    PairedBracket,
    describe_levels,
)
from pairopt.fide.dutch.completion import CompletionField
from pairopt.fide.dutch.criteria import Amounts, OrderLevelSum
from pairopt.fide.dutch.pair_brackets import BracketwiseSystem
from pairopt.fide.dutch.system import Dutch
from pairopt.messages import Message

# players whose opponents are minimised at a time
AT_ONCE = 8


class BursteinBracket(Bracket):
    """A bracket of the Burstein System, which finds its first candidate.

    Among equally good pairings the first one gives each player, in the order of
    opposition, the last opponent possible (4.3).
    """

    def find_first_candidate(self, block: BracketPairs) -> BracketPairing:
        """Find the first of the equally good pairings: last opponents first (4.3).

        In the order of rank, each player of the bracket meets the last opponent
        possible. If no levels are left to minimise, partners are exchanged in the known
        pairing; otherwise the opponents of a few players at a time are minimised.
        Return two pairs of arrays, each with upper and lower ranks: those of the pairs
        that are made in the bracket, and those of the pairs of all remaining vertices.
        `block` must have a known pairing. Raises TimeUpError.
        """
        is_in_bracket = self.ranking.group_of(block.vertices) <= self.s
        bracket_players = block.vertices[is_in_bracket]
        unpaired_players = bracket_players[
            np.argsort(self.ranking.fide.rank[bracket_players])
        ]
        upper_rank_parts, lower_rank_parts = (
            [bracket_players[:0]],
            [bracket_players[:0]],
        )
        while len(unpaired_players):
            block = block.with_tight_pairs(self.budget)
            if not len(block.values):
                block, pairs_made_here, unpaired_players = self._pair_by_exchanges(
                    block, unpaired_players
                )
                upper_rank_parts.append(pairs_made_here[0])
                lower_rank_parts.append(pairs_made_here[1])
            if len(unpaired_players):
                # the last opponents come first
                opponent_order = np.zeros(block.vertices.max() + 1, np.int64)
                opponent_order[unpaired_players] = np.arange(len(unpaired_players))[
                    ::-1
                ]
                block, pairs_made_here = self.pair_first_opponents(
                    block,
                    unpaired_players[:AT_ONCE],
                    opponent_order,
                    len(unpaired_players),
                )
                upper_rank_parts.append(pairs_made_here[0])
                lower_rank_parts.append(pairs_made_here[1])
                unpaired_players = unpaired_players[AT_ONCE:]
                unpaired_players = unpaired_players[
                    ~is_member(unpaired_players, np.concatenate(pairs_made_here))
                ]
        pairs_made_here = (
            np.concatenate(upper_rank_parts),
            np.concatenate(lower_rank_parts),
        )
        return pairs_made_here, block.known_pairs

    def _pair_by_exchanges(
        self, block: BracketPairs, unpaired: IntArray
    ) -> tuple[BracketPairs, RankPairs, IntArray]:
        """Pair players in their order, by exchanging partners in the known pairing.

        All pairings of the block are equally good. Each player of `unpaired` in turn
        gets the last opponent that an exchange makes possible, or floats if there is
        none. It stops early at a player for whom no exchange can be proven. Returns the
        block without the players who are done; their pairs, as upper and lower ranks;
        and the players who are not done. Raises TimeUpError.
        """
        other_vertices = block.vertices[~is_member(block.vertices, unpaired)]
        position_of_vertex = np.empty(block.vertices.max(initial=0) + 1, np.int64)
        position_of_vertex[np.append(unpaired, other_vertices)] = np.arange(
            len(block.vertices)
        )
        pair_index_matrix, partner_positions = index_pairs(
            position_of_vertex[block.a], position_of_vertex[block.b], block.pairing
        )

        is_available_pair = pair_index_matrix >= 0
        is_still_unpaired = np.ones(len(unpaired), np.bool_)
        fixed_pair_list = list[int]()
        for player_position in self.budget.iterate(range(len(unpaired))):
            if not is_still_unpaired[player_position]:
                continue
            opponent_positions = np.flatnonzero(
                is_available_pair[player_position, : len(unpaired)]
            )
            new_pairs = _find_exchange(
                is_available_pair,
                partner_positions,
                player_position,
                opponent_positions,
            )
            if new_pairs is None:
                break
            for first_player, second_player in new_pairs:
                partner_positions[first_player] = second_player
                partner_positions[second_player] = first_player

            paired_positions = list[int]()
            if new_pairs:
                paired_positions = list(new_pairs[0])
                fixed_pair_list.append(
                    pair_index_matrix[
                        player_position, partner_positions[player_position]
                    ]
                )
            is_available_pair[paired_positions] = is_available_pair[
                :, paired_positions
            ] = False
            # without an opponent the player floats
            is_available_pair[player_position, opponent_positions] = is_available_pair[
                opponent_positions, player_position
            ] = False
            is_still_unpaired[[player_position, *paired_positions]] = False

        upper_positions = np.flatnonzero(
            np.arange(len(partner_positions)) < partner_positions
        )
        fixed_pairs = np.array(fixed_pair_list, np.int64)
        new_pairing = pair_index_matrix[
            upper_positions, partner_positions[upper_positions]
        ]
        remaining_block = replace(block, used=new_pairing).without_ends_of(fixed_pairs)
        floaters = unpaired[~is_still_unpaired]
        has_floater = self.is_inside(remaining_block) & (
            is_member(remaining_block.a, floaters)
            | is_member(remaining_block.b, floaters)
        )
        return (
            remaining_block.with_pairs(~has_floater),
            (block.a[fixed_pairs], block.b[fixed_pairs]),
            unpaired[is_still_unpaired],
        )


def _find_exchange(
    is_free: BoolArray, mate: IntArray, player: int, targets: IntArray
) -> list[tuple[int, int]] | None:
    """Return new pairs that give a player the last of the `targets` who is possible.

    `is_free`, shape (n, n), marks pairs that may be made, and `mate` is everybody's
    partner in the pairing. The first new pair is the player's; then come those of the
    players who lose their partners one after another, along an alternating path. The
    list is empty if no target is possible. None if the path uses a player twice: then
    nothing is proven.
    """
    initial_partner = int(mate[player])
    taker_of_partner = np.full(len(mate), -1)
    is_left_alone, is_unvisited = (
        np.zeros(len(mate), np.bool_),
        np.ones(len(mate), np.bool_),
    )
    is_left_alone[initial_partner] = True
    is_unvisited[[player, initial_partner]] = False
    frontier_players = np.array([initial_partner])
    while len(frontier_players) and len(targets) and not is_left_alone[targets[-1]]:
        # shape (frontier, n)
        can_take_partner = is_free[frontier_players] & is_unvisited
        takers = np.flatnonzero(can_take_partner.any(axis=0))
        taker_of_partner[takers] = frontier_players[
            can_take_partner[:, takers].argmax(axis=0)
        ]
        is_unvisited[takers] = False
        frontier_players = mate[takers]
        is_left_alone[frontier_players] = True

    reached_targets = targets[is_left_alone[targets]]
    if not len(reached_targets):
        return []
    current_end = int(reached_targets[-1])
    new_pairs = [(player, current_end)]
    while current_end != initial_partner:
        freed_partner = int(mate[current_end])
        next_taker = int(taker_of_partner[freed_partner])
        new_pairs.append((next_taker, freed_partner))
        current_end = next_taker

    exchanged_players = {pair_end for new_pair in new_pairs for pair_end in new_pair}
    if len(exchanged_players) < 2 * len(new_pairs):
        return None
    return new_pairs


@dataclass(frozen=True)
class Burstein(BracketwiseSystem):
    """The Burstein System: the bye's levels, then C5 to C8 and the order in each bracket.

    The player with the bye is in no bracket.
    """

    kind = "burstein"
    bracket_class = BursteinBracket
    bye_words = ARTICLES["burstein"]["of_bye"]
    bracket_words = ARTICLES["burstein"]["words"]
    worse_kinds = ARTICLES["burstein"]["told"]
    side_kinds = ARTICLES["burstein"]["sides"]
    description = describe_levels(ARTICLES["burstein"]["described"])
    order_articles = ("4.3",)
    # not changed
    renamed_articles = {"C6": "C5", "C7": "C6", "C8": "C7", "C12": "C8"}  # noqa: RUF012
    order_kind = "article.order_by_opposition"

    @classmethod
    def of(cls, state: State) -> BracketSystem:
        """Return the system of a round: in seeding rounds it is the Dutch one (1.6).

        Raises InputError if whether it is a seeding round depends on the number of
        rounds, and that is not given.
        """
        if is_seeding_round(state.event):
            return Dutch.of(state)
        return cls(rank_players(cls.read_attributes(state)), state.scale)

    @staticmethod
    def read_attributes(state: State) -> FideAttributes:
        """Return FIDE's attributes of the players, ranked by opposition (1.8)."""
        return state.fide_by_opposition

    def compute_bye_costs(self) -> IntArray:
        """Return the values of the bye's levels if a rank had the bye, shape (n, 3).

        The columns are the score, the unplayed rounds, and the number of players ranked
        lower (3.1). The bye goes to the player with the smallest row.
        """
        attributes = self.ranking.fide
        lower_ranked_counts = (
            len(self.ranking) - 1 - np.argsort(np.argsort(attributes.rank))
        )
        return np.column_stack(
            [attributes.score, attributes.unplayed, lower_ranked_counts]
        )

    def without_bye(self, arcs: Arcs) -> "tuple[Burstein, IntArray, IntArray]":
        """Return the system without the player with the bye, its levels, and its arcs.

        `arcs` are a whole pairing. The levels are indices of this system's levels, the
        arcs indices of `arcs`. If nobody has the bye, it is this system with all levels
        and arcs.
        """
        ranks_with_bye = self.ranking.ranks_of(arcs)[0][arcs.bye]
        if not len(ranks_with_bye):
            return super().without_bye(arcs)

        system_without_bye = Burstein(self.ranking.without(ranks_with_bye), self.scale)
        index_of_level = {
            (level.criterion, level.label): level_index
            for level_index, level in enumerate(self.levels)
        }
        level_indices = [
            index_of_level[level.criterion, level.label]
            for level in system_without_bye.levels
        ]
        return (
            system_without_bye,
            np.array(level_indices, np.int64),
            np.flatnonzero(arcs.match),
        )

    def order_by_bsn(self, players: IntArray) -> IntArray:
        """Return the players sorted by their ranks by opposition (4.1), first to last.

        `players` are ranks in the state; the result is a new array.
        """
        return players[np.argsort(self.ranking.fide.rank[players])]

    def iterate_shares(
        self, s: int, a: IntArray, b: IntArray
    ) -> Iterator[tuple[int, int, int]]:
        """Yield what each pair adds to a pairing's place in bracket `s` (4.2, 4.3).

        `a` and `b` are the ranks of a whole pairing. Each item is the index of a pair,
        0, and the amount; pairs outside the bracket are skipped. The place is a number
        with one digit for each BSN, the first one leading. A digit is the number of
        BSNs after the opponent's, or the number of all if the player floats. The digit
        of the larger BSN of two is left 0, as it follows from the smaller one's.
        """
        bsn = self.make_paired_bracket(s, a, b).bsn
        player_count = len(bsn)
        upper_groups, lower_groups = self.ranking.group_of(a), self.ranking.group_of(b)
        is_member_pair = (upper_groups <= s) & (lower_groups >= s)
        for pair_index in np.flatnonzero(is_member_pair).tolist():
            smaller_bsn, larger_bsn = bsn[int(a[pair_index])], 0
            if lower_groups[pair_index] == s:
                smaller_bsn, larger_bsn = sorted((smaller_bsn, bsn[int(b[pair_index])]))
            opponent_digit = player_count - larger_bsn
            yield (
                pair_index,
                0,
                opponent_digit * (player_count + 1) ** (player_count - smaller_bsn),
            )

    def iterate_order_sums(
        self, s: int, bracket: PairedBracket
    ) -> Iterator[OrderLevelSum]:
        """Yield the order of a bracket's pairings as levels, one for each player.

        `s` is the score group of the bracket, and `bracket` its pairs and players.
        Players come in the order of their bracket sequence numbers (BSN). Each level is
        one digit of the pairing's place in the order: it is smaller, the later the
        player's opponent comes. The levels together replace the one number of
        `order_articles`.
        """
        for rank, player_bsn in bracket.bsn.items():
            amounts_function = self._make_digit_amounts(s, bracket, rank, player_bsn)
            yield OrderLevelSum(0, rank, amounts_function)

    def _make_digit_amounts(
        self, s: int, bracket: PairedBracket, rank: int, number: int
    ) -> Amounts:
        """Return a function that computes one player's digit of a pairing's place.

        The player has this `rank`, and `number` is the BSN, from 1, in the `bracket` of
        group `s`. The function takes the upper and lower ranks of pairs, and returns
        one amount per pair: 0 for pairs of others. The digit is the number of BSNs
        after the opponent's. It is the number of all if the player floats or the
        opponent is not in the bracket, and 0 if the opponent has the smaller BSN.
        """
        member_count = len(bracket.members)
        bsn_of_rank = np.zeros(len(self.ranking) + 1, np.int64)
        bsn_of_rank[bracket.members] = np.arange(1, member_count + 1)

        def amounts(a: IntArray, b: IntArray) -> IntArray:
            """Return the player's digit for each pair a[k] < b[k], shape (pairs,).

            Pairs are ranks; the digit of pairs of other players is 0.
            """
            opponent_ranks = np.where(a == rank, np.minimum(b, len(self.ranking)), a)
            opponent_bsns = bsn_of_rank[opponent_ranks]
            # an opponent outside the bracket, with BSN 0, counts like a float
            digit_of_pair = np.where(
                opponent_bsns > number,
                member_count - opponent_bsns,
                np.where(opponent_bsns > 0, 0, member_count),
            )
            digit_of_pair = np.where(
                self.ranking.group_of(b) > s, member_count, digit_of_pair
            )
            return np.where((a == rank) | (b == rank), digit_of_pair, 0)

        return amounts

    def with_allocated_bye(self, field: CompletionField) -> CompletionField | None:
        """Give the bye to the first player who can have it (3.1).

        `field` has the players and who may meet. They are tried in the order of score,
        games and rank. "Can" means that the player may have the bye, and all others can
        then be paired. Return the field without that player, None if nobody can have
        it. Raises TimeUpError.
        """
        bye_costs = self.compute_bye_costs()
        for bye_rank in np.lexsort(bye_costs.T[::-1]).tolist():
            remaining_ranks = np.delete(np.arange(len(bye_costs)), bye_rank)
            if not field.may_bye[bye_rank]:
                continue
            if not field.has_complete_pairing(remaining_ranks, False):
                continue
            ranking_without_bye = field.ranking.without(np.array([bye_rank]))
            return replace(
                field,
                system=replace(self, ranking=ranking_without_bye),
                legal=field.legal[np.ix_(remaining_ranks, remaining_ranks)],
                may_bye=field.may_bye[remaining_ranks],
                bye_group=len(ranking_without_bye.scores),
                bye_bounds=tuple(bye_costs[bye_rank].tolist()),
            )
        return None

    def describe_order(
        self, part: str, other: PairedBracket, best: PairedBracket, names: Names
    ) -> Message:
        """Describe which opponents put a pairing later in the order than the best.

        The message names the first player, by opposition, whose opponent differs (4.3).
        `other` and `best` are the bracket in the two pairings, and `names` gives the
        names of ranks; `part` is not used.
        """
        return other.describe_other_opponent(best, other.members, names)
