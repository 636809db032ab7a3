"""Pairs as columns: one for every two players, the plain boolean formulation."""

from dataclasses import replace

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.allowed_arcs import (
    LISTED_FIRST,
    OTHER_FIRST,
    AllowedArcs,
    Lots,
    single_pairs,
    with_first_sides,
)
from pairopt.engines.player_types import PairClasses, legal_ways
from pairopt.event.arcs import BYE, Arcs, BoolArray, IntArray, all_pairs_and_byes
from pairopt.problem.problem import Problem


def all_pairs(
    problem: Problem,
    weights: tuple[int, ...] | None = None,
    stop: int | None = None,
    budget: Budget = Budget(),
) -> AllowedArcs:
    """A column for every legal pair and bye, with the levels before `stop`. Raises TimeUpError."""
    return columns_of(problem, all_pairs_and_byes(len(problem)), weights, stop, budget)


def legal_arcs(problem: Problem, order: IntArray) -> Arcs:
    """The matches that no constraint forbids, each way round where there are sides, and byes, by
    the players' order, which has their positions in the state.
    """
    seats, every = np.append(order, BYE), all_pairs_and_byes(len(order))
    arcs = Arcs(
        seats[every.first], seats[every.second]
    )  # that of the bye, -1, is the last
    if problem.state.sided:
        arcs = arcs.both_ways.take(
            np.flatnonzero(np.append(arcs.bye | True, arcs.match))
        )
    return arcs.take(np.flatnonzero(problem.legal(arcs)))


def pair_arcs(problem: Problem, first: IntArray, second: IntArray) -> Arcs:
    return Arcs(first, np.where(second == len(problem), BYE, second))


def further_columns(
    problem: Problem,
    columns: AllowedArcs,
    alive: BoolArray,
    held: int,
    start: int,
    stop: int,
    budget: Budget = Budget(),
) -> AllowedArcs:
    """Columns for the pairs of the columns alive. With the values of the levels from `held` on that
    those columns have, and of start..stop. Raises TimeUpError.
    """
    first, second, number = expand(columns, alive)
    ways = allowed_sides(columns, first, second, number)
    more = columns_of(
        problem, pair_arcs(problem, first, second), None, stop, budget, ways, start
    )
    known = columns.costs.T[held:].take(number, axis=1)
    return replace(more, costs=np.concatenate([known, more.costs.T]).T)


def allowed_sides(
    columns: AllowedArcs, first: IntArray, second: IntArray, number: IntArray
) -> IntArray:
    """Which ways round pairs first < second may be, as side bits."""
    ways = columns.sides[number]
    if not isinstance(columns, PairClasses):
        return ways
    other = np.append(columns.type_of, len(columns.size))
    swap = (second < columns.players) & (other[first] > other[second])
    turned_round = np.array([0, OTHER_FIRST, LISTED_FIRST, LISTED_FIRST | OTHER_FIRST])
    return np.where(swap, turned_round[ways], ways)


def columns_of(
    problem: Problem,
    arcs: Arcs,
    weights: tuple[int, ...] | None = None,
    stop: int | None = None,
    budget: Budget = Budget(),
    ways: IntArray | None = None,
    start: int = 0,
) -> AllowedArcs:
    """Columns for the legal ones of these pairs and byes, with levels `start` to `stop`. Sides are
    the better ones of all legal, or of these `ways`. Raises TimeUpError.
    """
    n = len(problem)
    sides, costs = legal_ways(problem, arcs, weights, ways, start, stop, budget)
    first, second = arcs.first, arcs.second
    if len(arcs.alone):
        sides = np.where(arcs.bye & (sides > 0), LISTED_FIRST, sides)
        second = np.where(arcs.bye, n, second)
    if np.count_nonzero(sides) < len(sides):
        legal = sides.nonzero()[0]
        first, second, sides = first[legal], second[legal], sides[legal]
        costs = costs.T.take(
            legal, axis=1
        ).T  # in memory they stay as they are, level after level
    return single_pairs(n, first, second, costs, sides)


def sided_arcs(
    columns: AllowedArcs, first: IntArray, second: IntArray, number: IntArray, rng: Lots
) -> Arcs:
    """The arcs of pairs `first` < `second` (the number of players for a bye) of columns `number`.
    Where a column allows both ways round a coin decides.
    """
    if columns.odd:
        second = np.where(second == columns.players, BYE, second)
    if isinstance(columns, PairClasses):
        swap = (second != BYE) & (columns.type_of[first] > columns.type_of[second])
        first, second = np.where(swap, second, first), np.where(swap, first, second)
    return with_first_sides(first, second, columns.sides[number], rng)


def expand(
    classes: AllowedArcs, chosen: BoolArray
) -> tuple[IntArray, IntArray, IntArray]:
    """The pairs of the chosen columns: first and second player (n for a bye), and the column."""
    number = chosen.nonzero()[0]
    if not isinstance(classes, PairClasses):
        return classes.a[number], classes.b[number], number
    n, types, type_of = len(classes.type_of), len(classes.size), classes.type_of
    short = _short((n + 1) ** 2)  # squares of positions fit
    size = np.append(classes.size, 1)
    order = np.append(np.concatenate(classes.members), n).astype(short)
    start = np.cumsum(size) - size
    a, b = classes.a[number], classes.b[number]
    typical = classes.bye[number] | (
        classes.default[a, np.minimum(b, types - 1)] == number
    )
    number, a, b = number[typical], a[typical], b[typical]
    # a row for each player of the first type: with all of the second, or those behind in their own
    row, rows = np.repeat(np.arange(len(a)), size[a]), np.cumsum(size[a]) - size[a]
    place = np.arange(len(row)) - rows[row]
    own = order[start[a][row] + place]
    skipped = np.where((a == b)[row], place + 1, 0)
    many = size[b][row] - skipped
    begin = np.cumsum(many) - many
    first, of_class = np.repeat(own, many), np.repeat(number[row].astype(short), many)
    total = len(first)
    seat = np.repeat((start[b][row] + skipped - begin).astype(_short(total)), many)
    seat += np.arange(total, dtype=seat.dtype)
    second = order[seat]
    # special pairs are not where typical ones of their types are
    low, high = np.divmod(classes.special_keys, n)
    one = np.where(type_of[low] > type_of[high], high, low)
    two = low + high - one
    listed = np.full(len(classes) + 1, -1)  # the last for no class
    listed[number] = np.arange(len(number))
    its = listed[classes.default[type_of[one], type_of[two]]]
    one, two, its = one[its >= 0], two[its >= 0], its[its >= 0]
    inside = np.empty(n, np.int64)  # the place of each player in their type
    inside[order[:n]] = np.arange(n) - start[type_of[order[:n]]]
    where = rows[its] + inside[one]
    left = np.ones(total, np.bool_)
    left[begin[where] + inside[two] - skipped[where]] = False
    special = classes.special_class >= 0
    special[special] = chosen[classes.special_class[special]]
    low, high, its = low[special], high[special], classes.special_class[special]
    usual = (
        np.minimum(first, second)[left],
        np.maximum(first, second)[left],
        of_class[left],
    )
    rest = (each.astype(short) for each in (low, high, its))
    low, high, its = map(np.concatenate, zip(usual, rest, strict=True))
    return low, high, its


def _short(most: int) -> type[np.int32 | np.int64]:
    return np.int32 if most < 2**31 else np.int64
