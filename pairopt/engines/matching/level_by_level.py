"""Stages: level by level on ever fewer pairs, or one weighted sum. Edges of each player that cost
least above prices of types are looked at first. Under the exact prices of players and odd sets that
come with the matching, no edge above its prices is in another one of the same cost.
"""

from dataclasses import dataclass, replace

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines.allowed_arcs import AllowedArcs
from pairopt.engines.base import Progress
from pairopt.engines.matching.edge_sets import EdgeSet, ExplicitEdges, TypedEdges
from pairopt.engines.matching.edges import (
    Costs,
    Edges,
    Numbers,
    edges_of,
    max_exact_cost,
    near_edges_mask,
    pairs_of,
)
from pairopt.engines.matching.level_weights import pack
from pairopt.engines.matching.min_cost_matching import (
    find_min_cost_perfect_matching,
    solve_min_cost_matching,
)
from pairopt.engines.matching.reduced_costs import (
    approximate_log,
    double_exact,
    feasible_duals,
)
from pairopt.engines.odd_sets import max_level_block
from pairopt.engines.player_types import PairClasses
from pairopt.event.arcs import BoolArray, IntArray


@dataclass(frozen=True)
class MatchingWithDuals:
    """A cheapest perfect matching, and what all others of the columns that are `alive` cost. None
    of the same cost uses another column. Four times what one costs more than this is at most
    `spare`, and for each of its columns what it is `above`.
    """

    matching: Edges
    alive: BoolArray
    above: Numbers
    spare: int


def priced_matching(
    columns: AllowedArcs,
    alive: BoolArray,
    cost: Costs,
    at_hand: Edges | None,
    budget: Budget,
) -> MatchingWithDuals | None:
    """A perfect matching of least cost (each column's) of the columns alive, None where there is
    none. `at_hand` is a perfect matching of them. Raises TimeUpError.
    """
    budget.check()
    players, vertices, index = (
        columns.players,
        columns.players + columns.odd,
        alive.nonzero()[0],
    )
    if pairs_of(columns, alive) <= FEW:
        if (
            matching := find_min_cost_perfect_matching(
                players, edges_of(columns, alive), cost, budget
            )
        ) is None:
            return None
        total = sum(cost[matching.number].tolist())  # may be more than 64 bits hold
        return MatchingWithDuals(matching, cost <= total, 4 * cost, -4 * total)
    twice = double_exact(_reduced_costs(columns, index, cost))
    budget.check()
    among: EdgeSet
    if isinstance(columns, PairClasses):
        among = TypedEdges(columns, index, twice, at_hand)
    else:
        edges = edges_of(columns, alive)
        few = near_edges_mask(
            vertices, edges.first, edges.second, approximate_log(twice[index])
        )
        if at_hand is not None:
            few |= edges.of(players, at_hand.first, at_hand.second)
        among = ExplicitEdges(vertices, edges, twice[index], few)
    if (found := solve_min_cost_matching(among, budget)) is None:
        return None
    number, least, most = among.above(found.alone, found.sets)
    alive, above = np.zeros(len(columns), np.bool_), np.zeros(len(columns), most.dtype)
    alive[number[least <= 0]] = True
    np.maximum.at(above, number, most)
    spare = sum(
        (min(len(members), vertices - len(members)) - 1) * price
        for members, price in found.sets.items()
    )
    return MatchingWithDuals(among.matching(*found.pairs), alive, above, spare)


def _reduced_costs(columns: AllowedArcs, index: IntArray, cost: Costs) -> Costs:
    """Twice what the columns `index` cost above the prices of their ends, 0 for the others."""
    a, b, twice = columns.a[index], columns.b[index], 2 * cost[index]
    paid = feasible_duals(len(columns.size) + 1, a, b, twice)
    above: Numbers = np.zeros(len(columns), cost.dtype)
    above[index] = twice - paid[a] - paid[b]
    return above


FEW = 6000  # up to so many edges are matched at once
LIMIT = 2**54  # costs of more edges, times the square of their vertices, are no larger


@dataclass(frozen=True)
class MatchingProgress:
    """Where the optimisation stands. `values` are the optimal values of the first levels, each
    proven given the ones before it; `alive` marks the columns that may still be used, `matching`
    has all those values. `feasible` is False when there is no perfect matching, `stopped` True when
    time ran out. The first `free` levels have their values in every perfect matching of the columns
    alive. By `cost`, one a column, the cheapest of all of these are optimal.
    """

    values: tuple[int, ...]
    alive: BoolArray
    matching: Edges | None = None
    feasible: bool = True
    stopped: bool = False
    free: int = 0
    cost: Costs | None = None


def minimize_lexicographically(
    columns: AllowedArcs,
    start: MatchingProgress,
    budget: Budget = Budget(),
    progress: Progress | None = None,
    more: bool = False,
    before: int = 0,
) -> MatchingProgress:
    """Minimise the levels that `start` leaves open; others are `before`, `more` may come after."""
    now, levels = start, columns.costs.shape[1]
    while now.matching is None or len(now.values) < levels:
        known = len(now.values)
        try:
            now = advance_levels(columns, now, budget, more)
        except TimeUpError:
            return replace(now, stopped=True)
        if not now.feasible:
            return now
        if progress:
            for level, value in enumerate(now.values[known:], before + known):
                progress(level, value)
    return now


def advance_levels(
    columns: AllowedArcs,
    now: MatchingProgress,
    budget: Budget = Budget(),
    more: bool = True,
) -> MatchingProgress:
    """Settle a run of levels at their static lower bound, and all that fit after them: the longest
    that leaves no odd part, which is optimal where it can be; if not, none. Raises TimeUpError.
    """
    known = len(now.values)
    reach = columns.reach(now.alive, known)
    run = max_level_block(columns, reach)
    alive = reach >= run
    if run > 0 and np.count_nonzero(alive) < np.count_nonzero(now.alive):
        if (
            found := _level_block_at_bound(
                columns, now, alive, known + run, budget, more
            )
        ) is not None:
            return found
        run = 0
    found = (
        None
        if run < 0
        else _level_block_at_bound(columns, now, now.alive, known + run, budget, more)
    )
    return replace(now, feasible=False) if found is None else found


def _level_block_at_bound(
    columns: AllowedArcs,
    now: MatchingProgress,
    alive: BoolArray,
    start: int,
    budget: Budget,
    more: bool,
) -> MatchingProgress | None:
    """The standing after levels up to `start`, constant on what is alive, and more; or None."""
    known = len(now.values)
    few = pairs_of(columns, alive) <= FEW
    limit = (
        max_exact_cost(columns.players) if few else LIMIT // (columns.players + 2) ** 2
    )
    incumbent = _incumbent_value(columns, alive, start, now)
    packed = pack(columns, alive, now.values, now.free, start, limit, incumbent)
    at_hand = None if incumbent is None else now.matching
    found = priced_matching(columns, alive, packed.cost, at_hand, budget)
    if found is None:
        return None
    values = tuple(
        columns.costs.T.take(found.matching.number, axis=1).sum(axis=1).tolist()
    )
    if values[:known] != now.values:
        return None
    if not more and packed.end == columns.costs.shape[1]:
        return MatchingProgress(values, alive, found.matching, cost=packed.cost)
    new = slice(start, packed.end)
    alive = alive & found.alive
    for level, value in zip(columns.costs.T[new], values[new], strict=True):
        alive &= level <= value
    most = columns.matches * int(found.above[alive].max(initial=0)) + found.spare
    less = (level for level, margin in packed.margins(values) if 4 * margin <= most)
    return MatchingProgress(
        values[: packed.end], alive, found.matching, free=next(less, packed.end)
    )


def _incumbent_value(
    columns: AllowedArcs, alive: BoolArray, level: int, now: MatchingProgress
) -> int | None:
    """The value of a level in the matching at hand, if that uses only what is alive."""
    if now.matching is None or level == columns.costs.shape[1]:
        return None
    used = now.matching.number
    return int(columns.costs[used, level].sum()) if alive[used].all() else None


def minimize_weighted_sum(
    columns: AllowedArcs, weights: tuple[int, ...], budget: Budget = Budget()
) -> MatchingProgress:
    start = MatchingProgress((), np.ones(len(columns), np.bool_))
    cost = columns.weighted(weights)
    try:
        found = priced_matching(columns, start.alive, cost, None, budget)
    except TimeUpError:
        return replace(start, stopped=True)
    if found is None:
        return replace(start, feasible=False)
    total = int(cost[found.matching.number].sum())
    return replace(start, values=(total,), matching=found.matching, cost=cost)
