"""First: whether a bracket's pairing is the first of its best ones, whoever has found it: of one
player after the other, whether somebody earlier could be had, by who is left, then by alternating
paths, and where these leave it open by the engine that settles levels.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

import numpy as np

from pairopt.engines.alternating_paths import (
    find_exchangeable_vertices,
    index_pairs,
    pack_bits,
)
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.fide.dutch.bracket_pairs import Bracket, BracketPairs, Made, RankPairs
from pairopt.fide.dutch.completion import CompletionField
from pairopt.fide.dutch.criteria import OrderLevelSum, bracket_costs


def is_first(
    bracket: Bracket, block: BracketPairs, sums: Iterable[OrderLevelSum], made: Made
) -> bool:
    """Whether no pairing of a block, of all that are best in quality, with its values comes before
    the one that was made; `sums` are the parts of the order, as it was made.
    """
    if (started := _with_pairing(block, made)) is None:
        return False
    block = started.tight(bracket.budget) if len(block.values) else started
    met = _MeetingIndex(block)
    place = np.full(int(block.vertices.max(initial=0)) + 1, -1)
    place[block.vertices] = np.arange(len(block.vertices))
    for part in bracket.budget.iterate(sums):
        if part.own is None:
            block = _remaining_pairs(block, met.number)
            costs = part.amounts(*_ranks(bracket, block))
            if costs[block.pairing].any():
                found = _minimize_levels(bracket, block, costs)
                if (
                    left := None if found is None else _with_pairing(found, made)
                ) is None:
                    return False
                block = left
            else:
                block = block.kept(costs == 0)
            met = _MeetingIndex(block)
            continue
        own = int(place[part.own])
        others = np.flatnonzero(met.number[own] >= 0)
        rows, mate = met.number[own, others], int(met.mate[own])
        costs = part.amounts(block.a[rows], block.b[rows])
        paid = int(costs[others == mate][0])
        less = others[costs < paid]
        if len(less) and not met.out_of_reach(own, less):
            block = _remaining_pairs(block, met.number)
            found = _minimize_levels(
                bracket, block, part.amounts(*_ranks(bracket, block))
            )
            if found is None or found.values[-1] < paid:
                return False
            met = _MeetingIndex(block)
        gone = others[costs != paid]
        met.part(own, gone)
        if len(gone) == len(others) - 1:  # nobody else has that opponent
            all_of = np.flatnonzero(met.number[mate] >= 0)
            met.part(mate, all_of[all_of != own])
    return True


class _MeetingIndex:
    """The number of the pair of any two vertices, by their places, and the partner of each."""

    def __init__(self, block: BracketPairs) -> None:
        one, two = block.ends.T
        self.number, self.mate = index_pairs(one, two, block.pairing)

    @cached_property
    def opponents(self) -> list[int]:
        return [*map(pack_bits, self.number >= 0)]

    def part(self, one: int, others: IntArray) -> None:
        self.number[one, others] = self.number[others, one] = -1
        if "opponents" in self.__dict__:
            for other in others.tolist():
                self.opponents[one] &= ~(1 << other)
                self.opponents[other] &= ~(1 << one)

    def out_of_reach(self, own: int, wanted: IntArray) -> bool:
        """Whether no alternating path gives a vertex one of the wanted others."""
        partner = self.mate.tolist()
        root = partner[own]
        partner[own] = partner[root] = -1
        found = find_exchangeable_vertices(self.opponents, partner, root, gone=1 << own)
        return not any(found >> other & 1 for other in wanted.tolist())


def _remaining_pairs(block: BracketPairs, number: IntArray) -> BracketPairs:
    one, two = block.ends.T
    return block.kept(number[one, two] >= 0)


def _minimize_levels(
    bracket: Bracket, block: BracketPairs, costs: IntArray
) -> BracketPairs | None:
    return block.settled(costs[:, None], bracket.settle, bracket.budget)


def is_first_of_all(
    field: CompletionField, s: int, residents: IntArray, pairs: RankPairs
) -> bool:
    """Whether in pairs of residents alone each of S1 has the first one left who costs nothing."""
    half = len(residents) // 2
    upper, lower = residents[:half], residents[half:]
    if not np.array_equal(pairs[0], upper) or len(np.unique(pairs[1])) < half:
        return False
    place = np.searchsorted(lower, pairs[1])
    if not np.array_equal(lower[np.minimum(place, len(lower) - 1)], pairs[1]):
        return False
    taker = np.full(len(lower), half)
    taker[place] = np.arange(half)
    earlier = np.arange(len(lower)) < place[:, None]
    earlier &= taker > np.arange(half)[:, None]
    row, column = np.nonzero(earlier & field.legal[np.ix_(upper, lower)])
    a, b = np.append(upper[row], upper), np.append(lower[column], pairs[1])
    costs = bracket_costs(
        field.ranking, s, field.system.keys[s], a, b, np.zeros(len(a), np.bool_)
    )
    counts: BoolArray = np.asarray(costs.any(axis=1))
    return bool(counts[: len(row)].all() and not counts[len(row) :].any())


def _with_pairing(block: BracketPairs, made: Made) -> BracketPairs | None:
    """The block with the pairing that was made at hand; None where it has other values."""
    (upper, lower), rest = made
    a = np.append(upper, rest.a[rest.pairing])
    b = np.append(lower, rest.b[rest.pairing])
    size = int(block.vertices.max(initial=0)) + 1
    keys = block.a * size + block.b
    order = np.argsort(keys)
    wanted = np.minimum(a, b) * size + np.maximum(a, b)
    found = order[
        np.minimum(np.searchsorted(keys, wanted, sorter=order), len(order) - 1)
    ]
    whole = np.array_equal(np.sort(np.append(a, b)), block.vertices)
    if not whole or not np.array_equal(keys[found], wanted):
        return None
    if not np.array_equal(block.costs[found].sum(axis=0), block.values):
        return None
    return replace(block, used=found)


def _ranks(bracket: Bracket, block: BracketPairs) -> RankPairs:
    """The ends of pairs by rank; all that is below everybody is one."""
    n = len(bracket.ranking)
    return np.minimum(block.a, n), np.minimum(block.b, n)
