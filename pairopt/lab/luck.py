"""Luck: random numbers that are looked up, not drawn.

Every number is a hash of what it is for (seed, replicate, round, players), so models that are
compared meet the same luck whatever they pair, and the order of the work does not matter.

The hash is the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
number generators", OOPSLA 2014), chained over the parts of the key in 64-bit integers.
"""

from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairopt.event.arcs import IntArray

Words = NDArray[np.uint64]
Uniforms = NDArray[np.float64]

STEP = 0x9E3779B97F4A7C15
FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
ALL = 2**64 - 1


Purpose = IntEnum(
    "Purpose",
    [
        "STRENGTH",
        "RATING",
        "MATCH",
        "DROP",
        "LATE",
        "PAIRING",
        "FORM",
        "SECOND_GAME",
        "ABSENCE",
        "FORFEIT",
        "SEED",
    ],
)
"""What a number is for: numbers for different purposes are independent. New ones come last."""


def random_words(*key: int | IntArray) -> Words:
    """A 64-bit word for each key; the parts, integers >= 0, are broadcast to one length. An integer
    of more than 64 bits, as a seed may be, is several parts.
    """
    state: Any = (
        0  # Python's integer as long as all parts are: numpy is slow with one number
    )
    for part in _parts(key):
        state = (state + part + STEP) & ALL
        state = (state ^ (state >> 30)) * FIRST & ALL
        state = (state ^ (state >> 27)) * SECOND & ALL
        state = state ^ (state >> 31)
    return np.atleast_1d(np.asarray(state, np.uint64))


def _parts(key: Iterable[int | IntArray]) -> Iterator[int | Words]:
    for part in key:
        if not isinstance(part, int):
            yield np.atleast_1d(part).astype(np.uint64)
            continue
        rest = int(part)
        while rest >> 64:
            yield rest & ALL
            rest >>= 64
        yield rest


def uniforms(*key: int | IntArray) -> Uniforms:
    """A number in [0, 1) for each key, a multiple of 2^-53."""
    made: Uniforms = (random_words(*key) >> 11).astype(np.float64) * 2.0**-53
    return made


def match_luck(
    seed: int,
    replicate: int | IntArray,
    round: int,
    first: IntArray,
    second: IntArray,
    game: int = 1,
) -> Uniforms:
    """The luck of the lower-numbered player of each match, shape (m,), in one of its games."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    purpose = Purpose.MATCH if game == 1 else Purpose.SECOND_GAME
    return uniforms(seed, replicate, purpose, round, low, high)


def pairing_seed(seed: int, replicate: int, round: int) -> int:
    """The seed with which a round is paired, below 2^31."""
    return int(random_words(seed, replicate, Purpose.PAIRING, round)[0]) >> 33
