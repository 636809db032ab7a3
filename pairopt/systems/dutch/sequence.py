"""Sequence: the place of a bracket's candidate in the order of candidates (articles 3 and 4).

Each part of the order is one number: what a candidate has there, the first one having the least.
Transpositions are numbered from 0 in lexicographic order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pairopt.event.arcs import IntArray
from pairopt.systems.dutch.ranking import Ranking

PARTS = ("4.4", "4.2 MDP", "4.3.2.1", "4.3.2.2", "4.3.2.3", "4.3.2.4", "4.2")
"""The parts of the order, by their articles."""


class Share(NamedTuple):
    """What the pair number `pair` adds to a part."""

    pair: int
    part: int
    amount: int


def shares(ranking: Ranking, s: int, a: IntArray, b: IntArray) -> list[Share]:
    """What the pairs a < b of a whole pairing add to each part in the bracket of group `s`."""
    upper, lower = ranking.group_of(a), ranking.group_of(b)
    moved = np.flatnonzero((upper < s) & (lower >= s))
    moved = moved[np.argsort(a[moved])]
    floats = lower[moved] > s
    residents = np.flatnonzero(ranking.group == s)
    paired = moved[~floats]
    rest = np.setdiff1d(residents, b[paired])
    inner = np.flatnonzero((upper == s) & (lower == s))
    inner = inner[np.argsort(a[inner])]
    made = [Share(k, 0, w) for k, w in _weighted(moved, floats.tolist(), [2] * len(moved))]
    made += [Share(k, 1, w) for k, w in _arranged(paired, b[paired], residents)]
    if not len(inner):
        return made
    half, place = len(inner), np.searchsorted(rest, a[inner])
    entering = place >= half
    made += [Share(int(k), 2, 1) for k in inner[entering]]
    if entering.any():
        made += [
            Share(int(k), 3, int(at) - turn)
            for turn, (k, at) in enumerate(zip(inner, place, strict=True))
        ]
        made += _exchanged(rest, half, inner, a, b, upper == s)
    opponents = np.setdiff1d(rest, a[inner])
    made += [Share(k, 6, w) for k, w in _arranged(inner, b[inner], opponents)]
    return made


def place(ranking: Ranking, s: int, a: IntArray, b: IntArray) -> list[int]:
    """The parts of the order in the bracket of group `s` of a whole pairing."""
    parts = [0] * len(PARTS)
    for _, part, amount in shares(ranking, s, a, b):
        parts[part] += amount
    return parts


def _exchanged(
    rest: IntArray, half: int, inner: IntArray, a: IntArray, b: IntArray, own: IntArray
) -> Iterator[Share]:
    """Who has left S1, from its last player up, and who has entered it, from the first of S2."""
    index = {int(a[k]): int(k) for k in np.flatnonzero(own)}
    index |= {int(b[k]): int(k) for k in inner}
    uppers = set(a[inner].tolist())
    for place, player in enumerate(rest.tolist()):
        if place < half and player in uppers:
            yield Share(index[player], 4, 2**place)
        elif place >= half and player not in uppers:
            yield Share(index[player], 5, 2 ** (len(rest) - 1 - place))


def _arranged(index: IntArray, chosen: IntArray, offered: IntArray) -> Iterator[tuple[int, int]]:
    """What each choice adds to the number of an arrangement of some of those offered."""
    left = offered.tolist()
    digits, bases = [], []
    for one in chosen.tolist():
        digits.append(left.index(one))
        bases.append(len(left))
        left.pop(digits[-1])
    return _weighted(index, digits, bases)


def _weighted(index: IntArray, digits: list[int], bases: list[int]) -> Iterator[tuple[int, int]]:
    """What each digit of a number adds to it; the base of a digit is the number of its values."""
    weight = 1
    for k, digit, base in reversed(list(zip(index.tolist(), digits, bases, strict=True))):
        yield k, int(digit) * weight
        weight *= base
