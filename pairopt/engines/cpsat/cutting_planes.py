"""Minimum-cost perfect matching by linear programming, with an exact proof.

The relaxation of a matching (see `matching_relaxation`) begins with the cheapest edges
of each vertex and without odd-set constraints. Edges with a negative reduced cost and
constraints that the solution violates are added in turn (M. Grötschel and O. Holland,
Solving matching problems with linear programming, 1985). If the tight edges, those of
zero reduced cost, have a perfect matching, the bound is probably final, but the
solution may still be fractional. Then the tight edges get random costs, so that few of
the many optimal solutions stay optimal, and a second relaxation looks for a matching of
tight edges.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.cpsat.matching_relaxation import (
    DUAL_UNIT,
    CostGraph,
    ExactDuals,
    RelaxedSolution,
    RestrictedMaster,
    VertexSets,
)
from pairopt.engines.cpsat.odd_set_separation import (
    find_gallai_edmonds_sets,
    find_support_sets,
)
from pairopt.event.arcs import BoolArray, IntArray

FIRST_EDGES = 8  # cheapest edges of each vertex in the first relaxation
ADDED_EDGES = 3  # edges of negative reduced cost that are added to each vertex at once
MOST_SOLVES = 300  # linear programs for one matching; most need 3 to 30
TIGHT_SOLVES = 20
"""Linear programs for one matching of tight edges. Most need 2 to 10; a few wander for hundreds,
and need few with other random costs."""
RANDOM_COST = 1000  # random costs of tight edges are below it


@dataclass(frozen=True)
class ProvenMatching:
    """A perfect matching whose cost is proven minimal, and its optimal duals.

    `edges` are positions in the graph. No perfect matching costs less than `edges`, by
    `duals`: no reduced cost is negative, and their bound is less than 1 below the cost.
    `reduced_costs`, shape (edges,), has one for each edge of the graph, and `slack` is
    the cost minus the bound; both are in units of 1 / DUAL_UNIT.
    """

    edges: IntArray
    duals: ExactDuals
    reduced_costs: IntArray
    slack: int

    @property
    def is_possible(self) -> BoolArray:
        """True for each edge that a minimum-cost perfect matching may use."""
        return np.asarray(self.reduced_costs <= self.slack, np.bool_)

    @property
    def single_crossings(self) -> VertexSets:
        """The sets that each minimum-cost perfect matching crosses exactly once.

        Three crossings would cost at least twice the dual of the set.
        """
        return self.duals.sets[2 * self.duals.set_duals > self.slack]


def find_proven_matching(
    graph: CostGraph, fixed_sets: VertexSets, start: IntArray, budget: Budget
) -> ProvenMatching | None:
    """Return a minimum-cost perfect matching with its proof, or None without one.

    None does not say that `graph` has no perfect matching. Each of the `fixed_sets` is
    to be crossed exactly once. The first relaxation has the edges at the positions
    `start`, and the cheapest ones of each vertex. Raises TimeUpError.
    """
    master_problem = RestrictedMaster(graph, fixed_sets)
    master_problem.add_edges(np.append(start, cheapest_edges(graph, FIRST_EDGES)))
    for attempt in range(MOST_SOLVES):
        relaxed_solution = master_problem.solve(budget)
        if relaxed_solution is None:
            return None
        reduced_costs = relaxed_solution.duals.reduced_costs(graph)
        if _add_violated_edges(master_problem, reduced_costs):
            continue
        if not relaxed_solution.is_complete:
            return None
        if relaxed_solution.is_integral:
            return _prove(
                graph, fixed_sets, relaxed_solution.support, relaxed_solution.duals
            )
        if _add_tight_graph_sets(master_problem, reduced_costs, relaxed_solution):
            continue

        tight_edges, odd_sets = _find_tight_matching(
            graph, fixed_sets, reduced_costs, relaxed_solution, budget, attempt
        )
        if tight_edges is not None:
            return _prove(graph, fixed_sets, tight_edges, relaxed_solution.duals)
        odd_sets += _violated_sets(graph, relaxed_solution)
        if not master_problem.add_odd_sets(odd_sets):
            return None
    return None


def _prove(
    graph: CostGraph, fixed_sets: VertexSets, edges: IntArray, duals: ExactDuals
) -> ProvenMatching | None:
    """Check in integers that a matching is perfect and optimal; return None otherwise.

    `edges` are the positions of the matching's edges in the graph. It must cross each
    of the `fixed_sets` exactly once. The `duals` may be slightly infeasible; they are
    made feasible first, and their bound must be less than 1 below the cost.
    """
    matched_graph = graph.take(edges)
    matched_ends = np.append(matched_graph.first, matched_graph.second)
    degree_of_vertex = np.bincount(matched_ends, minlength=graph.vertices)
    crossing_counts = matched_graph.crossing(fixed_sets).sum(axis=1)
    if (degree_of_vertex != 1).any() or (crossing_counts != 1).any():
        return None

    feasible_duals = duals.made_feasible(graph)
    scaled_duality_gap = (
        DUAL_UNIT * int(matched_graph.cost.sum()) - feasible_duals.bound
    )
    if scaled_duality_gap >= DUAL_UNIT:
        return None
    reduced_costs = feasible_duals.reduced_costs(graph)
    return ProvenMatching(edges, feasible_duals, reduced_costs, scaled_duality_gap)


def _find_tight_matching(
    graph: CostGraph,
    fixed_sets: VertexSets,
    reduced_costs: IntArray,
    relaxed: RelaxedSolution,
    budget: Budget,
    attempt: int,
) -> tuple[IntArray | None, list[BoolArray]]:
    """Look for a perfect matching of tight edges that crosses each tight set once.

    Returns the positions of its edges in the graph, None without one, and then the odd
    sets with a dual in the search, which may raise the bound. Tight sets are those with
    a dual in `relaxed`, and the `fixed_sets`. Each `attempt` has other random costs.
    `reduced_costs`, shape (edges,), are those under the duals of `relaxed`; edges with
    0 or less are tight. Raises TimeUpError.
    """
    tight_edges = np.flatnonzero(reduced_costs <= 0)
    cost_generator = np.random.default_rng([budget.seed, attempt])
    random_costs = cost_generator.integers(RANDOM_COST, size=len(tight_edges))
    tight_graph = replace(graph.take(tight_edges), cost=random_costs)
    relaxed_duals = relaxed.duals
    tight_sets = np.concatenate(
        [fixed_sets, relaxed_duals.sets[relaxed_duals.set_duals > 0]]
    )

    master_problem = RestrictedMaster(tight_graph, tight_sets)
    support_positions = np.flatnonzero(np.isin(tight_edges, relaxed.support))
    master_problem.add_edges(
        np.append(support_positions, cheapest_edges(tight_graph, FIRST_EDGES))
    )
    for _solve_number in range(TIGHT_SOLVES):
        tight_relaxed = master_problem.solve(budget)
        if tight_relaxed is None:
            break
        tight_reduced_costs = tight_relaxed.duals.reduced_costs(tight_graph)
        if _add_violated_edges(master_problem, tight_reduced_costs):
            continue
        if not tight_relaxed.is_complete:
            break
        if tight_relaxed.is_integral:
            return tight_edges[tight_relaxed.support], []
        if _add_tight_graph_sets(master_problem, tight_reduced_costs, tight_relaxed):
            continue
        if not master_problem.add_odd_sets(_violated_sets(tight_graph, tight_relaxed)):
            break
    if tight_relaxed is None:
        return None, []
    tight_duals = tight_relaxed.duals
    is_new_with_dual = tight_duals.set_duals > 0
    is_new_with_dual[: master_problem.fixed_count] = False
    return None, list(tight_duals.sets[is_new_with_dual])


def _add_violated_edges(master: RestrictedMaster, reduced_costs: IntArray) -> int:
    """Add the worst edges of negative reduced cost to the master problem.

    `reduced_costs` has one for each edge of the graph. Of those that are negative and
    not yet in the master, the `ADDED_EDGES` lowest of each vertex are added. Returns
    how many edges are new, 0 if no missing edge has a negative reduced cost. `master`
    is changed.
    """
    is_missing_edge = (reduced_costs < 0) & ~master.is_in_master
    if not is_missing_edge.any():
        return 0
    missing_edges = np.flatnonzero(is_missing_edge)
    missing_graph = replace(master.graph, cost=reduced_costs).take(missing_edges)
    return master.add_edges(missing_edges[cheapest_edges(missing_graph, ADDED_EDGES)])


def _add_tight_graph_sets(
    master: RestrictedMaster, reduced_costs: IntArray, relaxed: RelaxedSolution
) -> int:
    """Add odd-set constraints that show why the tight edges have no perfect matching.

    `reduced_costs` has one for each edge of the graph; tight edges have 0 or less. Sets
    with a positive dual in `relaxed` count as one vertex. The odd sets are components
    of the vertices that some maximum matching of tight edges leaves out. Returns the
    number of new constraints, 0 if the tight edges have a perfect matching. `master` is
    changed.
    """
    relaxed_duals = relaxed.duals
    odd_sets = find_gallai_edmonds_sets(
        master.graph,
        np.flatnonzero(reduced_costs <= 0),
        relaxed_duals.sets[relaxed_duals.set_duals > 0],
    )
    return master.add_odd_sets(odd_sets)


def _violated_sets(graph: CostGraph, relaxed: RelaxedSolution) -> list[BoolArray]:
    """Return odd sets that too few edges of a fractional solution cross.

    The solution is `relaxed`, a matching of `graph`. Each set is a mask of vertices,
    shape (vertices,): a component that edges of a large value connect. The list may be
    empty although some odd-set constraint is violated.
    """
    support_values = relaxed.values[np.isin(relaxed.edges, relaxed.support)]
    return find_support_sets(graph, relaxed.support, support_values)


def cheapest_edges(graph: CostGraph, count: int) -> IntArray:
    """Return the positions of the `count` cheapest edges of each vertex.

    Of edges of equal cost, those to vertices with a near number come first. A vertex
    with fewer edges gives all of them. An edge may come twice, once for each end; the
    positions are grouped by vertex. They are positions in `graph`.
    """
    edge_positions = np.arange(len(graph))
    vertex_distance = np.abs(graph.first - graph.second)
    edge_ends = np.concatenate([graph.first, graph.second])
    order_by_end = np.lexsort(
        (np.tile(vertex_distance, 2), np.tile(graph.cost, 2), edge_ends)
    )
    sorted_ends = edge_ends[order_by_end]
    rank_at_end = np.arange(len(edge_ends)) - np.searchsorted(sorted_ends, sorted_ends)
    return np.tile(edge_positions, 2)[order_by_end][rank_at_end < count]
