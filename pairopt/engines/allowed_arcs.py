"""Columns: what a stage of the optimisation chooses from, whatever a column stands for. A column is
a class of exchangeable arcs (`classes.py`) or one single pair (`pairs.py`).
"""

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from pairopt.event.arcs import BYE, Arcs, BoolArray, IntArray, arcs_of, random_generator

LISTED_FIRST, OTHER_FIRST = 1, 2
"""Bits of `sides`: which of a pair may have the first side (both: no matter)."""
NUMBER = 63  # bits of a number
AHEAD = 64  # so many levels are looked at together
MOST = 2**62  # more than any column costs
ONES = np.broadcast_to(np.int64(1), 2**40)  # as many as are asked for, and in no memory

Reach = NDArray[np.int8]  # how many levels each column shares with the best
Lots = (
    np.random.Generator | Sequence[int]
)  # or what one is seeded with, if it is needed at all
Equation = tuple[IntArray, int]
"""An equation over the columns: coefficients, shape (columns,), and their sum's value."""


@dataclass(frozen=True)
class AllowedArcs:
    """Arrays with one entry a column, between types of players. `size` holds the number of players
    of each type; a column joins types `a` and `b` (`b` is `len(size)`, the dummy, for byes), at
    most `cap` times; `sides` are the bits above and `costs`, shape (columns, levels), what one use
    adds to each level.
    """

    size: IntArray
    a: IntArray
    b: IntArray
    cap: IntArray
    sides: IntArray
    costs: IntArray

    def __len__(self) -> int:
        return len(self.a)

    @cached_property
    def bye(self) -> BoolArray:
        return np.asarray(self.b == len(self.size), np.bool_)

    @cached_property
    def players(self) -> int:
        return int(self.size.sum())

    @property
    def odd(self) -> bool:
        return self.players % 2 == 1

    @property
    def matches(self) -> int:
        return (self.players + 1) // 2

    @property
    def reach_all(self) -> bool:
        """Whether everybody, the bye of an odd field among them, has a column at all."""
        vertices = len(self.size) + self.odd
        return bool(np.bincount(np.append(self.a, self.b), minlength=vertices).all())

    def totals(self, counts: IntArray) -> IntArray:
        """Value of each level when the columns are used so often, shape (levels,)."""
        return counts @ self.costs

    def weighted(self, weights: tuple[int, ...]) -> NDArray[np.object_]:
        return np.asarray(self.costs.astype(object) @ np.array(weights, object), object)

    def most(self) -> list[int]:
        """For each level, a bound on what any pairing can give it (exact integers)."""
        cost, bye = self.costs, self.bye
        match = np.zeros((len(self.size), cost.shape[1]), np.int64)
        np.maximum.at(match, self.a[~bye], cost[~bye])
        np.maximum.at(match, self.b[~bye], cost[~bye])
        byes = (
            cost[bye].max(axis=0, initial=0)
            if bye.any()
            else np.zeros(cost.shape[1], np.int64)
        )
        return [
            int(m) // 2 + int(b) for m, b in zip(self.size @ match, byes, strict=True)
        ]

    def reach(self, alive: BoolArray, start: int) -> Reach:
        """How many levels in a row from `start` on, of `AHEAD`, each column alive has at their
        lower bound: there each match and bye adds the least that any can; -1 for the others.
        """
        levels, reach = (
            self.costs.T[start : start + AHEAD],
            np.full(len(self), -1, np.int8),
        )
        bits = tuple(map(int.bit_length, levels.max(axis=1, initial=0).tolist()))
        for kind in (alive & ~self.bye, alive & self.bye) if self.odd else (alive,):
            left, done = kind.nonzero()[0], 0
            reach[left] = 0
            while done < len(levels) and len(left):
                units = _level_units(bits[done:])
                which = None if len(left) == len(self) else left
                number = weighted_sums(levels[done : done + len(units)], units, which)
                apart = number ^ number.min()  # below the units of all levels in common
                alike = len(units) - units[::-1].searchsorted(apart, "right")
                reach[left] += alike.astype(np.int8)
                left, done = left[alike == len(units)], done + len(units)
        return reach

    def least(self, alive: BoolArray, cost: IntArray) -> tuple[BoolArray, int]:
        """Those alive of which each match, and each bye, costs the least that any does. And what a
        pairing of these costs.
        """
        if not self.odd:
            least = _minimum_cost(cost[alive])
            return alive & (cost == least), self.matches * least
        match, bye = (_minimum_cost(cost[alive & who]) for who in (~self.bye, self.bye))
        both = alive & (cost == np.where(self.bye, bye, match))
        return both, (self.matches - 1) * match + bye


def _minimum_cost(costs: IntArray) -> int:
    return int(costs.min()) if len(costs) else MOST


def shrink_dtype(costs: IntArray) -> IntArray:
    """The same, never negative costs in the smallest integers that hold each of them, level after
    level in memory: what is read again and again is to be short.
    """
    kind = np.min_scalar_type(-1 - int(costs.max(initial=0)))  # signed
    return np.asarray(costs.T.astype(kind, copy=False).T)


def weighted_sums(
    levels: IntArray, weights: IntArray, which: IntArray | None = None
) -> IntArray:
    """The weighted sum of levels, shape (levels, columns), for each of `which` columns, in 64 bits;
    of narrow ones level by level, as numpy would copy them all first.
    """
    if levels.dtype == np.int64:
        return weights @ (levels if which is None else levels.take(which, axis=1))
    total = np.zeros(levels.shape[1] if which is None else len(which), np.int64)
    for level, weight in zip(levels, weights, strict=True):
        total += (level if which is None else level[which]) * weight
    return total


@lru_cache(maxsize=256)
def _level_units(bits: tuple[int, ...]) -> IntArray:
    """The unit of each level of so many bits, the most important first, in one number."""
    used = [total for total in accumulate(bits) if total < NUMBER]
    return np.array([1 << (used[-1] - total) for total in used], np.int64)


@dataclass(frozen=True)
class OptimalUse:
    """What the optimal pairings of some levels can use: columns and equations."""

    alive: BoolArray
    equations: tuple[Equation, ...] = ()


def single_pairs(
    players: int,
    a: IntArray,
    b: IntArray,
    costs: IntArray,
    sides: IntArray | None = None,
) -> AllowedArcs:
    """Columns that are single pairs of so many players, each a type; b = `players` for a bye."""
    ones = ONES[: len(a)]
    sides = ones * LISTED_FIRST if sides is None else sides
    return AllowedArcs(np.ones(players, np.int64), a, b, ones, sides, costs)


def exact_sum(use: IntArray, coefficients: IntArray) -> int:
    """Sum coefficients of columns times their use, in Python's integers if numpy would overflow."""
    if int(coefficients.max(initial=0)) * int(use.sum()) < 2**63:
        return int(use @ coefficients.astype(np.int64))
    used = np.flatnonzero(use)
    return sum(map(operator.mul, use[used].tolist(), coefficients[used].tolist()))


def with_first_sides(
    first: IntArray, second: IntArray, bits: IntArray, rng: Lots
) -> Arcs:
    """Arcs with the first side given as the bits say, by a coin where they allow both."""
    if np.count_nonzero(either := bits == LISTED_FIRST | OTHER_FIRST):
        coins = _coins if isinstance(rng, tuple) else _toss_coins  # of a seed
        bits = np.where(either, coins(rng, len(bits)), bits)
    other = (bits == OTHER_FIRST) & (second != BYE)
    return arcs_of(np.where(other, second, first), np.where(other, first, second))


def _toss_coins(rng: Lots, many: int) -> IntArray:
    lots = rng if isinstance(rng, np.random.Generator) else random_generator(*rng)
    return lots.integers(LISTED_FIRST, OTHER_FIRST + 1, many)


_coins = lru_cache(maxsize=8)(_toss_coins)


def choose_sides(
    costs: IntArray,
    swapped: IntArray,
    legal: BoolArray,
    legal_swapped: BoolArray,
    weights: tuple[int, ...] | None = None,
) -> tuple[IntArray, IntArray]:
    """Which way round a pair is better, by the lexicographic order or by weights: the side bits (0
    where neither is legal), and the levels' values that way.
    """
    one, two = costs.T, swapped.T
    apart = (one != two).any(axis=1).nonzero()[0]  # few levels tell the sides apart
    if weights is not None:
        exact = (costs - swapped).astype(object) @ np.array(weights, object)
        sign = np.array([(value > 0) - (value < 0) for value in exact], np.int64)
    else:
        sign = np.zeros(len(costs), np.int64)
        for level in apart[::-1]:
            difference = one[level] - two[level]
            np.copyto(sign, difference, where=difference != 0)
    first = legal & ((sign <= 0) | ~legal_swapped)
    other = legal_swapped & ((sign >= 0) | ~legal)
    better, turn = one.copy(), ~first
    for level in apart:
        np.copyto(better[level], two[level], where=turn)
    return LISTED_FIRST * first + OTHER_FIRST * other, better.T


def radix_weights(columns: AllowedArcs) -> tuple[int, ...]:
    """Mixed-radix weights: one unit of a level outweighs all that later levels can hold."""
    sizes = (most + 1 for most in reversed(columns.most()))
    return tuple(accumulate(sizes, operator.mul, initial=1))[-2::-1]


def radix_blocks(columns: AllowedArcs, limit: int) -> list[AllowedArcs]:
    """Split the levels, in order, into as few blocks as possible whose mixed-radix sums fit.

    Each block is the same columns with some of the levels. A block fits where its sum stays within
    `limit` even if every column were used as often as it can be, because a solver checks its
    integers in that way. A block is never empty, so a level too large by itself is one.
    """
    most = columns.most()
    starts: list[int] = []
    total = 0

    for level, cost in enumerate(columns.costs.T):
        own = exact_sum(columns.cap, cost)
        together = total * (most[level] + 1) + own
        if starts and together <= limit:
            total = together
        else:
            starts.append(level)
            total = own

    ends = [*starts, len(most)][1:]
    levels = zip(starts, ends, strict=True)
    return [
        replace(columns, costs=columns.costs[:, start:end]) for start, end in levels
    ]


def round_bound_down(bound: float) -> int:
    """An integer that is certainly no higher than a solver's floating-point bound."""
    if abs(bound) < 2**52:
        return math.ceil(bound - 1e-6)
    return math.floor(bound * (1 - 1e-15 if bound > 0 else 1 + 1e-15))
