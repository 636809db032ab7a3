"""Ranking: the players in the order of score and number, and what is known of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.arcs import Arcs, IntArray
from pairopt.event.fide import Fide

MOST_SCORES = 512  # there is a level for any two of them; 100 rounds have 201


@dataclass(frozen=True)
class RankedPlayers:
    """Players from the top, one array entry each (article 1.2). `player` are their positions in the
    State, `group` their score groups from 0, the highest; `scores` is each group's. `fide` is in
    the same order. A rank of n or more stands for the bye and for whoever is below."""

    player: IntArray
    group: IntArray
    scores: tuple[int, ...]
    fide: Fide

    def __len__(self) -> int:
        return len(self.player)

    @property
    def odd(self) -> bool:
        return len(self) % 2 == 1

    @cached_property
    def padded(self) -> IntArray:
        """The groups, and for the bye one below all of them."""
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

    def without(self, some: IntArray) -> RankedPlayers:
        kept = np.delete(np.arange(len(self)), some)
        return replace(_ranking(kept, self.fide), player=self.player[kept])


def ranked_players(fide: Fide) -> RankedPlayers:
    return _ranking(np.lexsort((fide.rank, -fide.score)), fide)


def _ranking(player: IntArray, fide: Fide) -> RankedPlayers:
    own = fide.take(player)
    scores, group = np.unique(-own.score, return_inverse=True)
    if len(scores) > MOST_SCORES:
        raise UsageError("system.scores", scores=len(scores), most=MOST_SCORES)
    return RankedPlayers(player, np.asarray(group, np.int64), tuple((-scores).tolist()), own)
