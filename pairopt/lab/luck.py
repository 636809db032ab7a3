"""Common random numbers: every random number is a hash of its purpose.

The key of a number is its seed, replicate, purpose, round and players. So all models that are
compared get the same numbers whatever they pair, and the order of the work does not matter.

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
        "THIRD_GAME",
        "CHANGE",
    ],
)
"""The purpose of a random number: numbers for different purposes are independent. Add new ones at the end."""


GAME_PURPOSES = {1: Purpose.MATCH, 2: Purpose.SECOND_GAME, 3: Purpose.THIRD_GAME}
"""The purpose of the luck of a match's first, second and third game."""


def random_words(*key: int | IntArray) -> Words:
    """Return a pseudorandom 64-bit word for each key; equal keys give equal words.

    The parts of the key, integers >= 0 or arrays of them, are broadcast to one shape,
    which the result has, (1,) if all are integers. An integer of more than 64 bits, for
    example a long seed, counts as several parts.
    """
    # Python's integer as long as all parts are: numpy is slow with one number
    hash_state: Any = 0
    for key_part in _convert_key_parts(key):
        hash_state = (hash_state + key_part + STEP) & ALL
        hash_state = (hash_state ^ (hash_state >> 30)) * FIRST & ALL
        hash_state = (hash_state ^ (hash_state >> 27)) * SECOND & ALL
        hash_state = hash_state ^ (hash_state >> 31)
    return np.atleast_1d(np.asarray(hash_state, np.uint64))


def _convert_key_parts(key: Iterable[int | IntArray]) -> Iterator[int | Words]:
    """Yield the parts of a key as 64-bit words, the low word of a long integer first.

    An integer of up to 64 bits stays a Python integer; an array becomes uint64.
    """
    for key_part in key:
        if not isinstance(key_part, int):
            yield np.atleast_1d(key_part).astype(np.uint64)
            continue
        high_bits = int(key_part)
        while high_bits >> 64:
            yield high_bits & ALL
            high_bits >>= 64
        yield high_bits


def uniforms(*key: int | IntArray) -> Uniforms:
    """Return a uniform random number in [0, 1) for each key, a multiple of 2^-53.

    The parts of the key, integers >= 0 or arrays of them, are broadcast to one shape,
    which the result has, (1,) if all are integers. Equal keys give equal numbers.
    """
    mantissas = (random_words(*key) >> 11).astype(np.float64)
    uniform_numbers: Uniforms = mantissas * 2.0**-53
    return uniform_numbers


def match_luck(
    seed: int,
    replicate: int | IntArray,
    round: int,
    first: IntArray,
    second: IntArray,
    game: int = 1,
) -> Uniforms:
    """Return the random number in [0, 1) that decides one game of each match.

    The shape is (m,). `first` and `second` are the players of each match by number. The
    number is the luck of the one with the lower number, whoever is `first`. `game` is
    the number of the game in the match: 1, 2 or 3. The number follows from seed,
    replicate, round, game and the two players alone.
    """
    lower_players = np.minimum(first, second)
    higher_players = np.maximum(first, second)
    return uniforms(
        seed, replicate, GAME_PURPOSES[game], round, lower_players, higher_players
    )


def pairing_seed(seed: int, replicate: int, round: int) -> int:
    """Return the seed for pairing a round of one replicate, from 0 to 2^31 - 1.

    It is the same for all models, and depends only on the three numbers.
    """
    random_word = random_words(seed, replicate, Purpose.PAIRING, round)[0]
    return int(random_word) >> 33
