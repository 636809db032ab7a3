"""Who pairs by pairopt's model in peers.py: what is made ready, and a job that is timed.

What is imported here is in older versions too: `before` is one of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from contest import Case, Contender, Found, Job, Prepare

from pairopt import load_model, solve

if TYPE_CHECKING:
    from pairopt.engines.allowed_arcs import AllowedArcs
    from pairopt.problem.problem import Problem

LIMIT = 10.0
"""Seconds for a CP-SAT model of single pairs."""


def pairopt_with(model: str | None = None, **options: Any) -> Prepare:
    """pairopt from the event in memory to the checked pairing."""

    def prepare(case: Case) -> Job:
        def job() -> Found:
            result = solve(case.event, model or case.model, **options)
            if result.status != "optimal":
                return Found(f"{result.status} after {LIMIT:g} s")
            return Found("optimal", [int(v.value or 0) for v in result.level_values])

        return job

    return prepare


def _plain(case: Case) -> tuple[Problem, AllowedArcs, list[int]]:
    """The complete graph: a column a pair, and its plain mixed-radix weight."""
    from pairopt.engines.allowed_arcs import radix_weights
    from pairopt.engines.single_pairs import all_pairs
    from pairopt.problem.problem import problem_of

    problem = problem_of(case.event, load_model(case.model))
    columns = all_pairs(problem)
    cost = columns.costs.astype(object) @ np.array(radix_weights(columns), object)
    return problem, columns, (cost.max() - cost).tolist()


def _found(problem: Problem, columns: AllowedArcs, matched: Any) -> Found:
    """The levels of a matching, given as pairs of players (n for the bye)."""
    number = {
        pair: k
        for k, pair in enumerate(
            zip(columns.a.tolist(), columns.b.tolist(), strict=True)
        )
    }
    chosen = [number[min(a, b), max(a, b)] for a, b in matched]
    totals = columns.costs[chosen].sum(axis=0).tolist()
    levels = [t + level.offset for t, level in zip(totals, problem.levels, strict=True)]
    return Found("optimal" if 2 * len(chosen) >= len(problem) else "no pairing", levels)


def networkx(case: Case) -> Job:
    """networkx on the complete graph with ready weights (Python's integers)."""
    import networkx as nx

    problem, columns, weights = _plain(case)
    graph = nx.Graph()
    both = zip(columns.a.tolist(), columns.b.tolist(), weights, strict=True)
    graph.add_weighted_edges_from(both)
    return lambda: _found(
        problem, columns, nx.max_weight_matching(graph, maxcardinality=True)
    )


def rustworkx(case: Case) -> Job:
    """rustworkx on the complete graph with ready weights; its integers have 128 bits."""
    import rustworkx as rx

    problem, columns, weights = _plain(case)
    vertices = len(problem) + len(problem) % 2
    edges = list(zip(columns.a.tolist(), columns.b.tolist(), weights, strict=True))

    def job() -> Found:
        graph: Any = rx.PyGraph()
        graph.add_nodes_from([None] * vertices)
        graph.extend_from_weighted_edge_list(edges)
        return _found(
            problem,
            columns,
            rx.max_weight_matching(graph, max_cardinality=True, weight_fn=int),
        )

    return job


def naive_cpsat(case: Case) -> Job:
    """The plain boolean model in CP-SAT with its own parameters, one solve a level."""
    from ortools.sat.python import cp_model

    problem, columns, _ = _plain(case)

    def job() -> Found:
        made = cp_model.CpModel()
        use = [made.new_bool_var("") for _ in range(len(columns))]
        for player in range(len(problem) + len(problem) % 2):
            at = np.flatnonzero((columns.a == player) | (columns.b == player))
            made.add_exactly_one(use[k] for k in at)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        left = LIMIT
        for level in range(columns.costs.shape[1]):
            total = sum(
                int(c) * use[k] for k, c in enumerate(columns.costs[:, level]) if c
            )
            made.minimize(total)
            solver.parameters.max_time_in_seconds = max(left, 0.01)
            if solver.solve(made) != cp_model.OPTIMAL:
                return Found(f"unknown after {LIMIT:g} s")
            left -= solver.wall_time
            made.add(total == solver.value(total))
        chosen = [k for k, variable in enumerate(use) if solver.boolean_value(variable)]
        return _found(
            problem,
            columns,
            zip(columns.a[chosen].tolist(), columns.b[chosen].tolist(), strict=True),
        )

    return job


CONTENDERS = {
    "pairopt auto": Contender(pairopt_with()),
    "before": Contender(pairopt_with(), needs="the folder of another checkout"),
    "pairopt matching": Contender(pairopt_with(engine="matching"), 3000),
    "pairopt cpsat": Contender(pairopt_with(engine="cpsat")),
    "rustworkx": Contender(rustworkx, 1000),
    "networkx": Contender(networkx, 301),
    "pairs in cpsat": Contender(
        pairopt_with(engine="cpsat", formulation="pairs", time_limit=LIMIT), 100
    ),
    "naive cpsat": Contender(naive_cpsat, 40),
}
"""In the order of the table; the first is what others are compared with."""
