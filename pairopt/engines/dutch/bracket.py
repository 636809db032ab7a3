"""Bracket: what a search for the first pairing of a bracket is given."""

from __future__ import annotations

from dataclasses import dataclass

from pairopt.engines.base import Budget, Settle
from pairopt.engines.dutch.block import Block
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.systems.dutch.ranking import Ranking


@dataclass(frozen=True)
class Bracket:
    """The bracket of group `s`, and what settles levels in it."""

    ranking: Ranking
    s: int
    settle: Settle
    budget: Budget

    def here(self, block: Block) -> BoolArray:
        """The pairs that are made in this bracket."""
        here: BoolArray = self.ranking.group_of(block.b) == self.s
        return here

    def settled(self, block: Block, costs: IntArray) -> Block:
        """The block at its best in these levels too; a pairing with its values is at hand."""
        found = block.settled(costs, self.settle, self.budget)
        assert found is not None
        return found
