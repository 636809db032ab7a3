"""Chain: optimal pairings of a component drawn approximately, by a Markov chain over them.

A step takes two to four matches and pairs their players anew: of all ways to do so that are optimal
with the rest as it is (the equations' sums stay the same), each is as likely as the number of its
arcs' sides says. So from any of these ways every other is reached with the probability that it has
itself, whichever the step began from: the chain is symmetric, and the uniform distribution over
optimal pairings, sides included, is stationary.

That holds because what a step takes never depends on how the players are paired now. Matches are
numbered; a step takes numbers at random among the matches that lie inside a random set of players,
and pairs them anew among themselves, so the same numbers lie inside it before and after.

Steps of up to four matches may not lead everywhere. So there are also fixed longer steps, found by
a solver: two sets of pairs of the same players. A pairing that holds one of them goes on with
either, each as likely as its number of arcs says. Chains start at different optimal pairings, and
R-hat compares them: near 1 they no longer know where they began.
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

BLOCKS = (2, 2, 3, 3, 4)  # how many matches a step takes, in turn
STATISTICS = 8
"""Sums over the matches of a product of random weights, by which R-hat compares chains."""
MOST_SEATS = 200_000  # players of chains that are moved at a time: half a gigabyte
Longer = tuple[IntArray, IntArray]
"""A longer step: two ways to pair the same players, shape (pairs, 2) each."""


@dataclass(frozen=True)
class ChainState:
    """Where the chains are after some sweeps. `partner`, shape (chains, k), is each chain's
    pairing; `trace`, shape (sweeps, chains, statistics), its statistics after each sweep.
    """

    partner: IntArray
    trace: FloatArray

    @property
    def r_hat(self) -> float:
        return r_hat(self.trace[len(self.trace) // 2 :])


@cache
def repairings(matches: int) -> IntArray:
    """All ways to pair 2 * matches seats, shape (ways, matches, 2); the first is 0-1, 2-3, ..."""

    def ways(seats: tuple[int, ...]) -> list[list[tuple[int, int]]]:
        if not seats:
            return [[]]
        first, rest = seats[0], seats[1:]
        left = (
            (other, tuple(seat for seat in rest if seat != other)) for other in rest
        )
        return [
            [(first, other), *more] for other, seats in left for more in ways(seats)
        ]

    return np.array(ways(tuple(range(2 * matches))), np.int64)


def walk(
    component: PairingComponent,
    starts: IntArray,
    sweeps: int,
    rng: np.random.Generator,
    longer: Sequence[Longer] = (),
    budget: Budget = Budget(),
) -> ChainState:
    """Let a chain from each of the `starts`, shape (chains, k), run for so many sweeps: every match
    inside the random set of players once, and one longer step. Raises TimeUpError.
    """
    few = max(1, MOST_SEATS // len(component))
    if len(starts) > few:
        some = (starts[k : k + few] for k in range(0, len(starts), few))
        parts = [walk(component, each, sweeps, rng, longer, budget) for each in some]
        trace = np.concatenate([part.trace for part in parts], axis=1)
        return ChainState(np.concatenate([part.partner for part in parts]), trace)
    weight = np.random.default_rng(len(component)).normal(
        size=(STATISTICS, len(component))
    )
    seats = _seats(starts)
    trace = np.zeros((sweeps, len(starts), STATISTICS))
    for sweep in budget.iterate(range(sweeps)):
        seats = _sweep(component, seats, BLOCKS[sweep % len(BLOCKS)], rng)
        if longer:
            seats = _seats(_long_steps(component, partners(seats), longer, rng))
        trace[sweep] = (
            (weight[:, seats[..., 0]] * weight[:, seats[..., 1]]).sum(axis=2).T
        )
    return ChainState(partners(seats), trace)


def _seats(partner: IntArray) -> IntArray:
    chains, k = partner.shape
    once = partner > np.arange(k)
    first = np.nonzero(once)[1].reshape(chains, k // 2)
    return np.stack([first, np.take_along_axis(partner, first, axis=1)], axis=-1)


def partners(seats: IntArray) -> IntArray:
    """Numbered matches as partners, shape (chains, players)."""
    chains, matches, _ = seats.shape
    partner = np.empty((chains, 2 * matches), np.int64)
    np.put_along_axis(partner, seats[..., 0], seats[..., 1], axis=1)
    np.put_along_axis(partner, seats[..., 1], seats[..., 0], axis=1)
    return partner


def _sweep(
    component: PairingComponent, seats: IntArray, size: int, rng: np.random.Generator
) -> IntArray:
    """Every match inside a random set of players once, in blocks of `size`."""
    chains, matches, _ = seats.shape
    size = min(size, matches)
    inside = _matches_inside(component, seats, rng)
    order = np.argsort(rng.random((chains, matches)) + ~inside, axis=1)
    blocks = int(inside.sum(axis=1).max()) // size
    if not blocks:
        return seats
    order = order[:, : blocks * size].reshape(chains, blocks, size)
    chain = np.arange(chains)[:, None, None]
    taken = seats[chain, order].reshape(chains, blocks, 2 * size)
    ways = repairings(size)
    kinds = component.code[taken[..., :, None], taken[..., None, :]]
    kind = kinds[:, :, ways[..., 0], ways[..., 1]]  # chains, blocks, ways, matches
    weight = component.ways[kind].prod(axis=-1) * (kind > 0).all(axis=-1)
    for cost in component.cost.T:
        total = cost[kind].sum(axis=-1)
        weight = weight * (total == total[..., :1])
    reach = weight.cumsum(axis=-1)
    lot = rng.random(reach.shape[:2]) * reach[..., -1]
    chosen = (reach <= lot[..., None]).sum(axis=-1)
    chosen = np.where(inside[chain, order].all(axis=-1), chosen, 0)
    pairs = ways[chosen].reshape(chains, blocks, 2 * size)
    anew = np.take_along_axis(taken, pairs, axis=2).reshape(chains, blocks, size, 2)
    moved = seats.copy()
    moved[chain, order] = anew
    return moved


def _matches_inside(
    component: PairingComponent, seats: IntArray, rng: np.random.Generator
) -> BoolArray:
    """The matches both of whose players could meet one of a random pair, or all of them."""
    chains = len(seats)
    one, two = np.nonzero(np.triu(component.code))
    at = rng.integers(len(one), size=chains)
    there = (component.code[one[at]] > 0) | (component.code[two[at]] > 0)
    there |= rng.random(chains)[:, None] < 0.5
    chain = np.arange(chains)[:, None]
    return np.asarray(
        there[chain, seats[..., 0]] & there[chain, seats[..., 1]], np.bool_
    )


def _long_steps(
    component: PairingComponent,
    partner: IntArray,
    longer: Sequence[Longer],
    rng: np.random.Generator,
) -> IntArray:
    """One of the longer steps, drawn for each chain, where its pairing holds one of the sets."""
    partner = partner.copy()
    drawn = rng.integers(len(longer), size=len(partner))
    lot = rng.random(len(partner))
    for number in np.unique(drawn).tolist():
        sets, chains = longer[number], np.flatnonzero(drawn == number)
        logs = [
            np.log(component.ways[component.code[s[:, 0], s[:, 1]]]).sum() for s in sets
        ]
        holds = [(partner[chains][:, s[:, 0]] == s[:, 1]).all(axis=1) for s in sets]
        for here, there in ((0, 1), (1, 0)):
            goes = lot[chains] < 1 / (1 + np.exp(logs[here] - logs[there]))
            moves = chains[holds[here] & goes]
            to = sets[there]
            partner[np.ix_(moves, to[:, 0])] = to[:, 1]
            partner[np.ix_(moves, to[:, 1])] = to[:, 0]
    return partner


def r_hat(trace: FloatArray) -> float:
    """The largest split R-hat of traces, shape (sweeps, chains, statistics), 1 where nothing
    varies. Gelman et al., Bayesian Data Analysis, 3rd edition, section 11.4.
    """
    half = len(trace) // 2
    if half < 2:
        return float("inf")
    parts = np.concatenate([trace[:half], trace[half : 2 * half]], axis=1)
    within = parts.var(axis=0, ddof=1).mean(axis=0)
    between = parts.mean(axis=0).var(axis=0, ddof=1)
    still = between <= 1e-12
    ratio = np.divide(
        between, within, out=np.full_like(within, np.inf), where=within > 1e-12
    )
    return float(np.sqrt((half - 1) / half + np.where(still, 1 / half, ratio)).max())


STARTS = 8
LARGEST = 1000  # random prices of pairs are up to this
SHORT = 4  # steps between so few matches are taken by the chain anyway


def starts_of(
    component: PairingComponent, rng: np.random.Generator, budget: Budget
) -> IntArray:
    """Optimal pairings, the cheapest at random prices, shape (STARTS, k). Raises TimeUpError."""
    pairs = np.count_nonzero(np.triu(component.code))
    prices = (rng.integers(LARGEST, size=pairs) for _ in range(STARTS))
    return np.array([cheapest_optimum(component, price, budget)[1] for price in prices])


def cheapest_optimum(
    component: PairingComponent, price: IntArray, budget: Budget
) -> tuple[int, IntArray]:
    """The optimal pairing of least total price, as that and partners, shape (k,). `price` has an
    entry for each pair of the component's matrix, row by row. Raises TimeUpError.
    """
    one, two = np.nonzero(np.triu(component.code))
    costs = np.column_stack([component.cost[component.code[one, two]], price])
    columns = single_pairs(len(component), one, two, costs)
    found = minimize_lexicographically(
        columns, MatchingProgress((), np.ones(len(one), np.bool_)), budget
    )
    if found.stopped:
        raise TimeUpError
    assert found.values[:-1] == component.totals
    assert found.matching is not None
    pairs = np.column_stack([found.matching.first, found.matching.second])
    return found.values[-1], partners(pairs[None])[0]


def longer_steps(component: PairingComponent, starts: IntArray) -> list[Longer]:
    """Alternating cycles to the first start; those that change an equation's sum are one step."""
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


def _sums(
    component: PairingComponent, partner: IntArray, players: list[int]
) -> list[int]:
    """Twice what the players' matches add to the equations."""
    kinds = component.code[players, partner[players]]
    return list(component.cost[kinds].sum(axis=0).tolist())


def _add(
    steps: dict[bytes, Longer], here: IntArray, there: IntArray, players: list[int]
) -> None:
    both = (
        sorted((p, int(mate[p])) for p in players if p < mate[p])
        for mate in (here, there)
    )
    one, two = map(np.array, both)
    steps[two.tobytes()] = one, two
