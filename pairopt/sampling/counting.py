"""Count the optimal pairings of a round, exactly if that is possible.

A component is counted by a state table, or by inclusion and exclusion of its forbidden
pairs, perhaps block by block; these are exact. Otherwise the number is estimated. One
way is the number of the relaxed component, times the share of its pairings without a
forbidden pair. If that share is tiny, likely pairs are fixed one after the other until
the rest can be counted. Each fixed pair multiplies the number by one over the share of
pairings that have it, which particles estimate that a Markov chain keeps moving
(sequential Monte Carlo).

Blocks are parts of a component between which exactly one match is played: for example,
an odd score group has one match that crosses it. The other players of the group are
paired among themselves. So the pairings of a group without one player are counted for
each of its players; then one vertex stands for the whole group. It meets a player of
the next group in as many ways as there are such pairings, over all players of the group
who can meet this player. Group after group is reduced in this way, and the largest is
counted last.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, prod
from random import Random

import numpy as np
from numpy.typing import NDArray

from pairopt.common.budget import Budget
from pairopt.engines.odd_sets import component_of
from pairopt.event.arcs import BoolArray, FloatArray, IntArray
from pairopt.sampling.drawing import LARGE, SMALL, SWEEPS
from pairopt.sampling.inclusion_exclusion import (
    StepLimit,
    TooManyStepsError,
    count_by_inclusion_exclusion,
    count_within_steps,
)
from pairopt.sampling.markov_chain import find_longer_steps, find_starts, run_chains
from pairopt.sampling.optimal_pairings import OptimalPairings, PairingComponent
from pairopt.sampling.state_table import (
    StateLayout,
    own_table,
    state_layout,
    state_table,
)

Exact = Callable[[PairingComponent], int]
"""Counts the pairings of a component without equations, exactly."""
Ways = NDArray[np.object_]
"""The number of ways in which each player of a block meets the vertex of another block."""


@dataclass(frozen=True)
class ComponentBlocks:
    """A component in blocks, which form a tree, so that they can be counted one by one.

    `label`, shape (k,), is each player's block. `crossing`, shape (k, k), marks the
    pairs between blocks: every pairing has exactly one between any two blocks that have
    any. `count` gives the number of pairings of the component.
    """

    component: PairingComponent
    label: IntArray
    crossing: BoolArray

    def count(self, exact: Exact) -> int:
        """Return the component's number of pairings, sides included, from its blocks.

        `exact` counts the pairings of a component without equations. It is called for
        parts of blocks, never for the whole component.
        """
        root_block = int(np.argmax(np.bincount(self.label)))
        root_component = self.part(
            self.members(root_block), self.around(root_block, None, exact)
        )
        return exact(root_component)

    def members(self, block: int) -> IntArray:
        """Return the players of a block, as positions in the component, ascending."""
        return np.flatnonzero(self.label == block)

    def around(self, block: int, parent: int | None, exact: Exact) -> list[Ways]:
        """Return in how many ways each player of a block can meet each adjacent block.

        The result is a list with one array for each adjacent block except `parent`
        (None for the root of the tree). An array has an entry for each player of
        `block`. It counts the choices of the player's one match with the adjacent
        block, times the pairings of everybody else in that block and in the blocks
        behind it. `exact` counts the pairings of a component without equations.
        """
        component, block_players = self.component, self.members(block)
        # numbers of pairings are of any size
        ways_of_kind = component.ways.astype(object)
        adjacent_blocks = np.unique(
            self.label[self.crossing[block_players].any(axis=0)]
        )
        parent_block = -1 if parent is None else parent
        ways_by_block = []
        for child_block in adjacent_blocks[adjacent_blocks != parent_block].tolist():
            child_players = self.members(child_block)
            ways_behind_child = self.around(child_block, block, exact)
            ways_by_player: Ways = np.zeros(len(block_players), object)
            for member_position, player_position in enumerate(child_players.tolist()):
                if self.crossing[player_position, block_players].any():
                    # the child's pairings without the player who meets this block
                    rest_component = self.part(
                        np.delete(child_players, member_position),
                        [
                            np.delete(child_ways, member_position)
                            for child_ways in ways_behind_child
                        ],
                    )
                    pairings_of_rest = (
                        exact(rest_component) if len(rest_component) else 1
                    )
                    ways_by_player += (
                        pairings_of_rest
                        * ways_of_kind[component.code[player_position, block_players]]
                    )
            ways_by_block.append(ways_by_player)
        return ways_by_block

    def part(self, players: IntArray, around: Sequence[Ways]) -> PairingComponent:
        """Return a component of some players and one vertex for each block around them.

        `around` has an array for each of these blocks, shape (players,): in how many
        ways each of the `players` can meet its vertex. The component has no equations,
        because its match with each block around is exactly one.
        """
        component, player_count, kind_count = (
            self.component,
            len(players),
            len(self.component.ways),
        )
        pair_codes = np.zeros((player_count + len(around),) * 2, np.int64)
        # in the relaxed component these vertices meet nobody: each pair is listed
        relaxed_codes = pair_codes.copy()
        pair_codes[:player_count, :player_count] = component.code[
            np.ix_(players, players)
        ]
        relaxed_codes[:player_count, :player_count] = component.relaxed[
            np.ix_(players, players)
        ]
        relaxed_codes = np.where(
            component.cost[relaxed_codes].any(axis=2), pair_codes, relaxed_codes
        )
        for block_position, ways_by_player in enumerate(around):
            # each player has a kind of pair of their own with the vertex
            pair_kinds = (
                kind_count + block_position * player_count + np.arange(player_count)
            )
            vertex_codes = np.where(ways_by_player > 0, pair_kinds, 0)
            pair_codes[player_count + block_position, :player_count] = pair_codes[
                :player_count, player_count + block_position
            ] = vertex_codes
        ways_of_kind = np.concatenate([component.ways.astype(object), *around])
        empty_costs = np.zeros((len(ways_of_kind), 0), np.int64)
        vertex_players = np.append(component.players[players], np.full(len(around), -1))
        return PairingComponent(
            vertex_players, pair_codes, relaxed_codes, ways_of_kind, empty_costs, ()
        )


def find_blocks(component: PairingComponent) -> ComponentBlocks | None:
    """Divide a component into blocks, the parts that no equation's matches join.

    Returns None unless there are equations, each of which says that exactly one match
    is played between two blocks, and the blocks form a tree.
    """
    cost_of_kind, kind_of_pair = component.cost, component.code
    if (
        set(component.totals) != {1}
        or cost_of_kind.min() < 0
        or cost_of_kind.sum(axis=1).max() > 1
    ):
        return None
    is_crossing_pair = (cost_of_kind.sum(axis=1) > 0)[kind_of_pair]
    block_of_player = component_of(
        len(component), *np.nonzero((kind_of_pair > 0) & ~is_crossing_pair)
    )
    joined_blocks = set()
    for has_cost_of_kind in cost_of_kind.T.astype(np.bool_):
        first_players, second_players = np.nonzero(
            np.triu(has_cost_of_kind[kind_of_pair])
        )
        blocks_of_pairs = np.sort(
            [block_of_player[first_players], block_of_player[second_players]], axis=0
        )
        distinct_block_pairs = np.unique(blocks_of_pairs, axis=1).T
        if (
            len(distinct_block_pairs) != 1
            or distinct_block_pairs[0, 0] == distinct_block_pairs[0, 1]
        ):
            return None
        joined_blocks.add(
            (int(distinct_block_pairs[0, 0]), int(distinct_block_pairs[0, 1]))
        )
    # a tree has one edge less than blocks
    if not len(joined_blocks) == len(component.totals) == block_of_player.max():
        return None
    return ComponentBlocks(component, block_of_player, is_crossing_pair)


MOST_STEPS = 5_000_000  # steps that a count by forbidden pairs may take
ACCEPTED, FEWEST, TRIES, IN_VAIN = 400, 50, 200_000, 20_000
"""Pairings without a forbidden pair that end the draws, and that suffice; the most draws, and the
most without any such pairing."""
ISLANDS, PARTICLES, MOVES = 8, 150, 25
"""Independent estimates, particles of each, and sweeps of the chain after each fixed pair."""
RULE_OF_THREE = 3.0
"""An event that is not in n draws has a probability of at most 3 / n (95%)."""
NORMAL, T_7 = 1.959964, 2.364624
"""Two-sided 95% of the normal distribution, and of Student's t with ISLANDS - 1 degrees."""


@dataclass(frozen=True)
class OptimaCount:
    """The number of optimal pairings, sides included.

    If it is not `exact`, it is an estimate, and `low` and `high` are its 95% interval.
    """

    value: int
    low: int
    high: int
    exact: bool = True


@dataclass(frozen=True)
class _ComponentCount:
    """The number of pairings of a component, exact (`arm` is None) or estimated.

    An estimated `number` may be a fraction. `arm` is half the width of the 95%
    confidence interval of the number's natural logarithm.
    """

    number: Fraction
    arm: float | None = None


def count(optima: OptimalPairings, budget: Budget = Budget()) -> OptimaCount | None:
    """Return the number of optimal pairings, sides included, exact or estimated.

    `optima` describes the pairings; their number is the product of its components'
    numbers. The budget's seed matters only for an estimate, which has a 95 % interval.
    Returns None if a component can neither be counted nor be estimated, because its
    Markov chains do not move. Raises TimeUpError.
    """
    python_generator = Random(f"count {budget.seed}")  # noqa: S311 - chance, no secret
    counts_or_none = [
        _count_component(component, python_generator, budget)
        for component in optima.components
    ]
    component_counts = [
        component_count
        for component_count in counts_or_none
        if component_count is not None
    ]
    if len(component_counts) < len(counts_or_none):
        return None
    pairing_count = prod(
        (component_count.number for component_count in component_counts),
        start=Fraction(1),
    )
    half_widths = [
        component_count.arm
        for component_count in component_counts
        if component_count.arm is not None
    ]
    if not half_widths:
        return OptimaCount(int(pairing_count), int(pairing_count), int(pairing_count))
    total_half_width = sum(half_width**2 for half_width in half_widths) ** 0.5
    interval_low, interval_high = (
        pairing_count * Fraction(exp(-total_half_width)),
        pairing_count * Fraction(exp(total_half_width)),
    )
    return OptimaCount(
        round(pairing_count), round(interval_low), round(interval_high), exact=False
    )


def _count_component(
    component: PairingComponent, rng: Random, budget: Budget
) -> _ComponentCount | None:
    """Return a component's number of pairings, by the first method that succeeds.

    These are a small table, inclusion and exclusion, a large table, and two kinds of
    estimates, for which `rng` draws. Returns None if all fail. Raises TimeUpError.
    """
    component_layout = state_layout(component, component.code, budget)
    component_table = state_table(component_layout, SMALL, budget)
    if component_table is not None:
        return _ComponentCount(Fraction(component_table.count))
    relaxed_layout = None
    if component.missing.any():
        relaxed_layout = state_layout(component, component.relaxed, budget)
        pairing_count = _count_by_inclusion_exclusion(component, relaxed_layout, budget)
        if pairing_count is not None:
            return _ComponentCount(Fraction(pairing_count))
    component_table = state_table(component_layout, LARGE, budget)
    if component_table is not None:
        return _ComponentCount(Fraction(component_table.count))
    component_estimate = relaxed_layout and estimate_by_rejection(
        component, relaxed_layout, rng, budget
    )
    return component_estimate or estimate_by_fixing(component, rng, budget=budget)


def _count_by_inclusion_exclusion(
    component: PairingComponent, relaxed: StateLayout, budget: Budget
) -> int | None:
    """Return the number of pairings by inclusion and exclusion.

    A component with blocks is tried as a whole for a short time, then block by block.
    Returns None if it takes more than `MOST_STEPS`. Raises TimeUpError. `relaxed` is
    the layout of the relaxed component.
    """
    component_blocks = find_blocks(component)
    most_steps = MOST_STEPS if component_blocks is None else MOST_STEPS // 10
    pairing_count = count_by_inclusion_exclusion(component, relaxed, most_steps, budget)
    if pairing_count is not None or component_blocks is None:
        return pairing_count
    step_limit = StepLimit(MOST_STEPS, budget)

    def count_block(block: PairingComponent) -> int:
        """Count the pairings of one block, with steps from the common limit.

        Raises TooManyStepsError if too few steps are left, and TimeUpError.
        """
        block_layout = state_layout(block, block.relaxed, budget=budget)
        return count_within_steps(block, block_layout, step_limit)

    try:
        return component_blocks.count(count_block)
    except TooManyStepsError:
        return count_by_inclusion_exclusion(component, relaxed, MOST_STEPS, budget)


def estimate_by_rejection(
    component: PairingComponent,
    relaxed: StateLayout,
    rng: Random,
    budget: Budget = Budget(),
) -> _ComponentCount | None:
    """Estimate a component's number of pairings by rejection sampling.

    It is the relaxed component's number times the share of draws without a forbidden
    pair; `relaxed` is the layout of that component. Draws go on until `ACCEPTED` have
    no such pair, at most `TRIES`, or `IN_VAIN` if none is accepted. (accepted - 1) /
    (draws - 1) has no bias (Haldane 1945). Returns the number, and half the width of
    the 95% interval of its logarithm. Returns None if fewer than `FEWEST` draws are
    accepted, or if the relaxed table takes more than `LARGE` steps. Raises TimeUpError.
    """
    relaxed_table = state_table(relaxed, LARGE, budget)
    if relaxed_table is None:
        return None
    accepted_count = draw_count = 0
    while accepted_count < ACCEPTED and draw_count < (
        TRIES if accepted_count else IN_VAIN
    ):
        budget.check()
        draw_count += 1
        accepted_count += relaxed_table.draw(rng, component.missing) is not None
    if accepted_count < FEWEST:
        return None
    accepted_share = Fraction(accepted_count - 1, draw_count - 1)
    log_half_width = NORMAL * float((1 - accepted_share) / accepted_count) ** 0.5
    return _ComponentCount(
        relaxed_table.count * accepted_share,
        max(log_half_width, RULE_OF_THREE / draw_count),
    )


def estimate_by_fixing(
    component: PairingComponent,
    rng: Random,
    small: int = SMALL,
    budget: Budget = Budget(),
) -> _ComponentCount | None:
    """Estimate the number of pairings by fixing likely pairs (sequential Monte Carlo).

    Pairs of the `component` are fixed until a table of at most `small` steps counts the
    rest. One island of particles decides which pair to fix; the others, which do not
    know why, estimate the share of pairings that has it. The product of an island's
    shares has no bias; the interval comes from the logarithms of the islands. If
    nothing has to be fixed, the number is exact. `rng` seeds the chains. Returns None
    if the particles do not move. Raises TimeUpError.
    """
    numpy_generator = np.random.default_rng(rng.getrandbits(64))
    start_pairings = find_starts(component, numpy_generator, budget)
    particle_count = (ISLANDS + 1) * PARTICLES
    particle_partners = np.tile(
        start_pairings, (-(-particle_count // len(start_pairings)), 1)
    )[:particle_count]
    longer_steps = find_longer_steps(component, start_pairings)
    chain_state = run_chains(
        component, particle_partners, SWEEPS, numpy_generator, longer_steps, budget
    )
    particle_partners = chain_state.partner

    unfixed_component, shares_of_islands = component, np.ones(ISLANDS)
    ways_of_fixed_pairs = Fraction(1)
    while (unfixed_table := own_table(unfixed_component, budget, small)) is None:
        likely_pair = _find_likely_pair(particle_partners[:PARTICLES])
        if likely_pair is None:
            return None
        ways_of_fixed_pairs *= int(component.ways[unfixed_component.code[likely_pair]])
        unfixed_component, particle_partners, pair_shares = _condition_on_pair(
            unfixed_component, particle_partners, likely_pair, numpy_generator
        )
        shares_of_islands *= pair_shares
        particle_partners = run_chains(
            unfixed_component, particle_partners, MOVES, numpy_generator, budget=budget
        ).partner
    if unfixed_component is component:
        return _ComponentCount(Fraction(unfixed_table.count))
    log_half_width = T_7 * float(np.log(shares_of_islands).std(ddof=1)) / ISLANDS**0.5
    log_half_width = max(log_half_width, RULE_OF_THREE / (ISLANDS * PARTICLES))
    return _ComponentCount(
        unfixed_table.count * ways_of_fixed_pairs / Fraction(shares_of_islands.mean()),
        log_half_width,
    )


def _find_likely_pair(states: IntArray) -> tuple[int, int] | None:
    """Return the most frequent pair that not all of the pairings have.

    `states`, shape (pairings, k), holds everybody's partner. The result is two
    positions, the lower first, or None if all pairings are the same.
    """
    player_count = states.shape[1]
    pair_frequencies = np.zeros((player_count, player_count), np.int64)
    player_grid = np.broadcast_to(np.arange(player_count), states.shape)
    np.add.at(pair_frequencies, (player_grid, states), 1)
    undecided_frequencies = np.triu(
        np.where(pair_frequencies < len(states), pair_frequencies, 0)
    )
    if not undecided_frequencies.any():
        return None
    first_player, second_player = np.unravel_index(
        int(np.argmax(undecided_frequencies)), (player_count, player_count)
    )
    return int(first_player), int(second_player)


def _condition_on_pair(
    component: PairingComponent,
    states: IntArray,
    pair: tuple[int, int],
    generator: np.random.Generator,
) -> tuple[PairingComponent, IntArray, FloatArray]:
    """Fix one pair; return the remaining component, new particles and the shares.

    `states`, shape (particles, k), holds everybody's partner in each particle; the
    islands follow one another. The remaining component lacks the two players. The new
    particles are drawn by `generator`, in each island, from those that have the pair,
    without its two players; an island without any draws from all islands. The shares,
    shape (ISLANDS,), are the parts of each island's particles that have the pair, at
    least 0.5 / PARTICLES; the first island, which chose the pair, is left out.
    """
    player_count = len(component)
    holds_pair = (states[:, pair[0]] == pair[1]).reshape(ISLANDS + 1, PARTICLES)
    particle_samples = []
    for island_number, island_holds_pair in enumerate(holds_pair):
        # an island without any takes particles of the others
        particles_with_pair = np.flatnonzero(holds_pair)
        if island_holds_pair.any():
            particles_with_pair = island_number * PARTICLES + np.flatnonzero(
                island_holds_pair
            )
        particle_samples.append(generator.choice(particles_with_pair, PARTICLES))
    resampled_particles = np.concatenate(particle_samples)
    remaining_players = np.setdiff1d(np.arange(player_count), pair)
    position_of_player = np.full(player_count, -1)
    position_of_player[remaining_players] = np.arange(player_count - 2)
    remaining_partners = position_of_player[
        states[resampled_particles][:, remaining_players]
    ]
    pair_cost = component.cost[component.code[pair]]
    remaining_totals = np.array(component.totals, np.int64) - pair_cost
    remaining_grid = np.ix_(remaining_players, remaining_players)
    remaining_component = replace(
        component,
        players=component.players[remaining_players],
        code=component.code[remaining_grid],
        relaxed=component.relaxed[remaining_grid],
        totals=tuple(remaining_totals.tolist()),
    )
    island_shares = np.maximum(holds_pair[1:].mean(axis=1), 0.5 / PARTICLES)
    return remaining_component, remaining_partners, island_shares
