"""Compute the probability that two players of a component meet in an optimal pairing.

A state table gives the probabilities exactly: the number of ways that lead to each
state, times the number of ways that complete it (forward and backward sums). Players of
one group of the table are exchangeable. Where the table would be large, each pair is
forced in turn, and the completions are counted by inclusion-exclusion over the
forbidden pairs. Otherwise pairings are drawn, from the table of the relaxed component
or by a Markov chain.
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
"""The most steps of all counts with a forced pair together, some ten seconds."""


@dataclass(frozen=True)
class PairProbabilities:
    """How often two players of a component meet, over its optimal pairings.

    `first` and `second` are the pairs that can meet, as positions in the component,
    shape (pairs,) each. Exact probabilities are fractions. Otherwise `seen`, shape
    (runs, pairs), counts how often each pair occurred in the `draws_per_run` draws of
    each run. Independent draws are a single run; a Markov chain has several, and its
    diagnostics in `chained`.
    """

    first: IntArray
    second: IntArray
    exact: tuple[Fraction, ...] | None = None
    seen: IntArray | None = None
    draws_per_run: int = 0
    chained: ChainDiagnostics | None = None


def compute_probabilities(
    component: PairingComponent, draws: int, budget: Budget = Budget()
) -> PairProbabilities:
    """Return how often each pair meets, exactly or from at least this many draws.

    Raise TimeUpError when the deadline passes.
    """
    exact = compute_exactly(component, budget)
    if exact is not None:
        return exact

    first_players, second_players = np.nonzero(np.triu(component.code))
    # partner of each player, shape (draws of a run, runs, players)
    states, chained = draw_many(component, draws, budget)
    pair_counts = (states[:, :, first_players] == second_players).sum(axis=0)
    return PairProbabilities(
        first_players,
        second_players,
        seen=pair_counts,
        draws_per_run=len(states),
        chained=chained,
    )


def compute_exactly(
    component: PairingComponent, budget: Budget = Budget()
) -> PairProbabilities | None:
    """Return how often each pair meets, None where counting would take too long.

    Raise TimeUpError when the deadline passes.
    """
    layout = state_layout(component, component.code, budget)
    table = state_table(layout, SMALL, budget)
    if table is None and component.missing.any():
        relaxed = state_layout(component, component.relaxed, budget)
        counts = pairs_by_forbidden(component, relaxed, MOST_STEPS, budget)
        if counts is not None:
            return probabilities_from_counts(counts)

    table = table or state_table(layout, LARGE, budget)
    return None if table is None else probabilities_from_table(table)


def probabilities_from_counts(counts: IntArray) -> PairProbabilities:
    """Return probabilities from counts of pairings with each pair, shape (k, k)."""
    first_players, second_players = np.nonzero(np.triu(counts > 0))
    pair_counts = counts[first_players, second_players].tolist()
    # Each player is in exactly one pair of each pairing.
    total = int(counts[0].sum())
    fractions = {count: Fraction(count, total) for count in {*pair_counts}}
    exact = tuple(fractions[count] for count in pair_counts)
    return PairProbabilities(first_players, second_players, exact=exact)


def probabilities_from_table(table: StateTable) -> PairProbabilities:
    """Return probabilities by forward and backward sums over the states of a table."""
    layout = table.layout
    completions = table.completions
    fields = layout.fields[: len(layout.groups)]
    ways_to = defaultdict[int, int](int, {layout.start: 1})
    # how many pairings have a match of two groups, summed over the matches
    totals = defaultdict[tuple[int, int], int](int)

    # A match makes the number of a state smaller.
    for state in sorted(completions, reverse=True):
        ways = ways_to.pop(state, 0)
        open_groups = (
            group_index
            for group_index, (shift, mask) in enumerate(fields)
            if state >> shift & mask
        )
        group = next(open_groups, None)
        if not ways or group is None:
            continue

        for option in layout.options(group):
            option_ways = option.number(state)
            next_state = state - option.lost
            completion_count = completions.get(next_state, 0)
            if option_ways > 0 and completion_count:
                ways_to[next_state] += ways * option_ways
                totals[group, option.partner] += ways * option_ways * completion_count

    ends = list[tuple[int, int]]()
    exact = list[Fraction]()
    for (group_index, partner_index), total in totals.items():
        members = layout.groups[group_index]
        partners = layout.groups[partner_index]
        pairs = [
            (member, partner)
            for index, member in enumerate(members)
            for partner in (
                partners[index + 1 :] if group_index == partner_index else partners
            )
        ]
        ends += [(min(pair), max(pair)) for pair in pairs]
        exact += [Fraction(total, table.count * len(pairs))] * len(pairs)
    first_players, second_players = np.array(ends, np.int64).reshape(-1, 2).T
    return PairProbabilities(first_players, second_players, exact=tuple(exact))


def confidence_intervals(
    probabilities: PairProbabilities,
) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper ends of 95 % intervals, shape (pairs,) each.

    Independent draws have Wilson's score interval. Markov chains have Student's t
    interval with the variance between chains, but no narrower than for independent
    draws.
    """
    assert probabilities.seen is not None
    pair_counts = probabilities.seen
    draws_per_run = probabilities.draws_per_run
    runs = len(pair_counts)
    total = draws_per_run * runs
    share = pair_counts.sum(axis=0) / total

    z = NORMAL
    weight = 1 + NORMAL**2 / total
    middle = (share + z**2 / (2 * total)) / weight
    arm = z / weight * np.sqrt(share * (1 - share) / total + z**2 / (4 * total**2))
    if runs > 1:
        standard_error = (pair_counts / draws_per_run).std(axis=0, ddof=1) / runs**0.5
        arm = np.maximum(arm, T_7 * standard_error)
    return np.maximum(middle - arm, 0), np.minimum(middle + arm, 1)
