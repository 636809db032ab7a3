"""Block: the pairs that are left in a bracket, with the levels proven so far; the bracket; and the
players in the order of score and number.
"""

from abc import ABC, abstractmethod
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

RankPairs = tuple[IntArray, IntArray]  # pairs a < b of ranks


def matches_values(costs: IntArray, values: IntArray) -> BoolArray:
    return np.asarray((costs <= values).all(axis=1))


def is_member(ids: IntArray, members: IntArray) -> BoolArray:
    """Which of these small numbers are among the members (np.isin takes ten times as long)."""
    marked = np.zeros(max(ids.max(initial=0), members.max(initial=0)) + 1, np.bool_)
    marked[members] = True
    return marked[ids]


@dataclass(frozen=True)
class BracketPairs:
    """Pairs a < b of `vertices`, each of which needs one; `costs`, shape (pairs, levels), of levels
    whose optimal `values` are proven, and the pairs `used` by a pairing that has them, if at
    hand.
    """

    vertices: IntArray
    a: IntArray
    b: IntArray
    costs: IntArray
    values: IntArray
    used: IntArray | None = None

    def __len__(self) -> int:
        return len(self.a)

    @cached_property
    def ends(self) -> IntArray:
        place = np.zeros(self.vertices.max(initial=0) + 1, np.int64)
        place[self.vertices] = np.arange(len(self.vertices))
        return place[np.column_stack([self.a, self.b])]

    @property
    def pairing(self) -> IntArray:
        assert self.used is not None
        return self.used

    def kept(self, mask: BoolArray) -> Self:
        if (used := self.used) is not None:
            used = (np.cumsum(mask) - 1)[used] if mask[used].all() else None
        return replace(
            self, a=self.a[mask], b=self.b[mask], costs=self.costs[mask], used=used
        )

    def trimmed(self) -> Self:
        """The block without levels that are 0: no pair that is left counts there."""
        some = self.values > 0
        return replace(self, costs=self.costs[:, some], values=self.values[some])

    def tight(self, budget: Budget) -> Self:
        """The block without pairs that prices show to be in no pairing with its values. And without
        the first levels that have their values in all pairings of the others.
        """
        one, two = self.ends.T
        number, mate = index_pairs(one, two, self.pairing)
        allowed, known = pairs_at_minimum_cost(self.costs, number, mate, budget)
        left = replace(self, costs=self.costs[:, known:], values=self.values[known:])
        return left.kept(allowed[one, two] & allowed[two, one])

    def fixed(self, pairs: IntArray) -> Self:
        """The block without the vertices of these pairs, and with what they leave of the values."""
        gone = np.concatenate([self.a[pairs], self.b[pairs]])
        mask = ~(is_member(self.a, gone) | is_member(self.b, gone))
        used = None
        if self.used is not None and is_member(pairs, self.used).all():
            used = (np.cumsum(mask) - 1)[self.used[~is_member(self.used, pairs)]]
        values = self.values - self.costs[pairs].sum(axis=0)
        left = self.vertices[~is_member(self.vertices, gone)]
        rest = replace(self.kept(mask), vertices=left, values=values, used=used)
        return (
            rest.kept(matches_values(rest.costs, values)).trimmed()
            if (values >= 0).all()
            else rest
        )

    def settled(
        self, costs: IntArray, settle: LevelMinimizer, budget: Budget
    ) -> Self | None:
        """The block with more levels minimised, None if there is no pairing. Raises TimeUpError."""
        if (
            self.used is not None and not costs.any()
        ):  # at hand, and nothing to minimise
            return self
        budget.check()
        if (self.values < 0).any():
            return None
        ends, levels = self.ends, np.hstack([self.costs, costs])
        if not is_member(
            np.arange(len(self.vertices)), ends.ravel()
        ).all():  # somebody is left alone
            return None
        if not len(self.vertices):
            return (
                None if self.values.any() else replace(self, used=np.zeros(0, np.int64))
            )
        columns = single_pairs(len(self.vertices), ends[:, 0], ends[:, 1], levels)
        if (
            found := settle(columns, tuple(self.values.tolist()), self.used, budget)
        ) is None:
            return None
        values = np.array(found.values, np.int64)
        made = replace(self, costs=levels, values=values, used=found.used)
        return made.kept(matches_values(levels, values))


Made = tuple[
    RankPairs, BracketPairs
]  # pairs of a bracket, and what they leave of its block


@dataclass(frozen=True)
class Bracket(ABC):
    """The bracket of group `s`; `by_halves` where the upper half meets the lower one in order."""

    by_halves: ClassVar[bool] = False
    ranking: "RankedPlayers"
    s: int
    settle: LevelMinimizer
    budget: Budget

    @abstractmethod
    def first(self, block: BracketPairs) -> Made:
        """The pairs that it makes, of a block of its best quality, and what they leave."""

    def here(self, block: BracketPairs) -> BoolArray:
        return np.asarray(self.ranking.group_of(block.b) == self.s)

    def settled(self, block: BracketPairs, costs: IntArray) -> BracketPairs:
        """The block at its best in these levels too; a pairing with its values is at hand."""
        found = block.settled(costs, self.settle, self.budget)
        assert found is not None
        return found

    def opponents(
        self, block: BracketPairs, players: IntArray, place: IntArray, last: int
    ) -> tuple[BracketPairs, RankPairs]:
        """The first opponents by `place` that these can have, in turn; and the block after. To
        float is `last`, after all places.
        """
        here, known = self.here(block), block.costs.shape[1]
        own = [(block.a == one) | (block.b == one) for one in players.tolist()]
        met = [
            place[np.where(block.a == one, block.b, block.a)]
            for one in players.tolist()
        ]
        costs = [
            np.where(here, at, last) * mine for at, mine in zip(met, own, strict=True)
        ]
        found = self.settled(block, np.column_stack(costs))
        touched = is_member(found.a, players) | is_member(found.b, players)
        used = found.pairing[(touched & self.here(found))[found.pairing]]
        pairs = found.a[used], found.b[used]
        floats = players[~is_member(players, np.concatenate(pairs))]
        plain = replace(
            found, costs=found.costs[:, :known], values=found.values[:known]
        )
        rest = plain.fixed(used)
        stays = is_member(rest.a, floats) | is_member(rest.b, floats)
        return rest.kept(~(stays & self.here(rest))), pairs


MOST_SCORES = 512  # there is a level for any two of them; 100 rounds have 201


@dataclass(frozen=True)
class RankedPlayers:
    """Players from the top, one array entry each (article 1.2). `player` are their positions in the
    State, `group` their score groups from 0, the highest; `scores` is each group's. `fide` is in
    the same order. A rank of n or more stands for the bye and for whoever is below.
    """

    player: IntArray
    group: IntArray
    scores: tuple[int, ...]
    fide: FideAttributes

    def __len__(self) -> int:
        return len(self.player)

    @property
    def odd(self) -> bool:
        return len(self) % 2 == 1

    @cached_property
    def padded(self) -> IntArray:
        return np.append(self.group, len(self.scores))

    def group_of(self, rank: IntArray) -> IntArray:
        """The group of each rank, the number of groups for ranks from n on."""
        return self.padded[np.minimum(rank, len(self))]

    def pairs(self, arcs: Arcs) -> tuple[IntArray, IntArray]:
        """The upper and the lower rank of each arc, n for the bye."""
        n = len(self)
        rank = np.full(self.player.max(initial=0) + 2, n)  # BYE is the last one
        rank[self.player] = np.arange(n)
        one, two = rank[arcs.first], rank[arcs.second]
        return np.minimum(one, two), np.maximum(one, two)

    def without(self, some: IntArray) -> "RankedPlayers":
        kept = np.delete(np.arange(len(self)), some)
        return replace(_ranking(kept, self.fide), player=self.player[kept])


def rank_players(fide: FideAttributes) -> RankedPlayers:
    return _ranking(np.lexsort((fide.rank, -fide.score)), fide)


def _ranking(player: IntArray, fide: FideAttributes) -> RankedPlayers:
    own = fide.take(player)
    scores, group = np.unique(-own.score, return_inverse=True)
    if len(scores) > MOST_SCORES:
        raise UsageError("system.scores", scores=len(scores), most=MOST_SCORES)
    return RankedPlayers(
        player, np.asarray(group, np.int64), tuple((-scores).tolist()), own
    )
