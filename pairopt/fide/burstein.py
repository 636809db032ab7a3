"""The Burstein System: the bye, the criteria of each bracket and the order of pairings as levels.

As in the Dutch System, which pairs its seeding rounds, a match is made in the bracket of its lower
player's score. The bye is given first, by score, games and rank; then C5 to C8 of each bracket are
sums over matches, and so is the place of a pairing among all, once it is known who is there.

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
    BracketPairs,
    Made,
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

AT_ONCE = 8  # players whose opponents are settled at a time


class BursteinBracket(Bracket):
    def first(self, block: BracketPairs) -> Made:
        inside = block.vertices[self.ranking.group_of(block.vertices) <= self.s]
        left, made = (
            inside[np.argsort(self.ranking.fide.rank[inside])],
            [(inside[:0], inside[:0])],
        )
        while len(left):
            block = block.tight(self.budget)
            if not len(block.values):
                block, pairs, left = self._walked(block, left)
                made.append(pairs)
            if len(left):
                place = np.zeros(block.vertices.max() + 1, np.int64)
                place[left] = np.arange(len(left))[::-1]
                block, pairs = self.opponents(block, left[:AT_ONCE], place, len(left))
                made.append(pairs)
                left = left[AT_ONCE:]
                left = left[~is_member(left, np.concatenate(pairs))]
        one, two = zip(*made, strict=True)
        return (np.concatenate(one), np.concatenate(two)), block

    def _walked(
        self, block: BracketPairs, left: IntArray
    ) -> tuple[BracketPairs, RankPairs, IntArray]:
        """The pairs of the first of `left`, the block without them, and who is left. In any pairing
        of the block: each has the last one whom a change of partners sets free.
        """
        others = block.vertices[~is_member(block.vertices, left)]
        place = np.empty(block.vertices.max(initial=0) + 1, np.int64)
        place[np.append(left, others)] = np.arange(len(block.vertices))
        number, mate = index_pairs(place[block.a], place[block.b], block.pairing)
        free, open_to = number >= 0, np.ones(len(left), np.bool_)
        made = list[int]()
        for player in self.budget.iterate(range(len(left))):
            if not open_to[player]:
                continue
            wanted = np.flatnonzero(free[player, : len(left)])
            if (pairs := _free_partner(free, mate, player, wanted)) is None:
                break
            for one, two in pairs:
                mate[one], mate[two] = two, one
            gone = [*pairs[0]] if pairs else []
            made += [number[player, mate[player]]] if pairs else []
            free[gone] = free[:, gone] = False
            free[player, wanted] = free[wanted, player] = False  # floats, if not gone
            open_to[[player, *gone]] = False
        upper = np.flatnonzero(np.arange(len(mate)) < mate)
        chosen, used = np.array(made, np.int64), number[upper, mate[upper]]
        rest = replace(block, used=used).fixed(chosen)
        floats = left[~open_to]
        stays = self.here(rest) & (
            is_member(rest.a, floats) | is_member(rest.b, floats)
        )
        return rest.kept(~stays), (block.a[chosen], block.b[chosen]), left[open_to]


def _free_partner(
    free: BoolArray, mate: IntArray, player: int, wanted: IntArray
) -> list[tuple[int, int]] | None:
    """New pairs in which a player has the last one of `wanted` that can be had, if any. None where
    a change of partners comes back to somebody whom it has been at, which may be no change.
    """
    start = int(mate[player])
    heir, found = np.full(len(mate), -1), np.zeros(len(mate), np.bool_)
    found[start], unseen = True, np.ones(len(mate), np.bool_)
    unseen[[player, start]] = False
    ahead = np.array([start])
    while len(ahead) and len(wanted) and not found[wanted[-1]]:
        takes = free[ahead] & unseen
        taken = np.flatnonzero(takes.any(axis=0))
        heir[taken] = ahead[takes[:, taken].argmax(axis=0)]
        unseen[taken] = False
        ahead = mate[taken]
        found[ahead] = True
    can = wanted[found[wanted]]
    if not len(can):
        return []
    end = int(can[-1])
    pairs = [(player, end)]
    while end != start:
        taker = int(heir[mate[end]])
        pairs.append((taker, int(mate[end])))
        end = taker
    return (
        pairs
        if len({one for pair in pairs for one in pair}) == 2 * len(pairs)
        else None
    )


@dataclass(frozen=True)
class Burstein(BracketwiseSystem):
    """The levels of one round: the bye's, in no bracket, then of each bracket C5 to C8 and the
    pairing's place. Both systems are solved in one way.
    """

    kind = "burstein"
    bracket = BursteinBracket
    of_bye, words, told, sides = ARTICLES["burstein"].values()
    description = (
        "the seeding rounds, half of all and at most 4, as in the Dutch System [1.6]",
        *describe_levels(of_bye, words),
    )
    parts = ("4.3",)
    renamed = {"C6": "C5", "C7": "C6", "C8": "C7", "C12": "C8"}  # noqa: RUF012 - not changed
    order = "article.order_by_opposition"

    @classmethod
    def of(cls, state: State) -> BracketSystem:
        """The system of the round: in seeding rounds it is the Dutch one. Raises InputError where
        it takes the number of rounds to know that, and nobody says it.
        """
        if is_seeding_round(state.event):
            return Dutch.of(state)
        return cls(rank_players(cls.facts(state)), state.scale)

    @staticmethod
    def facts(state: State) -> FideAttributes:
        return state.fide_by_opposition

    def bye_costs(self) -> IntArray:
        """What each rank with the bye adds to the bye's levels, shape (n, 3) (article 3.1)."""
        fide = self.ranking.fide
        below = len(self.ranking) - 1 - np.argsort(np.argsort(fide.rank))
        return np.column_stack([fide.score, fide.unplayed, below])

    def apart(self, arcs: Arcs) -> "tuple[Burstein, IntArray, IntArray]":
        """The system without who has the bye, which levels are its own, and its matches."""
        byes = self.ranking.pairs(arcs)[0][arcs.bye]
        if not len(byes):
            return super().apart(arcs)
        rest = Burstein(self.ranking.without(byes), self.scale)
        index = {
            (level.criterion, level.label): k for k, level in enumerate(self.levels)
        }
        own = [index[level.criterion, level.label] for level in rest.levels]
        return rest, np.array(own, np.int64), np.flatnonzero(arcs.match)

    def numbered(self, players: IntArray) -> IntArray:
        """The ranks by opposition (4.1)."""
        return players[np.argsort(self.ranking.fide.rank[players])]

    def shares(
        self, s: int, a: IntArray, b: IntArray
    ) -> Iterator[tuple[int, int, int]]:
        """What the pairs of a whole pairing add to its place in the bracket of group `s`. The place
        is a number of one digit for each BSN, the first one leading: how many numbers are after
        that of the opponent, or one more than there are for any if the player floats (4.2, 4.3).
        The digit of the larger number of two is left 0, as it follows.
        """
        bsn = self.paired(s, a, b).bsn
        size, lower = len(bsn), self.ranking.group_of(b)
        for k in np.flatnonzero(
            (self.ranking.group_of(a) <= s) & (lower >= s)
        ).tolist():
            first, last = bsn[int(a[k])], 0
            if lower[k] == s:
                first, last = sorted((first, bsn[int(b[k])]))
            yield k, 0, (size - last) * (size + 1) ** (size - first)

    def part_sums(self, s: int, bracket: PairedBracket) -> Iterator[OrderLevelSum]:
        """Yield one level for each digit of the number that ranks a pairing within its bracket.

        See `shares`.
        """
        for rank, number in bracket.bsn.items():
            yield OrderLevelSum(0, rank, self._digit(s, bracket, rank, number))

    def _digit(self, s: int, bracket: PairedBracket, rank: int, number: int) -> Amounts:
        size, bsn = len(bracket.members), np.zeros(len(self.ranking) + 1, np.int64)
        bsn[bracket.members] = np.arange(1, size + 1)

        def amounts(a: IntArray, b: IntArray) -> IntArray:
            met = bsn[np.where(a == rank, np.minimum(b, len(self.ranking)), a)]
            digit = np.where(met > number, size - met, np.where(met > 0, 0, size))
            floats = self.ranking.group_of(b) > s
            return np.where((a == rank) | (b == rank), np.where(floats, size, digit), 0)

        return amounts

    def given_bye(self, field: CompletionField) -> CompletionField | None:
        """The bye's player is the first by score, games and rank who can have it (3.1)."""
        costs = self.bye_costs()
        for rank in np.lexsort(costs.T[::-1]).tolist():
            kept = np.delete(np.arange(len(costs)), rank)
            if field.may_bye[rank] and field.complete(kept, False):
                rest = replace(self, ranking=field.ranking.without(np.array([rank])))
                legal, may_bye = field.legal[np.ix_(kept, kept)], field.may_bye[kept]
                groups, bounds = len(rest.ranking.scores), tuple(costs[rank].tolist())
                return replace(
                    field,
                    system=rest,
                    legal=legal,
                    may_bye=may_bye,
                    bye_group=groups,
                    bye_bounds=bounds,
                )
        return None

    def order_told(
        self, part: str, now: PairedBracket, best: PairedBracket, names: Names
    ) -> Message:
        """The first opponent who is another one, of the players by opposition (4.3)."""
        return now.otherwise(best, now.members, names)
