"""Starts: optimal pairings far from each other, found by a solver, and the steps between them."""

from __future__ import annotations

import numpy as np

from pairopt.budget import Budget, TimeUpError
from pairopt.engines.columns import single_pairs
from pairopt.engines.matching.stages import MatchedStages, lexicographic
from pairopt.event.arcs import IntArray
from pairopt.lots.chain import Longer, partners
from pairopt.lots.optima import Component

STARTS = 8
LARGEST = 1000
"""Random prices of pairs are up to this."""
SHORT = 4
"""Steps between so few matches are taken by the chain anyway."""


def starts_of(
    component: Component, rng: np.random.Generator, budget: Budget = Budget()
) -> IntArray:
    """Optimal pairings that are the cheapest at random prices, shape (STARTS, k).

    Raises TimeUpError.
    """
    pairs = np.count_nonzero(np.triu(component.code))
    prices = (rng.integers(LARGEST, size=pairs) for _ in range(STARTS))
    return np.array([cheapest_optimum(component, price, budget)[1] for price in prices])


def cheapest_optimum(
    component: Component, price: IntArray, budget: Budget = Budget()
) -> tuple[int, IntArray]:
    """The optimal pairing of least total price, as that and partners, shape (k,).

    `price` has an entry for each pair of the component's matrix, row by row. Raises TimeUpError.
    """
    one, two = np.nonzero(np.triu(component.code))
    costs = np.column_stack([component.cost[component.code[one, two]], price])
    columns = single_pairs(len(component), one, two, costs)
    found = lexicographic(columns, MatchedStages((), np.ones(len(one), np.bool_)), budget)
    if found.stopped:
        raise TimeUpError
    assert found.values[:-1] == component.totals
    assert found.matching is not None
    pairs = np.column_stack([found.matching.first, found.matching.second])
    return found.values[-1], partners(pairs[None])[0]


def longer_steps(component: Component, starts: IntArray) -> list[Longer]:
    """The alternating cycles in which the starts differ from the first.

    Cycles that change an equation's sum are one step together.
    """
    steps: dict[bytes, Longer] = {}
    here = starts[0]
    for there in starts[1:]:
        mixed: list[int] = []
        for cycle in _cycles(here, there):
            if _sums(component, here, cycle) != _sums(component, there, cycle):
                mixed += cycle
            elif len(cycle) > 2 * SHORT:
                _add(steps, here, there, cycle)
        if len(mixed) > 2 * SHORT:
            _add(steps, here, there, mixed)
    return list(steps.values())


def _cycles(here: IntArray, there: IntArray) -> list[list[int]]:
    """The players of each alternating cycle of two pairings."""
    seen = here == there
    cycles = []
    for first in range(len(here)):
        player, cycle = first, []
        while not seen[player]:
            other = int(here[player])
            seen[player] = seen[other] = True
            cycle += [player, other]
            player = int(there[other])
        if cycle:
            cycles.append(cycle)
    return cycles


def _sums(component: Component, partner: IntArray, players: list[int]) -> list[int]:
    """Twice what the players' matches add to the equations."""
    sums: list[int] = component.cost[component.code[players, partner[players]]].sum(axis=0).tolist()
    return sums


def _add(steps: dict[bytes, Longer], here: IntArray, there: IntArray, players: list[int]) -> None:
    one, two = (
        np.array(sorted((p, int(partner[p])) for p in players if p < partner[p]))
        for partner in (here, there)
    )
    steps[two.tobytes()] = Longer(one, two)
