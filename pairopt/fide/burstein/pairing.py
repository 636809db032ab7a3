"""Pairing: who has the bye, and the first of a bracket's best pairings, in the order of article 4.

Brackets are solved as in the Dutch System; only the bye and the order of pairings are others.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

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
    for rank in np.lexsort(system.bye_costs().T[::-1]).tolist():
        kept = np.delete(everybody, rank)
        if field.may_bye[rank] and field.complete(kept, False):
            rest = replace(system, ranking=field.ranking.without(np.array([rank])))
            return replace(
                field, system=rest, legal=field.legal[np.ix_(kept, kept)],
                may_bye=field.may_bye[kept], bye_group=len(rest.ranking.scores),
            )  # fmt: skip
    return None


class BursteinBracket(Bracket):
    """A bracket of the Burstein System."""

    def first(self, block: Block) -> Made:
        """The pairs of its first pairing, and what they leave; see `Bracket`.

        Nothing is before the pairing in which each player in order has the last one left, if the
        values allow it.
        """
        inside = block.vertices[self.ranking.group_of(block.vertices) <= self.s]
        left, made = numbered(self.ranking, inside), list[RankPairs]()
        while True:
            here = self.here(block)
            floats = among(left, np.append(block.a[~here], block.b[~here]))
            place = np.zeros(block.vertices.max(initial=0) + 1, np.int64)
            place[left] = np.arange(len(left))[::-1]
            walked = self.walk(block, left, np.flatnonzero(here), place, floats)
            found = None if walked is None else self.ended(block, walked[0], made)
            if found is not None:
                return found
            block, pairs = self.opponents(block, left[:AT_ONCE], place, len(left))
            made.append(pairs)
            left = left[AT_ONCE:]
            left = left[~among(left, np.concatenate(pairs))]
