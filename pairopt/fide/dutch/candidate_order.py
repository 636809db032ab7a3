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
    """A bracket of the Dutch System."""

    has_halves = True

    def find_first_candidate(self, block: BracketPairs) -> BracketPairing:
        """Find the first candidate: paired MDPs (4.4), opponents, S1 (4.3), S2 (4.2).

        First it tries cheap guesses; then the next players get their first opponents, and
        the guesses are tried again.
        """
        moved = block.vertices[self.ranking.group_of(block.vertices) < self.s]
        block, paired = self._fix_paired_mdps(block, moved)
        pairs_so_far: list[RankPairs] = []
        inner_count = len(self._find_s1(block))
        while True:
            guess = self._guess_candidate(block, paired, inner_count)
            if guess is not None:
                candidate = self._complete(block, guess, pairs_so_far)
                if candidate is not None:
                    return candidate
            if not len(paired):
                break
            block, pairs = self._pair_next(block, paired[:AT_ONCE])
            paired = paired[AT_ONCE:]
            pairs_so_far.append(pairs)

        s1, block = self._fix_s1(block, inner_count)
        s1_pairs = find_first_pairs(block, s1, len(self.ranking), self.budget)
        if s1_pairs is not None:
            candidate = self._complete(block, s1_pairs, pairs_so_far)
            # the remaining pairs have a pairing with the values
            assert candidate is not None
            return candidate

        while True:
            greedy = self._pair_greedily(block, s1, self.is_inside(block))
            if greedy is not None:
                candidate = self._complete(block, greedy[0], pairs_so_far)
                if candidate is not None:
                    return candidate
            block, pairs = self._pair_next(block, s1[:AT_ONCE])
            s1 = s1[AT_ONCE:]
            pairs_so_far.append(pairs)

    def _is_inner(self, block: BracketPairs) -> BoolArray:
        """Return a mask of the pairs of two residents."""
        is_resident = self.ranking.group_of(block.a) == self.s
        return np.asarray(self.is_inside(block) & is_resident)

    def _fix_paired_mdps(
        self, block: BracketPairs, moved: IntArray
    ) -> tuple[BracketPairs, IntArray]:
        """Decide which moved-down players are paired here: the first set (4.4).

        `moved` are their ranks; the others float on. Returns the block with only the
        pairings that pair this set, and the ranks of the set.
        """
        if not len(moved):
            return block, moved

        is_float = ~self.is_inside(block)
        for start in range(0, len(moved), MOVES_AT_ONCE):
            players = moved[start : start + MOVES_AT_ONCE]
            costs = (block.a[:, None] == players) & is_float[:, None]
            block = self.minimize_levels(block, costs.astype(np.int64))
            is_float = ~self.is_inside(block)

        pairing = block.pairing
        floaters = block.a[pairing][is_float[pairing]]
        paired = moved[~is_member(moved, floaters)]
        is_from_above = self.ranking.group_of(block.a) < self.s
        agrees = is_member(block.a, paired) == self.is_inside(block)
        return block.with_pairs(~is_from_above | agrees), paired

    def _pair_next(
        self, block: BracketPairs, upper: IntArray
    ) -> tuple[BracketPairs, RankPairs]:
        """Give each player of `upper`, in order, the first opponent who is possible.

        Opponents are tried by rank. Returns the block without the new pairs, and these
        pairs.
        """
        opponents = sorted({*block.b[is_member(block.a, upper)].tolist()})
        position = np.searchsorted(opponents, np.arange(block.vertices.max() + 1))
        return self.pair_first_opponents(block, upper, position, len(opponents))

    def _fix_s1(
        self, block: BracketPairs, inner_count: int
    ) -> tuple[IntArray, BracketPairs]:
        """Find the first possible S1 (4.3), unchanged or after an exchange.

        `inner_count` is the number of its players. Returns its ranks, and the block
        with only the pairs that are possible with this S1.
        """
        is_resident = self.ranking.group_of(block.vertices) == self.s
        residents = block.vertices[is_resident]
        s1, s2 = residents[:inner_count], residents[inner_count:]
        unchanged = self._with_s1(block, s1)
        no_levels = np.zeros((len(unchanged), 0), np.int64)
        pairable = unchanged.with_minimal_levels(no_levels, self.minimize, self.budget)
        if pairable is not None:
            return s1, pairable

        is_inner = self._is_inner(block)
        position = np.searchsorted(residents, block.a)
        exchange_count = is_inner & (position >= inner_count)
        block = self.minimize_levels(
            block, np.column_stack([exchange_count, is_inner * position])
        )
        # otherwise the two players in the middle are exchanged
        if block.values[-1] > sum(range(inner_count)) + 1:
            block = self._fix_exchanged(block, s1[::-1], s2)
            block = self._fix_exchanged(block, s2, s2)
        s1 = np.sort(self._find_s1(block))
        return s1, self._with_s1(block, s1)

    def _with_s1(self, block: BracketPairs, s1: IntArray) -> BracketPairs:
        """Return the block with only the pairs that are possible with this S1.

        The upper player of two residents must be in `s1`, the lower one must not. In
        all other pairs nobody may be in it.
        """
        a_in_s1, b_in_s1 = is_member(block.a, s1), is_member(block.b, s1)
        is_possible = np.where(
            self._is_inner(block), a_in_s1 & ~b_in_s1, ~a_in_s1 & ~b_in_s1
        )
        return block.with_pairs(is_possible)

    def _fix_exchanged(
        self, block: BracketPairs, players: IntArray, original_s2: IntArray
    ) -> BracketPairs:
        """Fix which of `players` are exchanged between S1 and S2, early ones first.

        `original_s2` is S2 without exchanges. In the order of `players`, each one is
        exchanged if some remaining pairing allows it. Returns the block with only such
        pairings.
        """
        for start in range(0, len(players), MOVES_AT_ONCE):
            batch = players[start : start + MOVES_AT_ONCE]
            is_a = block.a[:, None] == batch
            is_b = block.b[:, None] == batch
            is_upper = is_a & self._is_inner(block)[:, None]
            # a player stays on their side of S1 and S2
            is_unchanged = np.where(is_member(batch, original_s2), ~is_upper, is_upper)
            costs = is_unchanged & (is_a | is_b)
            block = self.minimize_levels(block, costs.astype(np.int64))

            s1 = self._find_s1(block)
            so_far = players[: start + len(batch)]
            is_exchanged = is_member(so_far, s1) == is_member(so_far, original_s2)
            if is_exchanged.sum() == is_member(s1, original_s2).sum():
                # those are all
                break
        return block

    def _find_s1(self, block: BracketPairs) -> IntArray:
        """Return S1 of the known pairing: the upper players of resident pairs."""
        pairing = block.pairing
        return np.asarray(block.a[pairing[self._is_inner(block)[pairing]]])

    def _guess_candidate(
        self, block: BracketPairs, paired: IntArray, inner_count: int
    ) -> IntArray | None:
        """Guess the first candidate: each player takes the first opponent left.

        First the moved-down players `paired` choose, then the `inner_count` residents
        of S1. Returns the indices of the pairs. Returns None if a player finds no
        opponent whom the values allow; then there may still be a candidate.
        """
        greedy = self._pair_greedily(block, paired, self.is_inside(block))
        if greedy is None:
            return None
        mdp_pairs, mdp_values = greedy

        residents = block.vertices[self.ranking.group_of(block.vertices) == self.s]
        residents = residents[~is_member(residents, block.b[mdp_pairs])]
        s1, s2 = residents[:inner_count], residents[inner_count:]
        mask = is_member(block.a, s1) & is_member(block.b, s2)
        inner = self._pair_greedily(block, s1, mask, mdp_values)
        if inner is None:
            return None
        return np.append(mdp_pairs, inner[0])

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
        remaining = block.values - spent
        pairs = list[int]()
        opponents = set[int]()
        rows = np.flatnonzero(mask & is_member(block.a, uppers))
        rows = rows[np.lexsort((block.b[rows], block.a[rows]))]
        starts = np.searchsorted(block.a[rows], uppers).tolist()
        ends = np.searchsorted(block.a[rows], uppers, side="right").tolist()
        lower_ranks, pair_indices = block.b[rows].tolist(), rows.tolist()
        for start, end in zip(starts, ends, strict=True):
            for k in range(start, end):
                cost = block.costs[pair_indices[k]]
                if lower_ranks[k] not in opponents and (cost <= remaining).all():
                    remaining = remaining - cost
                    opponents.add(lower_ranks[k])
                    pairs.append(pair_indices[k])
                    break
            else:
                return None
        return np.array(pairs, np.int64), block.values - remaining

    def _complete(
        self, block: BracketPairs, pairs: IntArray, earlier_pairs: list[RankPairs]
    ) -> BracketPairing | None:
        """Return a candidate from its pairs, if the rest can be paired after it.

        `pairs` are indices of pairs, `earlier_pairs` those made before. All other
        players of the bracket float. Returns None if the rest has no pairing with the
        values that are left.
        """
        remainder = block.without_ends_of(pairs)
        remainder = remainder.with_pairs(~self.is_inside(remainder))
        no_levels = np.zeros((len(remainder), 0), np.int64)
        completed = remainder.with_minimal_levels(no_levels, self.minimize, self.budget)
        if completed is None:
            return None

        all_pairs = [*earlier_pairs, (block.a[pairs], block.b[pairs])]
        upper, lower = zip(*all_pairs, strict=True)
        return (np.concatenate(upper), np.concatenate(lower)), completed.known_pairs


def find_first_pairs(
    block: BracketPairs, uppers: IntArray, beyond: int, budget: Budget
) -> IntArray | None:
    """Return the pairs of S1 in the first pairing with the block's values.

    The result is indices of pairs. `uppers` are the ranks of S1, and the result is in
    their order: each one, in turn, gets the first opponent possible. The block must be
    bipartite, with S1 and the vertices from `beyond` on as one side. Returns None if it
    is not.
    """
    is_left = is_member(block.vertices, uppers) | (block.vertices >= beyond)
    first_end, second_end = block.ends.T
    if (is_left[first_end] == is_left[second_end]).any():
        return None

    left_end = np.where(is_left[first_end], first_end, second_end)
    right_end = np.where(is_left[first_end], second_end, first_end)
    position = np.where(is_left, np.cumsum(is_left), np.cumsum(~is_left)) - 1
    row, column = position[left_end], position[right_end]
    pair_count = len(block.vertices) // 2
    number = np.full((pair_count, pair_count), -1)
    number[row, column] = np.arange(len(block))
    column_of_row = np.empty(pair_count, np.int64)
    column_of_row[row[block.pairing]] = column[block.pairing]

    allowed, level_count = pairs_at_minimum_cost(
        block.costs, number, column_of_row, budget
    )
    # in a bipartite graph dual values describe all optimal pairings
    assert level_count == block.costs.shape[1]
    s1_rows = position[np.searchsorted(block.vertices, uppers)].tolist()
    columns = _find_first_perfect_pairing(
        allowed, column_of_row.tolist(), s1_rows, budget
    )
    return number[s1_rows, columns]


def _find_first_perfect_pairing(
    allowed: BoolArray, mate: list[int], order: list[int], budget: Budget
) -> list[int]:
    """Return for each row of `order` its column in the first perfect pairing.

    `allowed` marks the pairs of rows and columns, and `mate` is the column of each row
    in some perfect pairing. In the given order each row gets the first column that
    leaves a perfect pairing. Raises TimeUpError.
    """
    rows = [pack_bits(row) for row in allowed.T]
    columns = [pack_bits(column) for column in allowed]
    row_of_column = [0] * len(mate)
    for row, column in enumerate(mate):
        row_of_column[column] = row

    free = (1 << len(mate)) - 1
    for row in budget.iterate(order):
        free &= ~(1 << row)
        reachable, successor = _find_alternating_columns(rows, mate, mate[row], free)
        choice = columns[row] & reachable
        column = (choice & -choice).bit_length() - 1
        end, mate[row] = mate[row], column
        # along the path each row that loses its column takes the next one
        while column != end:
            loser = row_of_column[column]
            row_of_column[column] = row
            row, column = loser, successor[loser]
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
    reachable = 1 << start
    successor = dict[int, int]()
    queue = [start]
    for column in queue:
        unvisited = rows[column] & free
        free &= ~unvisited
        while unvisited:
            row = (unvisited & -unvisited).bit_length() - 1
            unvisited &= unvisited - 1
            successor[row] = column
            reachable |= 1 << mate[row]
            queue.append(mate[row])
    return reachable, successor


def find_perfect_candidate(
    field: CompletionField, s: int, residents: IntArray
) -> RankPairs | None:
    """Pair a bracket greedily, if no pair adds to any quality criterion.

    `residents` are the ranks of group `s`'s bracket, without moved-down players. Each
    player of S1, in turn, takes the first opponent of S2 whom nobody has taken and
    whose pair adds to no level. So it often is in the large brackets of early rounds.
    Only opponents within `NEAR` places of the opposite one are tried. A player left
    over may add to C6 and C8 only.

    Returns the upper and the lower ranks, or None if this fails. Then the bracket may
    still have such a candidate.
    """
    half = len(residents) // 2
    upper, lower = residents[:half], residents[half:]
    nearby = np.arange(half)[:, None] + np.arange(-NEAR, NEAR + 1)
    s1_places, column = np.nonzero((nearby >= 0) & (nearby < len(lower)))
    s2_places = nearby[s1_places, column]

    a, b = upper[s1_places], lower[s2_places]
    keys = field.system.quality_keys[s]
    no_byes = np.zeros(len(a), np.bool_)
    costs = compute_bracket_costs(field.ranking, s, keys, a, b, no_byes)
    is_free = field.legal[a, b] & ~costs.any(axis=1)
    offered: list[list[int]] = [[] for _ in range(half)]
    for s1_place, opponent in zip(
        s1_places[is_free].tolist(), s2_places[is_free].tolist(), strict=True
    ):
        offered[s1_place].append(opponent)

    is_paired = [False] * len(lower)
    opponents = []
    for s1_place, candidates in enumerate(offered):
        opponent = next((k for k in candidates if not is_paired[k]), None)
        if opponent is None:
            return None
        if s1_place > NEAR and not is_paired[s1_place - NEAR - 1]:
            return None
        is_paired[opponent] = True
        opponents.append(opponent)

    floater = lower[~np.array(is_paired, np.bool_)]
    has_bye = np.full(len(floater), field.bye_group == s)
    below = np.full(len(floater), len(field.ranking))
    costs = compute_bracket_costs(field.ranking, s, keys, floater, below, has_bye)
    is_other = np.array([key.criterion not in ("C6", "C8") for key in keys])
    if costs[:, is_other].any():
        return None
    if has_bye.any() and not len(field.find_bye_takers(floater)):
        return None
    return upper, lower[opponents]
