"""Transposition: the first pairing in lexicographic order between two sides of a bracket.

Once S1 is known a bracket has two sides, and prices say which pairs are in some pairing of least
cost: all of their perfect pairings are. Among these the first player has the first opponent left
for whom an alternating path mends the pairing at hand, then the second, and so on.
"""

from __future__ import annotations

import numpy as np

from pairopt.budget import Budget
from pairopt.engines.matching.tight import at_least_cost
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.fide.dutch.block import Block, among


def first_pairs(block: Block, uppers: IntArray, beyond: int, budget: Budget) -> IntArray | None:
    """The pairs of the first pairing that has the block's values, in the order of `uppers`.

    One side are these and the vertices from `beyond` on, the other side all else. None where pairs
    are not between these sides.
    """
    assert block.used is not None
    left = among(block.vertices, uppers) | (block.vertices >= beyond)
    one, two = block.ends.T
    if (left[one] == left[two]).any():
        return None
    one, two = np.where(left[one], one, two), np.where(left[one], two, one)
    place = np.where(left, np.cumsum(left), np.cumsum(~left)) - 1
    row, column = place[one], place[two]
    m = len(block.vertices) // 2
    number = np.full((m, m), -1)
    number[row, column] = np.arange(len(block))
    mate = np.empty(m, np.int64)
    mate[row[block.used]] = column[block.used]
    allowed, known = at_least_cost(block.costs, number, mate, budget)
    assert known == block.costs.shape[1]  # between two sides prices say all
    order = place[np.searchsorted(block.vertices, uppers)].tolist()
    chosen = _first(allowed, mate.tolist(), order, budget)
    return number[order, chosen]


def _first(allowed: BoolArray, mate: list[int], order: list[int], budget: Budget) -> list[int]:
    """The columns of the rows `order` in the first perfect pairing; sets are bits of integers."""
    rows = [_bits(row) for row in allowed.T]
    columns = [_bits(column) for column in allowed]
    owner = [0] * len(mate)
    for row, column in enumerate(mate):
        owner[column] = row
    free = (1 << len(mate)) - 1
    for row in budget.watched(order):
        free &= ~(1 << row)
        found, heir = _reachable(rows, mate, mate[row], free)
        choice = columns[row] & found
        column = (choice & -choice).bit_length() - 1
        end, mate[row] = mate[row], column
        while column != end:  # who loses a partner takes the next one on the path
            loser = owner[column]
            owner[column] = row
            row, column = loser, heir[loser]
            mate[row] = column
        owner[column] = row
    return [mate[row] for row in order]


def _reachable(
    rows: list[int], mate: list[int], start: int, free: int
) -> tuple[int, dict[int, int]]:
    """The columns that can be given up if `start` is to be had; what each of their rows takes."""
    found, heir, ahead = 1 << start, dict[int, int](), [start]
    for column in ahead:
        some = rows[column] & free
        free &= ~some
        while some:
            row = (some & -some).bit_length() - 1
            some &= some - 1
            heir[row] = column
            found |= 1 << mate[row]
            ahead.append(mate[row])
    return found, heir


def _bits(row: BoolArray) -> int:
    return int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")
