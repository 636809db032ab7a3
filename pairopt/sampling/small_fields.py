"""Small: the optimal pairings of a field of some dozen players, from what the matching knows.

The matching leaves pairs that may be used, and one cost of each that orders all levels. A pairing
is optimal if no other pairs can take the place of some of its own for less: if no closed walk, over
pairs of it and others in turn, costs less than nothing. Where none does, though it goes over a pair
twice, the pairs of walks that cost just nothing are those of optimal pairings, whole or by halves.
Else Edmonds' odd sets have prices: one match leaves each, and above them no walk costs less.
"""

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.allowed_arcs import LISTED_FIRST, OTHER_FIRST
from pairopt.engines.base import EngineError, EngineOptions, RemainingPairs
from pairopt.engines.matching.edges import Edges
from pairopt.engines.matching.engine import FEW, solve
from pairopt.engines.matching.min_cost_matching import start_blossom
from pairopt.engines.matching.reduced_costs import feasible_duals
from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.problem.model_file import Objective
from pairopt.problem.problem import Problem
from pairopt.sampling.optimal_pairings import OptimalPairings, PairingComponent

FAR = 2**60  # the length of a way that there is not
LONGEST = 2**48  # costs are below this: a walk's sum is an integer of 64 bits


def optima_left(
    problem: Problem,
    arcs: Arcs,
    objective: Objective,
    budget: Budget,
    left: RemainingPairs | None = None,
) -> OptimalPairings | None:
    """All optimal pairings, `arcs` one of them, as those of one component; `left` by the matching.
    None for a large field or costs. Raises EngineError for no optimal pairing, TimeUpError.
    """
    if left is None and len(problem) <= FEW:
        left = solve(problem, EngineOptions(objective, budget=budget)).left
    if left is None or int(left.cost.max(initial=0)) >= LONGEST:
        return None
    columns, number = left.columns, left.alive.nonzero()[0]
    n, vertices = columns.players, columns.players + columns.odd
    edges = Edges(columns.a[number], columns.b[number], number)
    one, two, cost = edges.first, edges.second, 2 * left.cost[number].astype(np.int64)
    mate = np.where(arcs.partners < 0, n, arcs.partners)[
        [*range(n), *[-1] * columns.odd]
    ]
    either = columns.sides[number] == LISTED_FIRST | OTHER_FIRST
    kind, sets = 1 + (either & (two < n) & problem.state.sided), 0
    if (used := _zero_cost_edges(vertices, one, two, cost, mate)) is None:
        for members, price in _sets(vertices, edges, cost, budget).items():
            inside = np.zeros(vertices, np.bool_)
            inside[[*members]] = True
            crosses = inside[one] != inside[two]
            cost, kind, sets = (
                cost - price * crosses,
                kind + (4 << sets) * crosses,
                sets + 1,
            )
        if (used := _zero_cost_edges(vertices, one, two, cost, mate)) is None:
            raise EngineError("solving.no_optimum", engine="the engine")
    one, two = one[used], two[used]
    kinds, code = np.unique(np.append(0, kind[used]), return_inverse=True)
    whole, table = np.zeros((vertices, vertices), np.int64), np.full((n + 1, n + 1), -1)
    whole[one, two] = whole[two, one] = code[1:]
    table[one, two] = table[two, one] = number[used]
    leaves, sums = kinds[:, None] >> 2 + np.arange(sets) & 1, (1,) * sets
    component = PairingComponent(
        np.arange(vertices), whole, whole, kinds & 3, leaves, sums
    )
    return OptimalPairings(columns, table, (component,))


def _sets(
    vertices: int, edges: Edges, cost: IntArray, budget: Budget
) -> dict[frozenset[int], int]:
    """The prices of odd sets under which a pairing is the cheapest, whichever is at hand."""
    paid = feasible_duals(vertices, edges.first, edges.second, cost)
    blossom = start_blossom(vertices, edges, cost, paid)
    blossom.match(budget)
    return {members: price for members, price in blossom.duals()[1].items() if price}


def _zero_cost_edges(
    vertices: int, one: IntArray, two: IntArray, cost: IntArray, mate: IntArray
) -> BoolArray | None:
    """The edges of closed walks that cost nothing, None where one costs less (Floyd, Warshall)."""
    if (cost == cost[0]).all():
        return np.ones(len(cost), np.bool_)
    table = np.full((vertices, vertices), FAR)
    table[one, two] = table[two, one] = cost
    step = table[mate]  # from a player over their opponent to another one
    step -= np.diag(step)[:, None]
    step[table[mate] == FAR] = FAR
    way, over = step.copy(), np.empty_like(step)
    for k in range(vertices):
        if way[k, k] < 0:
            return None
        np.minimum(way, np.add(way[:, k, None], way[k], out=over), out=way)
    if way.diagonal().min() < 0:
        return None
    return np.asarray((step == -way.T)[mate[one], two], np.bool_)
