"""Counting: how many optimal pairings there are, exactly where that can be done.

A component is counted by a table, or by inclusion and exclusion of its forbidden pairs, maybe block
after block; all are exact. Else the number is estimated: the relaxed component's, times the share
of its pairings without a forbidden pair; or, where that share is tiny, by fixing one likely pair
after the other until the rest can be counted, which multiplies what is left by one over the share
of pairings that have the pair. The last goes with particles that a Markov chain keeps moving
(sequential Monte Carlo).

Blocks are parts of a component that one match each joins: an odd score group, say, has one match
that leaves it. Whoever has it, the others of the group are paired among themselves. So the pairings
of a group without one player are counted for each of its players; then one vertex stands for the
whole group: it meets a player across in as many ways as there are such pairings, for all whom that
player could meet. Group after group is taken off, and the largest is counted last.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
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
    count_by_forbidden,
    count_within_steps,
)
from pairopt.sampling.markov_chain import longer_steps, starts_of, walk
from pairopt.sampling.optimal_pairings import OptimalPairings, PairingComponent
from pairopt.sampling.state_table import (
    StateLayout,
    own_table,
    state_layout,
    state_table,
)

Exact = Callable[
    [PairingComponent], int
]  # counts the pairings of a component that has no equations
Ways = NDArray[np.object_]
"""In how many ways each player of a block meets a vertex that stands for another one."""


@dataclass(frozen=True)
class ComponentBlocks:
    """A component in blocks, by each player's `label`: of the pairs `crossing`, shape (k, k), every
    pairing has one between any two blocks that have any; blocks hang together as a tree.
    """

    component: PairingComponent
    label: IntArray
    crossing: BoolArray

    def count(self, exact: Exact) -> int:
        root = int(np.argmax(np.bincount(self.label)))
        return exact(self.part(self.members(root), self.around(root, None, exact)))

    def members(self, block: int) -> IntArray:
        return np.flatnonzero(self.label == block)

    def around(self, block: int, parent: int | None, exact: Exact) -> list[Ways]:
        """How players of a block meet each of the blocks around it, but for its parent."""
        component, here = self.component, self.members(block)
        ways = component.ways.astype(object)  # numbers of pairings are of any size
        near = np.unique(self.label[self.crossing[here].any(axis=0)])
        found = []
        for child in near[near != (-1 if parent is None else parent)].tolist():
            members, beyond = self.members(child), self.around(child, block, exact)
            meets: Ways = np.zeros(len(here), object)
            for k, player in enumerate(members.tolist()):
                if self.crossing[player, here].any():
                    rest = self.part(
                        np.delete(members, k), [np.delete(w, k) for w in beyond]
                    )
                    number = exact(rest) if len(rest) else 1
                    meets += number * ways[component.code[player, here]]
            found.append(meets)
        return found

    def part(self, players: IntArray, around: Sequence[Ways]) -> PairingComponent:
        """Players of a block, with a vertex for each block around that one of them has to meet."""
        component, n, kinds = self.component, len(players), len(self.component.ways)
        code = np.zeros((n + len(around),) * 2, np.int64)
        relaxed = (
            code.copy()
        )  # where those vertices meet nobody: what they do is said pair by pair
        code[:n, :n] = component.code[np.ix_(players, players)]
        relaxed[:n, :n] = component.relaxed[np.ix_(players, players)]
        relaxed = np.where(component.cost[relaxed].any(axis=2), code, relaxed)
        for k, meets in enumerate(around):
            each = np.where(meets > 0, kinds + k * n + np.arange(n), 0)
            code[n + k, :n] = code[:n, n + k] = each
        ways = np.concatenate([component.ways.astype(object), *around])
        cost = np.zeros((len(ways), 0), np.int64)
        who = np.append(component.players[players], np.full(len(around), -1))
        return PairingComponent(who, code, relaxed, ways, cost, ())


def blocks_of(component: PairingComponent) -> ComponentBlocks | None:
    """A component in blocks, None where its equations do not each say that one match joins two."""
    cost, code = component.cost, component.code
    if set(component.totals) != {1} or cost.min() < 0 or cost.sum(axis=1).max() > 1:
        return None
    crossing = (cost.sum(axis=1) > 0)[code]
    label = component_of(len(component), *np.nonzero((code > 0) & ~crossing))
    joined = set()
    for row in cost.T.astype(np.bool_):
        one, two = (label[each] for each in np.nonzero(np.triu(row[code])))
        ends = np.unique(np.sort([one, two], axis=0), axis=1).T
        if len(ends) != 1 or ends[0, 0] == ends[0, 1]:
            return None
        joined.add((int(ends[0, 0]), int(ends[0, 1])))
    if not len(joined) == len(component.totals) == label.max():
        return None
    return ComponentBlocks(component, label, crossing)


MOST_STEPS = 5_000_000  # steps that a count by forbidden pairs may take
ACCEPTED, FEWEST, TRIES, IN_VAIN = 400, 50, 200_000, 20_000
"""Pairings without a forbidden pair that are waited for, and enough; draws at most, and in vain."""
ISLANDS, PARTICLES, MOVES = 8, 150, 25
"""Independent estimates, particles of each, and sweeps of the chain after each fixed pair."""
RULE_OF_THREE = (
    3.0  # what never came in n draws has a probability of at most 3 / n (95%)
)
NORMAL, T_7 = 1.959964, 2.364624
"""Two-sided 95% of the normal distribution, and of Student's t with ISLANDS - 1 degrees."""


@dataclass(frozen=True)
class OptimaCount:
    """The number of optimal pairings, sides included; if not `exact`, with a 95% interval."""

    value: int
    low: int
    high: int
    exact: bool = True


@dataclass(frozen=True)
class _ComponentCount:
    """A component's number; if estimated, half the width of the 95% interval of its logarithm."""

    number: Fraction
    arm: float | None = None


def count(optima: OptimalPairings, budget: Budget = Budget()) -> OptimaCount | None:
    """The number of optimal pairings; the seed matters only where it is estimated. None where it
    can neither be counted nor, for want of mixing, estimated. Raises TimeUpError.
    """
    rng = Random(f"count {budget.seed}")  # noqa: S311 - chance, no secret
    parts = [
        _count_component(component, rng, budget) for component in optima.components
    ]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    number = prod((part.number for part in known), start=Fraction(1))
    arms = [part.arm for part in known if part.arm is not None]
    if not arms:
        return OptimaCount(int(number), int(number), int(number))
    arm = sum(arm**2 for arm in arms) ** 0.5
    low, high = (number * Fraction(exp(sign * arm)) for sign in (-1, 1))
    return OptimaCount(round(number), round(low), round(high), exact=False)


def _count_component(
    component: PairingComponent, rng: Random, budget: Budget
) -> _ComponentCount | None:
    own = state_layout(component, component.code, budget)
    if (table := state_table(own, SMALL, budget)) is not None:
        return _ComponentCount(Fraction(table.count))
    relaxed = None
    if component.missing.any():
        relaxed = state_layout(component, component.relaxed, budget)
        if (
            number := _count_by_inclusion_exclusion(component, relaxed, budget)
        ) is not None:
            return _ComponentCount(Fraction(number))
    if (table := state_table(own, LARGE, budget)) is not None:
        return _ComponentCount(Fraction(table.count))
    found = relaxed and by_acceptance(component, relaxed, rng, budget)
    return found or by_fixing(component, rng, budget=budget)


def _count_by_inclusion_exclusion(
    component: PairingComponent, relaxed: StateLayout, budget: Budget
) -> int | None:
    blocks = blocks_of(component)
    most = MOST_STEPS if blocks is None else MOST_STEPS // 10
    number = count_by_forbidden(component, relaxed, most, budget)
    if number is not None or blocks is None:
        return number
    steps = StepLimit(MOST_STEPS, budget)
    try:
        layout = partial(state_layout, budget=budget)
        return blocks.count(
            lambda part: count_within_steps(part, layout(part, part.relaxed), steps)
        )
    except TooManyStepsError:
        return count_by_forbidden(component, relaxed, MOST_STEPS, budget)


def by_acceptance(
    component: PairingComponent,
    relaxed: StateLayout,
    rng: Random,
    budget: Budget = Budget(),
) -> _ComponentCount | None:
    """The relaxed number times the share of draws without a forbidden pair, None where it is too
    small. So many draws as give `ACCEPTED` pairings: (accepted - 1) / (draws - 1) has no bias
    (Haldane 1945), a relative variance of about (1 - share) / accepted. Raises TimeUpError.
    """
    if (table := state_table(relaxed, LARGE, budget)) is None:
        return None
    accepted = draws = 0
    while accepted < ACCEPTED and draws < (TRIES if accepted else IN_VAIN):
        budget.check()
        draws += 1
        accepted += table.draw(rng, component.missing) is not None
    if accepted < FEWEST:
        return None
    share = Fraction(accepted - 1, draws - 1)
    arm = NORMAL * float((1 - share) / accepted) ** 0.5
    return _ComponentCount(table.count * share, max(arm, RULE_OF_THREE / draws))


def by_fixing(
    component: PairingComponent,
    rng: Random,
    small: int = SMALL,
    budget: Budget = Budget(),
) -> _ComponentCount | None:
    """Fix likely pairs until the rest can be counted in so many states. One island of particles
    says which pair to fix, the others, which do not know why, what share of pairings has it. The
    product of an island's shares has no bias; the interval is that of the islands' logarithms. None
    where the particles do not move. Raises TimeUpError.
    """
    lots = np.random.default_rng(rng.getrandbits(64))
    starts = starts_of(component, lots, budget)
    states = np.tile(starts, (-(-(ISLANDS + 1) * PARTICLES // len(starts)), 1))
    states = states[: (ISLANDS + 1) * PARTICLES]
    states = walk(
        component, states, SWEEPS, lots, longer_steps(component, starts), budget
    ).partner
    left, shares = component, np.ones(ISLANDS)
    number = Fraction(1)
    while (table := own_table(left, budget, small)) is None:
        if (pair := _likely(states[:PARTICLES])) is None:
            return None
        number *= int(component.ways[left.code[pair]])
        left, states, share = _condition_on_pair(left, states, pair, lots)
        shares *= share
        states = walk(left, states, MOVES, lots, budget=budget).partner
    if left is component:
        return _ComponentCount(Fraction(table.count))
    arm = T_7 * float(np.log(shares).std(ddof=1)) / ISLANDS**0.5
    arm = max(arm, RULE_OF_THREE / (ISLANDS * PARTICLES))
    return _ComponentCount(table.count * number / Fraction(shares.mean()), arm)


def _likely(states: IntArray) -> tuple[int, int] | None:
    """The pair that most of the pairings have, but not all of them; None if all are the same."""
    k = states.shape[1]
    times = np.zeros((k, k), np.int64)
    np.add.at(times, (np.broadcast_to(np.arange(k), states.shape), states), 1)
    open_ = np.triu(np.where(times < len(states), times, 0))
    one, two = np.unravel_index(int(np.argmax(open_)), (k, k))
    return (int(one), int(two)) if open_.any() else None


def _condition_on_pair(
    component: PairingComponent,
    states: IntArray,
    pair: tuple[int, int],
    lots: np.random.Generator,
) -> tuple[PairingComponent, IntArray, FloatArray]:
    """The component without a pair, particles for it, and the share of each island that had it."""
    k = len(component)
    holds = (states[:, pair[0]] == pair[1]).reshape(ISLANDS + 1, PARTICLES)
    some = (
        island * PARTICLES + np.flatnonzero(has) if has.any() else np.flatnonzero(holds)
        for island, has in enumerate(holds)
    )
    kept = np.concatenate([lots.choice(each, PARTICLES) for each in some])
    rest = np.setdiff1d(np.arange(k), pair)
    position = np.full(k, -1)
    position[rest] = np.arange(k - 2)
    states = position[states[kept][:, rest]]
    totals = np.array(component.totals, np.int64) - component.cost[component.code[pair]]
    inside = np.ix_(rest, rest)
    left = replace(
        component,
        players=component.players[rest],
        code=component.code[inside],
        relaxed=component.relaxed[inside],
        totals=tuple(totals.tolist()),
    )
    return left, states, np.maximum(holds[1:].mean(axis=1), 0.5 / PARTICLES)
