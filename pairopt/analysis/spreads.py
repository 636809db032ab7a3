"""Compute how many optimal pairings have each value of a sum over their matches."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from pairopt.common.budget import Budget
from pairopt.event.arcs import Arcs, IntArray
from pairopt.sampling.drawing import ChainDiagnostics, draw, drawer_again
from pairopt.sampling.optimal_pairings import OptimalPairings, PairingComponent
from pairopt.sampling.state_table import PairList, own_table

Spread = Mapping[int, int]
"""The distribution of a sum: how many pairings, or draws, have each value."""

MOST_LISTED = 20_000
"""The most pairings of a component that are enumerated."""
MOST_SUMS = 1_000_000
"""The most sums of values of two components that are added up."""


def sum_of(table: IntArray, arcs: Arcs) -> int:
    """Return the sum of a table over a pairing's arcs; its last column is the bye."""
    # BYE is -1.
    return int(table[arcs.first, arcs.second].sum())


def exact_distributions(
    optima: OptimalPairings, values: Mapping[str, IntArray], budget: Budget
) -> dict[str, Spread] | None:
    """Compute the distribution of each sum over all optimal pairings.

    `values` are tables of what a match adds to each sum, shape (n, n + 1), first side
    first. Return None if there are too many pairings to enumerate.
    """
    totals: dict[str, Spread] = {name: {0: 1} for name in values}
    for component in optima.components:
        table = own_table(component, budget, MOST_LISTED)
        if table is None or table.count > MOST_LISTED:
            return None

        part: dict[str, Counter[int]] = {name: Counter() for name in values}
        for pairs in budget.iterate(_enumerate_pairings(component, component.totals)):
            for arcs in _enumerate_sides(optima, component, pairs):
                for name, value_table in values.items():
                    part[name][sum_of(value_table, arcs)] += 1

        for name, distribution in part.items():
            if len(distribution) * len(totals[name]) > MOST_SUMS:
                return None
            totals[name] = _convolve(distribution, totals[name])
    return totals


def _convolve(distribution: Spread, other_distribution: Spread) -> Spread:
    """Return the distribution of the sum of two independent values."""
    sums = Counter[int]()
    for value, count in distribution.items():
        for other_value, other_count in other_distribution.items():
            sums[value + other_value] += count * other_count
    return sums


def _enumerate_pairings(
    component: PairingComponent, totals: Sequence[int]
) -> Iterator[PairList]:
    """Yield all pairings of a component with these level totals, without sides."""
    code = component.code
    cost = component.cost.tolist()

    def complete(
        players: tuple[int, ...], remaining: Sequence[int]
    ) -> Iterator[PairList]:
        """Yield all pairings of these players that use up the remaining totals."""
        if not players:
            if not any(remaining):
                yield []
            return

        player = players[0]
        for opponent in players[1:]:
            kind = int(code[player, opponent])
            if not kind:
                continue
            remaining_after = [
                total - amount
                for total, amount in zip(remaining, cost[kind], strict=True)
            ]
            if min(remaining_after, default=0) < 0:
                continue
            unpaired = tuple(unmet for unmet in players[1:] if unmet != opponent)
            for pairs in complete(unpaired, remaining_after):
                yield [(player, opponent), *pairs]

    return complete(tuple(range(len(component))), totals)


def _enumerate_sides(
    optima: OptimalPairings, component: PairingComponent, pairs: PairList
) -> Iterator[Arcs]:
    """Yield a pairing of a component once for each optimal choice of sides."""
    # positions in the state, shape (pairs, 2); the bye is n
    positions = component.players[np.array(pairs, np.int64).reshape(-1, 2)]
    ends = np.sort(positions, axis=1)
    n = len(optima.number) - 1
    kinds = component.code[tuple(np.array(pairs).T)]
    has_both_ways = component.ways[kinds] == 2
    arcs = optima.arcs(ends[:, 0], ends[:, 1], np.random.default_rng(0))

    free_pairs = np.flatnonzero(has_both_ways & (ends[:, 1] < n))
    for turned in range(1 << len(free_pairs)):
        swap = np.zeros(len(ends), np.bool_)
        swap[free_pairs] = [turned >> k & 1 for k in range(len(free_pairs))]
        yield arcs.turned(swap)


def sampled_distributions(
    optima: OptimalPairings, values: Mapping[str, IntArray], draws: int, budget: Budget
) -> tuple[dict[str, Spread], tuple[ChainDiagnostics, ...]]:
    """Estimate the distribution of each sum from random optimal pairings.

    `values` are as for `exact_distributions`. The second value has the diagnostics of
    components that a Markov chain drew.
    """
    drawers = [
        drawer_again(component, draws, budget) for component in optima.components
    ]
    distributions: dict[str, Counter[int]] = {name: Counter() for name in values}
    chained: tuple[ChainDiagnostics, ...] = ()
    for k in budget.iterate(range(draws)):
        draw_budget = replace(budget, seed=(budget.seed << 32) + k)
        drawn = draw(optima, draw_budget, drawers)
        chained = drawn.chained
        for name, table in values.items():
            distributions[name][sum_of(table, drawn.arcs)] += 1
    return dict(distributions), chained
