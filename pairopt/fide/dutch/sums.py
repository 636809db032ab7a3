"""Sums: the parts of the order of candidates as sums over matches, for a proof.

What a match adds depends on the parts before, in which all that are compared are alike: the
moved-down players who are paired are the same, then their opponents, then who is in S1. A part
that compares players one after the other is a level for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from pairopt.event.arcs import IntArray
from pairopt.fide.dutch.ranking import RankedPlayers


class PartSum(NamedTuple):
    """A level of the part of this number: what pairs of ranks a < b add to it.

    It is about the player of rank `own`, whose pairs alone count, or about all where that is
    None; `offset` is what is added to all sums.
    """

    part: int
    own: int | None
    amounts: Callable[[IntArray, IntArray], IntArray]
    offset: int = 0


def part_sums(ranking: RankedPlayers, s: int, moved: IntArray, upper: IntArray,
              lower: IntArray) -> Iterator[PartSum]:  # fmt: skip
    """The parts of the bracket of group `s`, in which `upper` meet `lower`, in order.

    `moved` are the players moved down to it.
    """
    residents = np.flatnonzero(ranking.group == s)
    for one in moved.tolist():
        yield PartSum(0, one, _floats(ranking, s, one))
    from_above = ranking.group[upper] < s
    for one in upper[from_above].tolist():
        yield PartSum(1, one, _opponent(ranking, s, one, residents))
    rest = np.setdiff1d(residents, lower[from_above])
    uppers = upper[~from_above]
    half, place = len(uppers), _places(ranking, rest)

    def inner(a: IntArray, b: IntArray) -> IntArray:
        """The place of the upper one of two who are both left, -1 for others."""
        both = (place[a] >= 0) & (place[np.minimum(b, len(ranking))] >= 0)
        upper: IntArray = np.where(both, place[a], -1)
        return upper

    yield PartSum(2, None, lambda a, b: (inner(a, b) >= half).astype(np.int64))
    if (place[uppers] >= half).any():
        yield PartSum(3, None, lambda a, b: np.maximum(inner(a, b), 0), -sum(range(half)))
        for one in rest[:half][::-1].tolist():
            yield PartSum(4, one, _stays(inner, one, leaves=True))
        for one in rest[half:].tolist():
            yield PartSum(5, one, _stays(inner, one, leaves=False))
    seconds = np.setdiff1d(rest, uppers)
    for one in uppers.tolist():
        yield PartSum(6, one, _opponent(ranking, s, one, seconds))


def _places(ranking: RankedPlayers, some: IntArray) -> IntArray:
    """The place of each rank among some, -1 for others, and for the bye."""
    place = np.full(len(ranking) + 1, -1)
    place[some] = np.arange(len(some))
    return place


def _floats(ranking: RankedPlayers, s: int, one: int) -> Callable[[IntArray, IntArray], IntArray]:
    return lambda a, b: ((a == one) & (ranking.group_of(b) > s)).astype(np.int64)


def _opponent(
    ranking: RankedPlayers, s: int, one: int, offered: IntArray
) -> Callable[[IntArray, IntArray], IntArray]:
    """The place of a player's opponent among those offered, or one beyond them."""
    place = _places(ranking, offered)
    place[place < 0] = len(offered)

    def amounts(a: IntArray, b: IntArray) -> IntArray:
        own = (a == one) | (b == one)
        there = (a == one) & (ranking.group_of(b) == s)
        at: IntArray = own * np.where(there, place[np.minimum(b, len(ranking))], len(offered))
        return at

    return amounts


def _stays(
    inner: Callable[[IntArray, IntArray], IntArray], one: int, leaves: bool
) -> Callable[[IntArray, IntArray], IntArray]:
    """1 where a player of S1 does not leave it, or where one of S2 does not enter S1."""

    def amounts(a: IntArray, b: IntArray) -> IntArray:
        own, upper = (a == one) | (b == one), (a == one) & (inner(a, b) >= 0)
        stays: IntArray = (own & (upper == leaves)).astype(np.int64)
        return stays

    return amounts
