"""Pairing: who has the bye, and the first of a bracket's best pairings, in the order of article 4.

Brackets are solved as in the Dutch System; only the bye and the order of pairings are others.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pairopt.engines.matching.tight import meetings
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.fide.burstein.system import numbered
from pairopt.fide.dutch.block import Block, Bracket, Made, RankPairs, among
from pairopt.fide.dutch.field import RoundField

AT_ONCE = 8
"""Players whose opponents are settled at a time."""


def without_bye(field: RoundField) -> RoundField | None:
    """The field without who has the bye (article 3.1); None where not all can be paired."""
    system, everybody = field.system, np.arange(len(field.ranking))
    if not field.ranking.odd:
        return field if field.complete(everybody, False) else None
    costs = system.bye_costs()
    for rank in np.lexsort(costs.T[::-1]).tolist():
        kept = np.delete(everybody, rank)
        if field.may_bye[rank] and field.complete(kept, False):
            rest = replace(system, ranking=field.ranking.without(np.array([rank])))
            return replace(
                field, system=rest, legal=field.legal[np.ix_(kept, kept)],
                may_bye=field.may_bye[kept], bye_group=len(rest.ranking.scores),
                bye_bounds=tuple(costs[rank].tolist()),
            )  # fmt: skip
    return None


class BursteinBracket(Bracket):
    """A bracket of the Burstein System."""

    def first(self, block: Block) -> Made:
        """The pairs of its first pairing, and what they leave; see `Bracket`."""
        inside = block.vertices[self.ranking.group_of(block.vertices) <= self.s]
        left, made = numbered(self.ranking, inside), [(inside[:0], inside[:0])]
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
                left = left[~among(left, np.concatenate(pairs))]
        one, two = zip(*made, strict=True)
        return (np.concatenate(one), np.concatenate(two)), block

    def _walked(self, block: Block, left: IntArray) -> tuple[Block, RankPairs, IntArray]:
        """The pairs of the first of `left`, the block without them, and who is left.

        In any pairing of the block: each has the last one whom a change of partners sets free.
        """
        assert block.used is not None
        others = block.vertices[~among(block.vertices, left)]
        place = np.empty(block.vertices.max(initial=0) + 1, np.int64)
        place[np.append(left, others)] = np.arange(len(block.vertices))
        number, mate = meetings(place[block.a], place[block.b], block.used)
        free, open_to = number >= 0, np.ones(len(left), np.bool_)
        made = list[int]()
        for player in self.budget.watched(range(len(left))):
            if not open_to[player]:
                continue
            wanted = np.flatnonzero(free[player, : len(left)])
            pairs = _freed(free, mate, player, wanted)
            if pairs is None:
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
        stays = self.here(rest) & (among(rest.a, floats) | among(rest.b, floats))
        return rest.kept(~stays), (block.a[chosen], block.b[chosen]), left[open_to]


def _freed(
    free: BoolArray, mate: IntArray, player: int, wanted: IntArray
) -> list[tuple[int, int]] | None:
    """New pairs in which a player has the last one of `wanted` that can be had, or none of them.

    None where a change of partners comes back to somebody whom it has been at, which may be no
    change at all. Whoever is not found by changes of all kinds cannot be had.
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
    return pairs if len({one for pair in pairs for one in pair}) == 2 * len(pairs) else None
