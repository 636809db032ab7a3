"""Pairing: who has the bye, and the first of a bracket's best pairings, in the order of article 4.

Brackets are solved as in the Dutch System; only the bye and the order of pairings are others.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pairopt.budget import Budget
from pairopt.engines.base import Settle
from pairopt.event.arcs import IntArray
from pairopt.fide.burstein.system import numbered
from pairopt.fide.dutch.block import Block, Bracket, among
from pairopt.fide.dutch.field import RankPairs, RoundField
from pairopt.fide.dutch.ranking import RankedPlayers

AT_ONCE = 8
"""Players whose opponents are settled at a time."""


def without_bye(field: RoundField) -> RoundField | None:
    """The field without who has the bye (article 3.1); None where not all can be paired."""
    system, everybody = field.system, np.arange(len(field.ranking))
    if not field.ranking.odd:
        return field if field.complete(everybody, False) else None
    for rank in np.lexsort(system.bye_costs().T[::-1]).tolist():
        kept = np.delete(everybody, rank)
        if field.may_bye[rank] and field.complete(kept, False):
            rest = replace(system, ranking=field.ranking.without(np.array([rank])))
            return replace(
                field, system=rest, legal=field.legal[np.ix_(kept, kept)],
                may_bye=field.may_bye[kept], bye_group=len(rest.ranking.scores),
            )  # fmt: skip
    return None


def first_pairing(
    block: Block, ranking: RankedPlayers, s: int, settle: Settle, budget: Budget
) -> tuple[RankPairs, Block]:
    """The pairs a < b that the bracket of group `s` makes, and what they leave.

    `block` has the bracket's best quality.
    """
    inside = block.vertices[ranking.group_of(block.vertices) <= s]
    search = _Search(ranking, s, settle, budget)
    left, made = numbered(ranking, inside), list[RankPairs]()
    while True:
        chosen = search.guess(block, left)
        rest = None if chosen is None else search.rest(block, chosen)
        if chosen is not None and rest is not None:
            made.append((block.a[chosen], block.b[chosen]))
            one, two = zip(*made, strict=True)
            return (np.concatenate(one), np.concatenate(two)), rest
        block, pairs = search.opponents(block, left)
        made.append(pairs)
        left = left[AT_ONCE:]
        left = left[~among(left, np.concatenate(pairs))]


class _Search(Bracket):
    def guess(self, block: Block, left: IntArray) -> IntArray | None:
        """The pairs if each of `left`, in order, has the last one left whom the values allow.

        Who has nobody floats; None where somebody cannot. Nothing before it is as good.
        """
        place = np.full(block.vertices.max(initial=0) + 1, len(left))
        place[left] = np.arange(len(left))
        rows = np.flatnonzero(self.here(block))
        first, last = np.sort([place[block.a[rows]], place[block.b[rows]]], axis=0)
        order = np.lexsort((-last, first))
        rows, first, last = rows[order], first[order], last[order].tolist()
        starts = np.searchsorted(first, np.arange(len(left) + 1)).tolist()
        out = ~self.here(block)
        floats = among(left, np.append(block.a[out], block.b[out])).tolist()
        values, gone, chosen = block.values.copy(), set[int](), list[int]()
        for one in range(len(left)):
            if one in gone:
                continue
            gone.add(one)
            for k in range(starts[one], starts[one + 1]):
                costs = block.costs[rows[k]]
                if last[k] not in gone and (costs <= values).all():
                    values -= costs
                    gone.add(last[k])
                    chosen.append(int(rows[k]))
                    break
            else:
                if not floats[one]:
                    return None
        return np.array(chosen, np.int64)

    def rest(self, block: Block, chosen: IntArray) -> Block | None:
        """What is left when these pairs are made and all others float, None where that fails."""
        left = block.fixed(chosen)
        left = left.kept(~self.here(left))
        return left.settled(np.zeros((len(left), 0), np.int64), self.settle, self.budget)

    def opponents(self, block: Block, left: IntArray) -> tuple[Block, RankPairs]:
        """The pairs of the first of `left`, as far as they do not float, and the block after."""
        some, known = left[:AT_ONCE], block.costs.shape[1]
        after = np.full(block.vertices.max() + 1, 0)
        after[left] = np.arange(len(left))[::-1]
        here = self.here(block)
        costs = [
            np.where(here, after[np.where(block.a == one, block.b, block.a)], len(left))
            * ((block.a == one) | (block.b == one))
            for one in some.tolist()
        ]
        found = self.settled(block, np.column_stack(costs))
        assert found.used is not None
        touched = among(found.a, some) | among(found.b, some)
        used = found.used[(touched & self.here(found))[found.used]]
        pairs = found.a[used], found.b[used]
        floats = some[~among(some, np.concatenate(pairs))]
        plain = replace(found, costs=found.costs[:, :known], values=found.values[:known])
        rest = plain.fixed(used)
        stays = among(rest.a, floats) | among(rest.b, floats)
        return rest.kept(~(stays & self.here(rest))), pairs
