"""Candidate: the first of a bracket's best candidates, in the order of articles 3 and 4. Once S1 is
known a bracket has two sides, and prices say which pairs are in pairings of least cost. Of these
the first player has the first opponent left for whom an alternating path mends the pairing at hand,
then the second, and so on.
"""

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.alternating_paths import pack_bits, pairs_at_minimum_cost
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.fide.dutch.bracket_pairs import (
    Bracket,
    BracketPairs,
    Made,
    RankPairs,
    is_member,
)
from pairopt.fide.dutch.completion import CompletionField
from pairopt.fide.dutch.criteria import bracket_costs

AT_ONCE = 8  # opponents that are settled at a time
MOVES_AT_ONCE = (
    40  # players of whom is settled at a time whether they leave or enter S1
)
NEAR = 8  # opponents are looked for so many places up and down from the one of equal place in S2


class DutchBracket(Bracket):
    by_halves = True

    def first(self, block: BracketPairs) -> Made:
        moved = block.vertices[self.ranking.group_of(block.vertices) < self.s]
        block, paired = self._sets(block, moved)
        made: list[RankPairs] = []
        inner = len(self._uppers(block))
        while True:
            guess = self._guess(block, paired, inner)
            if (
                found := None if guess is None else self._ended(block, guess, made)
            ) is not None:
                return found
            if not len(paired):
                break
            block, pairs = self._opponents(block, paired[:AT_ONCE])
            paired = paired[AT_ONCE:]
            made.append(pairs)
        uppers, block = self._exchanged(block, inner)
        if (
            chosen := first_pairs(block, uppers, len(self.ranking), self.budget)
        ) is not None:
            found = self._ended(block, chosen, made)
            assert found is not None  # what is left has a pairing with the values
            return found
        while True:
            walked = self._walk(block, uppers, self.here(block))
            found = None if walked is None else self._ended(block, walked[0], made)
            if found is not None:
                return found
            block, pairs = self._opponents(block, uppers[:AT_ONCE])
            uppers = uppers[AT_ONCE:]
            made.append(pairs)

    def _inner(self, block: BracketPairs) -> BoolArray:
        return np.asarray(self.here(block) & (self.ranking.group_of(block.a) == self.s))

    def _sets(
        self, block: BracketPairs, moved: IntArray
    ) -> tuple[BracketPairs, IntArray]:
        """The moved-down players who are paired here (4.4), and the block without other sets."""
        if not len(moved):
            return block, moved
        floats = ~self.here(block)
        for start in range(0, len(moved), MOVES_AT_ONCE):
            costs = (block.a[:, None] == moved[start : start + MOVES_AT_ONCE]) & floats[
                :, None
            ]
            block = self.settled(block, costs.astype(np.int64))
            floats = ~self.here(block)
        out = block.a[block.pairing][~self.here(block)[block.pairing]]
        paired = moved[~is_member(moved, out)]
        own = self.ranking.group_of(block.a) < self.s
        return block.kept(
            ~own | (is_member(block.a, paired) == self.here(block))
        ), paired

    def _opponents(
        self, block: BracketPairs, uppers: IntArray
    ) -> tuple[BracketPairs, RankPairs]:
        """The first opponents that these can have, in order; and the block without them."""
        lower = np.unique(block.b[is_member(block.a, uppers)])
        place = np.searchsorted(lower, np.arange(block.vertices.max() + 1))
        return self.opponents(block, uppers, place, len(lower))

    def _exchanged(
        self, block: BracketPairs, inner: int
    ) -> tuple[IntArray, BracketPairs]:
        """Who is in S1 after the exchanges (4.3), and the block with no other S1."""
        own = block.vertices[self.ranking.group_of(block.vertices) == self.s]
        uppers = own[:inner]
        plain = self._with(block, uppers)
        found = plain.settled(
            np.zeros((len(plain), 0), np.int64), self.settle, self.budget
        )
        if found is not None:
            return uppers, found
        both, place = self._inner(block), np.searchsorted(own, block.a)
        block = self.settled(
            block, np.column_stack([both & (place >= inner), both * place])
        )
        if block.values[-1] > sum(range(inner)) + 1:  # not the two in the middle
            block = self._moved(block, own[:inner][::-1], own[inner:])
            block = self._moved(block, own[inner:], own[inner:])
        uppers = np.sort(self._uppers(block))
        return uppers, self._with(block, uppers)

    def _with(self, block: BracketPairs, uppers: IntArray) -> BracketPairs:
        upper, under = is_member(block.a, uppers), is_member(block.b, uppers)
        return block.kept(np.where(self._inner(block), upper & ~under, ~upper & ~under))

    def _moved(
        self, block: BracketPairs, movers: IntArray, second: IntArray
    ) -> BracketPairs:
        """With the first of `movers` changing between S1 and S2; `second` is the original S2."""
        for start in range(0, len(movers), MOVES_AT_ONCE):
            some = movers[start : start + MOVES_AT_ONCE]
            first = block.a[:, None] == some
            upper = first & self._inner(block)[:, None]
            stays = np.where(
                is_member(some, second), ~upper, upper
            )  # on their side of S1 and S2
            stays &= first | (block.b[:, None] == some)
            block = self.settled(block, stays.astype(np.int64))
            uppers, seen = self._uppers(block), movers[: start + len(some)]
            moved = is_member(seen, uppers) == is_member(seen, second)
            if moved.sum() == is_member(uppers, second).sum():  # those are all
                break
        return block

    def _uppers(self, block: BracketPairs) -> IntArray:
        """The upper ones of the pairs of residents in the pairing at hand."""
        used = block.pairing
        return np.asarray(block.a[used[self._inner(block)[used]]])

    def _guess(
        self, block: BracketPairs, paired: IntArray, inner: int
    ) -> IntArray | None:
        """The first candidate of all, if it is as good: each takes the first one left."""
        if (first := self._walk(block, paired, self.here(block))) is None:
            return None
        taken, spent = first
        own = block.vertices[self.ranking.group_of(block.vertices) == self.s]
        own = own[~is_member(own, block.b[taken])]
        upper = is_member(block.a, own[:inner]) & is_member(block.b, own[inner:])
        second = self._walk(block, own[:inner], upper, spent)
        return None if second is None else np.append(taken, second[0])

    def _walk(
        self,
        block: BracketPairs,
        uppers: IntArray,
        mask: BoolArray,
        spent: IntArray | int = 0,
    ) -> tuple[IntArray, IntArray] | None:
        """Pairs in which each of `uppers` has the first one left whom the values allow. The other
        array is what the pairs and `spent` take of the values.
        """
        left, chosen, taken = block.values - spent, list[int](), set[int]()
        rows = np.flatnonzero(mask & is_member(block.a, uppers))
        rows = rows[np.lexsort((block.b[rows], block.a[rows]))]
        starts = np.searchsorted(block.a[rows], uppers).tolist()
        ends = np.searchsorted(block.a[rows], uppers, side="right").tolist()
        lower, index = block.b[rows].tolist(), rows.tolist()
        for start, end in zip(starts, ends, strict=True):
            for k in range(start, end):
                if lower[k] not in taken and (block.costs[index[k]] <= left).all():
                    left = left - block.costs[index[k]]
                    taken.add(lower[k])
                    chosen.append(index[k])
                    break
            else:
                return None
        return np.array(chosen, np.int64), block.values - left

    def _ended(
        self, block: BracketPairs, chosen: IntArray, made: list[RankPairs]
    ) -> Made | None:
        """All pairs when these are made after others and all else floats, None where that fails."""
        left = block.fixed(chosen)
        left = left.kept(~self.here(left))
        none = np.zeros((len(left), 0), np.int64)
        if (rest := left.settled(none, self.settle, self.budget)) is None:
            return None
        one, two = zip(*made, (block.a[chosen], block.b[chosen]), strict=True)
        return (np.concatenate(one), np.concatenate(two)), rest


def first_pairs(
    block: BracketPairs, uppers: IntArray, beyond: int, budget: Budget
) -> IntArray | None:
    """The pairs of the first pairing that has the block's values, in the order of `uppers`: these
    and the vertices from `beyond` on are one side. None where pairs are not between two sides.
    """
    left = is_member(block.vertices, uppers) | (block.vertices >= beyond)
    one, two = block.ends.T
    if (left[one] == left[two]).any():
        return None
    one, two = np.where(left[one], one, two), np.where(left[one], two, one)
    place = np.where(left, np.cumsum(left), np.cumsum(~left)) - 1
    row, column = place[one], place[two]
    m = len(block.vertices) // 2
    number = np.full((m, m), -1)
    number[row, column] = np.arange(len(block))
    mate = np.empty(m, np.int64)
    mate[row[block.pairing]] = column[block.pairing]
    allowed, known = pairs_at_minimum_cost(block.costs, number, mate, budget)
    assert known == block.costs.shape[1]  # between two sides prices say all
    order = place[np.searchsorted(block.vertices, uppers)].tolist()
    return number[order, _first_perfect_pairing(allowed, mate.tolist(), order, budget)]


def _first_perfect_pairing(
    allowed: BoolArray, mate: list[int], order: list[int], budget: Budget
) -> list[int]:
    """The columns of the rows `order` in the first perfect pairing; sets are bits of integers."""
    rows = [pack_bits(row) for row in allowed.T]
    columns = [pack_bits(column) for column in allowed]
    owner = [0] * len(mate)
    for row, column in enumerate(mate):
        owner[column] = row
    free = (1 << len(mate)) - 1
    for row in budget.iterate(order):
        free &= ~(1 << row)
        found, heir = _alternating_columns(rows, mate, mate[row], free)
        choice = columns[row] & found
        column = (choice & -choice).bit_length() - 1
        end, mate[row] = mate[row], column
        while column != end:  # who loses a partner takes the next one on the path
            loser = owner[column]
            owner[column] = row
            row, column = loser, heir[loser]
            mate[row] = column
        owner[column] = row
    return [mate[row] for row in order]


def _alternating_columns(
    rows: list[int], mate: list[int], start: int, free: int
) -> tuple[int, dict[int, int]]:
    """The columns that can be given up if `start` is to be had; what each of their rows takes."""
    found, heir, ahead = 1 << start, dict[int, int](), [start]
    for column in ahead:
        some = rows[column] & free
        free &= ~some
        while some:
            row = (some & -some).bit_length() - 1
            some &= some - 1
            heir[row] = column
            found |= 1 << mate[row]
            ahead.append(mate[row])
    return found, heir


def perfect_candidate(
    field: CompletionField, s: int, residents: IntArray
) -> RankPairs | None:
    """The pairs of residents alone in which each of S1 has the first one left (3.4.1), as in large
    brackets of early rounds. None where a pair counts in some level, or a floater in one but C6 and
    C8; where opponents are not near, or a player is left too far above.
    """
    half = len(residents) // 2
    upper, lower = residents[:half], residents[half:]
    place = np.arange(half)[:, None] + np.arange(-NEAR, NEAR + 1)
    row, near = np.nonzero((place >= 0) & (place < len(lower)))
    place = place[row, near]
    a, b = upper[row], lower[place]
    keys = field.system.keys[s]
    counts = bracket_costs(
        field.ranking, s, keys, a, b, np.zeros(len(a), np.bool_)
    ).any(axis=1)
    good = field.legal[a, b] & ~counts
    offered: list[list[int]] = [[] for _ in range(half)]
    for one, other in zip(row[good].tolist(), place[good].tolist(), strict=True):
        offered[one].append(other)
    taken, chosen = [False] * len(lower), []
    for one, others in enumerate(offered):
        first = next((other for other in others if not taken[other]), None)
        if first is None or (one > NEAR and not taken[one - NEAR - 1]):
            return None
        taken[first] = True
        chosen.append(first)
    floater = lower[~np.array(taken, np.bool_)]
    bye = np.full(len(floater), field.bye_group == s)
    below = np.full(len(floater), len(field.ranking))
    plain = np.array([key.criterion not in ("C6", "C8") for key in keys])
    if bracket_costs(field.ranking, s, keys, floater, below, bye)[:, plain].any():
        return None
    if bye.any() and not len(field.takers(floater)):
        return None
    return upper, lower[chosen]
