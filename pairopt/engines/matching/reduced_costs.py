"""Reduced costs of edges under duals of vertices and of odd sets, exactly."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from pairopt.engines.matching.edges import Edges, Numbers, sort_by_endpoints
from pairopt.engines.player_types import types_of
from pairopt.event.arcs import FloatArray, IntArray

LARGEST = 2**60  # sums up to it are kept in 64 bits
AT_ONCE = 2**16  # edges that are priced together
VertexDuals = Sequence[int] | Numbers
"""The dual of each vertex."""
SetDuals = Mapping[frozenset[int], int]
"""Odd sets of vertices, and the dual of each: what an edge that crosses the set pays."""


def double_exact(cost: Numbers) -> Numbers:
    """Return twice the costs, as Python's integers if sums might exceed 64 bits.

    Costs are not negative.
    """
    has_small_sums = int(cost.max(initial=0)) < LARGEST // 4
    return 2 * cost.astype(np.int64 if has_small_sums else object)


def compute_reduced_costs(
    edges: Edges, cost: Numbers, vertex_duals: VertexDuals, sets: SetDuals
) -> Numbers:
    """Return each edge's cost minus the duals of its ends and of the sets it crosses.

    `cost` has shape (edges,), `vertex_duals` an entry for each vertex, and `sets` the
    dual of each odd set; an edge crosses a set that holds exactly one of its ends. The
    integers are exact, Python's if 64 bits could overflow.
    """
    exact_vertex_duals = as_exact_array(vertex_duals, sets, cost)
    # which vertices are in each set, shape (sets, vertices)
    is_vertex_in_set = np.zeros((len(sets), len(vertex_duals)), np.bool_)
    for is_vertex_in_this_set, odd_set in zip(is_vertex_in_set, sets, strict=True):
        is_vertex_in_this_set[list(odd_set)] = True

    # vertices in the same sets make a cell; duals of the sets that hold two cells
    cell_of_vertex = types_of(list(is_vertex_in_set), len(vertex_duals))
    is_cell_in_set = np.zeros(
        (int(cell_of_vertex.max(initial=0)) + 1, len(sets)), np.bool_
    )
    is_cell_in_set[cell_of_vertex] = is_vertex_in_set.T
    set_duals = np.array(list(sets.values()), exact_vertex_duals.dtype)
    shared_set_duals = (is_cell_in_set * set_duals) @ is_cell_in_set.T
    set_duals_of_cell = shared_set_duals.diagonal()
    crossed_set_duals = (
        set_duals_of_cell[:, None] + set_duals_of_cell - 2 * shared_set_duals
    )

    reduced_costs: Numbers = np.empty(
        len(edges), np.result_type(exact_vertex_duals, cost)
    )
    # in parts that stay in the processor's cache
    for part_start in range(0, len(edges), AT_ONCE):
        edge_slice = slice(part_start, part_start + AT_ONCE)
        first_ends, second_ends = edges.first[edge_slice], edges.second[edge_slice]
        reduced_costs[edge_slice] = (
            cost[edge_slice]
            - exact_vertex_duals[first_ends]
            - exact_vertex_duals[second_ends]
        )
        if sets:
            reduced_costs[edge_slice] -= crossed_set_duals[
                cell_of_vertex[first_ends], cell_of_vertex[second_ends]
            ]
    return reduced_costs


def as_exact_array(vertex_duals: VertexDuals, sets: SetDuals, cost: Numbers) -> Numbers:
    """Return the duals of vertices as a new array, in integers that hold sums of duals.

    They are integers of the type of `cost`, or Python's if `sets` and duals could
    exceed 64 bits. `vertex_duals` holds the dual of each vertex.
    """
    largest_sum = max(map(abs, vertex_duals), default=0) + sum(sets.values())
    return np.array(vertex_duals, cost.dtype if largest_sum < LARGEST else object)


def find_feasible_duals(ends: int, u: IntArray, v: IntArray, twice: Numbers) -> Numbers:
    """Return feasible duals of vertices: no edge has a negative reduced cost.

    Edge k joins the vertices u[k] and v[k], which are equal in a loop. `twice` holds
    the edges' costs, even and not negative; `ends` is the number of vertices. Each dual
    begins as half of the cheapest edge of the vertex; then, vertex by vertex, it is
    raised as far as the duals of its neighbours allow.
    """
    is_loop = u == v
    dual_limits: Numbers = np.full(ends, twice.max(initial=0), twice.dtype)
    np.minimum.at(dual_limits, u[is_loop], twice[is_loop] // 2)
    if is_loop.any():
        u, v, twice = u[~is_loop], v[~is_loop], twice[~is_loop]

    feasible_duals = dual_limits.copy()
    for edge_ends in (u, v):
        np.minimum.at(feasible_duals, edge_ends, twice // 2)
    # There may be millions of edges, so arrays of each edge's two directions are avoided.
    edges_by_vertex, start_of_vertex = sort_by_endpoints(ends, u, v)
    end_sums = u + v  # less one end, the other end
    for vertex, (first_position, end_position) in enumerate(
        pairwise(start_of_vertex.tolist())
    ):
        if first_position == end_position:
            continue
        vertex_edges = edges_by_vertex[first_position:end_position]
        neighbours = end_sums[vertex_edges] - vertex
        remaining_costs = twice[vertex_edges] - feasible_duals[neighbours]
        feasible_duals[vertex] = min(dual_limits[vertex], remaining_costs.min())
    return feasible_duals


def approximate_log(above: Numbers) -> FloatArray:
    """Return roughly the logarithm, to base 2, of 1 + each number.

    The numbers are integers of any size, not negative. If some have more than 1000
    bits, all are divided by the same power of two first: only the order matters.
    `above` is an array of them.
    """
    spare_bits = max(int(above.max(initial=0)).bit_length() - 1000, 0)
    return np.asarray(np.log2(1 + (above >> spare_bits).astype(np.float64)), np.float64)
