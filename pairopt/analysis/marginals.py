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
    """Return how probable each pair is in a random optimal pairing of a component.

    It is exact if the optimal pairings can be counted, otherwise estimated from `draws`
    pairings or more. All optimal pairings are equally likely. Raise TimeUpError when
    the deadline passes.
    """
    exact_probabilities = compute_exactly(component, budget)
    if exact_probabilities is not None:
        return exact_probabilities

    first_players, second_players = np.nonzero(np.triu(component.code))
    # partner of each player, shape (draws of a run, runs, players)
    partners_by_draw, chain_diagnostics = draw_many(component, draws, budget)
    pair_counts = (partners_by_draw[:, :, first_players] == second_players).sum(axis=0)
    return PairProbabilities(
        first_players,
        second_players,
        seen=pair_counts,
        draws_per_run=len(partners_by_draw),
        chained=chain_diagnostics,
    )


def compute_exactly(
    component: PairingComponent, budget: Budget = Budget()
) -> PairProbabilities | None:
    """Return exact probabilities of pairs by counting, None if that would take too long.

    A small state table is tried first, then inclusion-exclusion over forbidden pairs if
    the component has any, then a large table. Raise TimeUpError when the deadline
    passes.
    """
    layout = state_layout(component, component.code, budget)
    state_counts = state_table(layout, SMALL, budget)
    if state_counts is None and component.missing.any():
        relaxed_layout = state_layout(component, component.relaxed, budget)
        pair_counts = pairs_by_forbidden(component, relaxed_layout, MOST_STEPS, budget)
        if pair_counts is not None:
            return probabilities_from_counts(pair_counts)

    state_counts = state_counts or state_table(layout, LARGE, budget)
    return None if state_counts is None else probabilities_from_table(state_counts)


def probabilities_from_counts(counts: IntArray) -> PairProbabilities:
    """Convert numbers of pairings with each pair, shape (k, k), to probabilities.

    k is the number of players in the component. `counts` must be symmetric. Pairs with
    the count 0 are left out.
    """
    first_players, second_players = np.nonzero(np.triu(counts > 0))
    pair_counts = counts[first_players, second_players].tolist()
    # Each player is in exactly one pair of each pairing.
    pairing_count = int(counts[0].sum())
    fraction_of_count = {
        pair_count: Fraction(pair_count, pairing_count) for pair_count in {*pair_counts}
    }
    probabilities = tuple(fraction_of_count[pair_count] for pair_count in pair_counts)
    return PairProbabilities(first_players, second_players, exact=probabilities)


def probabilities_from_table(table: StateTable) -> PairProbabilities:
    """Compute the exact probability of each pair from a table of counted states.

    It sums forward and backward over the states of the table. Pairs that no optimal
    pairing contains are left out. Pairs of the same two groups have equal
    probabilities.
    """
    table_layout = table.layout
    completions_by_state = table.completions
    group_fields = table_layout.fields[: len(table_layout.groups)]
    ways_by_state = defaultdict[int, int](int, {table_layout.start: 1})
    # how many pairings have a match of two groups, summed over the matches
    match_counts = defaultdict[tuple[int, int], int](int)

    # A match makes the number of a state smaller.
    for state_number in sorted(completions_by_state, reverse=True):
        ways_to_state = ways_by_state.pop(state_number, 0)
        open_groups = (
            group_index
            for group_index, (field_shift, field_mask) in enumerate(group_fields)
            if state_number >> field_shift & field_mask
        )
        open_group_index = next(open_groups, None)
        if not ways_to_state or open_group_index is None:
            continue

        for match_option in table_layout.options(open_group_index):
            option_way_count = match_option.count_ways(state_number)
            next_state = state_number - match_option.lost
            completion_count = completions_by_state.get(next_state, 0)
            if option_way_count > 0 and completion_count:
                ways_by_state[next_state] += ways_to_state * option_way_count
                match_counts[open_group_index, match_option.partner] += (
                    ways_to_state * option_way_count * completion_count
                )

    player_pairs = list[tuple[int, int]]()
    probabilities = list[Fraction]()
    for (group_index, partner_group_index), match_count in match_counts.items():
        group_members = table_layout.groups[group_index]
        partner_members = table_layout.groups[partner_group_index]
        member_pairs = [
            (group_member, partner_player)
            for member_index, group_member in enumerate(group_members)
            for partner_player in (
                partner_members[member_index + 1 :]
                if group_index == partner_group_index
                else partner_members
            )
        ]
        player_pairs += [
            (min(member_pair), max(member_pair)) for member_pair in member_pairs
        ]
        probabilities += [Fraction(match_count, table.count * len(member_pairs))] * len(
            member_pairs
        )
    first_players, second_players = np.array(player_pairs, np.int64).reshape(-1, 2).T
    return PairProbabilities(first_players, second_players, exact=tuple(probabilities))


def confidence_intervals(
    probabilities: PairProbabilities,
) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper ends of 95 % intervals, shape (pairs,) each.

    `probabilities` must be estimated. Independent draws have Wilson's score interval.
    Markov chains have Student's t interval with the variance between chains, but no
    narrower than for independent draws. All ends are within 0 and 1.
    """
    assert probabilities.seen is not None
    pair_counts = probabilities.seen
    draws_per_run = probabilities.draws_per_run
    run_count = len(pair_counts)
    draw_count = draws_per_run * run_count
    pair_shares = pair_counts.sum(axis=0) / draw_count

    normal_quantile = NORMAL
    wilson_denominator = 1 + NORMAL**2 / draw_count
    interval_centers = (
        pair_shares + normal_quantile**2 / (2 * draw_count)
    ) / wilson_denominator
    half_widths = (
        normal_quantile
        / wilson_denominator
        * np.sqrt(
            pair_shares * (1 - pair_shares) / draw_count
            + normal_quantile**2 / (4 * draw_count**2)
        )
    )
    if run_count > 1:
        standard_errors = (pair_counts / draws_per_run).std(
            axis=0, ddof=1
        ) / run_count**0.5
        half_widths = np.maximum(half_widths, T_7 * standard_errors)
    return np.maximum(interval_centers - half_widths, 0), np.minimum(
        interval_centers + half_widths, 1
    )
