"""The optimal pairings of a small field, from the result of the matching engine.

The engine leaves the pairs that may be used, and one cost of each that orders all
levels. A pairing is optimal if no closed alternating walk, over its pairs and others in
turn, has a negative cost. If none has, even among walks that use a pair twice, the
pairs of closed walks of zero cost are those of optimal pairings (perhaps fractional
ones). Otherwise Edmonds' odd sets have duals: one match crosses each such set, and
under their reduced costs no walk is negative.
"""

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.allowed_arcs import LISTED_FIRST, OTHER_FIRST
from pairopt.engines.base import EngineError, EngineOptions, RemainingPairs
from pairopt.engines.matching.edges import Edges
from pairopt.engines.matching.engine import MOST_PLAYERS_AS_PAIRS, solve
from pairopt.engines.matching.min_cost_matching import start_blossom
from pairopt.engines.matching.reduced_costs import find_feasible_duals
from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.problem.model_file import Objective
from pairopt.problem.problem import Problem
from pairopt.sampling.optimal_pairings import OptimalPairings, PairingComponent

FAR = 2**60  # the length of a walk that does not exist
LONGEST = 2**48  # the limit of costs, so that 64 bits hold the sum of a walk


def find_small_field_optima(
    problem: Problem,
    arcs: Arcs,
    objective: Objective,
    budget: Budget,
    left: RemainingPairs | None = None,
) -> OptimalPairings | None:
    """Return all optimal pairings of a small field, as those of one component.

    `arcs` is one of them, and `left` the pairs that the matching engine leaves; None
    runs the engine now. `objective` says how levels are compared. Returns None for a
    large field or large costs. Raises EngineError if `arcs` is not optimal, and
    TimeUpError.
    """
    if left is None and len(problem) <= MOST_PLAYERS_AS_PAIRS:
        left = solve(problem, EngineOptions(objective, budget=budget)).left
    if left is None or int(left.cost.max(initial=0)) >= LONGEST:
        return None
    pair_columns, alive_columns = left.columns, left.alive.nonzero()[0]
    player_count, vertex_count = (
        pair_columns.players,
        pair_columns.players + pair_columns.odd,
    )
    edges = Edges(
        pair_columns.a[alive_columns], pair_columns.b[alive_columns], alive_columns
    )
    first_vertices, second_vertices = edges.first, edges.second
    edge_costs = 2 * left.cost[alive_columns].astype(np.int64)
    # everybody's partner; the bye is vertex n
    partners = np.where(arcs.partners < 0, player_count, arcs.partners)
    vertex_positions = (
        [*range(player_count), -1] if pair_columns.odd else [*range(player_count)]
    )
    mate_of_vertex = partners[vertex_positions]

    # a kind of pair is its number of ways, and a bit for each odd set that it crosses
    has_both_sides = pair_columns.sides[alive_columns] == LISTED_FIRST | OTHER_FIRST
    edge_kinds = 1 + (
        has_both_sides & (second_vertices < player_count) & problem.state.sided
    )
    set_count = 0
    is_used = _find_zero_cost_edges(
        vertex_count, first_vertices, second_vertices, edge_costs, mate_of_vertex
    )
    if is_used is None:
        for odd_set, set_dual in _find_set_duals(
            vertex_count, edges, edge_costs, budget
        ).items():
            is_in_set = np.zeros(vertex_count, np.bool_)
            is_in_set[list(odd_set)] = True
            crosses_set = is_in_set[first_vertices] != is_in_set[second_vertices]
            edge_costs = edge_costs - set_dual * crosses_set
            edge_kinds = edge_kinds + (4 << set_count) * crosses_set
            set_count += 1
        is_used = _find_zero_cost_edges(
            vertex_count, first_vertices, second_vertices, edge_costs, mate_of_vertex
        )
        if is_used is None:
            raise EngineError("solving.no_optimum", engine="the engine")

    first_vertices, second_vertices = first_vertices[is_used], second_vertices[is_used]
    # code 0 stands for no pair
    distinct_kinds, code_of_edge = np.unique(
        np.append(0, edge_kinds[is_used]), return_inverse=True
    )
    code_of_pair = np.zeros((vertex_count, vertex_count), np.int64)
    code_of_pair[first_vertices, second_vertices] = code_of_pair[
        second_vertices, first_vertices
    ] = code_of_edge[1:]
    column_of_pair = np.full((player_count + 1, player_count + 1), -1)
    column_of_pair[first_vertices, second_vertices] = column_of_pair[
        second_vertices, first_vertices
    ] = alive_columns[is_used]
    crossings_by_kind, set_totals = (
        distinct_kinds[:, None] >> 2 + np.arange(set_count) & 1,
        (1,) * set_count,
    )
    component = PairingComponent(
        np.arange(vertex_count),
        code_of_pair,
        code_of_pair,
        distinct_kinds & 3,
        crossings_by_kind,
        set_totals,
    )
    return OptimalPairings(pair_columns, column_of_pair, (component,))


def _find_set_duals(
    vertices: int, edges: Edges, cost: IntArray, budget: Budget
) -> dict[frozenset[int], int]:
    """Return the odd sets of vertices with a positive dual, and their duals.

    The duals are those of a minimum-cost perfect matching of the `edges`, whose costs
    are even integers. Raises TimeUpError.
    """
    vertex_duals = find_feasible_duals(vertices, edges.first, edges.second, cost)
    blossom = start_blossom(vertices, edges, cost, vertex_duals)
    blossom.match(budget)
    _, set_duals = blossom.duals()
    return {odd_set: dual for odd_set, dual in set_duals.items() if dual}


def _find_zero_cost_edges(
    vertices: int, first: IntArray, second: IntArray, cost: IntArray, mate: IntArray
) -> BoolArray | None:
    """Return a mask of the edges that lie on closed alternating walks of zero cost.

    `vertices` is the number of vertices. The edges first[k] - second[k] have these
    costs, and `mate`, shape (vertices,), is everybody's partner in a pairing. Walks
    alternate between its pairs and other edges. Returns None if some walk has a
    negative cost: then the duals of odd sets are needed. All-pairs shortest paths find
    this (Floyd and Warshall).
    """
    if (cost == cost[0]).all():
        return np.ones(len(cost), np.bool_)
    cost_table = np.full((vertices, vertices), FAR)
    cost_table[first, second] = cost_table[second, first] = cost
    # from a player, over the partner's pair, to another player
    step_cost = cost_table[mate]
    step_cost -= np.diag(step_cost)[:, None]
    step_cost[cost_table[mate] == FAR] = FAR
    walk_length, length_via = step_cost.copy(), np.empty_like(step_cost)
    for via_vertex in range(vertices):
        if walk_length[via_vertex, via_vertex] < 0:
            return None
        np.add(
            walk_length[:, via_vertex, None], walk_length[via_vertex], out=length_via
        )
        np.minimum(walk_length, length_via, out=walk_length)
    if walk_length.diagonal().min() < 0:
        return None
    is_step_on_zero_walk = step_cost == -walk_length.T
    return np.asarray(is_step_on_zero_walk[mate[first], second], np.bool_)
