"""Ranking: the players in the order of score and number, and what is known of them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from pairopt.event.arcs import BYE, Arcs, IntArray
from pairopt.event.fide import Fide
from pairopt.event.state import State


@dataclass(frozen=True)
class Ranking:
    """The active players from the top, one array entry each (article 1.2).

    `player` are their positions in the State, `group` their score groups from 0, the highest;
    `scores` is each group's. `fide` is in the same order. A rank of n or more stands for the bye
    and for whoever is below.
    """

    player: IntArray
    group: IntArray
    scores: tuple[int, ...]
    fide: Fide

    def __len__(self) -> int:
        return len(self.player)

    @property
    def odd(self) -> bool:
        """Whether somebody has the bye."""
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
        rank = np.empty(n + 1, np.int64)
        rank[self.player], rank[BYE] = np.arange(n), n
        one, two = rank[arcs.first], rank[arcs.second]
        return np.minimum(one, two), np.maximum(one, two)


def ranking_of(state: State) -> Ranking:
    """The ranking of the active players."""
    fide = state.fide
    order = np.lexsort((fide.number, -fide.score))
    taken = {each.name: getattr(fide, each.name)[order] for each in fields(fide)}
    scores, group = np.unique(-taken["score"], return_inverse=True)
    return Ranking(
        player=order,
        group=np.asarray(group, np.int64),
        scores=tuple((-scores).tolist()),
        fide=replace(fide, **taken),
    )
