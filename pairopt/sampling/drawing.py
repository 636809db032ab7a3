"""Draw one optimal pairing of each component, by the first of three ways that succeeds.

1. From a table of all pairings: exact. 2. From a table of the relaxed component, until
no pair is forbidden: exact, too, because every pairing without forbidden pairs is
equally likely. 3. By a Markov chain: approximate.
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
    LongerStep,
    find_longer_steps,
    find_partners,
    find_starts,
    run_chains,
)
from pairopt.sampling.optimal_pairings import OptimalPairings, PairingComponent
from pairopt.sampling.state_table import (
    PairList,
    StateTable,
    own_table,
    state_layout,
    state_table,
)

SMALL, LARGE = 50_000, 2_000_000
"""The most steps for a table that is tried first, and for one that is tried last."""
TRIES = 20_000  # draws from a relaxed table before it is given up
SWEEPS, MOST_SWEEPS = 250, 4_000
APART = 5  # sweeps of the chains between two sampled pairings
MIXED = 1.05  # chains run longer, up to `MOST_SWEEPS`, while R-hat is above this


@dataclass(frozen=True)
class ChainDiagnostics:
    """How long the Markov chains of a component ran, and how well they mixed (R-hat).

    `players` is the size of the component, `chains` the number of chains, and `sweeps`
    the number of sweeps of each chain. An R-hat near 1 means that the chains agree.
    """

    players: int
    chains: int
    sweeps: int
    r_hat: float


def chains(runs: Iterable[ChainDiagnostics], *names: str) -> list[dict[str, Any]]:
    """Return the JSON form of chains: for each its fields `names`, and its R-hat.

    `runs` are their diagnostics, one per component, and `names` attributes of these.
    R-hat is rounded to four decimals.
    """
    return [
        {**to_record(diagnostics, *names), "r_hat": round(diagnostics.r_hat, 4)}
        for diagnostics in runs
    ]


@dataclass(frozen=True)
class DrawnPairing:
    """An optimal pairing of a round that was drawn at random, and how.

    `chained` has the diagnostics of each component that needed a Markov chain. Without
    any, the draw is exact: all optimal pairings were equally likely.
    """

    arcs: Arcs
    chained: tuple[ChainDiagnostics, ...]


Drawer = Callable[[Random], tuple[PairList, ChainDiagnostics | None] | None]
"""Draws a component's pairs and says whether a chain did it; None if it cannot."""


def draw(
    optima: OptimalPairings, budget: Budget, drawers: Iterable[Drawer] | None = None
) -> DrawnPairing:
    """Draw one optimal pairing uniformly, component by component.

    `optima` describes the pairings. The result depends on the budget's seed only. Its
    arcs are in the order of their lower players, as positions in the state. `drawers`
    has one for each component: it gets a generator and returns pairs and diagnostics.
    By default they try a small table, the relaxed table, a large table and Markov
    chains; then some components may be drawn approximately. Each drawer must return a
    pairing, not None. Raises TimeUpError.
    """
    python_generator = Random(f"pairing {budget.seed}")  # noqa: S311 - chance, no secret
    if drawers is None:
        drawers = (make_drawer(component, budget) for component in optima.components)
    drawn_pairs: PairList = []
    chained_diagnostics = []
    for component, drawer in zip(optima.components, drawers, strict=True):
        drawn_pairs_and_diagnostics = drawer(python_generator)
        assert drawn_pairs_and_diagnostics is not None
        component_pairs, chain_diagnostics = drawn_pairs_and_diagnostics
        component_players = component.players
        drawn_pairs += [
            (
                int(component_players[first_position]),
                int(component_players[second_position]),
            )
            for first_position, second_position in component_pairs
        ]
        if chain_diagnostics is not None:
            chained_diagnostics.append(chain_diagnostics)
    lower_players, higher_players = np.sort(
        np.array(drawn_pairs, np.int64).reshape(-1, 2), axis=1
    ).T
    pair_order = np.argsort(lower_players)
    arcs = optima.arcs(
        lower_players[pair_order], higher_players[pair_order], (budget.seed, 2)
    )
    return DrawnPairing(arcs, tuple(chained_diagnostics))


def make_drawer(component: PairingComponent, budget: Budget = Budget()) -> Drawer:
    """Return a function that draws a pairing, by the first way that succeeds.

    It tries a small table, the relaxed table, a large table, and Markov chains, in this
    order, at each call. Markov chains always succeed.
    """

    def drawer(rng: Random) -> tuple[PairList, ChainDiagnostics | None]:
        """Draw a pairing by the first way that succeeds.

        Returns the pairs, as positions in the component, and the diagnostics of Markov
        chains, None if they were not needed. Raises TimeUpError.
        """
        for make_way_drawer in (
            by_small_table,
            by_relaxed_table,
            by_large_table,
            by_chain,
        ):
            if (drawn_pairs := make_way_drawer(component, budget)(rng)) is not None:
                return drawn_pairs
        raise AssertionError("the chain always draws")

    return drawer


def small_table(
    component: PairingComponent, budget: Budget = Budget()
) -> StateTable | None:
    """Return the component's state table, None if it takes more than `SMALL` steps.

    Raises TimeUpError.
    """
    return own_table(component, budget, SMALL)


def by_small_table(component: PairingComponent, budget: Budget = Budget()) -> Drawer:
    """Return a function that draws from the component's table of all pairings.

    The table is made at once. The function takes a random generator of Python. It
    returns the pairs, and None in place of diagnostics. It returns None alone if the
    table would take more than `SMALL` steps. Raises TimeUpError.
    """
    return by_table(small_table(component, budget))


def by_large_table(component: PairingComponent, budget: Budget = Budget()) -> Drawer:
    """Return a function that draws from the component's table of all pairings.

    The table is made at once. The function takes a random generator of Python. It
    returns the pairs, and None in place of diagnostics. It returns None alone if the
    table would take more than `LARGE` steps. Raises TimeUpError.
    """
    return by_table(own_table(component, budget, LARGE))


def by_table(table: StateTable | None) -> Drawer:
    """Return a function that draws a pairing from a table of all pairings.

    The function takes a random generator of Python. It returns the pairs, and None in
    place of diagnostics; without a `table` it returns None alone.
    """

    def drawer(rng: Random) -> tuple[PairList, None] | None:
        """Draw a pairing from the table; return its pairs, and None for diagnostics.

        Without a table it returns None alone.
        """
        drawn_pairs = None if table is None else table.draw(rng)
        return None if drawn_pairs is None else (drawn_pairs, None)

    return drawer


def by_relaxed_table(component: PairingComponent, budget: Budget = Budget()) -> Drawer:
    """Return a function that draws by rejection from the relaxed component.

    A draw with a forbidden pair is rejected, so the result is exact. The relaxed table
    is made at once. The function takes a random generator of Python. It returns the
    pairs, and None in place of diagnostics. It returns None alone after `TRIES` draws,
    if the relaxed table would be too large, or if the component has no forbidden pairs.
    Both raise TimeUpError.
    """
    relaxed_table = None
    if component.missing.any():
        relaxed_layout = state_layout(component, component.relaxed, budget)
        relaxed_table = state_table(relaxed_layout, LARGE, budget)

    def drawer(rng: Random) -> tuple[PairList, None] | None:
        """Draw until a pairing has no forbidden pair; return its pairs and None.

        After too many tries it returns None alone.
        """
        for _ in budget.iterate(range(TRIES if relaxed_table else 0)):
            assert relaxed_table is not None
            drawn_pairs = relaxed_table.draw(rng, component.missing)
            if drawn_pairs is not None:
                return drawn_pairs, None
        return None

    return drawer


def by_chain(component: PairingComponent, budget: Budget = Budget()) -> Drawer:
    """Return a function that runs Markov chains, and draws one of their last pairings.

    The function takes a random generator of Python. It returns the pairs, and the
    diagnostics of the chains. Each call runs new chains. If they reach `MOST_SWEEPS`
    before they are mixed, they are used unmixed. Raises TimeUpError when called.
    """

    def drawer(rng: Random) -> tuple[PairList, ChainDiagnostics]:
        """Run new chains until they are mixed, and return the pairs of a random one."""
        numpy_generator = np.random.default_rng(rng.getrandbits(64))
        chain_pairings, _, diagnostics = run_chains_until_mixed(
            component, numpy_generator, budget
        )
        return pairs_of(chain_pairings[rng.randrange(len(chain_pairings))]), diagnostics

    return drawer


def run_chains_until_mixed(
    component: PairingComponent,
    generator: np.random.Generator,
    budget: Budget = Budget(),
) -> tuple[IntArray, list[LongerStep], ChainDiagnostics]:
    """Run Markov chains on a component, ever longer, until they are mixed.

    They are mixed if their R-hat is at most `MIXED`. They also end, unmixed, when
    another run would exceed `MOST_SWEEPS`. `generator` draws their steps. Returns the
    chains' pairings as partners, shape (chains, k), their longer steps, and their
    diagnostics. Raises TimeUpError.
    """
    chain_pairings = find_starts(component, generator, budget)
    longer_steps, total_sweeps = find_longer_steps(component, chain_pairings), 0
    while True:
        # as long again as everything before
        chain_state = run_chains(
            component,
            chain_pairings,
            max(SWEEPS, total_sweeps),
            generator,
            longer_steps,
            budget,
        )
        chain_pairings, total_sweeps = (
            chain_state.partner,
            total_sweeps + len(chain_state.trace),
        )
        if chain_state.r_hat <= MIXED or 2 * total_sweeps > MOST_SWEEPS:
            chain_diagnostics = ChainDiagnostics(
                len(component), len(chain_pairings), total_sweeps, chain_state.r_hat
            )
            return chain_pairings, longer_steps, chain_diagnostics


def pairs_of(partner: IntArray) -> PairList:
    """Return the pairs of a pairing in ascending order, the lower position first.

    `partner`, shape (k,), holds everybody's partner.
    """
    return [
        (player_position, partner_position)
        for player_position, partner_position in enumerate(partner.tolist())
        if player_position < partner_position
    ]


def drawer_again(
    component: PairingComponent, draws: int, budget: Budget = Budget()
) -> Drawer:
    """Return a function that draws from a component, and may be called `draws` times.

    The work is done at once: a table of all pairings, or a pool of at least `draws`
    pairings if the table would be too large. A function with a table ignores `draws`
    and may be called without end. One with a pool ignores its random generator, depends
    on the budget's seed alone, and raises StopIteration when the pool is empty. Raises
    TimeUpError.
    """
    component_table = own_table(component, budget, SMALL, LARGE)
    if component_table is not None:
        return by_table(component_table)
    pairing_samples, chain_diagnostics = draw_many(component, draws, budget)
    pairing_iterator = iter(pairing_samples.reshape(-1, len(component)))
    return lambda _: (pairs_of(next(pairing_iterator)), chain_diagnostics)


def draw_many(
    component: PairingComponent, draws: int, budget: Budget
) -> tuple[IntArray, ChainDiagnostics | None]:
    """Draw at least `draws` pairings of a component.

    Returns everybody's partner in each, shape (times, runs, k), and the diagnostics of
    Markov chains. Independent draws from the relaxed table make a single run, and the
    second value is None. If they take too long, the runs are Markov chains, with
    `APART` sweeps between two times. Raises TimeUpError.
    """
    python_generator = Random(f"shares {budget.seed}")  # noqa: S311 - chance, no secret
    drawer, drawn_pairings = by_relaxed_table(component, budget), list[PairList]()
    while len(drawn_pairings) < draws:
        accepted_pairs = drawer(python_generator)
        if accepted_pairs is None:
            break
        drawn_pairings.append(accepted_pairs[0])
    if len(drawn_pairings) == draws:
        return find_partners(np.array(drawn_pairings))[:, None], None
    numpy_generator = np.random.default_rng(python_generator.getrandbits(64))
    chain_pairings, longer_steps, diagnostics = run_chains_until_mixed(
        component, numpy_generator, budget
    )
    chain_samples = []
    for _ in range(-(-draws // len(chain_pairings))):
        chain_pairings = run_chains(
            component, chain_pairings, APART, numpy_generator, longer_steps, budget
        ).partner
        chain_samples.append(chain_pairings)
    return np.array(chain_samples), diagnostics
