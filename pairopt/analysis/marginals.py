"""Marginals: in which part of a component's pairings two players meet. A table gives them exactly:
what leads to each state, times what completes it (forward and backward sums); players of a group
are exchangeable. Where it would be large each pair is forced in turn, and the rest counted by its
forbidden pairs; else pairings are drawn, from the relaxed table or by a Markov chain.
"""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pairopt.common.budget import Budget
from pairopt.event.arcs import FloatArray, IntArray
from pairopt.sampling.counting import NORMAL, T_7
from pairopt.sampling.drawing import LARGE, SMALL, ChainDiagnostics, draw_many
from pairopt.sampling.inclusion_exclusion import pairs_by_forbidden
from pairopt.sampling.optimal_pairings import PairingComponent
from pairopt.sampling.state_table import StateTable, state_layout, state_table

MOST_STEPS = 5_000_000
"""Steps that counts with each pair forced may take together: some ten seconds."""


@dataclass(frozen=True)
class PairProbabilities:
    """How often two players of a component meet, for those of its pairs (`one`, `two`) that may.
    `exact` ones are fractions; else `seen`, shape (runs, pairs), is how often each pair came in
    `each` draws of a run: of one run where the draws are independent, else of each `chained`
    one.
    """

    one: IntArray
    two: IntArray
    exact: tuple[Fraction, ...] | None = None
    seen: IntArray | None = None
    each: int = 0
    chained: ChainDiagnostics | None = None


def shares_of(
    component: PairingComponent, draws: int, budget: Budget = Budget()
) -> PairProbabilities:
    """How often two players meet, exactly or from so many draws at least. Raises TimeUpError."""
    if (exact := exactly(component, budget)) is not None:
        return exact
    one, two = np.nonzero(np.triu(component.code))
    states, chained = draw_many(component, draws, budget)
    seen = (states[:, :, one] == two).sum(axis=0)
    return PairProbabilities(one, two, seen=seen, each=len(states), chained=chained)


def exactly(
    component: PairingComponent, budget: Budget = Budget()
) -> PairProbabilities | None:
    """The shares of each two players, None where that would take too long. Raises TimeUpError."""
    layout = state_layout(component, component.code, budget)
    if (
        table := state_table(layout, SMALL, budget)
    ) is None and component.missing.any():
        relaxed = state_layout(component, component.relaxed, budget)
        if (
            held := pairs_by_forbidden(component, relaxed, MOST_STEPS, budget)
        ) is not None:
            return held_shares(held)
    table = table or state_table(layout, LARGE, budget)
    return None if table is None else exact_shares(table)


def held_shares(held: IntArray) -> PairProbabilities:
    one, two = np.nonzero(np.triu(held > 0))
    count = int(held[0].sum())
    parts = {number: Fraction(number, count) for number in {*held[one, two].tolist()}}
    return PairProbabilities(
        one, two, exact=tuple(parts[number] for number in held[one, two].tolist())
    )


def exact_shares(table: StateTable) -> PairProbabilities:
    layout, left = table.layout, table.completions
    fields = layout.fields[: len(layout.groups)]
    ways = defaultdict[int, int](int, {layout.start: 1})
    total = defaultdict[tuple[int, int], int](int)
    for state in sorted(
        left, reverse=True
    ):  # a match makes the number of a state smaller
        there = ways.pop(state, 0)
        group = next(
            (g for g, (at, mask) in enumerate(fields) if state >> at & mask), None
        )
        if not there or group is None:
            continue
        for option in layout.options(group):
            number, after = option.number(state), left.get(state - option.lost, 0)
            if number > 0 and after:
                ways[state - option.lost] += there * number
                total[group, option.partner] += there * number * after
    ends, share = list[tuple[int, int]](), list[Fraction]()
    for (g, h), number in total.items():
        own, met = layout.groups[g], layout.groups[h]
        pairs = [
            (a, b) for k, a in enumerate(own) for b in (met[k + 1 :] if g == h else met)
        ]
        ends += [(min(pair), max(pair)) for pair in pairs]
        share += [Fraction(number, table.count * len(pairs))] * len(pairs)
    one, two = np.array(ends, np.int64).reshape(-1, 2).T
    return PairProbabilities(one, two, exact=tuple(share))


def spread_of(shares: PairProbabilities) -> tuple[FloatArray, FloatArray]:
    """The 95% interval of each estimated share, shape (pairs,) each: Wilson's; of chains Student's
    t with the variance between them, but not narrower than if draws were independent.
    """
    assert shares.seen is not None
    runs, total = len(shares.seen), shares.each * len(shares.seen)
    share = shares.seen.sum(axis=0) / total
    z, weight = NORMAL, 1 + NORMAL**2 / total
    middle = (share + z**2 / (2 * total)) / weight
    arm = z / weight * np.sqrt(share * (1 - share) / total + z**2 / (4 * total**2))
    if runs > 1:
        between = (shares.seen / shares.each).std(axis=0, ddof=1) / runs**0.5
        arm = np.maximum(arm, T_7 * between)
    return np.maximum(middle - arm, 0), np.minimum(middle + arm, 1)
