"""Edges of the matching: the single pairs that columns stand for."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairopt.engines.allowed_arcs import AllowedArcs
from pairopt.engines.player_types import PairClasses
from pairopt.engines.single_pairs import expand_pairs
from pairopt.event.arcs import BoolArray, FloatArray, IntArray

Costs = IntArray | NDArray[np.object_]
Numbers = NDArray[Any]
"""Exact integers, of 64 bits or Python's."""

EACH = 12  # edges of each vertex with which column generation begins


@dataclass(frozen=True)
class Edges:
    """Edges between players, as arrays with one entry per edge.

    Edge k joins the positions first[k] < second[k]; the number of players as second[k]
    stands for the bye. number[k] is the column that the edge belongs to. Methods select
    edges by a mask or by their ends, and join two such arrays.
    """

    first: IntArray
    second: IntArray
    number: IntArray

    def __len__(self) -> int:
        return len(self.first)

    def joining(self, players: int, u: IntArray, v: IntArray) -> Edges:
        """Return the edges that join some u[k] and v[k], which are disjoint pairs.

        They are in the order of the edges; parallel edges are all returned. `players`
        is the number of players.
        """
        return self.chosen(self.of(players, u, v))

    def of(self, players: int, u: IntArray, v: IntArray) -> BoolArray:
        """Return a mask of the edges that join some u[k] and v[k], in either order.

        These are disjoint pairs of positions; the number of players is the bye.
        """
        partner_of_vertex = np.full(players + 1, -1)
        partner_of_vertex[u], partner_of_vertex[v] = v, u
        return np.asarray(partner_of_vertex[self.first] == self.second, np.bool_)

    def chosen(self, which: BoolArray | IntArray) -> Edges:
        """Return the edges that `which`, a mask or an array of positions, selects."""
        return Edges(self.first[which], self.second[which], self.number[which])

    def and_(self, added: Edges) -> Edges:
        """Return these edges followed by the edges `added`, duplicates included."""
        return Edges(
            np.concatenate([self.first, added.first]),
            np.concatenate([self.second, added.second]),
            np.concatenate([self.number, added.number]),
        )


def expand_edges(columns: AllowedArcs, alive: BoolArray) -> Edges:
    """Return an edge for each pair of the columns alive, and for each bye among them.

    `alive` is a mask of the columns.
    """
    return Edges(*expand_pairs(columns, alive))


def count_pairs(columns: AllowedArcs, alive: BoolArray) -> int:
    """Return an upper bound of the number of pairs of the columns alive, byes included.

    `alive` is a mask of the columns. Of classes it counts all pairs of both types, even
    if some of them are in another class. For single pairs it is exact.
    """
    if not isinstance(columns, PairClasses):
        return int(np.count_nonzero(alive))
    first_types, second_types, type_sizes = (
        columns.a[alive],
        columns.b[alive],
        np.append(columns.size, 1),
    )
    first_sizes, second_sizes = type_sizes[first_types], type_sizes[second_types]
    pair_counts = np.where(
        first_types == second_types,
        first_sizes * (first_sizes - 1) // 2,
        first_sizes * second_sizes,
    )
    return int(pair_counts.sum())


def max_exact_cost(players: int) -> int:
    """Return the largest cost for which rustworkx matches so many players exactly.

    rustworkx computes in 128 bits and wraps around in silence. With costs up to W and N
    vertices, two times any dual variable, and so any slack, stays below (N + 6) W as
    long as every search ends in an augmentation: the run is the one with all weights
    raised by N W / 2, in which duals are never negative. A last search that fails
    (there is no perfect matching) lowers duals by less than one slack per labelled
    vertex or blossom, 3 N in all.
    """
    return int(2**124 // (players + 7) ** 2)


def near_edges_mask(
    vertices: int,
    first: IntArray,
    second: IntArray,
    rank: FloatArray,
    per_vertex: int | None = None,
) -> BoolArray:
    """Return a mask of about the `per_vertex` lowest-rank edges of each vertex.

    The edges are first[k] - second[k], between so many `vertices`. A fixed random
    number from 0 to 1 is added to each rank, so that edges of nearly equal rank are
    chosen at random. An edge is marked if it is among the lowest of one of its ends.
    Vertices with fewer edges keep them all. `per_vertex` is `EACH` by default.
    """
    is_chosen_edge = np.zeros(len(first), np.bool_)
    noisy_rank = np.random.default_rng(0).random(len(rank))
    noisy_rank += rank
    edges_by_vertex, start_of_vertex = sort_by_endpoints(vertices, first, second)
    most_edges_per_vertex = min(per_vertex or EACH, vertices - 1)
    for vertex_start, vertex_end in pairwise(start_of_vertex.tolist()):
        vertex_edges = edges_by_vertex[vertex_start:vertex_end]
        if vertex_end - vertex_start > most_edges_per_vertex:
            lowest_rank_positions = np.argpartition(
                noisy_rank[vertex_edges], most_edges_per_vertex
            )[:most_edges_per_vertex]
            vertex_edges = vertex_edges[lowest_rank_positions]
        is_chosen_edge[vertex_edges] = True
    return is_chosen_edge


def sort_by_endpoints(
    ends: int, first: IntArray, second: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the edges sorted by vertex, each twice, and the start of each vertex.

    `ends` is the number of vertices. The result is two arrays, `order` and `start`: the
    positions of the edges of vertex v are order[start[v] : start[v + 1]]. The edges are
    first[k] - second[k].
    """
    # numpy sorts short integers by their digits (radix sort)
    short_dtype = np.min_scalar_type(ends)
    endpoints = np.concatenate([first.astype(short_dtype), second.astype(short_dtype)])
    edges_by_vertex = np.argsort(endpoints, kind="stable")
    degrees = np.bincount(first, minlength=ends) + np.bincount(second, minlength=ends)
    start_of_vertex = np.append(0, np.cumsum(degrees))
    np.subtract(
        edges_by_vertex,
        len(first),
        out=edges_by_vertex,
        where=edges_by_vertex >= len(first),
    )
    return edges_by_vertex, start_of_vertex
