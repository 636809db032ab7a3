"""Drawing: one optimal pairing of each component, by the first of three ways that will do.

1. A table of all pairings: exact.
2. A table of the relaxed component, drawn from until no pair is forbidden: exact too, since every
   pairing without forbidden pairs is drawn as often as any other.
3. A Markov chain: approximate.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from pairopt.common.budget import Budget
from pairopt.common.serialization import to_record
from pairopt.event.arcs import Arcs, IntArray
from pairopt.sampling.markov_chain import (
    Longer,
    longer_steps,
    partners,
    starts_of,
    walk,
)
from pairopt.sampling.optimal_pairings import OptimalPairings, PairingComponent
from pairopt.sampling.state_table import (
    PairList,
    StateTable,
    own_table,
    state_layout,
    state_table,
)

SMALL, LARGE = (
    50_000,
    2_000_000,
)  # steps that a table may take that is tried first, and last
TRIES = 20_000  # draws from a relaxed table before it is given up
SWEEPS, MOST_SWEEPS = 250, 4_000
APART = 5  # sweeps of the chains between two pairings that are looked at
MIXED = 1.05  # chains run longer, up to `MOST_SWEEPS`, while R-hat is above this


@dataclass(frozen=True)
class ChainDiagnostics:
    """How long a component's chains ran, and how well they mixed."""

    players: int
    chains: int
    sweeps: int
    r_hat: float


def chains(runs: Iterable[ChainDiagnostics], *names: str) -> list[dict[str, Any]]:
    """The JSON form of chains: these fields of each, and how well it mixed."""
    return [{**to_record(run, *names), "r_hat": round(run.r_hat, 4)} for run in runs]


@dataclass(frozen=True)
class DrawnPairing:
    """An optimal pairing; exact (all were equally likely) where no component needed a chain."""

    arcs: Arcs
    chained: tuple[ChainDiagnostics, ...]


Drawer = Callable[[Random], tuple[PairList, ChainDiagnostics | None] | None]


def draw(
    optima: OptimalPairings, budget: Budget, drawers: Iterable[Drawer] | None = None
) -> DrawnPairing:
    """One optimal pairing by lot; the same for the same seed. Raises TimeUpError."""
    rng = Random(f"pairing {budget.seed}")  # noqa: S311 - chance, no secret
    if drawers is None:
        drawers = (drawer_of(component, budget) for component in optima.components)
    pairs: PairList = []
    chained = []
    for component, drawer in zip(optima.components, drawers, strict=True):
        drawn = drawer(rng)
        assert drawn is not None
        made, chain = drawn
        pairs += [
            (int(component.players[a]), int(component.players[b])) for a, b in made
        ]
        if chain is not None:
            chained.append(chain)
    first, second = np.sort(np.array(pairs, np.int64).reshape(-1, 2), axis=1).T
    order = np.argsort(first)
    return DrawnPairing(
        optima.arcs(first[order], second[order], (budget.seed, 2)), tuple(chained)
    )


def drawer_of(component: PairingComponent, budget: Budget = Budget()) -> Drawer:
    """The ways to draw from a component, in turn."""

    def drawer(rng: Random) -> tuple[PairList, ChainDiagnostics | None]:
        for way in (by_small_table, by_relaxed_table, by_large_table, by_chain):
            if (drawn := way(component, budget)(rng)) is not None:
                return drawn
        raise AssertionError("the chain always draws")

    return drawer


def small_table(
    component: PairingComponent, budget: Budget = Budget()
) -> StateTable | None:
    return own_table(component, budget, SMALL)


def by_small_table(component: PairingComponent, budget: Budget = Budget()) -> Drawer:
    return by_table(small_table(component, budget))


def by_large_table(component: PairingComponent, budget: Budget = Budget()) -> Drawer:
    return by_table(own_table(component, budget, LARGE))


def by_table(table: StateTable | None) -> Drawer:

    def drawer(rng: Random) -> tuple[PairList, None] | None:
        drawn = None if table is None else table.draw(rng)
        return None if drawn is None else (drawn, None)

    return drawer


def by_relaxed_table(component: PairingComponent, budget: Budget = Budget()) -> Drawer:
    """From a table of the relaxed component, until there is no forbidden pair."""
    table = None
    if component.missing.any():
        table = state_table(
            state_layout(component, component.relaxed, budget), LARGE, budget
        )

    def drawer(rng: Random) -> tuple[PairList, None] | None:
        for _ in budget.iterate(range(TRIES if table else 0)):
            assert table is not None
            if (drawn := table.draw(rng, component.missing)) is not None:
                return drawn, None
        return None

    return drawer


def by_chain(component: PairingComponent, budget: Budget = Budget()) -> Drawer:
    """From one of several chains, after they have forgotten where they began."""

    def drawer(rng: Random) -> tuple[PairList, ChainDiagnostics]:
        states, _, chained = run_chains_until_mixed(
            component, np.random.default_rng(rng.getrandbits(64)), budget
        )
        return pairs_of(states[rng.randrange(len(states))]), chained

    return drawer


def run_chains_until_mixed(
    component: PairingComponent, lots: np.random.Generator, budget: Budget = Budget()
) -> tuple[IntArray, list[Longer], ChainDiagnostics]:
    """States of chains, shape (chains, k), mixed; and their longer steps. Raises TimeUpError."""
    states = starts_of(component, lots, budget)
    longer, sweeps = longer_steps(component, states), 0
    while True:  # each time as long again as all before
        run = walk(component, states, max(SWEEPS, sweeps), lots, longer, budget)
        states, sweeps = run.partner, sweeps + len(run.trace)
        if run.r_hat <= MIXED or 2 * sweeps > MOST_SWEEPS:
            return (
                states,
                longer,
                ChainDiagnostics(len(component), len(states), sweeps, run.r_hat),
            )


def pairs_of(partner: IntArray) -> PairList:
    return [(k, other) for k, other in enumerate(partner.tolist()) if k < other]


def drawer_again(
    component: PairingComponent, draws: int, budget: Budget = Budget()
) -> Drawer:
    """Draws from a component many times, each as `draw` does; made ready once."""
    if (table := own_table(component, budget, SMALL, LARGE)) is not None:
        return by_table(table)
    states, chained = draw_many(component, draws, budget)
    pool = iter(states.reshape(-1, len(component)))
    return lambda _: (pairs_of(next(pool)), chained)


def draw_many(
    component: PairingComponent, draws: int, budget: Budget
) -> tuple[IntArray, ChainDiagnostics | None]:
    """So many pairings at least, shape (times, runs, k): of one run where they are independent. Of
    chains where a draw from the relaxed table takes too long.
    """
    rng = Random(f"shares {budget.seed}")  # noqa: S311 - chance, no secret
    drawer, made = by_relaxed_table(component, budget), list[PairList]()
    while len(made) < draws and (found := drawer(rng)) is not None:
        made.append(found[0])
    if len(made) == draws:
        return partners(np.array(made))[:, None], None
    lots = np.random.default_rng(rng.getrandbits(64))
    states, longer, chained = run_chains_until_mixed(component, lots, budget)
    runs = []
    for _ in range(-(-draws // len(states))):
        states = walk(component, states, APART, lots, longer, budget).partner
        runs.append(states)
    return np.array(runs), chained
