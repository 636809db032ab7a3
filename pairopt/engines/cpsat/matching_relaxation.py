"""The linear relaxation of a minimum-cost perfect matching, with odd-set constraints.

The relaxation gives each edge a value of at least 0, so that the edges of each vertex
add up to 1. An odd-set constraint says that the edges that cross an odd set of vertices
add up to at least 1 (J. Edmonds, Maximum matching and a polyhedron with 0,1-vertices,
1965). GLOP, the simplex solver of OR-Tools, solves the relaxation over some of the
edges (the restricted master problem of column generation).

GLOP computes in floating point, so nothing that it says is trusted. Its duals are
rounded to multiples of 1 / `DUAL_UNIT`, and all bounds are computed from the rounded
duals in integers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.ortools import make_ortools_error
from pairopt.event.arcs import BoolArray, FloatArray, IntArray

try:
    from ortools.linear_solver import pywraplp  # type: ignore[attr-defined]
except ImportError as error:
    raise make_ortools_error() from error

DUAL_UNIT = 8
"""Duals are integer multiples of 1 / DUAL_UNIT. A laminar family of odd sets has optimal
duals that are multiples of 1/2, and GLOP's duals have rarely been others than of 1/4."""
TOLERANCE = 1e-6  # values this close to 0 or 1 count as 0 or 1
VertexSets = BoolArray
"""Sets of vertices, shape (sets, vertices)."""


@dataclass(frozen=True)
class CostGraph:
    """A graph with edges first[k] - second[k] of integer costs cost[k], not negative.

    `vertices` is the number of vertices, which are numbered from 0. Several edges may
    join the same two vertices.
    """

    vertices: int
    first: IntArray
    second: IntArray
    cost: IntArray

    def __len__(self) -> int:
        return len(self.first)

    def take(self, edges: IntArray) -> CostGraph:
        """Return the graph with only the edges at these positions, in their order."""
        return replace(
            self,
            first=self.first[edges],
            second=self.second[edges],
            cost=self.cost[edges],
        )

    def crossing(self, sets: VertexSets) -> BoolArray:
        """Return a mask that says which edge crosses which set, shape (sets, edges).

        An edge crosses a set that holds exactly one of its ends.
        """
        return np.asarray(sets[:, self.first] != sets[:, self.second], np.bool_)


@dataclass(frozen=True)
class ExactDuals:
    """Duals of vertices and of sets of vertices, as integers in units of 1 / DUAL_UNIT.

    `vertex_duals` has shape (vertices,), and `set_duals`, shape (sets,), belongs to the
    rows of `sets`. The first `fixed_count` sets are crossed exactly once. If no reduced
    cost is negative, and each other set with a dual has a positive one and an odd
    number of vertices, no perfect matching costs less than `bound`.
    """

    vertex_duals: IntArray
    sets: VertexSets
    set_duals: IntArray
    fixed_count: int = 0

    @property
    def bound(self) -> int:
        """The sum of all duals, in units of 1 / DUAL_UNIT."""
        return int(self.vertex_duals.sum() + self.set_duals.sum())

    def reduced_costs(self, graph: CostGraph) -> IntArray:
        """Return each edge's cost minus its duals, in units of 1 / DUAL_UNIT.

        The edges are those of `graph`, and the shape is (edges,). An edge has the duals
        of both ends and of the sets that it crosses.
        """
        edge_reduced_costs = DUAL_UNIT * graph.cost
        edge_reduced_costs -= (
            self.vertex_duals[graph.first] + self.vertex_duals[graph.second]
        )
        has_dual = self.set_duals != 0
        for is_in_set, set_dual in zip(
            self.sets[has_dual], self.set_duals[has_dual].tolist(), strict=True
        ):
            edge_reduced_costs -= set_dual * (
                is_in_set[graph.first] != is_in_set[graph.second]
            )
        return edge_reduced_costs

    def made_feasible(self, graph: CostGraph) -> ExactDuals:
        """Return changed duals, under which `bound` is a lower bound for the graph.

        Of sets that are not fixed, negative duals and duals of sets with an even number
        of vertices become 0. Then no reduced cost may be negative: the dual of a vertex
        is lowered by the largest shortage of the edges of which it is the first end.
        """
        is_odd_set = self.sets.sum(axis=1) % 2 == 1
        set_duals = np.where(is_odd_set, np.maximum(self.set_duals, 0), 0)
        set_duals[: self.fixed_count] = self.set_duals[: self.fixed_count]
        duals_with_valid_sets = replace(self, set_duals=set_duals)
        shortage_of_vertex = np.zeros(graph.vertices, np.int64)
        np.maximum.at(
            shortage_of_vertex, graph.first, -duals_with_valid_sets.reduced_costs(graph)
        )
        return replace(
            duals_with_valid_sets, vertex_duals=self.vertex_duals - shortage_of_vertex
        )


@dataclass(frozen=True)
class RelaxedSolution:
    """An optimal solution of the restricted master problem, with its rounded duals.

    `edges` are the positions of the master's edges in the graph, and `values`, of the
    same shape, their values. `is_complete` is False if artificial variables, which
    stand for missing edges, are not 0.
    """

    edges: IntArray
    values: FloatArray
    duals: ExactDuals
    is_complete: bool

    @property
    def support(self) -> IntArray:
        """The positions in the graph of the edges whose value is above `TOLERANCE`."""
        return self.edges[self.values > TOLERANCE]

    @property
    def is_integral(self) -> bool:
        """True if each edge has the value 0 or 1, up to rounding errors."""
        rounding_errors = np.abs(self.values - np.round(self.values))
        return bool((rounding_errors <= TOLERANCE).all())


class RestrictedMaster:
    """A linear program: a matching's relaxation over some edges of a graph.

    Edges and odd-set constraints are added piece by piece, and `solve` starts from the
    last basis. At first there are no edges. Each set of `fixed_sets` is crossed exactly
    once; these are the first `fixed_count` of `sets`. Artificial variables make the
    problem feasible from the start; each costs `penalty`, more than any perfect
    matching. `edges` are the positions of the edges added so far, in the order of their
    `variables`, and `is_in_master` marks them. Rows are `vertex_rows` and `set_rows`.
    """

    def __init__(self, graph: CostGraph, fixed_sets: VertexSets) -> None:
        self.graph = graph
        self.is_in_master = np.zeros(len(graph), np.bool_)
        self.solver = pywraplp.Solver.CreateSolver("GLOP")
        # without presolve GLOP starts from its last basis
        self.solver.SetSolverSpecificParametersAsString("use_preprocessing: false")
        self.objective = self.solver.Objective()
        self.objective.SetMinimization()
        largest_cost = int(graph.cost.max(initial=0))
        self.penalty = (largest_cost + 1) * max(graph.vertices // 2, 1)

        self.edges: list[int] = []
        self.variables: list[pywraplp.Variable] = []
        self.artificials: list[pywraplp.Variable] = []
        self.vertex_rows = [self._add_row(1) for _vertex in range(graph.vertices)]
        self.set_rows: list[pywraplp.Constraint] = []
        self.sets: list[BoolArray] = []
        self._set_keys: set[bytes] = set()
        for is_in_set in fixed_sets:
            self._add_set(is_in_set, 1)
        self.fixed_count = len(self.sets)

    def _add_row(self, most: float) -> pywraplp.Constraint:
        """Add an empty row whose sum is from 1 to `most`, and return it.

        Its artificial variable has a high cost, and makes the row feasible without
        edges.
        """
        constraint_row = self.solver.Constraint(1, most, "")
        artificial_variable = self.solver.NumVar(0, self.solver.infinity(), "")
        constraint_row.SetCoefficient(artificial_variable, 1)
        self.objective.SetCoefficient(artificial_variable, self.penalty)
        self.artificials.append(artificial_variable)
        return constraint_row

    def _add_set(self, members: BoolArray, most: float) -> bool:
        """Add the constraint that from 1 to `most` edges cross a set of vertices.

        `members` is a mask of the vertices. Edges that are in the master already get
        their coefficients. Returns True if the constraint is new. Returns False, and
        adds nothing, if the set or its complement has a constraint already.
        """
        # a set and its complement are crossed by the same edges
        members = members if members[-1] else ~members
        set_bytes = members.tobytes()
        if set_bytes in self._set_keys:
            return False

        self._set_keys.add(set_bytes)
        set_row = self._add_row(most)
        master_edges = np.array(self.edges, np.int64)
        first_ends, second_ends = (
            self.graph.first[master_edges],
            self.graph.second[master_edges],
        )
        for position_in_master in np.flatnonzero(
            members[first_ends] != members[second_ends]
        ).tolist():
            set_row.SetCoefficient(self.variables[position_in_master], 1)
        self.set_rows.append(set_row)
        self.sets.append(members)
        return True

    def add_odd_sets(self, sets: list[BoolArray]) -> int:
        """Add odd-set constraints: at least one edge crosses each of these sets.

        A set is a mask of vertices. Sets of one vertex, of all but one, and of an even
        number are left out, and so are sets that have a constraint already, or whose
        complement has one. Returns how many constraints are new.
        """
        most_members = self.graph.vertices - 2
        return sum(
            self._add_set(is_in_set, self.solver.infinity())
            for is_in_set in sets
            if 1 < int(is_in_set.sum()) < most_members and is_in_set.sum() % 2
        )

    def add_edges(self, edges: IntArray) -> int:
        """Add edges of the graph to the linear program, with their rows and costs.

        `edges` are positions in the graph; those that are in the program already, or
        come twice, are added once. Returns how many are new.
        """
        # unlike np.unique, masks do not import numpy.ma
        is_given_edge = np.zeros_like(self.is_in_master)
        is_given_edge[edges] = True
        new_edges = np.flatnonzero(is_given_edge & ~self.is_in_master)
        self.is_in_master[new_edges] = True
        new_graph = self.graph.take(new_edges)
        rows_of_edge: list[list[pywraplp.Constraint]] = [[] for _edge in new_edges]
        for set_row, is_in_set in zip(self.set_rows, self.sets, strict=True):
            is_crossing = is_in_set[new_graph.first] != is_in_set[new_graph.second]
            for new_edge_position in np.flatnonzero(is_crossing).tolist():
                rows_of_edge[new_edge_position].append(set_row)

        infinity, solver = self.solver.infinity(), self.solver
        for first_end, second_end, edge_cost, crossed_rows in zip(
            new_graph.first.tolist(),
            new_graph.second.tolist(),
            new_graph.cost.tolist(),
            rows_of_edge,
            strict=True,
        ):
            edge_variable = solver.NumVar(0, infinity, "")
            self.vertex_rows[first_end].SetCoefficient(edge_variable, 1)
            self.vertex_rows[second_end].SetCoefficient(edge_variable, 1)
            for set_row in crossed_rows:
                set_row.SetCoefficient(edge_variable, 1)
            if edge_cost:
                self.objective.SetCoefficient(edge_variable, edge_cost)
            self.variables.append(edge_variable)
        self.edges += new_edges.tolist()
        return len(new_edges)

    def solve(self, budget: Budget) -> RelaxedSolution | None:
        """Solve the linear program over the edges and sets added so far.

        Returns the optimum with its rounded duals. Returns None if GLOP finds no
        optimum, for example for numerical reasons. Raises TimeUpError.
        """
        budget.check()
        seconds_left = budget.seconds_left()
        if seconds_left is not None:
            self.solver.SetTimeLimit(max(round(1000 * seconds_left), 1))
        solver_status = self.solver.Solve()
        budget.check()
        if solver_status != pywraplp.Solver.OPTIMAL:
            return None

        edge_values = [
            edge_variable.solution_value() for edge_variable in self.variables
        ]
        artificial_sum = sum(
            artificial_variable.solution_value()
            for artificial_variable in self.artificials
        )
        vertex_duals = [solver_row.dual_value() for solver_row in self.vertex_rows]
        set_duals = [solver_row.dual_value() for solver_row in self.set_rows]
        rounded_duals = ExactDuals(
            _round_duals(vertex_duals),
            np.array(self.sets, np.bool_).reshape(-1, self.graph.vertices),
            _round_duals(set_duals),
            self.fixed_count,
        )
        return RelaxedSolution(
            np.array(self.edges, np.int64),
            np.array(edge_values, np.float64),
            rounded_duals,
            is_complete=artificial_sum <= TOLERANCE,
        )


def _round_duals(duals: list[float]) -> IntArray:
    """Return duals as the nearest integers in units of 1 / DUAL_UNIT."""
    return np.round(DUAL_UNIT * np.array(duals, np.float64)).astype(np.int64)
