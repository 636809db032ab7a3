"""Who is timed by peers.py, and on what: each makes ready what is not timed, and a job that is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pairopt import Event, load_model, solve
from pairopt.engines.relaxation.columns import Columns
from pairopt.engines.relaxation.pairs import all_pairs
from pairopt.engines.relaxation.weights import radix_weights
from pairopt.problem.problem import Problem, problem_of

LIMIT = 20.0
"""Seconds for a CP-SAT model of single pairs."""


@dataclass(frozen=True)
class Found:
    """What came out: the values of all levels, where they are pairopt's."""

    status: str
    levels: list[int] | None = None


Job = Callable[[], Found]


@dataclass(frozen=True)
class Contender:
    """`prepare` makes the job ready; fields above `most` players are not tried."""

    prepare: Callable[[Event, str], Job]
    most: int = 10_000


def pairopt_with(**options: Any) -> Callable[[Event, str], Job]:
    """pairopt from the event in memory to the checked pairing."""

    def prepare(event: Event, model: str) -> Job:
        def job() -> Found:
            result = solve(event, model, **options)
            if result.status != "optimal":
                return Found(f"{result.status} after {LIMIT:g} s")
            return Found("optimal", [int(v.value or 0) for v in result.level_values])

        return job

    return prepare


def _plain(event: Event, model: str) -> tuple[Problem, Columns, list[int]]:
    """The complete graph: a column a pair, and its plain mixed-radix weight."""
    problem = problem_of(event, load_model(model))
    columns = all_pairs(problem)
    cost = columns.costs.astype(object) @ np.array(radix_weights(columns), object)
    return problem, columns, (cost.max() - cost).tolist()


def _found(problem: Problem, columns: Columns, matched: Any) -> Found:
    """The levels of a matching, given as pairs of players (n for the bye)."""
    number = {pair: k for k, pair in enumerate(zip(columns.a.tolist(), columns.b.tolist(),
                                                   strict=True))}  # fmt: skip
    chosen = [number[min(a, b), max(a, b)] for a, b in matched]
    totals = columns.costs[chosen].sum(axis=0).tolist()
    levels = [t + level.offset for t, level in zip(totals, problem.levels, strict=True)]
    return Found("optimal" if 2 * len(chosen) >= len(problem) else "no pairing", levels)


def networkx(event: Event, model: str) -> Job:
    """networkx on the complete graph with ready weights (Python's integers)."""
    import networkx as nx

    problem, columns, weights = _plain(event, model)
    graph = nx.Graph()
    both = zip(columns.a.tolist(), columns.b.tolist(), weights, strict=True)
    graph.add_weighted_edges_from(both)
    return lambda: _found(problem, columns, nx.max_weight_matching(graph, maxcardinality=True))


def rustworkx(event: Event, model: str) -> Job:
    """rustworkx on the complete graph with ready weights; its integers have 128 bits."""
    import rustworkx as rx

    problem, columns, weights = _plain(event, model)
    vertices = len(problem) + len(problem) % 2
    edges = list(zip(columns.a.tolist(), columns.b.tolist(), weights, strict=True))

    def job() -> Found:
        graph: Any = rx.PyGraph()
        graph.add_nodes_from([None] * vertices)
        graph.extend_from_weighted_edge_list(edges)
        return _found(
            problem, columns, rx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
        )

    return job


def naive_cpsat(event: Event, model: str) -> Job:
    """The plain boolean model in CP-SAT with its own parameters, one solve a level."""
    from ortools.sat.python import cp_model

    problem, columns, _ = _plain(event, model)

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
            total = sum(int(c) * use[k] for k, c in enumerate(columns.costs[:, level]) if c)
            made.minimize(total)
            solver.parameters.max_time_in_seconds = max(left, 0.01)
            if solver.solve(made) != cp_model.OPTIMAL:
                return Found(f"unknown after {LIMIT:g} s")
            left -= solver.wall_time
            made.add(total == solver.value(total))
        chosen = [k for k, variable in enumerate(use) if solver.boolean_value(variable)]
        return _found(
            problem, columns, zip(columns.a[chosen].tolist(), columns.b[chosen].tolist(),
                                  strict=True)
        )  # fmt: skip

    return job


def py4swiss(event: Event, model: str) -> Job:
    """FIDE's Dutch System, C++ inside, on a ready report of the event; rules of its own."""
    from py4swiss.engines import DutchEngine

    from pairopt.engines.py4swiss.engine import report_of

    report = report_of(problem_of(event, load_model("fide-dutch-2017-py4swiss")))

    def job() -> Found:
        DutchEngine.generate_pairings(report)
        return Found("own rules")

    return job


def swisspair(event: Event, model: str) -> Job:
    """Magic's rules, C++ inside, on ready players; rules of its own."""
    import swisspair as sp

    state = problem_of(event, load_model("double-sided")).state
    met: list[set[str]] = [set() for _ in range(len(state))]
    for one, two in state.meetings.pairs().tolist():
        met[one].add(state.names[two])
        met[two].add(state.names[one])
    players = [
        sp.Player(state.names[k], int(state.score[k]), int(state.overall_rank[k]),
                  bool(state.byes[k] == 0), met[k])
        for k in np.argsort(state.overall_rank)
    ]  # fmt: skip

    def job() -> Found:
        sp.create_matches(players)
        return Found("own rules")

    return job


CONTENDERS = {
    "pairopt matching": Contender(pairopt_with(engine="matching"), 3000),
    "pairopt cpsat": Contender(pairopt_with(engine="cpsat")),
    "rustworkx": Contender(rustworkx, 1000),
    "networkx": Contender(networkx, 301),
    "pairs in cpsat": Contender(
        pairopt_with(engine="cpsat", formulation="pairs", time_limit=LIMIT), 100
    ),
    "naive cpsat": Contender(naive_cpsat, 40),
    "py4swiss": Contender(py4swiss, 301),
    "swisspair": Contender(swisspair, 301),
}
"""In the order of the table; the first to find levels is what others are compared with."""
