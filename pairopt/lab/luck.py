"""Luck: random numbers that are looked up, not drawn.

Every number is a hash of what it is for (seed, replicate, round, players), so models that are
compared meet the same luck whatever they pair, and the order of the work does not matter.

The hash is the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
number generators", OOPSLA 2014), chained over the parts of the key in 64-bit integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from pairopt.event.arcs import IntArray

Words = NDArray[np.uint64]
Uniforms = NDArray[np.float64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11 = (np.uint64(bits) for bits in (30, 27, 31, 11))
_ALL = 2**64 - 1


class Purpose(IntEnum):
    """What a number is for: numbers for different purposes are independent."""

    STRENGTH = 1
    RATING = 2
    MATCH = 3
    DROP = 4
    LATE = 5
    PAIRING = 6
    FORM = 7
    SECOND_GAME = 8


def words(*key: int | IntArray) -> Words:
    """A 64-bit word for each key; the parts, integers >= 0, are broadcast to one length.

    An integer of more than 64 bits, as a seed may be, is several parts.
    """
    state = np.zeros(1, np.uint64)
    for part in _parts(key):
        state = state + part + _STEP
        state = (state ^ (state >> _30)) * _FIRST
        state = (state ^ (state >> _27)) * _SECOND
        state = state ^ (state >> _31)
    return state


def _parts(key: Iterable[int | IntArray]) -> Iterator[Words]:
    for part in key:
        rest = part
        while isinstance(rest, int) and rest >> 64:
            yield np.asarray(rest & _ALL).astype(np.uint64)
            rest >>= 64
        yield np.asarray(rest).astype(np.uint64)


def uniforms(*key: int | IntArray) -> Uniforms:
    """A number in [0, 1) for each key, a multiple of 2^-53."""
    made: Uniforms = (words(*key) >> _11).astype(np.float64) * 2.0**-53
    return made


def match_luck(
    seed: int, replicate: int, round: int, first: IntArray, second: IntArray, game: int = 1
) -> Uniforms:
    """The luck of the lower-numbered player of each match, shape (m,), in one of its games.

    It is the same whoever of the two is named first.
    """
    low, high = np.minimum(first, second), np.maximum(first, second)
    purpose = Purpose.MATCH if game == 1 else Purpose.SECOND_GAME
    return uniforms(seed, replicate, purpose, round, low, high)


def pairing_seed(seed: int, replicate: int, round: int) -> int:
    """The seed with which a round is paired, below 2^31."""
    return int(words(seed, replicate, Purpose.PAIRING, round)[0]) >> 33
