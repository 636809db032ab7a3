"""Spreads: how many pairings of a lot have each value of a sum over their matches."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from pairopt.common.budget import Budget
from pairopt.event.arcs import Arcs, IntArray
from pairopt.sampling.drawing import ChainDiagnostics, draw, drawer_again
from pairopt.sampling.optimal_pairings import OptimalPairings, PairingComponent
from pairopt.sampling.state_table import PairList, own_table

Spread = Mapping[int, int]  # how many pairings, or draws, have each value

MOST_LISTED = 20_000  # pairings of a part of the field that are listed
MOST_SUMS = 1_000_000  # sums that are added up of two parts of the field


def sum_of(table: IntArray, arcs: Arcs) -> int:
    return int(table[arcs.first, arcs.second].sum())  # BYE is the last column


def exact_distributions(
    optima: OptimalPairings, values: Mapping[str, IntArray], budget: Budget
) -> dict[str, Spread] | None:
    whole: dict[str, Spread] = {name: {0: 1} for name in values}
    for component in optima.components:
        table = own_table(component, budget, MOST_LISTED)
        if table is None or table.count > MOST_LISTED:
            return None
        part: dict[str, Counter[int]] = {name: Counter() for name in values}
        for pairs in budget.iterate(_enumerate_pairings(component, component.totals)):
            for arcs in _both_ways(optima, component, pairs):
                for name, each in values.items():
                    part[name][sum_of(each, arcs)] += 1
        for name, own in part.items():
            if len(own) * len(whole[name]) > MOST_SUMS:
                return None
            added = Counter[int]()
            for a, ways in own.items():
                for b, others in whole[name].items():
                    added[a + b] += ways * others
            whole[name] = added
    return whole


def _enumerate_pairings(
    component: PairingComponent, left: Sequence[int]
) -> Iterator[PairList]:
    """All pairings of a component, whoever has which side."""
    code, cost = component.code, component.cost.tolist()

    def complete(players: tuple[int, ...], left: Sequence[int]) -> Iterator[PairList]:
        if not players:
            if not any(left):
                yield []
            return
        first = players[0]
        for other in players[1:]:
            if kind := int(code[first, other]):
                after = [
                    total - each for total, each in zip(left, cost[kind], strict=True)
                ]
                if min(after, default=0) >= 0:
                    rest = tuple(p for p in players[1:] if p != other)
                    for pairs in complete(rest, after):
                        yield [(first, other), *pairs]

    return complete(tuple(range(len(component))), left)


def _both_ways(
    optima: OptimalPairings, component: PairingComponent, pairs: PairList
) -> Iterator[Arcs]:
    """The pairing with each side that is as good."""
    ends = np.sort(component.players[np.array(pairs, np.int64).reshape(-1, 2)], axis=1)
    n = len(optima.number) - 1
    either = component.ways[component.code[tuple(np.array(pairs).T)]] == 2
    fixed = optima.arcs(ends[:, 0], ends[:, 1], np.random.default_rng(0))
    at = np.flatnonzero(either & (ends[:, 1] < n))
    for turned in range(1 << len(at)):
        swap = np.zeros(len(ends), np.bool_)
        swap[at] = [turned >> k & 1 for k in range(len(at))]
        yield fixed.turned(swap)


def sampled_distributions(
    optima: OptimalPairings, values: Mapping[str, IntArray], draws: int, budget: Budget
) -> tuple[dict[str, Spread], tuple[ChainDiagnostics, ...]]:
    drawers = [
        drawer_again(component, draws, budget) for component in optima.components
    ]
    spreads: dict[str, Counter[int]] = {name: Counter() for name in values}
    chained: tuple[ChainDiagnostics, ...] = ()
    for k in budget.iterate(range(draws)):
        drawn = draw(optima, replace(budget, seed=(budget.seed << 32) + k), drawers)
        chained = drawn.chained
        for name, each in values.items():
            spreads[name][sum_of(each, drawn.arcs)] += 1
    return dict(spreads), chained
