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
    """Add up what each match and bye of a pairing counts, by a table.

    The table has shape (n, n + 1), n being the number of players: the player of the
    first seat is the row, the opponent the column. The last column is the bye.
    """
    # BYE is -1.
    return int(table[arcs.first, arcs.second].sum())


def exact_distributions(
    optima: OptimalPairings, values: Mapping[str, IntArray], budget: Budget
) -> dict[str, Spread] | None:
    """Compute the distribution of each sum over all optimal pairings, by name.

    `optima` are the optimal pairings. `values` are by name the tables of what a match
    adds to each sum, shape (n, n + 1), first side first. A distribution has the number
    of pairings by value, each choice of sides counting. Return None if there are too
    many pairings to enumerate, or too many sums to add up. Raise TimeUpError when the
    deadline passes.
    """
    total_distributions: dict[str, Spread] = {sum_name: {0: 1} for sum_name in values}
    for component in optima.components:
        pairing_table = own_table(component, budget, MOST_LISTED)
        if pairing_table is None or pairing_table.count > MOST_LISTED:
            return None

        component_distributions: dict[str, Counter[int]] = {
            sum_name: Counter() for sum_name in values
        }
        for pairing_pairs in budget.iterate(
            _enumerate_pairings(component, component.totals)
        ):
            for arcs in _enumerate_sides(optima, component, pairing_pairs):
                for sum_name, value_table in values.items():
                    component_distributions[sum_name][sum_of(value_table, arcs)] += 1

        for sum_name, distribution in component_distributions.items():
            if len(distribution) * len(total_distributions[sum_name]) > MOST_SUMS:
                return None
            total_distributions[sum_name] = _convolve(
                distribution, total_distributions[sum_name]
            )
    return total_distributions


def _convolve(distribution: Spread, other_distribution: Spread) -> Spread:
    """Return the distribution of the sum of two values that are independent.

    Both `distribution` and `other_distribution` have the number of pairings by value;
    the numbers of two values are multiplied.
    """
    count_by_sum = Counter[int]()
    for first_value, first_count in distribution.items():
        for other_value, other_count in other_distribution.items():
            count_by_sum[first_value + other_value] += first_count * other_count
    return count_by_sum


def _enumerate_pairings(
    component: PairingComponent, totals: Sequence[int]
) -> Iterator[PairList]:
    """Yield all pairings of a component with these totals of levels, without sides.

    A pairing is a list of pairs of indices in the component, the smaller one first.
    """
    kind_codes = component.code
    costs_by_kind = component.cost.tolist()

    def complete(
        players: tuple[int, ...], remaining: Sequence[int]
    ) -> Iterator[PairList]:
        """Yield all pairings of these players whose costs add up to `remaining`.

        `players` are indices in the component, `remaining` has one total per level.
        """
        if not players:
            if not any(remaining):
                yield []
            return

        player = players[0]
        for opponent in players[1:]:
            pair_kind = int(kind_codes[player, opponent])
            if not pair_kind:
                continue
            remaining_after = [
                level_total - level_amount
                for level_total, level_amount in zip(
                    remaining, costs_by_kind[pair_kind], strict=True
                )
            ]
            if min(remaining_after, default=0) < 0:
                continue
            unpaired_players = tuple(
                other_player for other_player in players[1:] if other_player != opponent
            )
            for remaining_pairs in complete(unpaired_players, remaining_after):
                yield [(player, opponent), *remaining_pairs]

    return complete(tuple(range(len(component))), totals)


def _enumerate_sides(
    optima: OptimalPairings, component: PairingComponent, pairs: PairList
) -> Iterator[Arcs]:
    """Yield a pairing of a component once for each optimal choice of sides.

    `optima` are all optimal pairings, and `pairs` one pairing of `component`, as
    indices in it. A bye has one choice. With k pairs whose sides are free, there are
    2^k arrays of arcs.
    """
    # positions in the state, shape (pairs, 2); the bye is n
    player_positions_by_pair = component.players[
        np.array(pairs, np.int64).reshape(-1, 2)
    ]
    sorted_pairs = np.sort(player_positions_by_pair, axis=1)
    player_count = len(optima.number) - 1
    pair_kinds = component.code[tuple(np.array(pairs).T)]
    has_two_choices = component.ways[pair_kinds] == 2
    arcs = optima.arcs(sorted_pairs[:, 0], sorted_pairs[:, 1], np.random.default_rng(0))

    free_pairs = np.flatnonzero(has_two_choices & (sorted_pairs[:, 1] < player_count))
    for swap_bits in range(1 << len(free_pairs)):
        is_swapped = np.zeros(len(sorted_pairs), np.bool_)
        is_swapped[free_pairs] = [
            swap_bits >> free_pair_number & 1
            for free_pair_number in range(len(free_pairs))
        ]
        yield arcs.turned(is_swapped)


def sampled_distributions(
    optima: OptimalPairings, values: Mapping[str, IntArray], draws: int, budget: Budget
) -> tuple[dict[str, Spread], tuple[ChainDiagnostics, ...]]:
    """Estimate the distribution of each sum from random optimal pairings, by name.

    `optima` are the optimal pairings. `values` are by name the tables of what a match
    adds to each sum, shape (n, n + 1), first side first; the last column is the bye. A
    distribution has the number of draws by value. The counts of a distribution add up
    to `draws`. The second value has the diagnostics of components that a Markov chain
    drew, and is empty if there are none. Equal seeds of `budget` give equal results.
    Raise TimeUpError when the deadline passes.
    """
    drawers = [
        drawer_again(component, draws, budget) for component in optima.components
    ]
    distributions: dict[str, Counter[int]] = {
        sum_name: Counter() for sum_name in values
    }
    chain_diagnostics: tuple[ChainDiagnostics, ...] = ()
    for draw_number in budget.iterate(range(draws)):
        draw_budget = replace(budget, seed=(budget.seed << 32) + draw_number)
        drawn_pairing = draw(optima, draw_budget, drawers)
        chain_diagnostics = drawn_pairing.chained
        for sum_name, value_table in values.items():
            distributions[sum_name][sum_of(value_table, drawn_pairing.arcs)] += 1
    return dict(distributions), chain_diagnostics
