"""Odd sets of vertices that cut off a fractional matching.

Two ways of separation find them. The first looks at the tight edges, whose reduced cost
is 0. If they have no perfect matching, the theorem of Gallai and Edmonds names odd sets
of vertices (L. Lovász and M. D. Plummer, Matching theory, 1986). Constraints for all of
them raise the lower bound. The second looks at the edges with a value, and finds odd
components that too few of them cross (M. W. Padberg and M. R. Rao, Odd minimum cut-sets
and b-matchings, 1982, find a most violated set; components are the easy cases).

A set that is missing, or one set too many, makes a solve longer and never wrong.
"""

from __future__ import annotations

import numpy as np
import rustworkx as rx

from pairopt.engines.alternating_paths import (
    find_exchangeable_vertices,
    iterate_set_bits,
    pack_bits,
)
from pairopt.engines.cpsat.matching_relaxation import CostGraph, VertexSets
from pairopt.engines.odd_sets import component_of
from pairopt.event.arcs import BoolArray, FloatArray, IntArray

THRESHOLDS = (1e-6, 0.3, 0.51)
"""Edges of a larger value join the vertices of a component, one threshold after another."""
VIOLATED = 1 - 1e-4  # an odd-set constraint is violated below this sum


def find_gallai_edmonds_sets(
    graph: CostGraph, tight_edges: IntArray, contracted_sets: VertexSets
) -> list[BoolArray]:
    """Return odd sets because of which the tight edges have no perfect matching.

    A set is a mask of vertices, shape (vertices,). `tight_edges` are positions in the
    graph. Each of the `contracted_sets` counts as one vertex; of two that overlap, the
    smaller one is ignored. The sets found are the components of the vertices that some
    maximum matching leaves out (the theorem of Gallai and Edmonds), but not those of a
    single vertex. The list is empty if there is a perfect matching.
    """
    node_of_vertex = _contract(graph.vertices, contracted_sets)
    first_nodes = node_of_vertex[graph.first[tight_edges]]
    second_nodes = node_of_vertex[graph.second[tight_edges]]
    is_adjacent = _adjacency(int(node_of_vertex.max()) + 1, first_nodes, second_nodes)
    is_exchangeable = _find_exchangeable(is_adjacent)
    component_of_node = _components_within(is_adjacent, is_exchangeable)
    large_components = np.flatnonzero(np.bincount(component_of_node) > 1).tolist()
    component_of_vertex = component_of_node[node_of_vertex]
    return [
        component_of_vertex == component_number for component_number in large_components
    ]


def has_tutte_barrier(graph: CostGraph) -> bool:
    """Return whether a set of vertices proves that there is no perfect matching.

    Without the set, more components with an odd number of vertices are left than the
    set has vertices (W. T. Tutte, The factorization of linear graphs, 1947). The set
    tried consists of the neighbours of the vertices that some maximum matching leaves
    out (Gallai and Edmonds), so the result is False if there is a perfect matching.
    Costs are ignored. `graph` has the vertices and edges.
    """
    is_adjacent = _adjacency(graph.vertices, graph.first, graph.second)
    is_exchangeable = _find_exchangeable(is_adjacent)
    is_in_barrier = is_adjacent[is_exchangeable].any(axis=0) & ~is_exchangeable
    # vertices of the barrier are components of one vertex, which do not count
    component_of_vertex = _components_within(is_adjacent, ~is_in_barrier)
    component_sizes = np.bincount(component_of_vertex[~is_in_barrier])
    return int((component_sizes % 2).sum()) > int(is_in_barrier.sum())


def find_perfect_matching(graph: CostGraph) -> IntArray | None:
    """Return the positions of the edges of any perfect matching, or None without one.

    They are positions in `graph`, in no particular order. If several edges join two
    vertices, one of them is taken. Costs are ignored.
    """
    partner_of_vertex = _find_maximum_matching(
        _adjacency(graph.vertices, graph.first, graph.second)
    )
    if min(partner_of_vertex, default=0) < 0:
        return None
    # with sides there is an edge for each way round: the lower vertex comes first here
    lower_vertices = np.minimum(graph.first, graph.second).tolist()
    higher_vertices = np.maximum(graph.first, graph.second).tolist()
    edge_of_pair = {
        vertex_pair: edge_position
        for edge_position, vertex_pair in enumerate(
            zip(lower_vertices, higher_vertices, strict=True)
        )
    }
    matched_edges = [
        edge_position
        for (lower_vertex, higher_vertex), edge_position in edge_of_pair.items()
        if partner_of_vertex[lower_vertex] == higher_vertex
    ]
    return np.array(matched_edges, np.int64)


def _adjacency(nodes: int, first: IntArray, second: IntArray) -> BoolArray:
    """Return which nodes an edge first[k] - second[k] joins, shape (nodes, nodes).

    No node is joined to itself.
    """
    is_adjacent = np.zeros((nodes, nodes), np.bool_)
    is_adjacent[first, second] = is_adjacent[second, first] = True
    np.fill_diagonal(is_adjacent, False)
    return is_adjacent


def _find_exchangeable(is_adjacent: BoolArray) -> BoolArray:
    """Return the nodes that some maximum matching leaves out, shape (nodes,).

    It is a mask, False everywhere if there is a perfect matching. `is_adjacent`, shape
    (nodes, nodes), is symmetric.
    """
    partner_of_node = _find_maximum_matching(is_adjacent)
    unmatched_nodes = [
        node for node, partner in enumerate(partner_of_node) if partner < 0
    ]
    neighbour_bits = [pack_bits(is_neighbour) for is_neighbour in is_adjacent]
    exchangeable_bits = 0
    for node in unmatched_nodes:
        exchangeable_bits |= find_exchangeable_vertices(
            neighbour_bits, partner_of_node, node
        )
    is_exchangeable = np.zeros(len(partner_of_node), np.bool_)
    is_exchangeable[list(iterate_set_bits(exchangeable_bits))] = True
    return is_exchangeable


def _components_within(is_adjacent: BoolArray, is_node: BoolArray) -> IntArray:
    """Return the component of each node if only the nodes of a mask keep their edges.

    `is_adjacent`, shape (nodes, nodes), says which nodes an edge joins, and `is_node`,
    shape (nodes,), is the mask. The result has the same shape, with numbers from 0. A
    node outside the mask is a component of its own.
    """
    first_nodes, second_nodes = np.nonzero(
        np.triu(is_adjacent) & is_node & is_node[:, None]
    )
    return component_of(len(is_node), first_nodes, second_nodes)


def _contract(vertices: int, sets: VertexSets) -> IntArray:
    """Return each vertex's node if sets are contracted to one node, shape (vertices,).

    Larger sets come first, and a set that overlaps one of them is ignored. Of a set and
    its complement, the smaller one is contracted.
    """
    smaller_sets = np.where(sets.sum(axis=1)[:, None] > vertices // 2, ~sets, sets)
    label_of_vertex, is_contracted = np.arange(vertices), np.zeros(vertices, np.bool_)
    for set_number in np.argsort(-smaller_sets.sum(axis=1), kind="stable").tolist():
        is_in_set = smaller_sets[set_number]
        if not (is_in_set & is_contracted).any():
            is_contracted |= is_in_set
            label_of_vertex[is_in_set] = label_of_vertex[is_in_set].min()
    return np.asarray(np.unique(label_of_vertex, return_inverse=True)[1], np.int64)


def _find_maximum_matching(is_adjacent: BoolArray) -> list[int]:
    """Return each node's partner in a matching of maximum size, -1 for none.

    `is_adjacent`, shape (nodes, nodes), is symmetric.
    """
    adjacency_graph = rx.PyGraph.from_adjacency_matrix(is_adjacent.astype(np.float64))
    partner_of_node = [-1] * len(is_adjacent)
    for first_node, second_node in rx.max_weight_matching(
        adjacency_graph, max_cardinality=True
    ):
        partner_of_node[first_node], partner_of_node[second_node] = (
            second_node,
            first_node,
        )
    return partner_of_node


def find_support_sets(
    graph: CostGraph, support: IntArray, values: FloatArray
) -> list[BoolArray]:
    """Return odd components under edges of a large value whose constraint is violated.

    A set is a mask of vertices, shape (vertices,). `values` has one value for each of
    the edges at the positions `support` in `graph`. The components of the first of
    `THRESHOLDS` that gives a set are returned. Components of one vertex are left out.
    Without a violated constraint the list is empty.
    """
    first_ends, second_ends = graph.first[support], graph.second[support]
    for threshold in THRESHOLDS:
        is_joining_edge = values > threshold
        component_of_vertex = component_of(
            graph.vertices, first_ends[is_joining_edge], second_ends[is_joining_edge]
        )
        component_sizes = np.bincount(component_of_vertex)
        is_crossing = (
            component_of_vertex[first_ends] != component_of_vertex[second_ends]
        )
        crossing_sum_of_component = np.zeros(len(component_sizes))
        for edge_ends in (first_ends, second_ends):
            components_of_ends = component_of_vertex[edge_ends[is_crossing]]
            np.add.at(
                crossing_sum_of_component, components_of_ends, values[is_crossing]
            )
        is_violated = (
            (component_sizes % 2 == 1)
            & (component_sizes > 1)
            & (crossing_sum_of_component < VIOLATED)
        )
        if is_violated.any():
            return [
                component_of_vertex == component_number
                for component_number in np.flatnonzero(is_violated)
            ]
    return []
