"""Bracket: what a search for the first pairing of a bracket is given."""

from __future__ import annotations

from dataclasses import dataclass

from pairopt.budget import Budget
from pairopt.engines.base import Settle
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.fide.dutch.block import Block
from pairopt.fide.dutch.ranking import Ranking


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
