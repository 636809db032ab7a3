"""Graph: the pairs that columns stand for."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairopt.engines.allowed_arcs import AllowedArcs
from pairopt.engines.player_types import PairClasses
from pairopt.engines.single_pairs import expand
from pairopt.event.arcs import BoolArray, FloatArray, IntArray

Costs = IntArray | NDArray[np.object_]
Numbers = NDArray[Any]  # exact integers: of 64 bits, or Python's

EACH = 12  # so many edges of each vertex are looked at first


@dataclass(frozen=True)
class Edges:
    """Pairs of players (`second` is n for a bye), and the column that each belongs to."""

    first: IntArray
    second: IntArray
    number: IntArray

    def __len__(self) -> int:
        return len(self.first)

    def joining(self, players: int, one: IntArray, two: IntArray) -> Edges:
        """The edges between one[0] and two[0], one[1] and two[1], ..., disjoint pairs."""
        return self.chosen(self.of(players, one, two))

    def of(self, players: int, one: IntArray, two: IntArray) -> BoolArray:
        """Which edges are between one[0] and two[0], one[1] and two[1], ..., disjoint pairs."""
        partner = np.full(players + 1, -1)
        partner[one], partner[two] = two, one
        return np.asarray(partner[self.first] == self.second, np.bool_)

    def chosen(self, which: BoolArray | IntArray) -> Edges:
        return Edges(self.first[which], self.second[which], self.number[which])

    def and_(self, more: Edges) -> Edges:
        both = (
            (self.first, more.first),
            (self.second, more.second),
            (self.number, more.number),
        )
        return Edges(*map(np.concatenate, both))


def edges_of(columns: AllowedArcs, alive: BoolArray) -> Edges:
    return Edges(*expand(columns, alive))


def pairs_of(columns: AllowedArcs, alive: BoolArray) -> int:
    """How many pairs are alive; no fewer, where some of those of a class are not in it."""
    if not isinstance(columns, PairClasses):
        return int(np.count_nonzero(alive))
    a, b, size = columns.a[alive], columns.b[alive], np.append(columns.size, 1)
    return int(np.where(a == b, size[a] * (size[a] - 1) // 2, size[a] * size[b]).sum())


def max_exact_cost(players: int) -> int:
    """The largest cost for which the matching of so many players is exact. rustworkx computes in
    128 bits and wraps around in silence. With costs up to W and N vertices, two times any dual
    variable, and so any slack, stays below (N + 6) W as long as every search ends in an
    augmentation: the run is the one with all weights raised by N W / 2, in which duals are never
    negative. A last search that fails (there is no perfect matching) lowers duals by less than one
    slack a labelled vertex or blossom, 3 N in all.
    """
    return int(2**124 // (players + 7) ** 2)


def near_edges_mask(
    vertices: int,
    first: IntArray,
    second: IntArray,
    rank: FloatArray,
    many: int | None = None,
) -> BoolArray:
    """The pairs of each vertex of about the least rank, `EACH` or so many; of equal ones any."""
    found = np.zeros(len(first), np.bool_)
    rough = rank + np.random.default_rng(0).random(len(rank))
    edge, start = sort_by_endpoints(vertices, first, second)
    most = min(many or EACH, vertices - 1)
    for low, high in pairwise(start.tolist()):
        own = edge[low:high]
        found[
            own if high - low <= most else own[np.argpartition(rough[own], most)[:most]]
        ] = True
    return found


def sort_by_endpoints(
    ends: int, first: IntArray, second: IntArray
) -> tuple[IntArray, IntArray]:
    """The pairs by their ends, so each twice; where those of each end begin, and the last's end."""
    every = np.concatenate([first, second]).astype(np.min_scalar_type(ends))
    order = np.argsort(every, kind="stable")  # short numbers are sorted by their digits
    start = np.append(0, np.cumsum(np.bincount(every, minlength=ends)))
    np.subtract(order, len(first), out=order, where=order >= len(first))
    return order, start
