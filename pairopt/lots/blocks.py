"""Blocks: parts of a component that one match each joins, counted one after the other.

An odd score group, say, has one match that leaves it, and an equation says so. Whoever has it,
the others of the group are paired among themselves. So the pairings of a group without one
player are counted for each of its players; then one vertex stands for the whole group: it meets
a player across in as many ways as there are such pairings, for all whom that player could meet.
Group after group is taken off, and the largest is counted last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pairopt.engines.odd_sets import component_of
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.lots.optima import Component

Exact = Callable[[Component], int]
"""Counts the pairings of a component that has no equations."""
Ways = NDArray[np.object_]
"""In how many ways each player of a block meets a vertex that stands for another one."""


@dataclass(frozen=True)
class Blocks:
    """A component in blocks: `label` says which each player is in.

    Of the pairs `crossing`, shape (k, k), every pairing has one between any two blocks that have
    any; blocks hang together as a tree.
    """

    component: Component
    label: IntArray
    crossing: BoolArray

    def count(self, exact: Exact) -> int:
        """The number of pairings."""
        root = int(np.argmax(np.bincount(self.label)))
        return exact(self.part(self.members(root), self.around(root, None, exact)))

    def members(self, block: int) -> IntArray:
        return np.flatnonzero(self.label == block)

    def around(self, block: int, parent: int | None, exact: Exact) -> list[Ways]:
        """How players of a block meet each of the blocks around it, but for its parent."""
        component, here = self.component, self.members(block)
        ways = component.ways.astype(object)  # numbers of pairings are of any size
        near = np.unique(self.label[self.crossing[here].any(axis=0)])
        found = []
        for child in near[near != (-1 if parent is None else parent)].tolist():
            members, beyond = self.members(child), self.around(child, block, exact)
            meets: Ways = np.zeros(len(here), object)
            for k, player in enumerate(members.tolist()):
                if self.crossing[player, here].any():
                    rest = self.part(np.delete(members, k), [np.delete(w, k) for w in beyond])
                    number = exact(rest) if len(rest) else 1
                    meets += number * ways[component.code[player, here]]
            found.append(meets)
        return found

    def part(self, players: IntArray, around: Sequence[Ways]) -> Component:
        """Players of a block, with a vertex for each block around that one of them has to meet."""
        component, n, kinds = self.component, len(players), len(self.component.ways)
        code = np.zeros((n + len(around),) * 2, np.int64)
        relaxed = code.copy()  # where those vertices meet nobody: what they do is said pair by pair
        code[:n, :n] = component.code[np.ix_(players, players)]
        relaxed[:n, :n] = component.relaxed[np.ix_(players, players)]
        relaxed = np.where(component.cost[relaxed].any(axis=2), code, relaxed)
        for k, meets in enumerate(around):
            each = np.where(meets > 0, kinds + k * n + np.arange(n), 0)
            code[n + k, :n] = code[:n, n + k] = each
        ways = np.concatenate([component.ways.astype(object), *around])
        cost = np.zeros((len(ways), 0), np.int64)
        who = np.append(component.players[players], np.full(len(around), -1))
        return Component(who, code, relaxed, ways, cost, ())


def blocks_of(component: Component) -> Blocks | None:
    """A component in blocks, None where its equations do not each say that one match joins two."""
    cost, code = component.cost, component.code
    if set(component.totals) != {1} or cost.min() < 0 or cost.sum(axis=1).max() > 1:
        return None
    crossing = (cost.sum(axis=1) > 0)[code]
    label = component_of(len(component), *np.nonzero((code > 0) & ~crossing))
    joined = set()
    for row in cost.T.astype(np.bool_):
        one, two = (label[each] for each in np.nonzero(np.triu(row[code])))
        ends = np.unique(np.sort([one, two], axis=0), axis=1).T
        if len(ends) != 1 or ends[0, 0] == ends[0, 1]:
            return None
        joined.add((int(ends[0, 0]), int(ends[0, 1])))
    if not len(joined) == len(component.totals) == label.max():
        return None
    return Blocks(component, label, crossing)
