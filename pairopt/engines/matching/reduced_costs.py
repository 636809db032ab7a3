"""Pricing: what pairs cost above prices of players and of odd sets of them."""

from collections.abc import Mapping, Sequence

import numpy as np

from pairopt.engines.matching.edges import Edges, Numbers, sort_by_endpoints
from pairopt.engines.player_types import types_of
from pairopt.event.arcs import FloatArray, IntArray

LARGEST = 2**60  # sums up to it are kept in 64 bits
AT_ONCE = 2**16  # so many edges are priced together
Prices = Sequence[int] | Numbers
Sets = Mapping[frozenset[int], int]
"""Odd sets of vertices, and what a match that leaves one pays for it."""


def double_exact(cost: Numbers) -> Numbers:
    """Twice as much, as Python's integers where sums of some could not be kept in 64 bits."""
    fits = int(cost.max(initial=0)) < LARGEST // 4
    return 2 * cost.astype(np.int64 if fits else object)


def reduced_costs(edges: Edges, cost: Numbers, alone: Prices, sets: Sets) -> Numbers:
    """What each edge, of these costs, costs more than the prices of its ends and of sets."""
    price, inside = (
        exact_duals(alone, sets, cost),
        np.zeros((len(sets), len(alone)), np.bool_),
    )
    for row, members in zip(inside, sets, strict=True):
        row[list(members)] = True
    cell = types_of(list(inside), len(alone))
    holds = np.zeros((int(cell.max(initial=0)) + 1, len(sets)), np.bool_)
    holds[cell] = inside.T
    of_sets = (holds * np.array(list(sets.values()), price.dtype)) @ holds.T
    own = of_sets.diagonal()
    leaving = own[:, None] + own - 2 * of_sets
    above: Numbers = np.empty(len(edges), np.result_type(price, cost))
    for low in range(0, len(edges), AT_ONCE):  # so that the processor can hold them
        own_edges = slice(low, low + AT_ONCE)
        one, two = edges.first[own_edges], edges.second[own_edges]
        above[own_edges] = cost[own_edges] - price[one] - price[two]
        if sets:
            above[own_edges] -= leaving[cell[one], cell[two]]
    return above


def exact_duals(alone: Prices, sets: Sets, cost: Numbers) -> Numbers:
    """Prices as numbers that sums of some fit into, as costs do."""
    fit = max(map(abs, alone), default=0) + sum(sets.values()) < LARGEST
    return np.array(alone, cost.dtype if fit else object)


def feasible_duals(ends: int, one: IntArray, two: IntArray, twice: Numbers) -> Numbers:
    """A price for each of so many ends, so that nothing between two costs less (`twice`, even) than
    theirs: of the cheapest pair of each, then, end by end, the highest that the others leave.
    """
    inside = one == two
    most: Numbers = np.full(ends, twice.max(initial=0), twice.dtype)
    np.minimum.at(most, one[inside], twice[inside] // 2)
    one, two, twice = one[~inside], two[~inside], twice[~inside]
    pair, start = sort_by_endpoints(ends, one, two)
    there = np.diff(start).nonzero()[0]
    others, costs = (one + two)[pair], twice[pair]
    paid = most.copy()
    others -= np.repeat(there, np.diff(start)[there])
    paid[there] = np.minimum(most[there], np.minimum.reduceat(costs, start[there]) // 2)
    lows, highs = start[there].tolist(), start[there + 1].tolist()
    for end, top, low, high in zip(
        there.tolist(), most[there], lows, highs, strict=True
    ):
        paid[end] = min(top, (costs[low:high] - paid[others[low:high]]).min())
    return paid


def approximate_log(above: Numbers) -> FloatArray:
    """About the logarithms of numbers not below 0, however large."""
    spare = max(int(above.max(initial=0)).bit_length() - 1000, 0)
    return np.asarray(np.log2(1 + (above >> spare).astype(np.float64)), np.float64)
