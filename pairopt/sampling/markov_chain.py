"""Draw optimal pairings of a component approximately, by a Markov chain over them.

A step takes two to four matches and pairs their players again. Among all ways to do so
that are optimal with the other matches as they are (the sums of the equations stay the
same), each has a probability proportional to the number of ways to set its sides. So
from any of these ways every other is reached with the probability that it has itself,
wherever the step began: the chain is symmetric, and the uniform distribution over
optimal pairings, sides included, is stationary.

This holds because what a step takes never depends on how the players are paired now.
Matches are numbered; a step takes numbers at random among the matches that lie inside a
random set of players, and pairs these players again among themselves, so the same
numbers lie inside it before and after.

Steps of up to four matches may not make the chain irreducible. So there are also fixed
longer steps, found by a solver: two sets of pairs of the same players. A pairing that
contains one of them goes on with either, in proportion to their numbers of arcs. Chains
start at different optimal pairings, and R-hat compares them: near 1 they no longer
depend on their starts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines.allowed_arcs import single_pairs
from pairopt.engines.matching.level_by_level import (
    MatchingProgress,
    minimize_lexicographically,
)
from pairopt.event.arcs import BoolArray, FloatArray, IntArray
from pairopt.sampling.optimal_pairings import PairingComponent

BLOCKS = (2, 2, 3, 3, 4)  # the number of matches in a step, in turn
STATISTICS = 8
"""Statistics by which R-hat compares chains: sums over the matches of products of random weights.
"""
MOST_SEATS = 200_000  # players of all chains that are moved at a time: half a gigabyte
LongerStep = tuple[IntArray, IntArray]
"""A longer step: two ways to pair the same players, shape (pairs, 2) each."""


@dataclass(frozen=True)
class ChainState:
    """The state of the chains after some sweeps.

    `partner`, shape (chains, k), is each chain's pairing; `trace`, shape (sweeps,
    chains, statistics), its statistics after each sweep.
    """

    partner: IntArray
    trace: FloatArray

    @property
    def r_hat(self) -> float:
        """The largest split R-hat of the statistics in the second half of the sweeps.

        It is near 1 if the chains agree, and infinite if that half has fewer than four
        sweeps.
        """
        return r_hat(self.trace[len(self.trace) // 2 :])


@cache
def list_repairings(matches: int) -> IntArray:
    """Return all ways to pair 2 * matches seats, shape (ways, matches, 2).

    The first way is 0-1, 2-3, and so on. The array is cached and must not be changed.
    """

    def list_ways(seats: tuple[int, ...]) -> list[list[tuple[int, int]]]:
        """Return all ways to pair these seats, an even number, as lists of pairs."""
        if not seats:
            return [[]]
        first_seat, other_seats = seats[0], seats[1:]
        pairings_of_seats = []
        for partner in other_seats:
            remaining_seats = tuple(seat for seat in other_seats if seat != partner)
            pairings_of_seats += [
                [(first_seat, partner), *pairing_of_rest]
                for pairing_of_rest in list_ways(remaining_seats)
            ]
        return pairings_of_seats

    return np.array(list_ways(tuple(range(2 * matches))), np.int64)


def run_chains(
    component: PairingComponent,
    starts: IntArray,
    sweeps: int,
    rng: np.random.Generator,
    longer: Sequence[LongerStep] = (),
    budget: Budget = Budget(),
) -> ChainState:
    """Run a chain from each of the starting pairings, and return their final state.

    `starts`, shape (chains, k), holds everybody's partner. Each of the `sweeps` takes
    every match inside a random set of players once, and then one of the `longer` steps.
    The state also has a statistic trace of every sweep. Raises TimeUpError.
    """
    chunk_size = max(1, MOST_SEATS // len(component))
    if len(starts) > chunk_size:
        chunk_states = [
            run_chains(
                component,
                starts[first_chain : first_chain + chunk_size],
                sweeps,
                rng,
                longer,
                budget,
            )
            for first_chain in range(0, len(starts), chunk_size)
        ]
        statistic_trace = np.concatenate(
            [chain_state.trace for chain_state in chunk_states], axis=1
        )
        return ChainState(
            np.concatenate([chain_state.partner for chain_state in chunk_states]),
            statistic_trace,
        )

    # random weights of players, shape (statistics, players)
    player_weights = np.random.default_rng(len(component)).normal(
        size=(STATISTICS, len(component))
    )
    chain_matches = _number_matches(starts)
    statistic_trace = np.zeros((sweeps, len(starts), STATISTICS))
    for sweep_number in budget.iterate(range(sweeps)):
        chain_matches = _run_sweep(
            component, chain_matches, BLOCKS[sweep_number % len(BLOCKS)], rng
        )
        if longer:
            chain_matches = _number_matches(
                _take_longer_steps(component, find_partners(chain_matches), longer, rng)
            )
        weight_products = (
            player_weights[:, chain_matches[..., 0]]
            * player_weights[:, chain_matches[..., 1]]
        )
        statistic_trace[sweep_number] = weight_products.sum(axis=2).T
    return ChainState(find_partners(chain_matches), statistic_trace)


def _number_matches(partner: IntArray) -> IntArray:
    """Return each chain's pairing as a list of matches, shape (chains, matches, 2).

    `partner`, shape (chains, k), is everybody's partner in each chain. The lower player
    of a match comes first.
    """
    chain_count, player_count = partner.shape
    is_lower = partner > np.arange(player_count)
    lower_players = np.nonzero(is_lower)[1].reshape(chain_count, player_count // 2)
    return np.stack(
        [lower_players, np.take_along_axis(partner, lower_players, axis=1)], axis=-1
    )


def find_partners(seats: IntArray) -> IntArray:
    """Return everybody's partner from lists of matches, shape (chains, k).

    `seats`, shape (chains, matches, 2), holds each chain's matches.
    """
    chain_count, match_count, _ = seats.shape
    partner = np.empty((chain_count, 2 * match_count), np.int64)
    np.put_along_axis(partner, seats[..., 0], seats[..., 1], axis=1)
    np.put_along_axis(partner, seats[..., 1], seats[..., 0], axis=1)
    return partner


def _run_sweep(
    component: PairingComponent, seats: IntArray, size: int, rng: np.random.Generator
) -> IntArray:
    """Pair the matches inside a random set of players again, block by block.

    A block has `size` matches, or all if there are fewer; every match is in one block
    at most. A way to pair a block again is drawn in proportion to its number of ways
    round, among those that keep the sums of all equations. `seats` and the result have
    shape (chains, matches, 2); `seats` is not changed.
    """
    chain_count, match_count, _ = seats.shape
    size = min(size, match_count)
    is_inside = _draw_matches_inside(component, seats, rng)
    # the matches inside, shuffled, come first
    match_order = np.argsort(
        rng.random((chain_count, match_count)) + ~is_inside, axis=1
    )
    block_count = int(is_inside.sum(axis=1).max()) // size
    if not block_count:
        return seats
    match_order = match_order[:, : block_count * size].reshape(
        chain_count, block_count, size
    )
    chain_indices = np.arange(chain_count)[:, None, None]
    # the players of each block, shape (chains, blocks, 2 * size)
    block_players = seats[chain_indices, match_order].reshape(
        chain_count, block_count, 2 * size
    )

    # weights of all ways to pair them, shape (chains, blocks, ways)
    repairings = list_repairings(size)
    first_players, second_players = (
        block_players[..., :, None],
        block_players[..., None, :],
    )
    pair_kinds = component.code[first_players, second_players]
    # shape (chains, blocks, ways, matches)
    way_kinds = pair_kinds[:, :, repairings[..., 0], repairings[..., 1]]
    way_weights = component.ways[way_kinds].prod(axis=-1) * (way_kinds > 0).all(axis=-1)
    for equation_cost in component.cost.T:
        equation_sums = equation_cost[way_kinds].sum(axis=-1)
        way_weights = way_weights * (equation_sums == equation_sums[..., :1])

    # draw a way for each block; blocks that are not inside stay as they are
    cumulative_weights = way_weights.cumsum(axis=-1)
    drawn_weight = (
        rng.random(cumulative_weights.shape[:2]) * cumulative_weights[..., -1]
    )
    drawn_way_of_block = (cumulative_weights <= drawn_weight[..., None]).sum(axis=-1)
    drawn_way_of_block = np.where(
        is_inside[chain_indices, match_order].all(axis=-1), drawn_way_of_block, 0
    )
    seat_positions = repairings[drawn_way_of_block].reshape(
        chain_count, block_count, 2 * size
    )
    paired_players = np.take_along_axis(block_players, seat_positions, axis=2)
    new_seats = seats.copy()
    new_seats[chain_indices, match_order] = paired_players.reshape(
        chain_count, block_count, size, 2
    )
    return new_seats


def _draw_matches_inside(
    component: PairingComponent, seats: IntArray, rng: np.random.Generator
) -> BoolArray:
    """Draw a random set of players for each chain, and mark the matches inside it.

    `seats` has the players of each match, shape (chains, matches, 2), and the result is
    a mask of shape (chains, matches). The set is everybody who could meet one of a
    random pair, or half of the time everybody.
    """
    chain_count = len(seats)
    first_players, second_players = np.nonzero(np.triu(component.code))
    pair_indices = rng.integers(len(first_players), size=chain_count)
    meets_first = component.code[first_players[pair_indices]] > 0
    meets_second = component.code[second_players[pair_indices]] > 0
    # shape (chains, k)
    is_in_set = meets_first | meets_second
    is_in_set |= rng.random(chain_count)[:, None] < 0.5
    chain_indices = np.arange(chain_count)[:, None]
    is_inside = (
        is_in_set[chain_indices, seats[..., 0]]
        & is_in_set[chain_indices, seats[..., 1]]
    )
    return np.asarray(is_inside, np.bool_)


def _take_longer_steps(
    component: PairingComponent,
    partner: IntArray,
    longer: Sequence[LongerStep],
    rng: np.random.Generator,
) -> IntArray:
    """Let each chain take one random longer step, where its pairing allows it.

    `partner`, shape (chains, k), holds everybody's partner in each chain, and the
    result is a changed copy. A step of `longer` is two sets of pairs of the same
    players. A chain that contains one of the sets goes on with either set, with
    probabilities in proportion to their numbers of arcs.
    """
    partner = partner.copy()
    step_of_chain = rng.integers(len(longer), size=len(partner))
    uniform_draws = rng.random(len(partner))
    for step_number in np.unique(step_of_chain).tolist():
        step_pair_sets, chain_positions = (
            longer[step_number],
            np.flatnonzero(step_of_chain == step_number),
        )
        log_ways, contains_pairs = [], []
        for step_pairs in step_pair_sets:
            pair_kinds = component.code[step_pairs[:, 0], step_pairs[:, 1]]
            log_ways.append(np.log(component.ways[pair_kinds]).sum())
            contains_pairs.append(
                (partner[chain_positions][:, step_pairs[:, 0]] == step_pairs[:, 1]).all(
                    axis=1
                )
            )
        for source_set, target_set in ((0, 1), (1, 0)):
            probability = 1 / (1 + np.exp(log_ways[source_set] - log_ways[target_set]))
            moving_chains = chain_positions[
                contains_pairs[source_set]
                & (uniform_draws[chain_positions] < probability)
            ]
            step_pairs = step_pair_sets[target_set]
            partner[np.ix_(moving_chains, step_pairs[:, 0])] = step_pairs[:, 1]
            partner[np.ix_(moving_chains, step_pairs[:, 1])] = step_pairs[:, 0]
    return partner


def r_hat(trace: FloatArray) -> float:
    """Return the largest split R-hat of several chains' statistics.

    `trace` has shape (sweeps, chains, statistics). R-hat is 1 where nothing varies, and
    infinite for fewer than four sweeps. Gelman et al., Bayesian Data Analysis, 3rd
    edition, section 11.4.
    """
    half_length = len(trace) // 2
    if half_length < 2:
        return float("inf")
    chain_halves = np.concatenate(
        [trace[:half_length], trace[half_length : 2 * half_length]], axis=1
    )
    within_variance = chain_halves.var(axis=0, ddof=1).mean(axis=0)
    between_variance = chain_halves.mean(axis=0).var(axis=0, ddof=1)
    is_constant = between_variance <= 1e-12
    between_to_within = np.divide(
        between_variance,
        within_variance,
        out=np.full_like(within_variance, np.inf),
        where=within_variance > 1e-12,
    )
    variance_ratio = (half_length - 1) / half_length + np.where(
        is_constant, 1 / half_length, between_to_within
    )
    return float(np.sqrt(variance_ratio).max())


STARTS = 8  # the number of chains
LARGEST = 1000  # the limit of random costs of pairs
SHORT = 4  # matches, up to which the chain's own steps suffice


def find_starts(
    component: PairingComponent, rng: np.random.Generator, budget: Budget
) -> IntArray:
    """Return optimal pairings as starts of chains: partners, shape (STARTS, k).

    Each is the cheapest one under random costs of pairs. Raises TimeUpError.
    """
    pair_count = np.count_nonzero(np.triu(component.code))
    pair_costs_by_start = (
        rng.integers(LARGEST, size=pair_count) for _ in range(STARTS)
    )
    start_pairings = [
        cheapest_optimum(component, random_costs, budget)[1]
        for random_costs in pair_costs_by_start
    ]
    return np.array(start_pairings)


def cheapest_optimum(
    component: PairingComponent, price: IntArray, budget: Budget
) -> tuple[int, IntArray]:
    """Find the optimal pairing of a component with the least total price.

    `price` has a number for each pair of the component's matrix (upper triangle), row
    by row. Returns the total price, and everybody's partner, shape (k,). Raises
    TimeUpError.
    """
    first_players, second_players = np.nonzero(np.triu(component.code))
    equation_costs = component.cost[component.code[first_players, second_players]]
    equation_and_price_costs = np.column_stack([equation_costs, price])
    pair_columns = single_pairs(
        len(component), first_players, second_players, equation_and_price_costs
    )
    initial_progress = MatchingProgress((), np.ones(len(first_players), np.bool_))
    optimum = minimize_lexicographically(pair_columns, initial_progress, budget)
    if optimum.stopped:
        raise TimeUpError
    assert optimum.values[:-1] == component.totals
    assert optimum.matching is not None
    matched_pairs = np.column_stack([optimum.matching.first, optimum.matching.second])
    return optimum.values[-1], find_partners(matched_pairs[None])[0]


def find_longer_steps(
    component: PairingComponent, starts: IntArray
) -> list[LongerStep]:
    """Return longer steps of the chains, from the differences between their starts.

    `starts`, shape (chains, k), holds everybody's partner. A step is an alternating
    cycle of the first start and another one with more than `SHORT` matches; the cycles
    that change an equation's sum are one step together. The list may be empty.
    """
    steps_by_target: dict[bytes, LongerStep] = {}
    first_start = starts[0]
    for other_start in starts[1:]:
        changing_players: list[int] = []
        for cycle in _find_alternating_cycles(first_start, other_start):
            first_sums = _equation_sums(component, first_start, cycle)
            if first_sums != _equation_sums(component, other_start, cycle):
                changing_players += cycle
            elif len(cycle) > 2 * SHORT:
                _add_longer_step(steps_by_target, first_start, other_start, cycle)
        if len(changing_players) > 2 * SHORT:
            _add_longer_step(
                steps_by_target, first_start, other_start, changing_players
            )
    return list(steps_by_target.values())


def _find_alternating_cycles(mate: IntArray, other_mate: IntArray) -> list[list[int]]:
    """List the alternating cycles of two pairings, each as its players in order.

    `mate` and `other_mate`, shape (k,), hold everybody's partner in them. Players with
    the same partner in both are in no cycle.
    """
    is_visited = mate == other_mate
    cycles = []
    for first_player in range(len(mate)):
        current_player, cycle = first_player, []
        while not is_visited[current_player]:
            partner = int(mate[current_player])
            is_visited[current_player] = is_visited[partner] = True
            cycle += [current_player, partner]
            current_player = int(other_mate[partner])
        if cycle:
            cycles.append(cycle)
    return cycles


def _equation_sums(
    component: PairingComponent, partner: IntArray, players: list[int]
) -> list[int]:
    """Return twice what the matches among some players add to each equation.

    `partner`, shape (k,), is everybody's partner, and `players` is closed under it. The
    sum is doubled because each match is counted at both of its players.
    """
    pair_kinds = component.code[players, partner[players]]
    return list(component.cost[pair_kinds].sum(axis=0).tolist())


def _add_longer_step(
    steps: dict[bytes, LongerStep],
    mate: IntArray,
    other_mate: IntArray,
    players: list[int],
) -> None:
    """Add the longer step between two pairings of some players to `steps`.

    `mate` and `other_mate`, shape (k,), hold everybody's partner in the two pairings.
    `players` are those whose pairs the step exchanges; both pairings pair them among
    themselves. A step with the same pairs in the second pairing is replaced.
    """
    source_pairs, target_pairs = (
        np.array(
            sorted(
                (player_position, int(partner_of_player[player_position]))
                for player_position in players
                if player_position < partner_of_player[player_position]
            )
        )
        for partner_of_player in (mate, other_mate)
    )
    steps[target_pairs.tobytes()] = source_pairs, target_pairs
