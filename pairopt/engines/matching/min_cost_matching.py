"""Exact minimum-cost perfect matching, with column generation and a warm start.

The search begins with a few edges of each vertex and duals of vertices alone; edges
with a negative reduced cost are added until none is left (see
`solve_fractional_matching`). Then Edmonds' algorithm matches what remains, in exact
integers, under duals of vertices and odd sets (see `blossom`). Edges with a negative
reduced cost are added again, until none of the whole graph is left.

The fractional relaxation is an assignment problem on the bipartite double cover: two
copies of the vertices, with each edge both ways. A compiled library solves it in 64
bits, so costs are scaled (Gabow): their highest bits come first, and the reduced costs
so far become the next costs. What is far too expensive counts as only just too
expensive. The duals of the assignment are shortest path lengths in its residual graph
(Bellman and Ford). Few vertices then have no mutual partner.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import rustworkx as rx

from pairopt.common.budget import Budget
from pairopt.engines.base import EngineError
from pairopt.engines.matching.blossom import NOBODY, PrimalDualMatching
from pairopt.engines.matching.edge_sets import EdgeSet, ExplicitEdges
from pairopt.engines.matching.edges import Costs, Edges, Numbers, max_exact_cost
from pairopt.engines.matching.reduced_costs import (
    LARGEST,
    SetDuals,
    double_exact,
    find_feasible_duals,
)
from pairopt.engines.ortools import has_ortools
from pairopt.event.arcs import IntArray

BITS = 58  # bits for costs times the square of the vertices, in the assignment solver


def solve_fractional_matching(
    vertices: int, u: IntArray, v: IntArray, cost: Numbers, whole: bool = False
) -> tuple[Numbers, IntArray]:
    """Return optimal duals of the fractional matching, and partners by tight edges.

    The edges are u[k] - v[k] with an even `cost` that is not negative; they must
    have a perfect matching. No edge has a negative reduced cost under the duals, shape
    (vertices,). With `whole`, duals are sums and differences of costs, even if costs
    are composed of digits. The second array is each vertex's partner in the assignment,
    which may not be mutual.

    Without OR-Tools the duals are weaker and there are no partners: the same matching
    is found, but more slowly.
    """
    if not has_ortools():
        return find_feasible_duals(vertices, u, v, cost), np.zeros(0, np.int64)

    vertex_duals = np.zeros(vertices, cost.dtype)
    most_cost_bits, remaining_costs = BITS - 2 * vertices.bit_length(), cost
    while True:
        bit_shift = max(
            int(remaining_costs.max(initial=0)).bit_length() - most_cost_bits, 0
        )
        scaled_costs = (remaining_costs >> bit_shift + 1).astype(np.int64)
        assigned_second_copies = _assign_double_cover(vertices, u, v, scaled_costs)
        scaled_duals = _duals_of_assignment(
            vertices, u, v, scaled_costs, assigned_second_copies
        )
        dual_increase = scaled_duals.astype(cost.dtype) << bit_shift
        vertex_duals = vertex_duals + dual_increase
        remaining_costs = remaining_costs - dual_increase[u] - dual_increase[v]
        if not bit_shift:
            break
        remaining_costs = np.minimum(remaining_costs, vertices << bit_shift)
    if whole and cost.dtype == object:
        vertex_duals = _duals_of_assignment(
            vertices, u, v, cost >> 1, assigned_second_copies
        )
    return vertex_duals, assigned_second_copies


def _assign_double_cover(
    vertices: int, u: IntArray, v: IntArray, cost: IntArray
) -> IntArray:
    """Return each first copy's mate in an optimal assignment on the double cover.

    The edges are u[k] - v[k] with the costs cost[k]; the result, shape (vertices,),
    holds second copies. Raises EngineError if there is no assignment.
    """
    # only larger fields need this library
    from ortools.graph.python.linear_sum_assignment import SimpleLinearSumAssignment

    assignment_solver = SimpleLinearSumAssignment()
    first_copies, second_copies = np.concatenate([u, v]), np.concatenate([v, u])
    assignment_solver.add_arcs_with_cost(
        first_copies, second_copies, np.concatenate([cost, cost])
    )
    if assignment_solver.solve() != assignment_solver.OPTIMAL:
        raise EngineError("engine.no_assignment")
    return np.fromiter(
        map(assignment_solver.right_mate, range(vertices)), np.int64, vertices
    )


def _duals_of_assignment(
    vertices: int, one: IntArray, two: IntArray, cost: Numbers, mate: IntArray
) -> Numbers:
    """Return the sum of both copies' duals of each vertex, shape (vertices,).

    The edges are one[k] - two[k], each both ways on the double cover. `mate` is an
    optimal assignment of first copies to second copies. The duals of first copies are
    shortest path lengths; a second copy has the rest of the cost of its assigned edge.
    Raises EngineError if the assignment is not optimal.
    """
    first_copies, second_copies = np.concatenate([one, two]), np.concatenate([two, one])
    arc_costs = np.concatenate([cost, cost])
    arc_order = np.argsort(first_copies, kind="stable")
    first_copies, second_copies, arc_costs = (
        first_copies[arc_order],
        second_copies[arc_order],
        arc_costs[arc_order],
    )
    first_arc_of_copy = np.searchsorted(first_copies, np.arange(vertices))

    # the cost of each first copy's assigned edge, of parallel edges the cheaper one
    is_assigned = second_copies == mate[first_copies]
    assigned_edge_costs: Numbers = np.full(
        vertices, arc_costs.max(initial=0), cost.dtype
    )
    np.minimum.at(
        assigned_edge_costs, first_copies[is_assigned], arc_costs[is_assigned]
    )

    # the first copy that is assigned each second copy
    first_copy_of_second = np.argsort(mate)
    next_first_copies = first_copy_of_second[second_copies]
    residual_lengths = arc_costs - assigned_edge_costs[next_first_copies]
    first_copy_duals: Numbers = np.zeros(vertices, cost.dtype)
    for _pass in range(vertices + 1):
        previous_duals = first_copy_duals
        path_lengths = first_copy_duals[next_first_copies] + residual_lengths
        first_copy_duals = np.minimum(
            first_copy_duals, np.minimum.reduceat(path_lengths, first_arc_of_copy)
        )
        if (first_copy_duals == previous_duals).all():
            second_copy_duals = (assigned_edge_costs - first_copy_duals)[
                first_copy_of_second
            ]
            return np.asarray(first_copy_duals + second_copy_duals)
    raise EngineError("engine.dear_assignment")


MANY = 50_000  # edges, above which rustworkx takes longer than column generation
SPARSE = 16  # entries of an adjacency matrix for each edge, up to which it is used
EXACT = 2**53  # integers below this are exact in floating point
WIDENED = 3  # edges with a negative reduced cost that are added at once to each vertex


@dataclass(frozen=True)
class MinCostMatching:
    """A minimum-cost perfect matching with optimal duals.

    `mate` is each vertex's partner. `alone` is the dual of each vertex by itself,
    without those of the odd sets that hold it, and `sets` has the dual of each odd set.
    """

    mate: Sequence[int]
    alone: Sequence[int]
    sets: SetDuals

    @property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """The matched pairs: the lower and the higher vertex of each, shape (pairs,)."""
        partner_of_vertex = np.array(self.mate)
        lower_vertices = np.flatnonzero(
            np.arange(len(partner_of_vertex)) < partner_of_vertex
        )
        return lower_vertices, partner_of_vertex[lower_vertices]


def find_min_cost_perfect_matching(
    players: int, edges: Edges, cost: Costs, budget: Budget = Budget()
) -> Edges | None:
    """Return the edges of a minimum-cost perfect matching, or None if there is none.

    `cost`, shape (columns,), is what an edge of each column costs, not negative. An odd
    field has one vertex more, the bye. Small fields are matched by rustworkx, and
    larger ones, or larger costs, by column generation. Parallel edges are all returned.
    `players` is the number of players. Raises TimeUpError.
    """
    vertex_count = players + players % 2
    largest_cost = cost.max(initial=0)
    if len(edges) > MANY or int(largest_cost) > max_exact_cost(players):
        edge_costs = double_exact(cost)[edges.number]
        edge_set = ExplicitEdges(vertex_count, edges, edge_costs)
        optimal_matching = solve_min_cost_matching(edge_set, budget)
        return (
            None
            if optimal_matching is None
            else edges.joining(players, *optimal_matching.pairs)
        )

    edge_weights = (largest_cost - cost)[edges.number]
    partner_of_vertex = max_weight_partners(
        vertex_count, edges.first, edges.second, edge_weights, everybody=True
    )
    if -1 in partner_of_vertex:
        return None
    is_matched_edge = np.array(partner_of_vertex)[edges.first] == edges.second
    return edges.chosen(is_matched_edge.nonzero()[0])


def max_weight_partners(
    vertices: int,
    u: IntArray,
    v: IntArray,
    weight: IntArray | Costs,
    everybody: bool = False,
) -> list[int]:
    """Return each vertex's partner in a maximum-weight matching, -1 for none.

    The edges are u[k] - v[k], with integer weights that are not negative. With
    `everybody`, only matchings of maximum size count; otherwise a vertex may stay alone
    for a larger total weight. `vertices` is the number of vertices.
    """
    weighted_graph: rx.PyGraph[Any, Any] = rx.PyGraph()
    # an adjacency matrix takes less time than a list, but has its own order of edges
    edge_keys = u * vertices + v
    # edges may also be in this order but for those of the last vertex, the bye
    ends_at_last_vertex = v == vertices - 1
    edge_keys_bye_last = edge_keys + ends_at_last_vertex * vertices**2
    is_ordered = any(
        np.count_nonzero(compared_keys[1:] <= compared_keys[:-1]) == 0
        for compared_keys in (edge_keys, edge_keys_bye_last)
    )
    is_dense = vertices**2 < SPARSE * len(u)
    if is_ordered and is_dense and weight.max() < EXACT:
        weight_matrix = np.full((vertices, vertices), np.nan)
        weight_matrix[u, v] = weight
        weighted_graph = rx.PyGraph.from_adjacency_matrix(
            weight_matrix, null_value=np.nan
        )
    # without a matrix, or with edges that come twice or the other way round
    if weighted_graph.num_edges() < len(u):
        weighted_graph = rx.PyGraph()
        weighted_graph.add_nodes_from([None] * vertices)
        weighted_edges = zip(u.tolist(), v.tolist(), weight.tolist(), strict=True)
        weighted_graph.extend_from_weighted_edge_list(list(weighted_edges))
    partner_of_vertex = [-1] * vertices
    matched_edges = rx.max_weight_matching(
        weighted_graph, max_cardinality=everybody, weight_fn=int
    )
    for first_vertex, second_vertex in matched_edges:
        partner_of_vertex[first_vertex], partner_of_vertex[second_vertex] = (
            second_vertex,
            first_vertex,
        )
    return partner_of_vertex


def solve_min_cost_matching(
    among: EdgeSet, budget: Budget = Budget(), whole: bool = False
) -> MinCostMatching | None:
    """Return a minimum-cost perfect matching with its duals, or None if there is none.

    `among` is the set of edges, from which column generation takes some. Costs are even
    and not negative. With `whole`, the duals before the odd sets are sums and
    differences of costs, even if costs are composed of digits. Raises TimeUpError.
    """
    vertex_count = among.vertices
    generated_edges, generated_costs = _with_expensive_edges(among)

    # column generation for the fractional relaxation
    while True:
        budget.check()
        fractional_duals, partner_by_assignment = solve_fractional_matching(
            vertex_count,
            generated_edges.first,
            generated_edges.second,
            generated_costs,
            whole,
        )
        new_edges, new_edge_costs = among.cheaper(fractional_duals, {}, WIDENED)
        if not len(new_edges):
            break
        generated_edges, generated_costs = (
            generated_edges.and_(new_edges),
            np.concatenate([generated_costs, new_edge_costs]),
        )

    # column generation for the matching, with duals of odd sets
    matching_search = start_blossom(
        vertex_count,
        generated_edges,
        generated_costs,
        fractional_duals,
        partner_by_assignment.tolist(),
    )
    while True:
        matching_search.match(budget)
        vertex_duals, set_duals = matching_search.duals()
        new_edges, new_edge_costs = among.cheaper(vertex_duals, set_duals, 1)
        if not len(new_edges):
            break
        for busier_vertex, vertex, edge_cost in _order_by_degree(
            vertex_count, new_edges, new_edge_costs
        ):
            matching_search.add(busier_vertex, vertex, edge_cost)

    # an expensive edge that is necessary stands for one that does not exist
    artificial_cost = int(generated_costs.max(initial=0))
    if any(
        matching_search.neighbours[vertex][partner] == artificial_cost
        for vertex, partner in enumerate(matching_search.mate)
    ):
        return None
    return MinCostMatching(matching_search.mate, vertex_duals, set_duals)


def _with_expensive_edges(among: EdgeSet) -> tuple[Edges, Numbers]:
    """Return the first edges of the set and artificial ones, and their costs.

    The artificial edges are a perfect matching, so that there always is one. One costs
    more than any matching without them. Costs become Python's integers if sums could
    exceed 64 bits. `among` is the set of edges. The column of an artificial edge is -1.
    """
    vertex_count = among.vertices
    first_edges, edge_costs = among.first
    artificial_cost = (among.most + 2) * vertex_count
    # duals are sums of as many costs
    if artificial_cost * vertex_count >= LARGEST:
        edge_costs = edge_costs.astype(object)
    even_numbered_vertices = np.arange(0, vertex_count, 2)
    missing_columns = np.full(len(even_numbered_vertices), -1)
    artificial_edges = Edges(
        even_numbered_vertices, even_numbered_vertices + 1, missing_columns
    )
    artificial_costs = np.full(
        len(even_numbered_vertices), artificial_cost, edge_costs.dtype
    )
    return first_edges.and_(artificial_edges), np.append(edge_costs, artificial_costs)


def start_blossom(
    vertices: int, edges: Edges, cost: Numbers, price: Numbers, mate: Sequence[int] = ()
) -> PrimalDualMatching:
    """Return a tight matching under feasible duals, to start Edmonds' algorithm.

    `edges` have the even costs `cost`, and `price` is the dual of each vertex, under
    which no reduced cost is negative. Tight edges have the reduced cost 0. Mutual
    partners in `mate` (which may be empty) that a tight edge joins are matched first,
    then each other vertex to a free neighbour by a tight edge, if there is one. Of
    parallel edges the cheapest counts. `vertices` is the number of vertices.
    """
    neighbour_costs: list[dict[int, int]] = [{} for _vertex in range(vertices)]
    for vertex, other_vertex, edge_cost in zip(
        edges.first.tolist(), edges.second.tolist(), cost.tolist(), strict=True
    ):
        cheapest_parallel = min(
            edge_cost, neighbour_costs[vertex].get(other_vertex, edge_cost)
        )
        neighbour_costs[vertex][other_vertex] = neighbour_costs[other_vertex][
            vertex
        ] = cheapest_parallel
    duals_of_vertices, partner_of_vertex = price.tolist(), [NOBODY] * vertices
    for vertex, other_vertex in enumerate(mate):
        are_unmatched = (
            partner_of_vertex[vertex] == partner_of_vertex[other_vertex] == NOBODY
        )
        if (
            are_unmatched
            and neighbour_costs[vertex][other_vertex]
            == duals_of_vertices[vertex] + duals_of_vertices[other_vertex]
        ):
            partner_of_vertex[vertex], partner_of_vertex[other_vertex] = (
                other_vertex,
                vertex,
            )
    for vertex in range(vertices):
        if partner_of_vertex[vertex] == NOBODY:
            for other_vertex, edge_cost in neighbour_costs[vertex].items():
                if (
                    partner_of_vertex[other_vertex] == NOBODY
                    and edge_cost
                    == duals_of_vertices[vertex] + duals_of_vertices[other_vertex]
                ):
                    partner_of_vertex[vertex], partner_of_vertex[other_vertex] = (
                        other_vertex,
                        vertex,
                    )
                    break
    return PrimalDualMatching(neighbour_costs, duals_of_vertices, partner_of_vertex)


def _order_by_degree(
    vertices: int, edges: Edges, cost: Numbers
) -> Iterator[tuple[int, int, int]]:
    """Yield edges as (end, other end, cost), those at the busiest vertices first.

    A vertex is busy if it has many of these edges. The busier end of an edge comes
    first.
    """
    degree_of_vertex = np.bincount(
        np.append(edges.first, edges.second), minlength=vertices
    )
    first_end_degrees, second_end_degrees = (
        degree_of_vertex[edges.first],
        degree_of_vertex[edges.second],
    )
    edge_order = np.argsort(
        -np.maximum(first_end_degrees, second_end_degrees), kind="stable"
    )
    is_swapped = first_end_degrees < second_end_degrees
    busier_ends = np.where(is_swapped, edges.second, edges.first)[edge_order]
    quieter_ends = np.where(is_swapped, edges.first, edges.second)[edge_order]
    yield from zip(
        busier_ends.tolist(),
        quieter_ends.tolist(),
        cost[edge_order].tolist(),
        strict=True,
    )
