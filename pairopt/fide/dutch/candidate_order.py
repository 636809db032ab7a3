"""Find the first of a bracket's best candidates, in the order of articles 3 and 4.

Once S1 is known the bracket is bipartite, and dual values tell which pairs are in pairings
of minimum cost. In turn each player of S1 then gets the first opponent left for whom an
alternating path repairs the known pairing.
"""

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.alternating_paths import pack_bits, pairs_at_minimum_cost
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.fide.dutch.bracket_pairs import (
    Bracket,
    BracketPairing,
    BracketPairs,
    RankPairs,
    is_member,
)
from pairopt.fide.dutch.completion import CompletionField
from pairopt.fide.dutch.criteria import compute_bracket_costs

# players whose opponents are minimised at a time
AT_ONCE = 8
# players of whom is minimised at a time whether they leave or enter S1
MOVES_AT_ONCE = 40
# a perfect candidate's opponents are at most so many places up or down in S2
NEAR = 8


class DutchBracket(Bracket):
    """A bracket of the Dutch System, which finds its first candidate.

    Its order of candidates is that of articles 3 and 4: moved-down players (MDPs) and
    their opponents come first, then the halves S1 and S2 of the residents.
    """

    has_halves = True

    def find_first_candidate(self, block: BracketPairs) -> BracketPairing:
        """Find the first candidate among the pairings with the block's values.

        Four choices follow one another: which moved-down players are paired (4.4),
        their opponents, the residents of S1 (4.3), and the opponents of S1 (4.2).
        `block` must have a pairing. First cheap guesses are tried; then the next
        players get their first opponents, and the guesses are tried again. Returns the
        pairs made in the bracket and those of all other vertices. Raises TimeUpError.
        """
        moved_down = block.vertices[self.ranking.group_of(block.vertices) < self.s]
        block, unmatched_mdps = self._fix_paired_mdps(block, moved_down)
        pairs_so_far: list[RankPairs] = []
        resident_pair_count = len(self._find_s1(block))
        while True:
            guessed_pairs = self._guess_candidate(
                block, unmatched_mdps, resident_pair_count
            )
            if guessed_pairs is not None:
                candidate = self._complete(block, guessed_pairs, pairs_so_far)
                if candidate is not None:
                    return candidate
            if not len(unmatched_mdps):
                break
            block, new_pairs = self._pair_next(block, unmatched_mdps[:AT_ONCE])
            unmatched_mdps = unmatched_mdps[AT_ONCE:]
            pairs_so_far.append(new_pairs)

        unpaired_s1, block = self._fix_s1(block, resident_pair_count)
        s1_pairs = find_first_pairs(block, unpaired_s1, len(self.ranking), self.budget)
        if s1_pairs is not None:
            candidate = self._complete(block, s1_pairs, pairs_so_far)
            # the remaining pairs have a pairing with the values
            assert candidate is not None
            return candidate

        while True:
            greedy_pairs_and_values = self._pair_greedily(
                block, unpaired_s1, self.is_inside(block)
            )
            if greedy_pairs_and_values is not None:
                candidate = self._complete(
                    block, greedy_pairs_and_values[0], pairs_so_far
                )
                if candidate is not None:
                    return candidate
            block, new_pairs = self._pair_next(block, unpaired_s1[:AT_ONCE])
            unpaired_s1 = unpaired_s1[AT_ONCE:]
            pairs_so_far.append(new_pairs)

    def _is_inner(self, block: BracketPairs) -> BoolArray:
        """Return a mask of the block's pairs of two residents, shape (pairs,).

        Residents are the players of the bracket's own score group; a pair with a
        floater or a moved-down player is not marked.
        """
        is_resident = self.ranking.group_of(block.a) == self.s
        return np.asarray(self.is_inside(block) & is_resident)

    def _fix_paired_mdps(
        self, block: BracketPairs, moved: IntArray
    ) -> tuple[BracketPairs, IntArray]:
        """Decide which moved-down players are paired here: the first set (4.4).

        `moved` are the ranks of all of them; those not in the set float on. Returns the
        block with only the pairings that pair exactly this set, and the ranks of the
        set. Without moved-down players both stay as they are. Raises TimeUpError.
        """
        if not len(moved):
            return block, moved

        is_float_pair = ~self.is_inside(block)
        for batch_start in range(0, len(moved), MOVES_AT_ONCE):
            batch_players = moved[batch_start : batch_start + MOVES_AT_ONCE]
            float_costs = (block.a[:, None] == batch_players) & is_float_pair[:, None]
            block = self.minimize_levels(block, float_costs.astype(np.int64))
            is_float_pair = ~self.is_inside(block)

        known_pairing = block.pairing
        floaters = block.a[known_pairing][is_float_pair[known_pairing]]
        paired_mdps = moved[~is_member(moved, floaters)]
        is_mdp_pair = self.ranking.group_of(block.a) < self.s
        agrees_with_set = is_member(block.a, paired_mdps) == self.is_inside(block)
        return block.with_pairs(~is_mdp_pair | agrees_with_set), paired_mdps

    def _pair_next(
        self, block: BracketPairs, upper: IntArray
    ) -> tuple[BracketPairs, RankPairs]:
        """Give each player of `upper`, in order, the first opponent who is possible.

        `upper` are ranks, and opponents are tried by rank. Returns the block without
        these players and with only the pairings that keep the choice, and the new pairs
        as upper and lower ranks. Raises TimeUpError.
        """
        opponent_ranks = sorted({*block.b[is_member(block.a, upper)].tolist()})
        place_of_opponent = np.searchsorted(
            opponent_ranks, np.arange(block.vertices.max() + 1)
        )
        return self.pair_first_opponents(
            block, upper, place_of_opponent, len(opponent_ranks)
        )

    def _fix_s1(
        self, block: BracketPairs, inner_count: int
    ) -> tuple[IntArray, BracketPairs]:
        """Find the first possible S1 (4.3), unchanged or after an exchange.

        `block` has the pairs with which all pairings of the best quality can be made.
        `inner_count` is the number of players in S1: of the pairs of two residents.
        Returns its ranks in order, and the block with only the pairs that are possible
        with this S1, and with a known pairing. Raises TimeUpError.
        """
        is_resident = self.ranking.group_of(block.vertices) == self.s
        residents = block.vertices[is_resident]
        s1, s2 = residents[:inner_count], residents[inner_count:]
        block_without_exchange = self._with_s1(block, s1)
        no_levels = np.zeros((len(block_without_exchange), 0), np.int64)
        block_with_pairing = block_without_exchange.with_minimal_levels(
            no_levels, self.minimize, self.budget
        )
        if block_with_pairing is not None:
            return s1, block_with_pairing

        is_resident_pair = self._is_inner(block)
        upper_place_of_pair = np.searchsorted(residents, block.a)
        is_upper_from_s2 = is_resident_pair & (upper_place_of_pair >= inner_count)
        block = self.minimize_levels(
            block,
            np.column_stack([is_upper_from_s2, is_resident_pair * upper_place_of_pair]),
        )
        # otherwise the two players in the middle are exchanged
        if block.values[-1] > sum(range(inner_count)) + 1:
            block = self._fix_exchanged(block, s1[::-1], s2)
            block = self._fix_exchanged(block, s2, s2)
        s1 = np.sort(self._find_s1(block))
        return s1, self._with_s1(block, s1)

    def _with_s1(self, block: BracketPairs, s1: IntArray) -> BracketPairs:
        """Return the block with only the pairs that are possible if S1 is `s1`.

        `s1` are ranks. The upper player of two residents must be in it, the lower one
        must not. In all other pairs, with moved-down players or floaters, nobody may be
        in it.
        """
        is_upper_in_s1, is_lower_in_s1 = is_member(block.a, s1), is_member(block.b, s1)
        is_possible = np.where(
            self._is_inner(block),
            is_upper_in_s1 & ~is_lower_in_s1,
            ~is_upper_in_s1 & ~is_lower_in_s1,
        )
        return block.with_pairs(is_possible)

    def _fix_exchanged(
        self, block: BracketPairs, players: IntArray, original_s2: IntArray
    ) -> BracketPairs:
        """Fix which of `players` are exchanged between S1 and S2, early ones first.

        `original_s2` is S2 without exchanges. In the order of `players`, each one is
        exchanged if some remaining pairing allows it. Returns the block with only such
        pairings. Raises TimeUpError.
        """
        for batch_start in range(0, len(players), MOVES_AT_ONCE):
            batch_players = players[batch_start : batch_start + MOVES_AT_ONCE]
            is_first_of_pair = block.a[:, None] == batch_players
            is_second_of_pair = block.b[:, None] == batch_players
            is_upper = is_first_of_pair & self._is_inner(block)[:, None]
            # a player stays on their side of S1 and S2
            is_unchanged = np.where(
                is_member(batch_players, original_s2), ~is_upper, is_upper
            )
            unchanged_pair_costs = is_unchanged & (is_first_of_pair | is_second_of_pair)
            block = self.minimize_levels(block, unchanged_pair_costs.astype(np.int64))

            s1 = self._find_s1(block)
            fixed_players = players[: batch_start + len(batch_players)]
            is_exchanged = is_member(fixed_players, s1) == is_member(
                fixed_players, original_s2
            )
            if is_exchanged.sum() == is_member(s1, original_s2).sum():
                # those are all
                break
        return block

    def _find_s1(self, block: BracketPairs) -> IntArray:
        """Return S1 of the known pairing: the upper players of resident pairs.

        `block` must have a known pairing. The result is ranks, in no particular order.
        """
        known_pairing = block.pairing
        return np.asarray(block.a[known_pairing[self._is_inner(block)[known_pairing]]])

    def _guess_candidate(
        self, block: BracketPairs, paired: IntArray, inner_count: int
    ) -> IntArray | None:
        """Guess the first candidate: each player takes the first opponent left.

        First the moved-down players `paired` choose, then the `inner_count` residents
        of S1. Returns the indices of their pairs in `block`, or None if a player finds
        no opponent whom the values allow; then there may still be a candidate.
        """
        mdp_pairs_and_values = self._pair_greedily(block, paired, self.is_inside(block))
        if mdp_pairs_and_values is None:
            return None
        mdp_pairs, mdp_values = mdp_pairs_and_values

        residents = block.vertices[self.ranking.group_of(block.vertices) == self.s]
        residents = residents[~is_member(residents, block.b[mdp_pairs])]
        s1, s2 = residents[:inner_count], residents[inner_count:]
        is_s1_with_s2 = is_member(block.a, s1) & is_member(block.b, s2)
        s1_pairs_and_values = self._pair_greedily(block, s1, is_s1_with_s2, mdp_values)
        if s1_pairs_and_values is None:
            return None
        return np.append(mdp_pairs, s1_pairs_and_values[0])

    def _pair_greedily(
        self,
        block: BracketPairs,
        uppers: IntArray,
        mask: BoolArray,
        spent: IntArray | int = 0,
    ) -> tuple[IntArray, IntArray] | None:
        """Give each of `uppers`, in order, the first opponent left that values allow.

        Only pairs of `mask`, shape (pairs,), may be made. `spent`, shape (levels,), is
        what earlier pairs have used up of the block's values. Returns the indices of
        the pairs, and what is used up after them. Returns None if a player has no
        opponent left.
        """
        remaining_values = block.values - spent
        chosen_pairs = list[int]()
        taken_opponents = set[int]()
        allowed_pairs = np.flatnonzero(mask & is_member(block.a, uppers))
        allowed_pairs = allowed_pairs[
            np.lexsort((block.b[allowed_pairs], block.a[allowed_pairs]))
        ]
        first_pairs_of_uppers = np.searchsorted(block.a[allowed_pairs], uppers).tolist()
        pairs_ends_of_uppers = np.searchsorted(
            block.a[allowed_pairs], uppers, side="right"
        ).tolist()
        lower_ranks, pair_indices = (
            block.b[allowed_pairs].tolist(),
            allowed_pairs.tolist(),
        )
        for first_pair_of_upper, pairs_end_of_upper in zip(
            first_pairs_of_uppers, pairs_ends_of_uppers, strict=True
        ):
            for allowed_position in range(first_pair_of_upper, pairs_end_of_upper):
                pair_cost = block.costs[pair_indices[allowed_position]]
                if (
                    lower_ranks[allowed_position] not in taken_opponents
                    and (pair_cost <= remaining_values).all()
                ):
                    remaining_values = remaining_values - pair_cost
                    taken_opponents.add(lower_ranks[allowed_position])
                    chosen_pairs.append(pair_indices[allowed_position])
                    break
            else:
                return None
        return np.array(chosen_pairs, np.int64), block.values - remaining_values

    def _complete(
        self, block: BracketPairs, pairs: IntArray, earlier_pairs: list[RankPairs]
    ) -> BracketPairing | None:
        """Return a candidate from its pairs, if the rest can be paired after it.

        `pairs` are indices of the block's pairs, `earlier_pairs` those made before, as
        ranks. All other players of the bracket float. The result has all pairs made in
        the bracket, the earlier ones first, and those of all other vertices. Returns
        None if the rest has no pairing with the values that are left. Raises
        TimeUpError.
        """
        unpaired_rest = block.without_ends_of(pairs)
        unpaired_rest = unpaired_rest.with_pairs(~self.is_inside(unpaired_rest))
        no_levels = np.zeros((len(unpaired_rest), 0), np.int64)
        rest_with_pairing = unpaired_rest.with_minimal_levels(
            no_levels, self.minimize, self.budget
        )
        if rest_with_pairing is None:
            return None

        all_pairs = [*earlier_pairs, (block.a[pairs], block.b[pairs])]
        upper_ranks, lower_ranks = zip(*all_pairs, strict=True)
        return (
            np.concatenate(upper_ranks),
            np.concatenate(lower_ranks),
        ), rest_with_pairing.known_pairs


def find_first_pairs(
    block: BracketPairs, uppers: IntArray, beyond: int, budget: Budget
) -> IntArray | None:
    """Return the pairs of S1 in the first pairing with the block's values.

    The result is indices of pairs. `uppers` are the ranks of S1, and the result is in
    their order: each one, in turn, gets the first opponent possible. The block must be
    bipartite, with S1 and the vertices from `beyond` on as one side. Returns None if it
    is not. Raises TimeUpError.
    """
    is_on_left_side = is_member(block.vertices, uppers) | (block.vertices >= beyond)
    first_end, second_end = block.ends.T
    if (is_on_left_side[first_end] == is_on_left_side[second_end]).any():
        return None

    left_vertex_of_pair = np.where(is_on_left_side[first_end], first_end, second_end)
    right_vertex_of_pair = np.where(is_on_left_side[first_end], second_end, first_end)
    position_on_side = (
        np.where(
            is_on_left_side, np.cumsum(is_on_left_side), np.cumsum(~is_on_left_side)
        )
        - 1
    )
    row_of_pair, column_of_pair = (
        position_on_side[left_vertex_of_pair],
        position_on_side[right_vertex_of_pair],
    )
    side_size = len(block.vertices) // 2
    pair_number_matrix = np.full((side_size, side_size), -1)
    pair_number_matrix[row_of_pair, column_of_pair] = np.arange(len(block))
    column_of_row = np.empty(side_size, np.int64)
    column_of_row[row_of_pair[block.pairing]] = column_of_pair[block.pairing]

    is_possible, level_count = pairs_at_minimum_cost(
        block.costs, pair_number_matrix, column_of_row, budget
    )
    # in a bipartite graph dual values describe all optimal pairings
    assert level_count == block.costs.shape[1]
    s1_rows = position_on_side[np.searchsorted(block.vertices, uppers)].tolist()
    s1_columns = _find_first_perfect_pairing(
        is_possible, column_of_row.tolist(), s1_rows, budget
    )
    return pair_number_matrix[s1_rows, s1_columns]


def _find_first_perfect_pairing(
    allowed: BoolArray, mate: list[int], order: list[int], budget: Budget
) -> list[int]:
    """Return for each row of `order` its column in the first perfect pairing.

    `allowed` marks the pairs of rows and columns. `mate` is the column of each row in
    some perfect pairing; it is changed in place to the first one. In the order of
    `order` each row gets the first column that leaves a perfect pairing. Raises
    TimeUpError.
    """
    row_bits_of_column = [pack_bits(is_allowed) for is_allowed in allowed.T]
    column_bits_of_row = [pack_bits(is_allowed) for is_allowed in allowed]
    row_of_column = [0] * len(mate)
    for row, column in enumerate(mate):
        row_of_column[column] = row

    free_row_bits = (1 << len(mate)) - 1
    for row in budget.iterate(order):
        free_row_bits &= ~(1 << row)
        reachable_column_bits, next_column = _find_alternating_columns(
            row_bits_of_column, mate, mate[row], free_row_bits
        )
        possible_column_bits = column_bits_of_row[row] & reachable_column_bits
        column = (possible_column_bits & -possible_column_bits).bit_length() - 1
        freed_column, mate[row] = mate[row], column
        # along the path each row that loses its column takes the next one
        while column != freed_column:
            displaced_row = row_of_column[column]
            row_of_column[column] = row
            row, column = displaced_row, next_column[displaced_row]
            mate[row] = column
        row_of_column[column] = row
    return [mate[row] for row in order]


def _find_alternating_columns(
    rows: list[int], mate: list[int], start: int, free: int
) -> tuple[int, dict[int, int]]:
    """Find the columns from which alternating paths lead to the column `start`.

    Sets are bits of integers. `rows` has the rows allowed in each column, `mate` the
    column of each row, and `free` the rows that a path may use. Returns the columns,
    `start` included, and for each row on a path the column that it would take next.
    """
    reachable_column_bits = 1 << start
    next_column = dict[int, int]()
    column_queue = [start]
    for column in column_queue:
        unvisited_row_bits = rows[column] & free
        free &= ~unvisited_row_bits
        while unvisited_row_bits:
            row = (unvisited_row_bits & -unvisited_row_bits).bit_length() - 1
            unvisited_row_bits &= unvisited_row_bits - 1
            next_column[row] = column
            reachable_column_bits |= 1 << mate[row]
            column_queue.append(mate[row])
    return reachable_column_bits, next_column


def find_perfect_candidate(
    field: CompletionField, s: int, residents: IntArray
) -> RankPairs | None:
    """Pair a bracket greedily, if no pair adds to any quality criterion.

    `field` says who may meet, and `residents` are the ranks of group `s`'s bracket,
    without moved-down players. Each player of S1, in turn, takes the first opponent of
    S2 whom nobody has taken and whose pair adds to no level. So it often is in the
    large brackets of early rounds. Only opponents within `NEAR` places of the opposite
    one are tried. A player left over may add to C6 and C8 only, and must be able to
    have the bye if it is in this bracket.

    Returns the upper and the lower ranks, or None if this fails. Then the bracket may
    still have such a candidate.
    """
    half_size = len(residents) // 2
    s1, s2 = residents[:half_size], residents[half_size:]
    nearby_s2_places = np.arange(half_size)[:, None] + np.arange(-NEAR, NEAR + 1)
    s1_places, offset_indices = np.nonzero(
        (nearby_s2_places >= 0) & (nearby_s2_places < len(s2))
    )
    s2_places = nearby_s2_places[s1_places, offset_indices]

    upper_ranks, lower_ranks = s1[s1_places], s2[s2_places]
    quality_keys = field.system.quality_keys[s]
    no_byes = np.zeros(len(upper_ranks), np.bool_)
    quality_costs = compute_bracket_costs(
        field.ranking, s, quality_keys, upper_ranks, lower_ranks, no_byes
    )
    is_perfect_pair = field.legal[upper_ranks, lower_ranks] & ~quality_costs.any(axis=1)
    perfect_s2_places: list[list[int]] = [[] for _ in range(half_size)]
    for s1_place, s2_place in zip(
        s1_places[is_perfect_pair].tolist(),
        s2_places[is_perfect_pair].tolist(),
        strict=True,
    ):
        perfect_s2_places[s1_place].append(s2_place)

    is_s2_place_taken = [False] * len(s2)
    taken_s2_places = []
    for s1_place, possible_s2_places in enumerate(perfect_s2_places):
        s2_place = next(
            (
                possible_s2_place
                for possible_s2_place in possible_s2_places
                if not is_s2_place_taken[possible_s2_place]
            ),
            None,
        )
        if s2_place is None:
            return None
        if s1_place > NEAR and not is_s2_place_taken[s1_place - NEAR - 1]:
            return None
        is_s2_place_taken[s2_place] = True
        taken_s2_places.append(s2_place)

    left_over_players = s2[~np.array(is_s2_place_taken, np.bool_)]
    has_bye = np.full(len(left_over_players), field.bye_group == s)
    ranks_below = np.full(len(left_over_players), len(field.ranking))
    quality_costs = compute_bracket_costs(
        field.ranking, s, quality_keys, left_over_players, ranks_below, has_bye
    )
    is_not_c6_or_c8 = np.array(
        [
            criterion_level.criterion not in ("C6", "C8")
            for criterion_level in quality_keys
        ]
    )
    if quality_costs[:, is_not_c6_or_c8].any():
        return None
    if has_bye.any() and not len(field.find_bye_takers(left_over_players)):
        return None
    return s1, s2[taken_s2_places]
