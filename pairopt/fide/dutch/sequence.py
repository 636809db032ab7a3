"""Sequence: the place of a bracket's candidate in the order of candidates (articles 3 and 4).

Each part of the order is one number: what a candidate has there, the first one having the least.
Transpositions are numbered from 0 in lexicographic order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pairopt.event.arcs import IntArray
from pairopt.fide.dutch.ranking import RankedPlayers

PARTS = ("4.4", "4.2 MDP", "4.3.2.1", "4.3.2.2", "4.3.2.3", "4.3.2.4", "4.2")
"""The parts of the order, by their articles."""


class PairShare(NamedTuple):
    """What the pair number `pair` adds to a part."""

    pair: int
    part: int
    amount: int


def shares(ranking: RankedPlayers, s: int, a: IntArray, b: IntArray) -> list[PairShare]:
    """What the pairs a < b of a whole pairing add to each part in the bracket of group `s`."""
    one, two = a.tolist(), b.tolist()
    upper, lower = ranking.group_of(a).tolist(), ranking.group_of(b).tolist()
    order = np.argsort(a).tolist()
    moved = [k for k in order if upper[k] < s <= lower[k]]
    inner = [k for k in order if upper[k] == s == lower[k]]
    if not moved and not inner:
        return []
    residents = np.flatnonzero(ranking.group == s).tolist()
    paired = [k for k in moved if lower[k] == s]
    opponents = [two[k] for k in paired]
    made = [PairShare(k, 0, w) for k, w in _weighted(moved, [lower[k] > s for k in moved])]
    made += [PairShare(k, 1, w) for k, w in _arranged(paired, opponents, residents)]
    rest = sorted({*residents} - {*opponents})
    place = {player: at for at, player in enumerate(rest)}
    half, uppers = len(inner), [one[k] for k in inner]
    entering = [k for k in inner if place[one[k]] >= half]
    made += [PairShare(k, 2, 1) for k in entering]
    if entering:
        made += [PairShare(k, 3, place[one[k]] - turn) for turn, k in enumerate(inner)]
        index = {one[k]: k for k in order if upper[k] == s} | {two[k]: k for k in inner}
        made += _exchanged(rest, half, {*uppers}, index)
    seconds = sorted({*rest} - {*uppers})
    made += [PairShare(k, 6, w) for k, w in _arranged(inner, [two[k] for k in inner], seconds)]
    return made


def _exchanged(
    rest: list[int], half: int, uppers: set[int], index: dict[int, int]
) -> Iterator[PairShare]:
    """Who has left S1, from its last player up, and who has entered it, from the first of S2."""
    for place, player in enumerate(rest):
        if place < half and player in uppers:
            yield PairShare(index[player], 4, 2**place)
        elif place >= half and player not in uppers:
            yield PairShare(index[player], 5, 2 ** (len(rest) - 1 - place))


def _arranged(index: list[int], chosen: list[int], offered: list[int]) -> Iterator[tuple[int, int]]:
    """What each choice adds to the number of an arrangement of some of those offered."""
    left, digits = [*offered], []
    for one in chosen:
        digits.append(left.index(one))
        left.pop(digits[-1])
    return _weighted(index, digits, range(len(offered), len(left), -1))


def _weighted(
    index: list[int], digits: Sequence[int], bases: Sequence[int] | None = None
) -> Iterator[tuple[int, int]]:
    """What each digit of a number adds to it; a base is the number of a digit's values, or 2."""
    weight = 1
    for turn in reversed(range(len(index))):
        yield index[turn], int(digits[turn]) * weight
        weight *= 2 if bases is None else bases[turn]
